"""The clients: those that wait for each answer, and those that are awaited."""

import copy
from collections.abc import AsyncIterator, Iterator
from typing import Any, Self

from plaudit.client.desk_calls import DeskCalls
from plaudit.client.lines import AsyncLine, Line
from plaudit.client.plan import Awaits, Waits
from plaudit.client.rater_calls import RaterCalls
from plaudit.client.service_calls import ServiceCalls

OVER = ("closed", "retired")


def is_over(results: dict[str, Any]) -> bool:
    """Whether results stay as they are: everything is decided, or the contest is closed."""
    decided = all(lane["decided"] for lane in results["lanes"])
    return decided or results["state"] in OVER


class RaterClient(Waits, RaterCalls):
    """One rater: asks, votes, skips and flags.

    `token` says who it is. Keep it to go on later: `RaterClient(client, contest, token)`.
    """

    def __init__(self, client: "Client", contest: str, token: str) -> None:
        super().__init__(contest, token)
        self._line = client.line


class AsyncRaterClient(Awaits, RaterCalls):
    """One rater, as `RaterClient`; every call is awaited."""

    def __init__(self, client: "AsyncClient", contest: str, token: str) -> None:
        super().__init__(contest, token)
        self._line = client.line


class Revoking(DeskCalls):
    """A desk that can be told that its steps may take back verdicts."""

    def revoking(self) -> Self:
        """The same desk, whose steps may take back verdicts."""
        desk = copy.copy(self)
        desk.consent = {"revoke_verdict": True}
        return desk


class DeskClient(Waits, Revoking):
    """One contest at the desk: take steps, each an event in its log, and read the trail of them.

    Every answer has the contest's `epoch`. If you give it to a step and somebody has changed the
    contest since, nothing is done, and a `ServiceError` (`changed_meanwhile`) says what they did.
    A step with an epoch is taken at most once, so only such a step is repeated while the service
    does not answer.

    A step that would take back a verdict is refused (`verdict_stands`), unless it is taken by
    `revoking()`.
    """

    def __init__(self, client: "Client", contest: str) -> None:
        super().__init__(contest)
        self._line = client.line


class AsyncDeskClient(Awaits, Revoking):
    """One contest at the desk, as `DeskClient`; every call is awaited."""

    def __init__(self, client: "AsyncClient", contest: str) -> None:
        super().__init__(contest)
        self._line = client.line


class Client(Waits, ServiceCalls):
    """A service at an address; `key` is an API key, for everything except asking and voting.

    A call that fails for a moment (no connection, no database, too many requests) is repeated.
    That is safe, because an answer counts once.
    """

    def __init__(self, url: str, *, key: str | None = None, http: Any = None) -> None:
        self._line = self.line = Line(url, key, http)

    def close(self) -> None:
        """Closes the connections."""
        self.line.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def rater(
        self,
        contest: str,
        *,
        external: str | None = None,
        code: str | None = None,
        signature: str | None = None,
    ) -> RaterClient:
        """A rater in a contest; `external` is an id of your own.

        A contest with a door asks for a `code`, or for the `signature` of the id. Where the service
        asks for work first, this takes a moment, and longer the more raters you make. A key with
        the scope `raters` passes any door, and does without work.
        """
        token = self.come_in(contest, external=external, code=code, signature=signature)
        return RaterClient(self, contest, token)

    def desk(self, contest: str) -> DeskClient:
        """The desk of a contest, for those who run it; needs a key with the scopes for it."""
        return DeskClient(self, contest)

    def watch(self, name: str, *, every: float = 2.0, limit: int = 20) -> Iterator[dict[str, Any]]:
        """The results now, and again whenever they have changed, until they are final."""
        tag, found = self.changed_results(name, every=every, limit=limit)
        yield found
        while not is_over(found):
            tag, found = self.changed_results(name, tag, every=every, limit=limit)
            yield found


class AsyncClient(Awaits, ServiceCalls):
    """A service at an address, as `Client`; every call is awaited, and many may run at once."""

    def __init__(self, url: str, *, key: str | None = None, http: Any = None) -> None:
        self._line = self.line = AsyncLine(url, key, http)

    async def close(self) -> None:
        """Closes the connections."""
        await self.line.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def rater(
        self,
        contest: str,
        *,
        external: str | None = None,
        code: str | None = None,
        signature: str | None = None,
    ) -> AsyncRaterClient:
        """A rater in a contest, as `Client.rater`."""
        token = await self.come_in(contest, external=external, code=code, signature=signature)
        return AsyncRaterClient(self, contest, token)

    def desk(self, contest: str) -> AsyncDeskClient:
        """The desk of a contest, for those who run it; this alone is not awaited."""
        return AsyncDeskClient(self, contest)

    async def watch(
        self, name: str, *, every: float = 2.0, limit: int = 20
    ) -> AsyncIterator[dict[str, Any]]:
        """The results now, and again whenever they have changed, until they are final."""
        tag, found = await self.changed_results(name, every=every, limit=limit)
        yield found
        while not is_over(found):
            tag, found = await self.changed_results(name, tag, every=every, limit=limit)
            yield found
