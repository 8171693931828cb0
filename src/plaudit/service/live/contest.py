"""One live contest in the memory of one worker: its races, and who was asked what.

Everything here happens on one thread. The state is the fold of the log, plus what was asked
and not yet answered, which no verdict ever sees.
"""

from collections import deque
from collections.abc import Sequence

import numpy as np

from plaudit.race import Race, Verdict
from plaudit.service.contest.events import SettingsChanged
from plaudit.service.contest.races import race_of
from plaudit.service.contest.replay import Batch
from plaudit.service.contest.settings import DRAFT, UNIFORM
from plaudit.service.contest.state import ContestState
from plaudit.service.live.rater_memory import Book, Lease, Memory
from plaudit.store.contract import ContestRecord, Item
from plaudit.store.log import ANSWERS, NONE, Entry

# An ask counts as pending for so long; its ticket is good for longer.
PENDING_MS = 120_000
TICKET_MS = 6 * 3600_000
# Answers kept for raters whose memory is being read from the store meanwhile.
RECENT = 20_000
# Draws of a random item before all that are left are listed.
TRIES = 20
# Fewer votes than this are told one by one: arrays cost more.
FEW = 8
# More entries than this at once are counted anew, not told one by one.
MANY = 5_000


class LiveContest:
    """A contest that raters vote on; `settings` are those in force."""

    def __init__(self, record: ContestRecord, contest: ContestState, items: list[Item]) -> None:
        self.name = record.name
        self.record = record
        self.contest = contest
        self.items = items
        self.book = Book()
        self.recent: deque[Entry] = deque(maxlen=RECENT)
        self._pending: deque[tuple[int, int, Memory, int]] = deque()
        self._replayed: dict[int, Race] = {}
        self._random = np.random.default_rng()
        self._take_settings()
        self._make_races()

    def _take_settings(self) -> None:
        """The settings in force: those of the record, with what was changed since."""
        self.settings = self.contest.settings
        self._values = self.settings.race_scale.values
        self._shares = np.cumsum(self._relative_shares())

    def _relative_shares(self) -> list[float]:
        lanes = self.settings.lanes
        whole = sum(lane.share for lane in lanes)
        shares = [lane.share / whole * (1.0 - self.settings.uniform) for lane in lanes]
        return [*shares, self.settings.uniform]

    def _make_races(self) -> None:
        """The races that the contest calls for: a function of the log."""
        lanes = range(len(self.settings.lanes))
        self.races = [race_of(self.settings, self.contest, lane) for lane in lanes]

    def is_decided(self, lane: int) -> bool:
        """Whether the verdict of a lane is in the log and stands."""
        return lane in self.contest.verdicts

    @property
    def all_decided(self) -> bool:
        """Whether every race has its verdict."""
        return len(self.contest.verdicts) == len(self.races)

    def shows_results(self, now: int) -> bool:
        """Whether everybody may see the results, once it has begun: they name the items."""
        opens = self.settings.opens
        early = opens is not None and now < opens and not self.contest.begun
        return self.settings.public_results and self.contest.state != DRAFT and not early

    def taking_answers(self, now: int) -> bool:
        """Whether votes count at this time."""
        opens, closes = self.settings.opens, self.settings.closes
        early, late = opens is not None and now < opens, closes is not None and now >= closes
        return self.contest.state == "open" and not early and not late

    # Asking

    def ask(self, rater: Memory, count: int, now: int) -> list[Lease]:
        """The items for this rater: those asked before and not answered, then new ones."""
        self._let_go(now)
        self._shut_pools(rater)
        leases = self._still_open(rater, count, now)
        while len(leases) < count:
            found = self._draw(rater, count - len(leases), now)
            if not found:
                break
            leases.extend(found)
        return leases

    def adopt(self, rater: Memory, lease: Lease) -> None:
        """Takes over an ask that another worker, or this one before a restart, gave out."""
        if not rater.has_seen(lease.item) and lease.item < len(self.items):
            rater.lease(lease)

    def _shut_pools(self, rater: Memory) -> None:
        """Keeps from a rater what stands for an item that they answered."""
        sources = self.contest.pools.sources
        if not sources:
            return
        for item in sources.keys() & rater.answers.keys():
            for pool in sources[item]:
                rater.shut(pool)

    def _still_open(self, rater: Memory, count: int, now: int) -> list[Lease]:
        leases: list[Lease] = []
        if self.all_decided:
            return leases
        for lease in list(rater.leases.values()):
            gone = lease.item in self.contest.withdrawn or rater.is_shut(lease.item)
            if gone or self.is_decided(lease.lane):
                continue
            if now - lease.issued >= TICKET_MS:
                lease = lease._replace(issued=now)
                rater.lease(lease)
            leases.append(lease)
            if len(leases) == count:
                break
        return leases

    def _draw(self, rater: Memory, count: int, now: int) -> list[Lease]:
        """New items from a lane drawn by its share; from any lane where that one has none."""
        if self.all_decided:
            return []
        if len(self.races) == 1 and not self.settings.uniform:
            return self._from_lane(0, rater, count, now)
        lanes = len(self.races)
        drawn = int(np.searchsorted(self._shares, self._random.random(), side="right"))
        for lane in (min(drawn, lanes), *range(lanes + 1)):
            found = self._from_lane(UNIFORM if lane == lanes else lane, rater, 1, now)
            if found:
                return found
        return []

    def _from_lane(self, lane: int, rater: Memory, count: int, now: int) -> list[Lease]:
        if lane == UNIFORM:
            items = self._uniform_item(rater) if self.settings.uniform else []
        elif self.is_decided(lane):
            items = []
        else:
            items = self.races[lane].ask(count, exclude=rater.barred)
        leases = [Lease(item, lane, now) for item in items]
        for lease in leases:
            rater.lease(lease)
            if lane != UNIFORM:
                self._pending.append((now + PENDING_MS, lane, rater, lease.item))
        return leases

    def _uniform_item(self, rater: Memory) -> list[int]:
        """An item drawn at random from all that the rater has not seen."""
        for item in self._random.integers(len(self.items), size=TRIES).tolist():
            if not rater.has_seen(item) and item not in self.contest.withdrawn:
                return [item]
        free = np.ones(len(self.items), dtype=bool)
        free[rater.barred] = False
        free[list(self.contest.withdrawn)] = False
        left = np.flatnonzero(free)
        return [int(self._random.choice(left))] if left.size else []

    def _let_go(self, now: int) -> None:
        """Stops waiting for answers that did not come in time; their tickets stay good."""
        while self._pending and self._pending[0][0] <= now:
            _, lane, rater, item = self._pending.popleft()
            if item in rater.leases and lane < len(self.races):
                self.races[lane].forget(item)

    # Folding

    def apply(self, batch: Batch) -> None:
        """Folds the entries that follow; those known already are passed over."""
        known = self.contest.position
        entries = [entry for entry in batch.entries if entry.position > known]
        if not entries:
            return
        self.items.extend(item for item in batch.items if item.number >= len(self.items))
        met = self.contest.raters
        events = self.contest.apply(entries, batch.answers_of, answers_on=batch.answers_on)
        if any(isinstance(event, SettingsChanged) for event in events):
            self._take_settings()
        self.book.meet(range(met, self.contest.raters))
        remade = len(entries) > MANY or any(event.reopens for event in events)
        answers = [entry for entry in entries if entry.kind in ANSWERS]
        self.recent.extend(answers)
        for entry in answers:
            self.book.answered(entry)
        if remade:
            self._pending.clear()
            self._make_races()
            for number in self.contest.erased:
                self.book.forget(number)
        else:
            self._tell(answers)

    def _tell(self, answers: Sequence[Entry]) -> None:
        """Tells each race the votes that are for it, all at once."""
        pools = self.contest.pools
        told = [e for e in answers if self.contest.counts_for(e) and e.item not in pools]
        told += [entry._replace(item=pool) for pool, entry in self.contest.told]
        for lane, race in enumerate(self.races):
            votes = [entry for entry in told if entry.lane in (lane, UNIFORM)]
            if len(votes) < FEW:
                for entry in votes:
                    race.tell(entry.item, self._values[entry.level])
            else:
                values = [self._values[entry.level] for entry in votes]
                race.tell_many([entry.item for entry in votes], values)
        heard = {entry.position for entry in told}
        for entry in answers:
            if entry.lane != UNIFORM and entry.position not in heard:
                self.races[entry.lane].forget(entry.item)

    def remember(
        self, key: bytes, number: int, answers: Sequence[Entry], *, strangers: int = -1
    ) -> Memory:
        """Puts what the store knows of a rater into memory, with what came in since it was read.

        `strangers` is what the book said before the store was asked; without it, the store is
        asked again next time if it did not know the rater.
        """
        memory = self.book.get(key) or Memory()
        memory.strangers = strangers
        if memory.number == NONE and number != NONE:
            memory.number = number
            for entry in answers:
                memory.answer(entry.item, entry.kind, entry.level)
            self._recall(memory)
        return self.book.put(key, memory)

    def note(self, key: bytes, number: int) -> Memory | None:
        """Notes the number that the log gave a rater; what is remembered of them, if anything."""
        known = self.book.get(key)
        is_new = known is not None and known.number == NONE
        memory = self.book.note(key, number)
        if memory is not None and is_new and number < self.contest.raters:
            # The rater's first answers came by another worker, before this one had a number
            # to know them by.
            self._recall(memory)
        return memory

    def _recall(self, memory: Memory) -> None:
        """Adds what was folded lately of a rater's answers."""
        for entry in self.recent:
            if entry.rater == memory.number:
                memory.answer(entry.item, entry.kind, entry.level)

    def verdict_due(self) -> list[tuple[int, Verdict]]:
        """The lanes whose races may stop now, and have no verdict in the log."""
        lanes = [lane for lane in range(len(self.races)) if not self.is_decided(lane)]
        verdicts = [(lane, self._verdict(lane)) for lane in lanes]
        return [(lane, verdict) for lane, verdict in verdicts if verdict]

    def _verdict(self, lane: int) -> Verdict:
        """What a race says now: a function of the log, which anybody can replay.

        The bounds of a race for all good items depend on when it was looked at. So when it stops
        it is made anew from the counts, and has its verdict only if that one stops too.
        """
        race = self.races[lane]
        if race is self._replayed.get(lane) or not self.settings.wants_all_good:
            return race.verdict()
        if not race.verdict():
            return race.verdict()
        again = self.races[lane] = race_of(self.settings, self.contest, lane)
        if again.verdict():
            self._replayed[lane] = again
        return again.verdict()
