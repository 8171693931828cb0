"""The live contests of one worker: what raters ask and answer, and how the log comes back.

All state is touched on one thread, the owner's: the writer and the follower hand over what
they have by `post`, which runs a function on that thread (an event loop's
`call_soon_threadsafe`).
"""

import copy
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from plaudit.errors import (
    InvalidInput,
    LiveError,
    NotOpen,
    StoreUnavailable,
    TicketExpired,
    UnknownContest,
)
from plaudit.race import Verdict
from plaudit.service.accounts.secret import Secret
from plaudit.service.clock import now_ms
from plaudit.service.contest.certificate import make_certificate, verdict_in
from plaudit.service.contest.events import to_log
from plaudit.service.contest.races import warm_up
from plaudit.service.contest.replay import SNAPSHOT_EVERY, Batch, put_snapshot
from plaudit.service.contest.settings import AUTOMATIC
from plaudit.service.intake.pictures import drop_pictures
from plaudit.service.live.contest import TICKET_MS, LiveContest
from plaudit.service.live.follower import Follower
from plaudit.service.live.rater_memory import Lease, Memory
from plaudit.service.live.tickets import RaterId, Signer, Ticket
from plaudit.service.live.writer import Committed, Done, Waiting, Writer
from plaudit.store.contract import Certificate, Item, Receipt, Store
from plaudit.store.log import NONE, Answer, Entry, Kind

# Other machines' clocks may be ahead by this much.
SKEW_MS = 5 * 60_000
MOST_AT_ONCE = 10


class End(NamedTuple):
    """Why a rater gets no item: the visit is done, all is seen, or the contest is decided."""

    reason: str
    code: str
    more: bool


class Asked(NamedTuple):
    """What a rater is to see: items with their tickets, and how far the visit has got."""

    items: list[tuple[Item, str]]
    answered: int
    of: int | None
    end: End | None


class Recall:
    """A rater whom the store has to be asked about: `read` on any thread, then `remember`."""

    def __init__(self, store: Store, live: LiveContest, key: bytes) -> None:
        self._store, self._live, self._key = store, live, key
        # What the book says before the store is asked: who answers meanwhile is no stranger.
        self._strangers = live.book.strangers
        self._number = NONE
        self._answers: Sequence[Entry] = ()

    def read(self) -> None:
        """Asks the store."""
        found = self._store.rater(self._live.name, self._key)
        if found is not None:
            self._answers = self._store.answers_of(self._live.name, found.number)
            self._number = found.number

    def remember(self) -> Memory:
        """Puts what the store knows into memory; on the owner's thread."""
        return self._live.remember(
            self._key, self._number, self._answers, strangers=self._strangers
        )


