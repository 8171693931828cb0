"""Every route of the API has a method of the client, in both kinds, and every method a route."""

import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from plaudit.client import (
    AsyncClient,
    AsyncDeskClient,
    AsyncRaterClient,
    Client,
    DeskClient,
    RaterClient,
    ServiceError,
    Shown,
)
from plaudit.client.plan import Compute, Plan, Planned, Request
from plaudit.client.refusal import Answer
from plaudit.web.api.openapi import make_openapi
from plaudit.web.app import ENDPOINTS
from plaudit.web.endpoint import Call, Endpoint

SERVICE = Client("http://127.0.0.1:9")
DESK = SERVICE.desk("snowman")
RATER = RaterClient(SERVICE, "snowman", "token")
SHOWN = Shown(3, "text", "", "ticket")
HASH = "0" * 32
# How each method is called; most are called without anything.
GIVEN: dict[str, tuple[Any, ...]] = {
    "contest": ("snowman",), "results": ("snowman",), "changed_results": ("snowman",),
    "create": ({"title": "t", "items": ["a", "b"]},), "restore": (b"x",), "put_picture": (b"x",),
    "come_in": ("snowman",), "checkpoint": ("snowman",), "checkpoints": ("snowman",),
    "consistency": ("snowman", 3), "inclusion": ("snowman", 3), "check_receipt": ("snowman:AQ",),
    "vote": (SHOWN, 1), "skip": (SHOWN,), "flag": (SHOWN, "duplicate"),
    "step": ("open",), "add_items": (["a", {"text": "b", "image": "0" * 64}],),
    "withdraw": ([1],), "bring_back": ([1],), "merge": ([1, 2],), "edit": (1, "text"),
    "exclude": ([HASH],), "readmit": ([HASH],), "erase": (HASH,), "undo": (3,),
    "change": ({"title": "t"},), "make_codes": (3,), "revoke_codes": ([1, "AAAA"],),
    "reinstate_codes": ([1],), "add_destination": ("https://example.org/", ["verdict"]),
    "remove_destination": (1,), "send_again": (1,), "propose": ("text",),
    "take_proposals": ({7: None, 8: "text"},), "refuse_proposals": ([7, 8],),
}  # fmt: skip
NAMED: dict[str, dict[str, Any]] = {"edit": {"keep_votes": True}}
# What is no route of its own: any call, and calls that lead to a route which another one has.
OTHERS = {"call", "save_export", "verify"}


def plans(client: Any) -> dict[str, Callable[..., Plan[Any]]]:
    found = inspect.getmembers_static(type(client), lambda each: isinstance(each, Planned))
    return {name: each.plan for name, each in found}


def first_request(client: Any, name: str) -> Request:
    plan = plans(client)[name](client, *GIVEN.get(name, ()), **NAMED.get(name, {}))
    request = next(plan)
    assert isinstance(request, Request)
    return request


def route_of(request: Request) -> tuple[str, str]:
    path = re.sub("(?<=/contests/)[^/]+", "{contest}", request.path)
    return request.method, re.sub("(?<=/export/)[^/]+", "{file}", path)


def requests() -> Iterator[tuple[str, Request]]:
    for client in (SERVICE, DESK, RATER):
        for name in plans(client).keys() - OTHERS:
            yield name, first_request(client, name)


def missing(endpoints: tuple[Endpoint, ...]) -> set[tuple[str, str]]:
    """The routes of the OpenAPI document without a method, and methods without a route."""
    document = make_openapi(endpoints, url="http://127.0.0.1")
    there = {route_of(request) for _, request in requests()}
    routes = [(path, method) for path, found in document["paths"].items() for method in found]
    return {(method.upper(), path) for path, method in routes} ^ there


def test_every_route_has_a_method_and_every_method_a_route() -> None:
    assert missing(ENDPOINTS) == set()


def test_a_route_without_a_method_is_found() -> None:
    async def handler(call: Call) -> None:
        """Never called."""

    new = Endpoint("GET", "/api/v1/contests/{contest}/new", handler, gives=bytes)
    assert missing((*ENDPOINTS, new)) == {("GET", new.path)}


