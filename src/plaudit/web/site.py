"""What all requests of a worker share: the live contests, the desk, API keys and rate limits."""

import asyncio
import hmac
import time
from collections.abc import Callable, Iterable, Set
from contextlib import suppress
from typing import TypeVar

import msgspec

from plaudit.errors import StoreUnavailable
from plaudit.phrase import Phrase
from plaudit.service.accounts.api_keys import key_hash
from plaudit.service.desk.desk import Desk
from plaudit.service.intake.images.checking import check_image
from plaudit.service.live.contest import LiveContest
from plaudit.service.live.rater_memory import Memory
from plaudit.service.live.tickets import RaterId
from plaudit.service.live.worker import Worker
from plaudit.service.watch.results import SharedResults
from plaudit.store.contract import Store
from plaudit.store.people import ApiKey
from plaudit.web.addresses import network_of as network_of
from plaudit.web.problem import Problem
from plaudit.web.rates import Rate
from plaudit.words import N_

R = TypeVar("R")
KEYS_SECONDS = 2.0
# How long a request waits until its own step is part of the live contest.
PATIENCE_SECONDS = 10.0
# How long raters, and those who watch the service, wait for the store to be read.
PATIENCE = 2.0


class Site:
    """The service behind the routes of one worker."""

    def __init__(self, store: Store, worker: Worker, *, rater_rate: str, address_rate: str) -> None:
        self.store = store
        self.worker = worker
        self.desk = Desk(store, clock=worker.clock)
        self.results = SharedResults()
        self.encoded_results: dict[tuple[str, bytes], msgspec.Raw] = {}
        self._rater_rate = Rate(rater_rate)
        self._address_rate = Rate(address_rate)
        # Files of editors are read one form at a time, because raters need the threads.
        self.reading_files = asyncio.Lock()
        self._checking: asyncio.Future[None] | None = None
        self._keys: tuple[float, list[ApiKey]] = (0.0, [])

    async def blocking(self, work: Callable[..., R], *given: object, **named: object) -> R:
        """Runs work that reads or writes the store, off the event loop."""
        return await asyncio.to_thread(work, *given, **named)

    async def change(self, work: Callable[..., R], *given: object, **named: object) -> R:
        """Runs a step of the desk, and makes the live contests follow at once."""
        done = await self.blocking(work, *given, **named)
        self.worker.catch_up()
        return done

    async def folded(self, name: str, position: int) -> None:
        """Returns once this worker's contest has reached a position of its log.

        A worker sees its own steps at once. If it is behind, this returns after a few seconds.
        """
        there = asyncio.Event()
        self.worker.when_folded(name, position, there.set)
        with suppress(TimeoutError):
            await asyncio.wait_for(there.wait(), PATIENCE_SECONDS)

    async def memory(self, live: LiveContest, rater: RaterId) -> Memory:
        """What is known of a rater; read from the store if this worker does not know them."""
        found = self.worker.recall(live, rater)
        if isinstance(found, Memory):
            return found
        await self.within(PATIENCE, found.read)
        return found.remember()

    async def within(self, seconds: float, work: Callable[[], R]) -> R:
        """Runs work that reads the store; `StoreUnavailable` if it takes too long."""
        try:
            return await asyncio.wait_for(self.blocking(work), seconds)
        except TimeoutError:
            raise StoreUnavailable(Phrase(N_("The store does not answer. Try again."))) from None

    async def check(self) -> None:
        """Returns if votes can be taken now; one check serves all who ask at the same time."""
        if self._checking is None or self._checking.done():
            self._checking = asyncio.ensure_future(self.within(PATIENCE, self.worker.check))
        await asyncio.shield(self._checking)

    def hold(self, hashes: Iterable[str]) -> set[str]:
        """Which of these pictures are in the store; they are kept for a while."""
        return self.store.hold_assets(hashes, at=self.worker.clock())

    def has_picture(self, hash: str) -> bool:
        """Whether a picture is in the store; it is kept for a while."""
        return hash in self.hold([hash])

    def keep_picture(self, body: bytes) -> tuple[str, str]:
        """Checks a picture and puts it into the store; returns its hash and its media type."""
        media_type = check_image(body)
        return self.store.put_asset(media_type, body, at=self.worker.clock()), media_type

    def count_rater(self, key: bytes) -> None:
        """Refuses a rater who is faster than anyone can read."""
        if not self._rater_rate.allows(key):
            raise _too_fast()

    def count_address(self, address: str) -> None:
        """Refuses an address that makes too many raters."""
        if not self._address_rate.allows(network_of(address)):
            raise _too_fast()

    async def check_scope(self, authorization: str, scope: str) -> str:
        """The name of the request's API key, if it has the scope."""
        kind, _, text = authorization.partition(" ")
        if kind.lower() != "bearer" or not text:
            raise Problem(
                401, "key_required", f"This needs an API key with the scope {scope!r}: send "
                "'Authorization: Bearer KEY'. `plaudit key create` makes one."
            )  # fmt: skip
        key = await self._find_key(text)
        if key is None:
            raise Problem(401, "key_unknown", "This API key is unknown, or was taken back.")
        if scope not in key.scopes:
            raise Problem(
                403, "scope_missing", f"The key {key.name!r} has the scopes "
                f"{', '.join(key.scopes)}; this needs {scope!r}."
            )  # fmt: skip
        return key.name

    async def has_scope(self, authorization: str, scopes: Set[str]) -> bool:
        """Whether the request's API key, if it has one, has one of these scopes."""
        kind, _, text = authorization.partition(" ")
        key = await self._find_key(text) if kind.lower() == "bearer" else None
        return key is not None and not scopes.isdisjoint(key.scopes)

    async def _find_key(self, text: str) -> ApiKey | None:
        wanted = key_hash(text.strip())
        known = await self._known_keys()
        return next((key for key in known if hmac.compare_digest(key.hash, wanted)), None)

    async def _known_keys(self) -> list[ApiKey]:
        read_at, keys = self._keys
        if time.monotonic() - read_at > KEYS_SECONDS:
            keys = await self.blocking(self.store.keys)
            self._keys = (time.monotonic(), keys)
        return keys


def _too_fast() -> Problem:
    told = Phrase(N_("That was too fast. Wait a moment, then go on."))
    return Problem(429, "rate_limited", told, retry=2)