class Worker:
    """Every contest of a store, live; close it to write what waits."""

    def __init__(
        self,
        store: Store,
        secret: Secret,
        *,
        post: Callable[..., Any],
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self.store = store
        self.clock = clock
        self._secret = secret
        self._post = post
        self._live: dict[str, LiveContest] = {}
        self._signers: dict[str, Signer] = {}
        self._recording: set[tuple[str, int, int]] = set()
        self._proofs: dict[tuple[str, int], tuple[Verdict, dict[str, Any]]] = {}
        self._saved_at: dict[str, int] = {}
        self._waiting: dict[str, list[tuple[int, Callable[[], Any]]]] = {}
        tidy = partial(drop_pictures, store, clock)
        self._follower = Follower(store, self._live, self._on_owner, tidy=tidy)
        self.writer = Writer(store, lambda group: post(self._delivered, group))

    def start(self) -> None:
        """Loads what there is, then follows the log."""
        warm_up()
        for live in self._follower.load_new():
            self._add(live)
        self._follower.start()

    def close(self) -> None:
        """Writes what waits, and lets go of the log."""
        self.writer.close()
        self._follower.close()

    def when_folded(self, name: str, position: int, done: Callable[[], Any]) -> None:
        """Calls `done`, on the owner's thread, once a contest is folded up to a position."""
        live = self._live.get(name)
        if live is not None and live.contest.position >= position:
            done()
        else:
            self._waiting.setdefault(name, []).append((position, done))

    def _tell_waiting(self, live: LiveContest) -> None:
        waiting = self._waiting.pop(live.name, None)
        for position, done in waiting or ():
            self.when_folded(live.name, position, done)

    def catch_up(self) -> None:
        """Looks at the log soon: someone wrote to it by another way."""
        self._follower.poke()

    @property
    def all(self) -> list[LiveContest]:
        """The contests in memory, oldest first."""
        return sorted(self._live.values(), key=lambda live: live.record.created_at)

    def get(self, name: str) -> LiveContest:
        """A contest; `UnknownContest` where there is none."""
        live = self._live.get(name)
        if live is None:
            raise UnknownContest(name)
        return live

    def signer(self, name: str) -> Signer:
        """What signs for a contest."""
        return self._signers[name]

    # Raters

    def recall(self, live: LiveContest, rater: RaterId) -> "Memory | Recall":
        """What this worker remembers of a rater, or how to find it out."""
        memory = live.book.get(rater.key)
        known = memory is not None and live.book.is_complete(memory)
        return memory if memory is not None and known else Recall(self.store, live, rater.key)

    def welcome(self, live: LiveContest, rater: RaterId) -> Memory:
        """The memory of a rater made just now, who cannot have answered yet."""
        memory = live.book.get(rater.key)
        if memory is None:
            memory = live.book.put(rater.key, Memory())
            memory.strangers = live.book.strangers
        return memory

    # Asking and answering

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
        """The next items for a rater; the same ones until they are answered."""
        now = self._check_open(live)
        signer = self._signers[live.name]
        for text in holding:
            lease = Lease(*signer.read_ticket(rater.key, text))
            if now - lease.issued < TICKET_MS:
                live.adopt(memory, lease)
        answered, limit = len(memory.answers), self._limit(live, rater, visit)
        if limit is not None and answered >= limit:
            return Asked([], answered, limit, self._end(live, rater, memory, "visit"))
        wanted = min(count, MOST_AT_ONCE, limit - answered if limit is not None else count)
        leases = live.ask(memory, wanted, now)
        if not leases:
            # A verdict that was reached just now is on its way to the log.
            stopped = len(live.contest.verdicts) + len(live.verdict_due()) == len(live.races)
            reason = "decided" if stopped else "all_seen"
            return Asked([], answered, limit, self._end(live, rater, memory, reason))
        items = [
            (live.items[lease.item], signer.ticket(rater.key, Ticket(*lease))) for lease in leases
        ]
        return Asked(items, answered, limit, None)

    def _limit(self, live: LiveContest, rater: RaterId, visit: int) -> int | None:
        per_visit = live.settings.votes_per_visit
        if not per_visit:
            return None
        return per_visit * (1 if rater.is_external else max(1, visit))

    def _end(self, live: LiveContest, rater: RaterId, memory: Memory, reason: str) -> End:
        code = live.settings.completion_code if memory.answers else ""
        if code == AUTOMATIC:
            code = self._signers[live.name].completion_code(rater.key)
        return End(reason, code, more=reason == "visit" and not rater.is_external)

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
        done: Done,
    ) -> int:
        """Takes an answer; `done` hears of it once it is in the log, on the owner's thread.

        A replay is answered like the first. An error is raised before anything changes. The
        item that the ticket is for comes back. `origin` is kept with a rater's first answer.
        """
        permit = self._signers[live.name].read_ticket(rater.key, ticket)
        if permit.item in memory.answers:
            recorded, first = memory.answers[permit.item]
            done(Receipt(0, recorded, first, memory.number, fresh=False))
            return permit.item
        now = self._check_open(live)
        self._check(live, kind, permit, level, now)
        passed = max(0, now - permit.issued)
        taken = NONE if response_ms is None else min(response_ms, passed)
        answer = Answer(kind, rater.key, permit.item, level, permit.lane, now, taken, origin)
        self.writer.submit(Waiting(live.name, answer, done))
        return permit.item

    def _check_open(self, live: LiveContest) -> int:
        now = self.clock()
        if not live.taking_answers(now):
            state = live.contest.state if live.contest.state != "open" else "outside its hours"
            raise NotOpen(f"The contest {live.name!r} is {state} and takes no answers now.")
        return now

    def _check(self, live: LiveContest, kind: Kind, permit: Ticket, level: int, now: int) -> None:
        if now - permit.issued >= TICKET_MS or permit.issued - now > SKEW_MS:
            raise TicketExpired("This ticket is too old, or from the future. Ask for new items.")
        if kind == Kind.VOTE and not 0 <= level < len(live.settings.scale):
            raise InvalidInput(
                f"There is no level {level}: levels are 0 to {len(live.settings.scale) - 1}."
            )
        if kind == Kind.SKIP and not live.settings.skip:
            raise InvalidInput("Items cannot be skipped in this contest.")
        if kind == Kind.FLAG and not live.settings.flag:
            raise InvalidInput("Items cannot be flagged in this contest.")

    # What comes back

    def _on_owner(self, live: LiveContest | str, batch: Batch | None = None) -> None:
        """Called by the follower's thread: hands over a new contest, or entries of one."""
        if isinstance(live, LiveContest):
            self._post(self._add, live)
        else:
            self._post(self._fold, live, batch)

    def _add(self, live: LiveContest) -> None:
        if live.name not in self._live:
            self._signers[live.name] = Signer(self._secret, live.name)
            self._saved_at[live.name] = live.contest.position
            self._live[live.name] = live
            self._judge(live)
            self._tell_waiting(live)

    def _delivered(self, committed: Committed) -> None:
        """Folds a group of this worker's own, then tells those who wait for it."""
        live = self._live[committed.contest]
        outcome = committed.outcome
        if isinstance(outcome, Exception):
            for waiting in committed.group:
                waiting.done(outcome)
            return
        for waiting, receipt in zip(committed.group, outcome.receipts, strict=True):
            memory = live.note(waiting.answer.rater, receipt.rater)
            if memory is not None:
                memory.answer(waiting.answer.item, receipt.kind, receipt.level)
        if outcome.entries and outcome.entries[0].position == live.contest.position + 1:
            self._fold(live.name, Batch(outcome.entries))
        elif outcome.entries:
            self._follower.poke()
        for waiting, receipt in zip(committed.group, outcome.receipts, strict=True):
            waiting.done(receipt)

    def _fold(self, name: str, batch: Batch) -> None:
        live = self._live[name]
        if batch.entries and batch.entries[0].position > live.contest.position + 1:
            return
        live.apply(batch)
        self._judge(live)
        if self._waiting:
            self._tell_waiting(live)
        if live.contest.position - self._saved_at[name] >= SNAPSHOT_EVERY:
            self._saved_at[name] = live.contest.position
            contest = copy.deepcopy(live.contest)
            self._follower.do(partial(put_snapshot, self.store, name, contest))

    def _judge(self, live: LiveContest) -> None:
        """Records the verdicts that are due; whoever comes first, of all workers, wins."""
        for lane, verdict in live.verdict_due():
            ticket = (live.name, lane, live.contest.epoch)
            if ticket in self._recording:
                continue
            self._recording.add(ticket)
            self._follower.do(partial(self._record, self._proof(live, lane, verdict), ticket))

    def _proof(self, live: LiveContest, lane: int, verdict: Verdict) -> dict[str, Any]:
        """The certificate of a verdict, made from the state that it was reached in.

        It is kept for as long as the verdict stands: should writing it take a second attempt,
        late votes may have come in, which the verdict does not rest on.
        """
        known, body = self._proofs.get((live.name, lane), (None, {}))
        if known is not verdict:
            body = make_certificate(
                live.name, live.settings, live.contest, live.races[lane],
                lane=lane, verdict=verdict,
            )  # fmt: skip
            self._proofs[live.name, lane] = (verdict, body)
        return body

    def _record(self, body: dict[str, Any], ticket: tuple[str, int, int]) -> None:
        """Writes a verdict to the log, on the follower's thread."""
        name, lane, epoch = ticket
        encoded = msgspec.json.encode(body).decode()
        try:
            self.store.append_event(
                name,
                to_log(verdict_in(body), self.clock()),
                epoch=epoch,
                certificate=Certificate(body["judged_at"], lane, encoded),
            )
        except StoreUnavailable:
            raise  # the follower tries again; no vote may come that would call for it
        except LiveError:
            # Another worker's verdict, or a step of the editor's, came first. What the log
            # says next decides whether to try again.
            self._post(self._recording.discard, ticket)
        self._follower.poke()
