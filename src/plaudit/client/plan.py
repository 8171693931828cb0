"""Calls as plans: what to send and how to read the answer, without sending anything.

A method of the client is written once, as a generator. It yields a `Request`, a `Pause` or a
`Compute`, gets what came of it, and returns the result. Whoever runs it, by waiting or by
awaiting, is in `lines`.
"""

import inspect
from collections.abc import Callable, Coroutine, Generator, Mapping
from functools import wraps
from types import MethodType
from typing import (
    IO,
    Any,
    Concatenate,
    Generic,
    NamedTuple,
    ParamSpec,
    Protocol,
    TypeAlias,
    TypeVar,
    get_args,
    overload,
)

from plaudit.client.refusal import LOST, TRIES, Answer, ServiceError, must_wait, read_answer

P = ParamSpec("P")
R = TypeVar("R")
Owner = TypeVar("Owner")


class Request(NamedTuple):
    """One request, to be sent once; `into` is a file that takes the body of a good answer."""

    method: str
    path: str
    json: Any = None
    content: bytes | None = None
    params: Mapping[str, Any] | None = None
    headers: Mapping[str, str] | None = None
    into: IO[bytes] | None = None


class Pause(NamedTuple):
    """A wait, in seconds."""

    seconds: float


class Compute(NamedTuple):
    """Work for the processor, which must not hold up other requests."""

    work: Callable[[], Any]


Move: TypeAlias = Request | Pause | Compute
# What is yielded, what comes back for it, and what the call returns.
Plan: TypeAlias = Generator[Move, Any, R]


class Runner(Protocol):
    """Carries out plans, and waits for each answer."""

    def run(self, plan: Plan[R]) -> R:
        """The result of a plan."""


class AsyncRunner(Protocol):
    """Carries out plans, and awaits each answer."""

    async def run(self, plan: Plan[R]) -> R:
        """The result of a plan."""


class Waits:
    """A client whose calls wait for their answers."""

    _line: Runner


class Awaits:
    """A client whose calls are awaited."""

    _line: AsyncRunner


class Planned(Generic[Owner, P, R]):
    """A method of both clients, made from one plan."""

    def __init__(self, make: Callable[Concatenate[Owner, P], Plan[R]]) -> None:
        @wraps(make)
        def waited(self: Any, *given: P.args, **named: P.kwargs) -> R:
            found: R = self._line.run(make(self, *given, **named))
            return found

        @wraps(make)
        async def awaited(self: Any, *given: P.args, **named: P.kwargs) -> R:
            found: R = await self._line.run(make(self, *given, **named))
            return found

        self.plan = make
        self._waited, self._awaited = _signed(waited, make), _signed(awaited, make)

    @overload
    def __get__(self, owner: None, kind: type) -> Callable[..., Any]: ...
    @overload
    def __get__(self, owner: Waits, kind: type) -> Callable[P, R]: ...
    @overload
    def __get__(self, owner: Awaits, kind: type) -> Callable[P, Coroutine[Any, Any, R]]: ...
    def __get__(self, owner: Any, kind: type) -> Any:
        code = self._awaited if issubclass(kind, Awaits) else self._waited
        return code if owner is None else MethodType(code, owner)


def planned(make: Callable[Concatenate[Owner, P], Plan[R]]) -> Planned[Owner, P, R]:
    """Makes a plan a method: of the client that waits, and of the one that is awaited."""
    return Planned(make)


def _signed(method: Any, make: Callable[..., Any]) -> Any:
    """The method with the signature that its callers see: what the plan returns at its end."""
    del method.__wrapped__
    seen = inspect.signature(make)
    given = get_args(seen.return_annotation)[-1]
    method.__signature__ = seen.replace(return_annotation=given)
    method.__annotations__ = {**make.__annotations__, "return": given}
    return method


def persist(request: Request, *, tries: int = TRIES) -> Plan[Answer]:
    """Sends a request, and again while the service does not answer or asks to wait."""
    for attempt in range(tries):
        answer: Answer = yield request
        if attempt == tries - 1 or not must_wait(answer):
            break
        yield Pause(answer.wait(attempt))
    if answer.status == LOST:
        told = f"No answer from the service ({answer.text}). Is it running?"
        raise ServiceError.unreachable(told)
    return answer


def fetch(method: str, path: str, *, tries: int = TRIES, **given: Any) -> Plan[Any]:
    """The answer to one request as plain values; `ServiceError` where the service refused."""
    return read_answer((yield from persist(Request(method, path, **given), tries=tries)))
