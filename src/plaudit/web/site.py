"""What all requests of a worker share: the live contests, the desk, API keys and rate limits."""

import asyncio
import hmac
import time
from collections.abc import Callable, Iterable, Set
from contextlib import suppress
from typing import TypeVar

import msgspec

from plaudit.errors import LiveError, NotAdmitted, PassRequired, StoreUnavailable
from plaudit.phrase import Phrase
from plaudit.service.accounts.api_keys import key_hash
from plaudit.service.contest.settings import OPEN_DOOR
from plaudit.service.desk.desk import Desk
from plaudit.service.door.doorkeeper import required
from plaudit.service.door.networks import network_of
from plaudit.service.door.rater_ids import RaterId
from plaudit.service.door.turned_away import WRITE_SECONDS, TurnedAway
from plaudit.service.door.work import Work
from plaudit.service.intake.images.checking import check_image
from plaudit.service.live.contest import LiveContest
from plaudit.service.live.rater_memory import Memory
from plaudit.service.live.recall import Recalls
from plaudit.service.live.worker import Worker
from plaudit.service.live.writer import PATIENCE_SECONDS
from plaudit.service.proposals.proposing import Proposed, Proposing
from plaudit.service.watch.results import SharedResults
from plaudit.store.contract import Store
from plaudit.store.people import ApiKey
from plaudit.web.problem import Problem
from plaudit.web.rates import Rate
from plaudit.words import N_

R = TypeVar("R")
KEYS_SECONDS = 2.0
# Wrong codes, ids and signatures that an address may try. A class may share one address, and a code
# has 60 bits: at this rate nobody guesses one (docs/live/door.md).
GUESS_RATE = "60/minute"
# How long a request waits until its own step is part of the live contest.
FOLD_SECONDS = 10.0
# Checkpoints, proofs and receipts that one address may ask for.
PROOF_RATE = "600/minute"
# Texts that a rater, and all raters of one address, may propose or compare. A class may share one.
PROPOSAL_RATE, PROPOSAL_ADDRESS_RATE = "20/minute", "400/hour"


class Site:
    """The service behind the routes of one worker."""

    def __init__(
        self,
        store: Store,
        worker: Worker,
        work: Work,
        *,
        rater_rate: str,
        address_rate: str,
        signs_in: bool = False,
    ) -> None:
        self.store = store
        self.worker = worker
        self.work = work
        self.desk = Desk(store, clock=worker.clock, signs_in=signs_in)
        self.results = SharedResults()
        self.encoded_results: dict[tuple[str, bytes], msgspec.Raw] = {}
        self.recalls = Recalls(self.within)
        self._rater_rate = Rate(rater_rate)
        self._address_rate = Rate(address_rate)
        self._guess_rate = Rate(GUESS_RATE)
        self.turned_away = TurnedAway(worker.clock)
        self._proof_rate = Rate(PROOF_RATE)
        self.proposing = Proposing(store, self.desk)
        self._proposal_rate = Rate(PROPOSAL_RATE)
        self._proposal_address_rate = Rate(PROPOSAL_ADDRESS_RATE)
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
            await asyncio.wait_for(there.wait(), FOLD_SECONDS)

    async def memory(
        self, live: LiveContest, rater: RaterId, *, since: float | None = None
    ) -> Memory:
        """What is known of a rater; read from the store if this worker does not know them.

        `since` is when the sender began to wait, by the monotonic clock; now if it is not given.
        """
        found = self.worker.recall(live, rater)
        if isinstance(found, Memory):
            return found
        waited = 0.0 if since is None else time.monotonic() - since
        await self.within(PATIENCE_SECONDS - waited, found.read)
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
            self._checking = asyncio.ensure_future(self.within(PATIENCE_SECONDS, self.worker.check))
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

    def may_guess(self, address: str) -> bool:
        """Whether an address has not tried too many wrong codes, ids or signatures."""
        return not self._guess_rate.is_spent(network_of(address))

    def count_guess(self, address: str) -> None:
        """Counts a wrong code, id or signature."""
        self._guess_rate.allows(network_of(address))

    def admit(self, address: str, contest: str, work: Callable[[], R]) -> R:
        """Lets somebody in by a code, an id or a signature, unless too many were wrong.

        Past the limit right ones are refused too, or a guess would still tell something.
        """
        if not self.may_guess(address):
            told = Phrase(N_("Too many wrong codes or ids came from your network. Wait a minute."))
            self.turned_away.count(contest, "too_many_guesses")
            raise Problem(429, "too_many_guesses", told, retry=30)
        try:
            return work()
        except NotAdmitted as error:
            self.turned_away.count(contest, error.code)
            if not isinstance(error, PassRequired):
                self.count_guess(address)
            raise

    def check_door(self, live: LiveContest, rater: RaterId | None) -> None:
        """Returns if the contest's door lets this rater vote now; `NotAdmitted` otherwise."""
        kept = live.settings.door
        if kept == OPEN_DOOR:
            return
        try:
            if rater is None:
                raise required(kept)
            self.worker.door(live.name).check(rater, kept, live.contest)
        except NotAdmitted as error:
            self.turned_away.count(live.name, error.code)
            raise

    async def write_refusals(self, *, once: bool = False) -> None:
        """Adds what was turned away to the store, every few seconds, or once at the end."""
        while True:
            if not once:
                await asyncio.sleep(WRITE_SECONDS)
            if counted := self.turned_away.take():
                try:
                    await self.blocking(self.store.add_refusals, counted)
                except LiveError:
                    self.turned_away.put_back(counted)
            if once:
                return

    def count_proof(self, address: str) -> None:
        """Refuses an address that asks for too many proofs."""
        if not self._proof_rate.allows(network_of(address)):
            raise _too_fast()

    async def propose(
        self,
        live: LiveContest,
        rater: RaterId,
        memory: Memory,
        text: str,
        *,
        address: str,
        anyway: bool,
    ) -> Proposed:
        """Sends a proposal of a rater, who must have voted; the live contests follow at once."""
        within = self._proposal_rate.allows(rater.key)
        if not within or not self._proposal_address_rate.allows(network_of(address)):
            raise _too_fast()
        if not memory.votes:
            told = Phrase(N_("Rate an item first, then you can suggest one."))
            raise Problem(403, "vote_first", told)
        work, number = self.proposing.propose, memory.number
        found = await self.change(work, live.name, number, text, anyway=anyway)
        if found.logged:
            await self.folded(live.name, found.logged)
        return found

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