def test_what_is_sent_has_the_form_that_the_route_takes() -> None:
    endpoints = {(one.method, one.path): one for one in ENDPOINTS}
    for _, request in requests():
        endpoint = endpoints[route_of(request)]
        if endpoint.takes is bytes:
            assert request.content == b"x"
        elif endpoint.takes is not None:
            msgspec.convert(request.json, endpoint.takes)
        known = {name for name, *_ in endpoint.query}
        assert {*(request.params or {})} <= known


@pytest.mark.parametrize(
    ("waiting", "awaited"),
    [(Client, AsyncClient), (DeskClient, AsyncDeskClient), (RaterClient, AsyncRaterClient)],
)
def test_both_clients_have_the_same_methods(waiting: Any, awaited: Any) -> None:
    def public(kind: Any) -> dict[str, list[str]]:
        names = [name for name in dir(kind) if not name.startswith("_")]
        code = {name: getattr(kind, name) for name in names}
        return {name: [*inspect.signature(one).parameters] for name, one in code.items()}

    assert public(waiting) == public(awaited)
    for name in public(awaited).keys() - {"desk", "revoking", "watch"}:
        assert inspect.iscoroutinefunction(getattr(awaited, name)), name
        assert not inspect.iscoroutinefunction(getattr(waiting, name)), name


def test_methods_say_what_they_return_in_the_end() -> None:
    for kind in (Client, AsyncClient):
        assert inspect.signature(kind.contest).return_annotation == dict[str, Any]
        assert inspect.signature(kind.checkpoint).return_annotation is str


def test_a_plan_is_read_without_any_connection() -> None:
    """Work first, then in: what the service says decides what is sent next."""
    plan = plans(SERVICE)["come_in"](SERVICE, "snowman", code="AAAA")
    assert next(plan).json == {"code": "AAAA"}  # type: ignore[union-attr]
    work = {"challenge": "c", "puzzles": 16, "bits": 1, "wait_ms": 1000}
    asked = {"error": {"code": "work_required", "message": "Work.", "work": work}}
    move = plan.send(Answer(428, {}, msgspec.json.encode(asked)))
    assert isinstance(move, Compute)
    done = move.work()
    again = plan.send(done)
    assert again.json == {"code": "AAAA", "work": done}  # type: ignore[union-attr]
    with pytest.raises(StopIteration) as end:
        plan.send(Answer(200, {}, b'{"rater": "token"}'))
    assert end.value.value == "token"


def test_a_broken_answer_is_no_result() -> None:
    plan = plans(SERVICE)["contest"](SERVICE, "snowman")
    next(plan)
    with pytest.raises(ServiceError, match="200"):
        plan.send(Answer(200, {}, b"<html>"))


# The extra


ALIEN = ("numba", "numpy", "scipy", "starlette", "uvicorn", "msgspec", "jinja2", "argon2",
         "psycopg", "prometheus_client", "yaml", "multipart", "segno", "cryptography", "rfc8785",
         "click", "rich")  # fmt: skip


def test_the_client_imports_nothing_of_the_server() -> None:
    code = (
        "import sys\n"
        f"for name in {ALIEN!r}: sys.modules[name] = None\n"
        "from plaudit.client import AsyncClient, Client\n"
        "Client('http://127.0.0.1:9', key='k').desk('c').revoking()\n"
        "AsyncClient('http://127.0.0.1:9')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_without_its_package_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['httpx2'] = None; import plaudit.client"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "pip install 'plaudit[client]'" in run.stderr


def test_the_extra_has_only_what_the_client_needs() -> None:
    import tomllib

    project = Path(__file__).parents[2] / "pyproject.toml"
    extras = tomllib.loads(project.read_text("utf-8"))["project"]["optional-dependencies"]
    assert [re.match("[a-z0-9]+", one)[0] for one in extras["client"]] == ["httpx2"]  # type: ignore[index]
    assert "plaudit[client]" in extras["service"]
