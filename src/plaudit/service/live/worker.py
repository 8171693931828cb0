"""A worker: its live contests, what raters ask and answer, and how the log is folded.

Only one thread, the owner's, touches the state. The writer and the follower hand over their
results with `post`, which runs a function on that thread (such as an event loop's
`call_soon_threadsafe`).
"""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from plaudit.errors import (
    InvalidInput,
    LiveError,
    NotOpen,
    SkipsUsedUp,
    StoreUnavailable,
    TicketExpired,
    UnknownContest,
)
from plaudit.phrase import Phrase
from plaudit.race import Verdict
from plaudit.service.accounts.secret import Secret
from plaudit.service.clock import now_ms
from plaudit.service.contest.certificate import make_certificate, verdict_in
from plaudit.service.contest.events import to_log
from plaudit.service.contest.races import warm_up
from plaudit.service.contest.replay import SNAPSHOT_EVERY, Batch, put_snapshot
from plaudit.service.contest.settings import AUTOMATIC, CLOSED, DRAFT, OPEN, PAUSED, RETIRED
from plaudit.service.door.doorkeeper import Doorkeeper
from plaudit.service.door.rater_ids import RaterId
from plaudit.service.intake.pictures import drop_pictures
from plaudit.service.live.contest import SKEW_MS, TICKET_MS, LiveContest
from plaudit.service.live.follower import BROKEN_SECONDS, Follower
from plaudit.service.live.rater_memory import Lease, Memory
from plaudit.service.live.snapshot import copy_of
from plaudit.service.live.tickets import Signer, Ticket
from plaudit.service.live.writer import Committed, Done, Waiting, Writer
from plaudit.service.notary.notary import Notary
from plaudit.service.rare_log import rarely
from plaudit.store.contract import Appended, Certificate, Item, Receipt, Store
from plaudit.store.log import NONE, Answer, Entry, Kind
from plaudit.words import N_

MOST_AT_ONCE = 10
# A contest that could not be folded is loaded anew after this long.
RELOAD_SECONDS = 1.0
# What a contest is that takes no answers, by its state.
_SHUT = {
    DRAFT: N_("draft"),
    OPEN: N_("outside its hours"),
    PAUSED: N_("paused"),
    CLOSED: N_("closed"),
    RETIRED: N_("retired"),
}


class End(NamedTuple):
    """Why a rater gets no item: visit complete, all items seen, or contest decided."""

    reason: str
    code: str
    more: bool


class Asked(NamedTuple):
    """The items for a rater with their tickets, and how far the visit has got."""

    items: list[tuple[Item, str]]
    answered: int
    of: int | None
    end: End | None
    passes: int


class Recall:
    """Looks up a rater in the store: `read` on any thread, then `remember` on the owner's."""

    def __init__(self, store: Store, live: LiveContest, key: bytes) -> None:
        self._store, self._live, self._key = store, live, key
        # Taken before the store is asked: a rater who first answers meanwhile is looked up again.
        self._unmatched = live.memories.unmatched
        self._number = NONE
        self._answers: Sequence[Entry] = ()

    def read(self) -> None:
        """Reads the rater's number and answers from the store."""
        found = self._store.rater(self._live.name, self._key)
        if found is not None:
            self._answers = self._store.answers_of(self._live.name, found.number)
            self._number = found.number

    def remember(self) -> Memory:
        """Remembers what the store knows."""
        return self._live.remember(
            self._key, self._number, self._answers, unmatched=self._unmatched
        )


