"""The API for people: the OpenAPI document as a page with contents, examples and types in words."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response

from plaudit.web.api.openapi import examples
from plaudit.web.rendering import page
from plaudit.words import N_

TITLES = {
    "rating": N_("Asking and voting"),
    "proposals": N_("Proposals of raters"),
    "running": N_("Running contests"),
    "door": N_("Who may vote"),
    "notices": N_("Notices"),
    "proof": N_("Proof"),
}
GOOD = ("200", "201")
PLAIN = {
    "string": "text", "integer": "whole number", "number": "number", "boolean": "true or false",
    "null": "null", "object": "object",
}  # fmt: skip
LONGEST_CHOICE = 12


class Field(NamedTuple):
    """A key of a type: what it holds, in words."""

    name: str
    words: Markup
    is_optional: bool


class Body(NamedTuple):
    """What a call takes or returns: a named type, or a medium such as text/plain."""

    name: str
    media: str
    fields: list[Field]
    example: str


class Operation(NamedTuple):
    """One call."""

    id: str
    method: str
    path: str
    summary: str
    note: str
    query: list[Field]
    takes: list[Body]
    gives: list[Body]
    errors: list[tuple[str, str]]
    curl: str


class Type(NamedTuple):
    """A type that calls have in common."""

    name: str
    text: str
    fields: list[Field]


async def docs_page(request: Request) -> Response:
    """The API, described from the same document that programs read."""
    document = request.app.state.openapi()
    groups: dict[str, list[Operation]] = {tag: [] for tag in TITLES}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            groups[operation["tags"][0]].append(_operation(document, path, method, operation))
    types = [_type(name, schema) for name, schema in document["components"]["schemas"].items()]
    return page(
        "public/docs.html",
        version=document["info"]["version"],
        groups=[(tag, TITLES[tag], found) for tag, found in groups.items()],
        types=sorted(types, key=lambda one: one.name),
    )


def _operation(document: Any, path: str, method: str, operation: dict[str, Any]) -> Operation:
    answers = operation["responses"]
    good = [_bodies(document, answers[status]) for status in GOOD if status in answers]
    errors = [(status, one["description"]) for status, one in answers.items() if status not in GOOD]
    takes = _bodies(document, operation.get("requestBody", {}))
    return Operation(
        operation["operationId"],
        method.upper(),
        path,
        operation["summary"],
        operation.get("description", ""),
        [
            Field(one["name"], Markup("{} {}").format(in_words(one["schema"]), one["description"]),
                  is_optional=not one["required"])
            for one in operation["parameters"]
            if one["in"] == "query"
        ],
        takes,
        good[0],
        errors,
        _curl(document["servers"][0]["url"], method.upper(), operation, takes),
    )  # fmt: skip


def _bodies(document: Any, holder: dict[str, Any]) -> list[Body]:
    return [_body(document, media, one) for media, one in holder.get("content", {}).items()]


def _body(document: Any, media: str, content: dict[str, Any]) -> Body:
    name = _name_of(content["schema"])
    fields = list(_fields(document["components"]["schemas"][name])) if name else []
    return Body(name, media, fields, _pretty(content["example"]) if "example" in content else "")


def _pretty(example: Any) -> str:
    if isinstance(example, str):
        return example
    return json.dumps(example, indent=2, ensure_ascii=False)


def _curl(url: str, method: str, operation: dict[str, Any], takes: list[Body]) -> str:
    """The call as a line for a terminal; what it sends is the example."""
    path = examples()[operation["operationId"]]["path"]
    parts = ["curl"]
    secured = operation.get("security", [])
    if {"key": []} in secured:
        parts.append("-H 'Authorization: Bearer KEY'")
    elif secured:
        parts.append("-H 'X-Plaudit-Rater: TOKEN'")
    for body in takes:
        if body.example:
            short = json.dumps(json.loads(body.example), ensure_ascii=False).replace("'", "'\\''")
            parts.append(f"--json '{short}'")
        else:
            parts.append(f"-X {method} --data-binary @FILE")
    return " \\\n  ".join([*parts, f"'{url.rstrip('/')}{path}'"])


def _type(name: str, schema: dict[str, Any]) -> Type:
    return Type(name, schema.get("description", "").replace("`", ""), list(_fields(schema)))


def _fields(schema: dict[str, Any]) -> Iterator[Field]:
    for name, field in schema.get("properties", {}).items():
        yield Field(name, in_words(field), is_optional=name not in schema.get("required", []))


def _name_of(schema: dict[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def in_words(schema: dict[str, Any]) -> Markup:
    """What a value may be.

    >>> str(in_words({"type": "integer", "minimum": 1, "maximum": 10, "default": 1}))
    'whole number from 1 to 10; 1 if left out'
    """
    words = _kind(schema)
    if "description" in schema:
        words += Markup(". {}").format(schema["description"].replace("`", ""))
    if schema.get("default") not in (None, "", [], {}):
        words += Markup("; {} if left out").format(json.dumps(schema["default"]))
    return words


def _kind(schema: dict[str, Any]) -> Markup:
    if name := _name_of(schema):
        return Markup('<a href="#type-{0}">{0}</a>').format(name)
    if "anyOf" in schema:
        return Markup(" or ").join(_kind(one) for one in schema["anyOf"])
    if "enum" in schema and len(schema["enum"]) <= LONGEST_CHOICE:
        return escape(" or ".join(json.dumps(one) for one in schema["enum"]))
    if schema.get("type") == "array":
        return Markup("list of {}").format(_kind(schema["items"])) + _limits(schema, "Items")
    if isinstance(schema.get("additionalProperties"), dict):
        return Markup("object with values: {}").format(_kind(schema["additionalProperties"]))
    words = escape(PLAIN[schema["type"]] if "type" in schema else "anything")
    return words + _limits(schema, "imum") + _limits(schema, "Length") + _pattern(schema)


def _limits(schema: dict[str, Any], what: str) -> Markup:
    unit = {"imum": "", "Items": "", "Length": " characters"}[what]
    low, high = schema.get(f"min{what}"), schema.get(f"max{what}")
    if low is None and high is None:
        return Markup()
    if high is None:
        return escape(f" from {low}{unit} on" if what == "imum" else f", at least {low}{unit}")
    if low is None:
        return escape(f", at most {high}{unit}")
    return escape(f" from {low} to {high}{unit}" if what == "imum" else f", {low} to {high}{unit}")


def _pattern(schema: dict[str, Any]) -> Markup:
    if "pattern" not in schema:
        return Markup()
    return Markup(" that matches <code>{}</code>").format(schema["pattern"])
