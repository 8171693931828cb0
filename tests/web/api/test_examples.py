"""The examples of the API are what a service answers, and the page of the API shows all of them."""

import json
from typing import Any

import pytest

from plaudit.web.api.openapi import EXAMPLES, make_openapi
from plaudit.web.app import ENDPOINTS
from plaudit.web.public.api_page import in_words
from support.commands.api_examples import serving, take_the_tour

LOST = "Run `python tests/support/commands/api_examples.py`, which writes the examples anew."


@pytest.fixture(scope="module")
def kept() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    return found


def alike(one: Any, other: Any) -> bool:
    """Whether both have the same keys with values of the same kinds; null goes with any."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return one is None or other is None or type(one) is type(other)


def test_every_call_has_one(kept: dict[str, dict[str, Any]]) -> None:
    assert kept.keys() == {each.handler.__name__ for each in ENDPOINTS}, LOST


def test_they_are_what_a_service_answers_now(kept: dict[str, dict[str, Any]]) -> None:
    now = take_the_tour()
    for name, example in kept.items():
        assert alike(now[name], example), f"{name}: {LOST}"


def test_they_are_in_the_document_and_on_the_page(kept: dict[str, dict[str, Any]]) -> None:
    document = make_openapi(ENDPOINTS, url="https://example.org")
    shown = json.dumps(document)
    with serving() as site:
        page = site.get("/docs").text
    for name, example in kept.items():
        assert f'<details class="call" id="{name}"' in page
        assert f"{example['path']}'".replace("&", "&amp;").replace("'", "&#39;") in page
        if "answer" in example:
            assert json.dumps(example["answer"]) in shown
    for name in document["components"]["schemas"]:
        assert f'id="type-{name}"' in page


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string", "maxLength": 80}, "text, at most 80 characters"),
        ({"type": "string", "minLength": 1, "maxLength": 80}, "text, 1 to 80 characters"),
        ({"type": "integer", "minimum": 0}, "whole number from 0 on"),
        ({"type": "array", "items": {"type": "boolean"}, "maxItems": 3},
         "list of true or false, at most 3"),
        ({"anyOf": [{"type": "number"}, {"type": "null"}]}, "number or null"),
        ({"enum": ["keep", "anew"]}, "&#34;keep&#34; or &#34;anew&#34;"),
        ({"$ref": "#/components/schemas/Leader"}, '<a href="#type-Leader">Leader</a>'),
        ({"type": "string", "pattern": "^a<b$"}, "text that matches <code>^a&lt;b$</code>"),
        ({"type": "integer", "default": 1}, "whole number; 1 if left out"),
        ({}, "anything"),
    ],
)  # fmt: skip
def test_types_in_words(schema: dict[str, Any], words: str) -> None:
    assert str(in_words(schema)) == words
