"""A worker: what raters ask and answer, of all contests of a store.

Promises: an answer is acknowledged once it is in the log and folded; one that is refused has
changed nothing. Only one thread, the owner's, touches the state. The writer and the follower hand
over their results with `post`, which runs a function on that thread (such as an event loop's
`call_soon_threadsafe`).
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

from plaudit.errors import StoreUnavailable
from plaudit.service.accounts.secret import Secret
from plaudit.service.clock import now_ms
from plaudit.service.contest.replay import Batch
from plaudit.service.door.doorkeeper import Doorkeeper
from plaudit.service.door.rater_ids import RaterId
from plaudit.service.live.admission import check_answer, check_open, pass_over
from plaudit.service.live.asking import Asked, next_items
from plaudit.service.live.contest import LiveContest
from plaudit.service.live.contests import Contests
from plaudit.service.live.handover import Handover
from plaudit.service.live.rater_memory import Memory
from plaudit.service.live.recall import Recall, welcome
from plaudit.service.live.tickets import Signer
from plaudit.service.live.writer import Committed, Done, Waiting, Writer
from plaudit.service.notary.notary import Notary
from plaudit.store.contract import Appended, Receipt, Store
from plaudit.store.log import NONE, Answer, Kind


class Worker:
    """All contests of a store, live; `close` writes the answers that wait.

    `scribe` is the address of the process that writes for all workers of this machine, if any.
    """

    def __init__(
        self,
        store: Store,
        secret: Secret,
        *,
        post: Callable[..., Any],
        clock: Callable[[], int] = now_ms,
        scribe: str = "",
    ) -> None:
        self.store = store
        self.clock = clock
        self._secret = secret
        self._signers: dict[str, Signer] = {}
        self._doors: dict[str, Doorkeeper] = {}
        self.notary = Notary(store, secret, clock=clock)
        handover = Handover(store, scribe)
        self._contests = Contests(
            store, self.notary, post=post, clock=clock, latest=handover.entries_after
        )
        self.writer = Writer(
            handover, lambda group: post(self._delivered, group), finish=self.notary.receipts
        )

    def start(self) -> None:
        """Loads all contests, then follows their logs."""
        self.notary.start()
        self._contests.start()

    def close(self) -> None:
        """Writes the answers that wait, and stops following the logs."""
        self.writer.close()
        self._contests.close()
        self.notary.close()

    def get(self, name: str) -> LiveContest:
        """A contest by name; `UnknownContest` if there is none.

        `StoreUnavailable` if there is one that could not be loaded.
        """
        return self._contests.get(name)

    def when_folded(self, name: str, position: int, done: Callable[[], Any]) -> None:
        """Calls `done`, on the owner's thread, once a contest is folded up to a position."""
        self._contests.when_folded(name, position, done)

    def catch_up(self) -> None:
        """Checks the logs soon, since someone else wrote to one."""
        self._contests.catch_up()

    @property
    def all(self) -> list[LiveContest]:
        """The contests in memory, oldest first."""
        return self._contests.all

    def check(self) -> None:
        """Returns if votes can be taken now; `StoreUnavailable` otherwise."""
        self._check_trust()
        self.store.check()

    def _check_trust(self) -> None:
        if (trouble := self._contests.trouble) is not None:
            raise StoreUnavailable(trouble)

    def signer(self, name: str) -> Signer:
        """The signer of a contest."""
        found = self._signers.get(name)
        if found is None:
            found = self._signers[name] = Signer(self._secret, name)
        return found

    def door(self, name: str) -> Doorkeeper:
        """The doorkeeper of a contest."""
        found = self._doors.get(name)
        if found is None:
            found = self._doors[name] = Doorkeeper(self._secret, name)
        return found

    def recall(self, live: LiveContest, rater: RaterId) -> Memory | Recall:
        """What this worker remembers of a rater, or a `Recall` to look it up with."""
        memory = live.memories.get(rater.key)
        known = memory is not None and live.memories.is_complete(memory)
        return memory if memory is not None and known else Recall(self.store, live, rater.key)

    def welcome(self, live: LiveContest, rater: RaterId) -> Memory:
        """The memory of a new rater, who cannot have answered yet."""
        return welcome(live, rater.key)

    def ask(
        self,
        live: LiveContest,
        rater: RaterId,
        memory: Memory,
        *,
        count: int,
        visit: int = 1,
        holding: Sequence[str] = (),
    ) -> Asked:
        """The next items for a rater; the same items until they are answered."""
        now = self.clock()
        check_open(live, now)
        signer = self.signer(live.name)
        return next_items(
            live, signer, rater, memory, now, count=count, visit=visit, holding=holding
        )

    def answer(
        self,
        live: LiveContest,
        rater: RaterId,
        memory: Memory,
        *,
        kind: Kind,
        ticket: str,
        level: int = NONE,
        response_ms: int | None = None,
        origin: bytes = b"",
        door: int = 0,
        since: float | None = None,
        done: Done,
    ) -> int:
        """Takes an answer; calls `done` on the owner's thread once it is in the log.

        Returns the item of the ticket. An answer sent again gets the receipt of the first. Errors
        are raised before anything changes. `origin` and `door` are kept with the first answer.
        `since` is when the sender began to wait, by the monotonic clock; now if it is not given.
        """
        allowed = self.signer(live.name).read_ticket(rater.key, ticket)
        if allowed.item in memory.answers:
            done(self._again(live, memory, allowed.item))
            return allowed.item
        self._check_trust()
        now = self.clock()
        check_open(live, now)
        check_answer(live, kind, allowed, level, now)
        if kind != Kind.VOTE:
            pass_over(memory, allowed.item)
        live.heard(memory, now)
        passed = max(0, now - allowed.issued)
        taken = NONE if response_ms is None else min(response_ms, passed)
        answer = Answer(
            kind, rater.key, allowed.item, level, allowed.lane, now, taken, origin, door
        )
        began = time.monotonic() if since is None else since
        self.writer.submit(Waiting(live.name, answer, done, began))
        return allowed.item

    def _again(self, live: LiveContest, memory: Memory, item: int) -> Receipt:
        """What is in the log of an answer that is sent again."""
        recorded, first = memory.answers[item]
        entry = live.recent_answer(memory.number, item)
        text = "" if entry is None else self.notary.receipt(live.name, entry)
        return Receipt(0, recorded, first, memory.number, fresh=False, text=text)

    def _delivered(self, committed: Committed) -> None:
        """Folds a group that this worker wrote, then calls `done` for each answer."""
        live = self._contests.find(committed.contest)
        outcome = committed.outcome
        if isinstance(outcome, Exception):
            for waiting in committed.group:
                waiting.done(outcome)
            return
        if live is not None:
            self._take_in(live, committed.group, outcome)
        for waiting, receipt in zip(committed.group, outcome.receipts, strict=True):
            waiting.settle(receipt)

    def _take_in(self, live: LiveContest, group: Sequence[Waiting], outcome: Appended) -> None:
        entries = outcome.entries
        follows = bool(entries) and entries[0].position == live.contest.position + 1
        for waiting, receipt in zip(group, outcome.receipts, strict=True):
            memory = live.note(waiting.answer.rater, receipt.rater)
            # What is folded now is remembered by the fold.
            if memory is not None and not (follows and receipt.fresh):
                memory.answer(waiting.answer.item, receipt.kind, receipt.level)
        if follows:
            # Few are folded faster one by one, but where the races wait, these wait with them.
            folded = entries if live.waits else list(entries)
            batch = Batch(folded, digest=outcome.digest, looks=not live.waits)
            self._contests.fold(live.name, batch)
        elif entries:
            self._contests.read_all_soon()
