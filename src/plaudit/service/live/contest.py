"""One live contest in the memory of one worker: its races, and what each rater is asked.

Everything here happens on one thread. The state follows from the log. What was asked and not yet
answered is kept beside it, and no verdict depends on that.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.race import Race, Verdict
from plaudit.service.contest.answer_run import AnswerRun
from plaudit.service.contest.certificate import make_certificate
from plaudit.service.contest.events import SettingsChanged
from plaudit.service.contest.races import race_of
from plaudit.service.contest.replay import Batch
from plaudit.service.contest.settings import (
    AFTER_VISIT,
    ALWAYS,
    CLOSED,
    HIDDEN,
    NEVER,
    RETIRED,
    UNIFORM,
)
from plaudit.service.contest.state import ContestState
from plaudit.service.live.rater_memory import Lease, Memories, Memory
from plaudit.service.live.recent import Recent
from plaudit.service.live.snapshot import ContestSnapshot, copy_of, copy_of_race
from plaudit.service.live.untold import MOST_KEPT, Untold
from plaudit.service.live.visit_lists import MOST_LISTED, Lanes, Pending, list_length
from plaudit.store.contract import Answered, ContestRecord, Item
from plaudit.store.log import ANSWERS, NONE, Entry, Kind

TICKET_MS = 6 * 3600_000
# The clocks of other machines may be ahead by this much.
SKEW_MS = 5 * 60_000
# Random draws of an item beyond those needed, before the remaining ones are listed.
TRIES = 20
# Fewer votes than this are told to a race one by one: arrays would cost more.
FEW = 8
# Votes of a visit without an end that count as a whole one.
ENOUGH = 10
# After more entries than this at once, races are built anew from the counts.
MANY = 5_000
# Of more items than this, races are not built anew while raters wait: it looks at every item.
MANY_ITEMS = 5_000


class Proof(NamedTuple):
    """A verdict, and its certificate from the moment in which it was reached."""

    verdict: Verdict
    certificate: dict[str, Any]


class LiveContest:
    """A contest that raters vote on; `settings` are the current ones."""

    def __init__(self, record: ContestRecord, contest: ContestState, items: list[Item]) -> None:
        self.name = record.name
        self.record = record
        self.contest = contest
        self.items = items
        self.memories = Memories()
        self.recent = Recent()
        self._pending = Pending()
        self._replayed: dict[int, Race] = {}
        # By lane, of the verdict that stands.
        self.proofs: dict[int, Proof] = {}
        # Answers that were folded, and that the races are told once somebody reads them.
        self._untold = Untold()
        # The votes that all races have, once they are counted; every fold may change them.
        self._votes: int | None = None
        self._random = np.random.default_rng()
        self._take_settings()
        self._make_races()

    def _take_settings(self) -> None:
        """Takes over the current settings."""
        self.settings = self.contest.settings
        self._values = self.settings.race_scale.values
        self._lanes = Lanes(self.settings)

    def _make_races(self) -> None:
        """Builds the races anew: they are a function of the log."""
        lanes = range(len(self.settings.lanes))
        self._races = [race_of(self.settings, self.contest, lane) for lane in lanes]

    @property
    def races(self) -> list[Race]:
        """The races of all lanes, which have every vote that was folded."""
        if self._untold:
            self._tell_rest()
        return self._races

    @property
    def waits(self) -> bool:
        """Whether the races wait to be told: another worker of this machine looks for verdicts."""
        return bool(self._untold)

    def snapshot(self, *, races: bool = True) -> ContestSnapshot:
        """The contest as it is now, for other threads to read.

        Without copies of the races, they are made from the counts if someone reads them.
        """
        return ContestSnapshot(
            self.record,
            self.settings,
            copy_of(self.contest),
            self.items[: self.contest.items],
            [copy_of_race(race) for race in self.races] if races else None,
        )

    def is_decided(self, lane: int) -> bool:
        """Whether the verdict of a lane is in the log and stands."""
        return lane in self.contest.verdicts

    @property
    def all_decided(self) -> bool:
        """Whether every race has its verdict."""
        return len(self.contest.verdicts) == len(self._races)

    def shows_results(self, now: int, *, finished: bool = False) -> bool:
        """Whether everybody may see the results: they show the items, so not before the start.

        `finished`: whether a rater has finished a visit, who may see them sooner.
        """
        opens, when = self.settings.opens, self.settings.results_when
        early = opens is not None and now < opens and not self.contest.begun
        if when == NEVER or self.contest.state in HIDDEN or early:
            return False
        return when == ALWAYS or self.is_over(now) or (when == AFTER_VISIT and finished)

    def is_over(self, now: int) -> bool:
        """Whether nothing that comes can change the result: decided, closed or past its time."""
        closes = self.settings.closes
        over = self.contest.state in (CLOSED, RETIRED) or (closes is not None and now >= closes)
        return over or self.all_decided

    def has_finished(self, rater: Memory) -> bool:
        """Whether a rater has finished a visit: where visits have no end, after ten votes."""
        return rater.votes >= (self.settings.votes_per_visit or ENOUGH) or not self.unseen(rater)

    def taking_answers(self, now: int) -> bool:
        """Whether the contest accepts answers at this time."""
        opens, closes = self.settings.opens, self.settings.closes
        early, late = opens is not None and now < opens, closes is not None and now >= closes
        return self.contest.state == "open" and not early and not late

    @property
    def _goes_on(self) -> bool:
        """Whether everything is decided, and votes are welcome still."""
        return self.all_decided and self.settings.votes_after_verdict

    # Asking

    def ask(
        self, rater: Memory, count: int, now: int, *, limit: int | None = None, more: bool = False
    ) -> list[Lease]:
        """The items for this rater: those asked and not answered, then the next on the list.

        Once the whole list was asked, a new one is drawn. `limit` is how many votes of the rater
        end the visit; None if visits have no end. Where the races want too few items for a whole
        visit, or the rater wants `more`, items by chance follow.
        """
        self._drop_pending(now)
        self._bar_pools(rater)
        if self.all_decided and not self.settings.votes_after_verdict:
            return []
        leases = self._unanswered(rater, count, now) if rater.leases else []
        if rater.listed:
            leases += self._hand_out(rater, count - len(leases), now)
        if len(leases) < count:
            room = None if limit is None else limit - rater.votes - len(leases)
            # After its first list, a visit with an end gets more by chance alone: what the races
            # want may depend on the votes of this visit.
            again = limit is not None and rater.drawn_up_to == limit
            self._draw(rater, count - len(leases), now, room=room, again=again, more=more)
            if room is not None and room <= MOST_LISTED:
                rater.drawn_up_to = limit or 0
            leases += self._hand_out(rater, count - len(leases), now)
        return leases

    def unseen(self, rater: Memory) -> int:
        """How many items the rater has not answered and may still get."""
        seen = rater.answers.keys() | rater.pools
        return self.contest.present - len(seen - self.contest.withdrawn)

    def heard(self, rater: Memory, now: int) -> None:
        """Notes an answer of a rater: the rest of the list is waited for anew."""
        self._pending.renew(rater, now)

    def adopt(self, rater: Memory, lease: Lease) -> None:
        """Takes over an ask by another worker, or by this one before a restart."""
        if lease.item < len(self.items) and not rater.has_seen(lease.item):
            rater.lease(lease)

    def _bar_pools(self, rater: Memory) -> None:
        """Bars a rater from items that they proposed, and that stand for one they know."""
        sources, own = self.contest.pools.sources, self.contest.authored.get(rater.number, ())
        for item in own:
            rater.bar_pool(item)
        if not sources:
            return
        for item in sources.keys() & (rater.answers.keys() | own):
            for pool in sources[item]:
                rater.bar_pool(pool)

    def _unanswered(self, rater: Memory, count: int, now: int) -> list[Lease]:
        leases: list[Lease] = []
        for lease in list(rater.leases.values()):
            if self._is_out(rater, lease.item, lease.lane):
                continue
            # Old, or from before the clock was put back: a ticket of that time would be refused.
            if not -SKEW_MS <= now - lease.issued < TICKET_MS:
                lease = lease._replace(issued=now)
                rater.lease(lease)
            leases.append(lease)
            if len(leases) == count:
                break
        return leases

    def _hand_out(self, rater: Memory, count: int, now: int) -> list[Lease]:
        """The next items of the visit's list, asked from now on."""
        leases: list[Lease] = []
        for item, lane in rater.listed.items():
            if len(leases) == count:
                break
            if not self._is_out(rater, item, lane):
                leases.append(Lease(item, lane, now))
        for lease in leases:
            rater.lease(lease)
        return leases

    def _is_out(self, rater: Memory, item: int, lane: int) -> bool:
        """Whether an item is passed over: for reasons that are not in how this rater votes."""
        if item in self.contest.withdrawn or item in rater.pools or lane >= len(self._races):
            return True
        return self.is_decided(lane) and not self._goes_on

    def _draw(
        self, rater: Memory, wanted: int, now: int, *, room: int | None, again: bool, more: bool
    ) -> None:
        """Draws the list of a visit, from what is known now; it is pending from now on."""

        def ask(lane: int, count: int, taken: "list[int]") -> "list[int]":
            if again and lane != UNIFORM:
                return []
            barred = np.append(rater.barred, taken) if taken else rater.barred
            return self._from_lane(lane, count, barred)

        if self._votes is None:
            self._votes = sum(race.votes for race in self.races)
        count = list_length(self.races, votes=self._votes, wanted=wanted, room=room)
        whole = more or room is not None or self._goes_on
        places = self._lanes.fill(count, random=self._random, ask=ask, whole=whole)
        for item, lane in places:
            rater.put_on_list(item, lane)
        self._pending.add(rater, [place for place in places if place.lane != UNIFORM], now)

    def _from_lane(self, lane: int, count: int, barred: NDArray[np.int64]) -> list[int]:
        if lane == UNIFORM:
            return self._uniform_items(count, barred)
        if self.is_decided(lane):
            return []
        found: list[int] = []
        # Some algorithms give one item at a time.
        while len(found) < count:
            exclude = np.append(barred, found) if found else barred
            more = self.races[lane].ask(count - len(found), exclude=exclude)
            if not more:
                break
            found += more
        return found

    def _uniform_items(self, count: int, barred: NDArray[np.int64]) -> list[int]:
        """Items drawn uniformly from those that the rater has not seen."""
        seen, withdrawn = set(barred.tolist()), self.contest.withdrawn
        found: list[int] = []
        for item in self._random.integers(len(self.items), size=count + TRIES).tolist():
            if len(found) < count and item not in seen and item not in withdrawn:
                seen.add(item)
                found.append(item)
        if len(found) < count:
            out = seen | withdrawn
            left = [item for item in range(len(self.items)) if item not in out]
            rest = self._random.permutation(left)[: count - len(found)]
            found += [int(item) for item in rest]
        return found

    def _drop_pending(self, now: int) -> None:
        """Stops waiting for raters who were silent for too long; lists and tickets stay valid."""
        for item, lane in self._pending.overdue(now):
            self.races[lane].forget(item)

    # Folding

    def apply(self, batch: Batch) -> None:
        """Folds the next entries; skips those that are folded already.

        If nobody looks for verdicts now, the races need not be told before they are read.
        """
        known, self._votes = self.contest.position, None
        entries: Sequence[Entry]
        if isinstance(batch.entries, AnswerRun):
            entries = batch.entries.after(known)
        else:
            entries = [entry for entry in batch.entries if entry.position > known]
        if not entries:
            return
        self.items.extend(item for item in batch.items if item.number >= len(self.items))
        waits = not batch.looks and isinstance(entries, AnswerRun) and self._can_wait(entries)
        if self._untold and not waits:
            # An event may change whose votes count.
            self._tell_rest()
        raters = self.contest.raters
        events = self.contest.apply(
            entries, batch.answers_of, answers_on=batch.answers_on, digest=batch.digest
        )
        if any(isinstance(event, SettingsChanged) for event in events):
            self._take_settings()
        self.memories.note_new(range(raters, self.contest.raters))
        rebuild = len(entries) > MANY or any(event.reopens for event in events)
        answers = entries
        if not isinstance(entries, AnswerRun):
            answers = [entry for entry in entries if entry.kind in ANSWERS]
        self.recent.add(answers)
        self.memories.answered(answers)
        if rebuild:
            self._pending.clear()
            self._make_races()
            for number in self.contest.erased:
                self.memories.forget(number)
        elif waits and isinstance(answers, AnswerRun):
            self._untold.add(answers)
        else:
            self._tell(answers)
            self._tolerate()

    def _can_wait(self, run: AnswerRun) -> bool:
        """Whether the races may be told of answers later, which then takes little time."""
        few = self._untold.count + len(run) <= MOST_KEPT or self.contest.items <= MANY_ITEMS
        return few and not self.contest.pools.sources

    def _tell_rest(self) -> None:
        """Tells the races what they were not told yet."""
        run = self._untold.taken()
        try:
            if run is None:
                self._pending.clear()
                self._make_races()
            else:
                self._tell_run(run)
                self._tolerate()
        except BaseException:
            # Some races may have them, others not: the counts are right.
            self._untold.lose()
            raise

    def _tolerate(self) -> None:
        """Tells the races how many dishonest raters to withstand, if that grows with the crowd."""
        wanted = self.settings.tolerated(self.contest.raters)
        for race in self._races:
            if race.tolerance != wanted:
                race.tolerate(wanted)

    def _tell(self, answers: Sequence[Entry]) -> None:
        """Tells each race its votes, all at once."""
        if isinstance(answers, AnswerRun) and not self.contest.pools.sources:
            self._tell_run(answers)
            return
        pools = self.contest.pools
        counted = [e for e in answers if self.contest.counts_for(e) and e.item not in pools]
        counted += [entry._replace(item=pool) for pool, entry in self.contest.pooled]
        for lane, race in enumerate(self._races):
            votes = [entry for entry in counted if entry.lane in (lane, UNIFORM)]
            if len(votes) < FEW:
                for entry in votes:
                    race.tell(entry.item, self._values[entry.level])
            else:
                values = [self._values[entry.level] for entry in votes]
                race.tell_many([entry.item for entry in votes], values)
        positions = {entry.position for entry in counted}
        for entry in answers:
            if entry.lane != UNIFORM and entry.position not in positions:
                self._races[entry.lane].forget(entry.item)

    def _tell_run(self, run: AnswerRun) -> None:
        """The same for answers that came as columns, where no item stands for others."""
        lanes, items = run.column("lane"), run.column("item")
        counted = run.column("kind") == Kind.VOTE
        if self.contest.excluded:
            counted &= ~np.isin(run.column("rater"), list(self.contest.excluded))
        for lane, race in enumerate(self._races):
            votes = counted & ((lanes == lane) | (lanes == UNIFORM))
            values = np.array(self._values)[run.columns["level"][votes]]
            race.tell_many(items[votes], values)
        for place in np.flatnonzero(~counted & (lanes != UNIFORM)).tolist():
            self._races[lanes[place]].forget(int(items[place]))

    def remember(
        self,
        key: bytes,
        number: int,
        answers: Iterable[Answered | Entry],
        *,
        unmatched: int = -1,
        since: int = 0,
    ) -> Memory:
        """Remembers what the store knows of a rater, and the answers that came since it was read.

        `unmatched` is `memories.unmatched` before the store was asked, and `since` the position
        then. Without the former, a rater whom the store did not know is looked up again next time.
        """
        memory = self.memories.get(key) or Memory()
        memory.unmatched = unmatched
        if memory.number == NONE and number != NONE:
            memory.number = number
            memory.fill(answers)
            self._recall(memory, since)
        return self.memories.put(key, memory)

    def note(self, key: bytes, number: int) -> Memory | None:
        """Notes a rater's number in the log; returns what is remembered of them, if anything."""
        known = self.memories.get(key)
        if known is None or known.number != NONE:
            return known
        memory = self.memories.note(key, number)
        if memory is not None and number < self.contest.raters:
            # Another worker took the rater's first answers, and they were folded here before
            # this worker knew the number.
            self._recall(memory)
        return memory

    def _recall(self, memory: Memory, since: int = 0) -> None:
        """Adds the rater's answers among those folded last, after a position."""
        memory.fill(self.recent.of(memory.number, after=since))

    def recent_answer(self, rater: int, item: int) -> Entry | None:
        """A rater's answer on an item, if it is among those folded last."""
        return next((entry for entry in self.recent.of(rater) if entry.item == item), None)

    def verdict_due(self) -> list[tuple[int, Verdict]]:
        """The lanes whose races may stop now and have no verdict in the log yet."""
        lanes = [lane for lane in range(len(self.races)) if not self.is_decided(lane)]
        verdicts = [(lane, self._verdict(lane)) for lane in lanes]
        due = [(lane, verdict) for lane, verdict in verdicts if verdict]
        for lane, verdict in due:
            self._prove(lane, verdict)
        return due

    def _prove(self, lane: int, verdict: Verdict) -> None:
        """Makes the certificate of a verdict at the moment in which it is reached.

        It is kept as long as the verdict stands. Whoever writes it, this worker later or another,
        may have votes by then that the verdict does not rest on.
        """
        known = self.proofs.get(lane)
        if known is None or known.verdict is not verdict:
            certificate = make_certificate(
                self.name, self.settings, self.contest, self._races[lane],
                lane=lane, verdict=verdict,
            )  # fmt: skip
            self.proofs[lane] = Proof(verdict, certificate)

    def _verdict(self, lane: int) -> Verdict:
        """The verdict of a race now: a function of the log, which anybody can replay.

        The bounds of a race for all good items depend on when they were computed. So when such a
        race stops, it is built anew from the counts, and only the verdict of that one counts.
        """
        race = self.races[lane]
        if race is self._replayed.get(lane) or not self.settings.wants_all_good:
            return race.verdict()
        if not race.verdict():
            return race.verdict()
        again = self._races[lane] = race_of(self.settings, self.contest, lane)
        if again.verdict():
            self._replayed[lane] = again
        return again.verdict()
