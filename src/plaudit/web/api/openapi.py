"""The OpenAPI 3.1 document, made from the endpoints themselves."""

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from plaudit import __version__
from plaudit.service.contest.settings import NAME
from plaudit.web.api.contest_routes import EXPORTS
from plaudit.web.endpoint import Endpoint
from plaudit.web.wire.settings import NewContest
from plaudit.web.wire.voting import Error

MEANING = {
    400: "The request is not as described, or the ticket is not good.",
    401: "Say who you are: a rater's token, or an API key.",
    403: "Not allowed: consent or a scope is missing.",
    404: "There is no such contest or file.",
    409: "The contest's state does not allow it now, or it was changed meanwhile.",
    410: "The ticket is too old: ask again.",
    413: "The body is too large.",
    421: "The service does not answer to this host name.",
    428: "Work first: solve the challenge that comes along, or wait, and send it again.",
    429: "Too fast: see Retry-After.",
    503: "The store is away or full: try again, see Retry-After.",
}
# What the parts of a path look like.
PATH: dict[str, dict[str, Any]] = {
    "contest": {"type": "string", "pattern": f"^{NAME.pattern}$", "examples": ["snowman"]},
    "file": {"type": "string", "enum": list(EXPORTS)},
}
# Requests that are described by another type than the one that decodes them.
DESCRIBED: dict[str, type[msgspec.Struct]] = {"create": NewContest}
REF = "#/components/schemas/{name}"
# The groups of calls, by the module that has them.
GROUPS = {
    "rater_routes": "rating",
    "shown_routes": "rating",
    "proposal_routes": "proposals",
    "contest_routes": "running",
    "step_routes": "running",
    "door_routes": "door",
    "notice_routes": "notices",
    "proof_routes": "proof",
    "witness_routes": "proof",
}
# What a real service was asked and answered: tests/support/commands/api_examples.py writes it.
EXAMPLES = Path(__file__).with_name("examples.json")


def make_openapi(endpoints: Iterable[Endpoint], *, url: str) -> dict[str, Any]:
    """The document of these endpoints."""
    known = list(endpoints)
    shapes = [shape for each in known for shape in (_takes(each), each.gives) if _is_struct(shape)]
    _, components = msgspec.json.schema_components([*shapes, Error], ref_template=REF)
    paths: dict[str, Any] = {}
    for endpoint in known:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Plaudit",
            "version": __version__,
            "description": "Ask for items, vote, run contests, read results.",
        },
        "servers": [{"url": url}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "description": "An API key."},
                "rater": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-Plaudit-Rater",
                    "description": "A rater's token, from POST …/raters; or its cookie.",
                },
            },
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": endpoint.handler.__name__,
        "summary": (endpoint.handler.__doc__ or "").split("\n")[0],
        "tags": [_group(endpoint)],
        "parameters": [*_path_parameters(endpoint.path), *_query(endpoint)],
        "responses": _responses(endpoint),
    }
    if endpoint.scope:
        operation["security"] = [{"key": []}]
        operation["description"] = f'Needs an API key with the scope "{endpoint.scope}".'
    elif 401 in endpoint.errors:
        operation["security"] = [{"rater": []}, {}]
    if endpoint.takes is not None:
        media = "application/octet-stream" if endpoint.takes is bytes else "application/json"
        operation["requestBody"] = {
            "required": True,
            "content": {media: {"schema": _schema(_takes(endpoint))} | _example(endpoint, "body")},
        }
    return operation


def _group(endpoint: Endpoint) -> str:
    return GROUPS.get(endpoint.handler.__module__.rpartition(".")[2], "running")


def _path_parameters(path: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": PATH[name]}
        for name in re.findall(r"{(\w+)}", path)
    ]


def _query(endpoint: Endpoint) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "query", "required": False, "description": text, "schema": schema}
        for name, text, schema in endpoint.query
    ]


def _responses(endpoint: Endpoint) -> dict[str, Any]:
    success = "201" if endpoint.handler.__name__ in CREATES else "200"
    good = {
        "description": "Done.",
        "content": {
            media: {"schema": _schema(endpoint.gives)} | _example(endpoint, "answer")
            for media in endpoint.media.split(", ")
        },
    }
    error = {"application/json": {"schema": _schema(Error)}}
    failures = {
        str(status): {"description": MEANING[status], "content": error}
        for status in sorted({*endpoint.errors, 421})
    }
    return {success: good, **failures}


def _example(endpoint: Endpoint, part: str) -> dict[str, Any]:
    example = examples().get(endpoint.handler.__name__, {})
    return {"example": example[part]} if part in example else {}


@cache
def examples() -> dict[str, dict[str, Any]]:
    """For each call: the `path`, and the `body` and `answer` where they are texts or JSON."""
    found: dict[str, dict[str, Any]] = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    return found


CREATES = frozenset({"create", "restore", "put_asset"})


def _takes(endpoint: Endpoint) -> Any:
    return DESCRIBED.get(endpoint.handler.__name__, endpoint.takes)


def _is_struct(shape: Any) -> bool:
    return isinstance(shape, type) and issubclass(shape, msgspec.Struct)


def _schema(shape: Any) -> dict[str, Any]:
    if _is_struct(shape):
        return {"$ref": REF.format(name=shape.__name__)}
    return {} if shape is bytes else {"type": "object"}