class Worker:
    """All contests of a store, live; `close` writes the answers that wait."""

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
        self._doors: dict[str, Doorkeeper] = {}
        self._recording: set[tuple[str, int, int]] = set()
        self._proofs: dict[tuple[str, int], tuple[Verdict, dict[str, Any]]] = {}
        self._saved_at: dict[str, int] = {}
        self._waiting: dict[str, list[tuple[int, Callable[[], Any]]]] = {}
        tidy = partial(drop_pictures, store, clock)
        self._follower = Follower(store, self._live, self._on_owner, tidy=tidy)
        self.notary = Notary(store, secret, clock=clock)
        self.writer = Writer(
            store, lambda group: post(self._delivered, group), finish=self.notary.receipts
        )

    def start(self) -> None:
        """Loads all contests, then follows their logs."""
        self.notary.start()
        warm_up()
        for live in self._follower.load_new():
            self._add(live)
        self._follower.start()

    def close(self) -> None:
        """Writes the answers that wait, and stops following the logs."""
        self.writer.close()
        self._follower.close()
        self.notary.close()

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
        """Checks the logs soon, since someone else wrote to one."""
        self._follower.poke()

    @property
    def all(self) -> list[LiveContest]:
        """The contests in memory, oldest first."""
        return sorted(self._live.values(), key=lambda live: live.record.created_at)

    def get(self, name: str) -> LiveContest:
        """A contest by name; `UnknownContest` if there is none.

        `StoreUnavailable` if there is one that could not be loaded.
        """
        live = self._live.get(name)
        if live is None and name in self._follower.broken:
            text = N_("The contest {name!r} cannot be shown now. The log of the service says why.")
            raise StoreUnavailable(Phrase(text, name=name))
        if live is None:
            raise UnknownContest(name)
        return live

    def check(self) -> None:
        """Returns if votes can be taken now; `StoreUnavailable` otherwise."""
        if self._follower.trouble is not None:
            raise StoreUnavailable(self._follower.trouble)
        self.store.check()

    def signer(self, name: str) -> Signer:
        """The signer of a contest."""
        return self._signers[name]

    def door(self, name: str) -> Doorkeeper:
        """The doorkeeper of a contest."""
        return self._doors[name]

    # Raters

    def recall(self, live: LiveContest, rater: RaterId) -> "Memory | Recall":
        """What this worker remembers of a rater, or a `Recall` to look it up with."""
        memory = live.memories.get(rater.key)
        known = memory is not None and live.memories.is_complete(memory)
        return memory if memory is not None and known else Recall(self.store, live, rater.key)

    def welcome(self, live: LiveContest, rater: RaterId) -> Memory:
        """The memory of a new rater, who cannot have answered yet."""
        memory = live.memories.get(rater.key)
        if memory is None:
            memory = live.memories.put(rater.key, Memory())
            memory.unmatched = live.memories.unmatched
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
        """The next items for a rater; the same items until they are answered."""
        now = self._check_open(live)
        signer = self._signers[live.name]
        for text in holding:
            lease = Lease(*signer.read_ticket(rater.key, text))
            if now - lease.issued < TICKET_MS:
                live.adopt(memory, lease)
        answered, limit = len(memory.answers), self._limit(live, rater, visit)
        passes = memory.passes
        if limit is not None and answered >= limit:
            return Asked([], answered, limit, self._end(live, rater, memory, "visit"), passes)
        room = None if limit is None else limit - answered
        wanted = min(count, MOST_AT_ONCE, count if room is None else room)
        leases = live.ask(memory, wanted, now, room=room)
        if not leases:
            # A verdict that was reached just now may not be in the log yet.
            stopped = len(live.contest.verdicts) + len(live.verdict_due()) == len(live.races)
            reason = "decided" if stopped else "all_seen"
            return Asked([], answered, limit, self._end(live, rater, memory, reason), passes)
        items = [
            (live.items[lease.item], signer.ticket(rater.key, Ticket(*lease))) for lease in leases
        ]
        return Asked(items, answered, limit, None, passes)

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
        door: int = 0,
        done: Done,
    ) -> int:
        """Takes an answer; calls `done` on the owner's thread once it is in the log.

        Returns the item of the ticket. An answer sent again gets the receipt of the first. Errors
        are raised before anything changes. `origin` and `door` are kept with the first answer.
        """
        allowed = self._signers[live.name].read_ticket(rater.key, ticket)
        if allowed.item in memory.answers:
            recorded, first = memory.answers[allowed.item]
            entry = live.recent_answer(memory.number, allowed.item)
            text = "" if entry is None else self.notary.receipt(live.name, entry)
            done(Receipt(0, recorded, first, memory.number, fresh=False, text=text))
            return allowed.item
        if self._follower.trouble is not None:
            raise StoreUnavailable(self._follower.trouble)
        now = self._check_open(live)
        self._check(live, kind, allowed, level, now)
        if kind != Kind.VOTE:
            _pass_over(memory, allowed.item)
        live.heard(memory, now)
        passed = max(0, now - allowed.issued)
        taken = NONE if response_ms is None else min(response_ms, passed)
        answer = Answer(
            kind, rater.key, allowed.item, level, allowed.lane, now, taken, origin, door
        )
        self.writer.submit(Waiting(live.name, answer, done))
        return allowed.item

    def _check_open(self, live: LiveContest) -> int:
        now = self.clock()
        if not live.taking_answers(now):
            state = Phrase(_SHUT[live.contest.state])
            text = N_("The contest {name!r} is {state} and accepts no answers now.")
            raise NotOpen(Phrase(text, name=live.name, state=state))
        return now

    def _check(self, live: LiveContest, kind: Kind, ticket: Ticket, level: int, now: int) -> None:
        if now - ticket.issued >= TICKET_MS or ticket.issued - now > SKEW_MS:
            text = N_("This ticket is too old, or from the future. Ask for new items.")
            raise TicketExpired(Phrase(text))
        if kind == Kind.VOTE and not 0 <= level < len(live.settings.scale):
            text = N_("There is no level {level}: levels are 0 to {last}.")
            last = len(live.settings.scale) - 1
            raise InvalidInput(Phrase(text, level=str(level), last=last))
        if kind == Kind.SKIP and not live.settings.skip:
            raise InvalidInput(Phrase(N_("Items cannot be skipped in this contest.")))
        if kind == Kind.FLAG and not live.settings.flag:
            raise InvalidInput(Phrase(N_("Items cannot be flagged in this contest.")))

    # Folding

    def _on_owner(self, live: LiveContest | str, batch: Batch | None = None) -> None:
        """Hands over a new contest, or entries of one, to the owner's thread."""
        if isinstance(live, LiveContest):
            self._post(self._add, live)
        elif batch is None:
            self._post(self._drop, live, BROKEN_SECONDS)
        else:
            self._post(self._fold, live, batch)

    def _add(self, live: LiveContest) -> None:
        if live.name not in self._live:
            self._signers[live.name] = Signer(self._secret, live.name)
            self._doors[live.name] = Doorkeeper(self._secret, live.name)
            self._saved_at[live.name] = live.contest.position
            self.notary.know(live.name, live.record.blinding)
            self._live[live.name] = live
            try:
                self._judge(live)
            except Exception:
                self._note_bad(live.name)
                self._drop(live.name, BROKEN_SECONDS)
            self._tell_waiting(live)

    def _note_bad(self, name: str) -> None:
        words = "The log of the contest %r could not be folded; it is loaded anew."
        rarely.say(f"bad {name}", words, name, level=logging.ERROR, exc_info=True)

    def _drop(self, name: str, seconds: float) -> None:
        """Puts a contest away whose state cannot be trusted; it is loaded anew after some time."""
        self._follower.put_off(name, seconds)
        self._live.pop(name, None)

    def _delivered(self, committed: Committed) -> None:
        """Folds a group that this worker wrote, then calls `done` for each answer."""
        live = self._live.get(committed.contest)
        outcome = committed.outcome
        if isinstance(outcome, Exception):
            for waiting in committed.group:
                waiting.done(outcome)
            return
        if live is not None:
            self._take_in(live, committed.group, outcome)
        for waiting, receipt in zip(committed.group, outcome.receipts, strict=True):
            waiting.done(receipt)

    def _take_in(self, live: LiveContest, group: Sequence[Waiting], outcome: Appended) -> None:
        for waiting, receipt in zip(group, outcome.receipts, strict=True):
            memory = live.note(waiting.answer.rater, receipt.rater)
            if memory is not None:
                memory.answer(waiting.answer.item, receipt.kind, receipt.level)
        if outcome.entries and outcome.entries[0].position == live.contest.position + 1:
            self._fold(live.name, Batch(outcome.entries))
        elif outcome.entries:
            self._follower.poke()

    def _fold(self, name: str, batch: Batch) -> None:
        live = self._live.get(name)
        if live is None or (
            batch.entries and batch.entries[0].position > live.contest.position + 1
        ):
            return
        epoch = live.contest.epoch
        try:
            live.apply(batch)
            self._judge(live)
        except Exception:
            self._note_bad(name)
            self._drop(name, RELOAD_SECONDS)
            return
        if live.contest.epoch > epoch:
            self.notary.poke()
        if self._waiting:
            self._tell_waiting(live)
        if live.contest.position - self._saved_at[name] >= SNAPSHOT_EVERY:
            self._saved_at[name] = live.contest.position
            self._follower.do(partial(put_snapshot, self.store, name, copy_of(live.contest)))

    def _judge(self, live: LiveContest) -> None:
        """Records the verdicts that are due. If several workers try, the first one wins."""
        for lane, verdict in live.verdict_due():
            ticket = (live.name, lane, live.contest.epoch)
            if ticket in self._recording:
                continue
            self._recording.add(ticket)
            self.notary.do(partial(self._record, self._proof(live, lane, verdict), ticket))

    def _proof(self, live: LiveContest, lane: int, verdict: Verdict) -> dict[str, Any]:
        """The certificate of a verdict, made from the state in which it was reached.

        It is kept as long as the verdict stands: if writing it takes a second attempt, votes may
        have come in that the verdict does not rest on.
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
        """Writes a verdict to the log with its signed certificate, on the notary's thread."""
        name, lane, epoch = ticket
        encoded = msgspec.json.encode(self.notary.certified(body)).decode()
        try:
            self.store.append_event(
                name,
                to_log(verdict_in(body), self.clock()),
                epoch=epoch,
                certificate=Certificate(body["judged_at"], lane, encoded),
            )
        except StoreUnavailable:
            raise  # the notary tries again; there may be no further vote to trigger it
        except LiveError:
            # Another worker's verdict, or a step of an editor, came first. Folding it decides
            # whether to try again.
            self._post(self._recording.discard, ticket)
        self._follower.poke()


def _pass_over(memory: Memory, item: int) -> None:
    """Notes that a rater passes over an item; `SkipsUsedUp` if they did so too often."""
    if item in memory.passing:
        return
    if not memory.passes:
        text = N_(
            "You have skipped or flagged as many items as you can for now. Vote on some; then you "
            "can skip again."
        )
        raise SkipsUsedUp(Phrase(text))
    memory.passing.add(item)
