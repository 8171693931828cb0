"""The state of a contest: vote counts per lane, item and level, items, settings and raters.

The state is a function of the log. Workers that have folded the same entries have the same state,
whether they read the entries one by one, all at once or from a snapshot.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from plaudit.errors import InvalidInput
from plaudit.service.contest.answer_run import AnswerRun
from plaudit.service.contest.changes import current_settings, json_value
from plaudit.service.contest.events import (
    AnswersOf,
    ContestEvent,
    Past,
    VerdictReached,
    read_event,
)
from plaudit.service.contest.grounds import ASIDE, BY_VOTES, COUNTED, ERASED, OUT
from plaudit.service.contest.guests import SETS, Guests
from plaudit.service.contest.pools import Pools
from plaudit.service.contest.proposals import (
    REFUSED,
    TAKEN,
    WAITING,
    WITHDRAWN,
    Proposal,
    Proposals,
)
from plaudit.service.contest.roster import Roster
from plaudit.service.contest.settings import DRAFT, ContestSettings
from plaudit.store.log import ANSWERS, NONE, Entry, Kind, chain, first_digest

FORMAT = 5
# Attributes that a snapshot keeps in another form, or not at all.
_APART = frozenset({"_counts", "_aside", "pools", "pooled", "created"})
# From this many answers on, counting with arrays is faster.
MANY = 200


class ContestState(Roster, Guests, Proposals):
    """The state of a contest with `lanes` algorithms and `levels` labels on its scale.

    `counts[lane, item, level]` is the number of votes that count, by the item that raters saw;
    uniform traffic is the last lane, which is also lane -1. `pools` has the counts of items that
    stand for others. `aside` has the votes of raters who were excluded by their votes, counted in
    the same way. `grounds` says why each excluded rater is. `changes` are the settings changed
    since the contest was created. `pooled` are the votes that the entries folded last added to
    pools: the pool's item, and the entry.
    """

    def __init__(self, name: str, settings: str, *, lanes: int, levels: int) -> None:
        Roster.__init__(self)
        Guests.__init__(self)
        Proposals.__init__(self)
        self.position = 0
        self.epoch = 0
        self.created = settings
        self.digest = first_digest(name, settings)
        self.state = DRAFT
        self.changes: dict[str, Any] = {}
        self.raters = 0
        self.skips = 0
        self.flags: dict[int, int] = {}
        self.excluded: set[int] = set()
        self.erased: set[int] = set()
        self.grounds: dict[int, str] = {}
        self.verdicts: dict[int, VerdictReached] = {}
        self.pooled: list[tuple[int, Entry]] = []
        self._counts = np.zeros((lanes + 1, 0, levels), dtype=np.int64)
        # It gets room once somebody is excluded by votes, which is rare.
        self._aside = self._counts.copy()

    @property
    def counts(self) -> NDArray[np.int64]:
        """Votes that count, by lane, level and the item that the rater saw."""
        return self._counts[:, : self.items]

    @property
    def aside(self) -> NDArray[np.int64]:
        """The same of the votes of raters who were excluded by their votes."""
        return self._aside_with(self.items)[:, : self.items]

    def _aside_with(self, room: int) -> NDArray[np.int64]:
        """The votes aside with room for so many items, in larger arrays if need be."""
        return self._aside if self._aside.shape[1] >= room else _larger(self._aside, room)

    @property
    def standing_counts(self) -> NDArray[np.int64]:
        """The same, but an item that stands for others also has the votes on those."""
        counts = self.counts.copy()
        for item, pool in self.pools.items():
            counts[:, item] = pool.counts
        return counts

    def race_counts(self, lane: int) -> NDArray[np.int64]:
        """The counts that the race in a lane gets: its own votes, and those of uniform traffic."""
        own: NDArray[np.int64] = self.counts[lane] + self.counts[NONE]
        for item, pool in self.pools.items():
            own[item] = pool.counts[lane] + pool.counts[NONE]
        return own

    def race_aside(self, lane: int) -> NDArray[np.int64]:
        """The votes that the race in a lane would have if no rater were excluded by votes."""
        own: NDArray[np.int64] = self.aside[lane] + self.aside[NONE]
        for item, pool in self.pools.items():
            own[item] = pool.aside[lane] + pool.aside[NONE]
        return own

    @property
    def by_votes(self) -> set[int]:
        """The raters who were excluded by their votes."""
        return {rater for rater in self.excluded if self.place_of(rater) == ASIDE}

    def place_of(self, rater: int) -> int:
        """What becomes of the votes of a rater: they count, are kept aside, or are left out."""
        if rater not in self.excluded:
            return COUNTED
        return ASIDE if self.grounds[rater] in BY_VOTES else OUT

    def counts_for(self, entry: Entry) -> bool:
        """Whether an answer is a vote that counts now."""
        return entry.kind == Kind.VOTE and entry.rater not in self.excluded

    @property
    def settings(self) -> ContestSettings:
        """The settings in force: those that the contest was created with, and changes since."""
        return current_settings(self.created, self.changes)

    def settings_after(self, given: Mapping[str, Any]) -> ContestSettings:
        """What the settings would be after a change."""
        return current_settings(self.created, {**self.changes, **given})

    @property
    def present(self) -> int:
        """How many items are not withdrawn."""
        return self.items - len(self.withdrawn)

    def is_present(self, item: int) -> bool:
        """Whether an item is in the contest, itself or as part of one that stands for it."""
        return not self.withdrawn.issuperset((item, *self.pools.sources.get(item, ())))

    def standing_of(self, proposal: Proposal) -> str:
        """What a proposal is now."""
        if proposal.waits:
            return WAITING
        if proposal.reason:
            return REFUSED
        return TAKEN if self.is_present(proposal.item) else WITHDRAWN

    def setting_values(self, names: Iterable[str]) -> dict[str, Any]:
        """The current values of some settings, as in JSON."""
        settings = self.settings
        return {name: json_value(settings, name) for name in names}

    def apply(
        self,
        entries: Sequence[Entry],
        answers_of: AnswersOf | None = None,
        *,
        answers_on: AnswersOf | None = None,
        digest: bytes | None = None,
    ) -> list[ContestEvent]:
        """Folds the next entries into the state; returns the events among them.

        `answers_of` has the answers of the raters that they exclude or readmit, `answers_on` the
        answers on the items that they merge. `digest` is the digest of the chain after these
        entries, if the caller knows it.
        """
        self.pooled = []
        if isinstance(entries, AnswerRun):
            return self._apply_run(entries, digest)
        for entry in entries:
            if entry.position != self.position + 1:
                raise InvalidInput(
                    f"The log has entry {entry.position} right after entry {self.position}."
                )
            self.position = entry.position
        start = 0
        events: list[ContestEvent] = []
        for place, entry in enumerate(entries):
            if entry.kind not in ANSWERS:
                self._count_all(entries[start:place])
                events.append(read_event(entry))
                self.take(events[-1], Past(entry.position, answers_of or {}, answers_on or {}))
                start = place + 1
        self._count_all(entries[start:])
        self.digest = chain(self.digest, entries) if digest is None else digest
        return events

    def _apply_run(self, run: AnswerRun, digest: bytes | None) -> list[ContestEvent]:
        """Folds answers that came as columns."""
        positions = run.column("position")
        if positions[0] != self.position + 1 or not (np.diff(positions) == 1).all():
            raise InvalidInput(
                f"The log has entries {positions[0]} to {positions[-1]}, {len(run)} of them, right "
                f"after entry {self.position}."
            )
        self.position = int(positions[-1])
        self.note_answers()
        self._count_columns(run)
        self.digest = chain(self.digest, run) if digest is None else digest
        return []

    def take(self, event: ContestEvent, past: Past) -> None:
        """Applies one event."""
        event.change(self, past)
        if event.reopens:
            self.verdicts.clear()
        self.epoch += 1

    def _count_all(self, answers: Sequence[Entry]) -> None:
        if answers:
            self.note_answers()
        if len(answers) < MANY:
            for entry in answers:
                self._count(entry)
            return
        self._count_columns(answers)

    def _count_columns(self, answers: Sequence[Entry]) -> None:
        """Counts many answers at once."""
        if isinstance(answers, AnswerRun):
            kinds, raters, items, levels, lanes = map(
                answers.column, ("kind", "rater", "item", "level", "lane")
            )
        else:
            columns = np.array([entry[1:7] for entry in answers])
            kinds, _, raters, items, levels, lanes = columns.T
        self.raters = max(self.raters, int(raters.max()) + 1)
        votes = kinds == Kind.VOTE
        counted = votes & ~np.isin(raters, list(self.excluded)) if self.excluded else votes
        np.add.at(self._counts, (lanes[counted], items[counted], levels[counted]), 1)
        if self.excluded:
            aside = votes & np.isin(raters, list(self.by_votes))
            self._aside = self._aside_with(self._counts.shape[1])
            np.add.at(self._aside, (lanes[aside], items[aside], levels[aside]), 1)
        self.skips += int((kinds == Kind.SKIP).sum())
        for item in items[kinds == Kind.FLAG].tolist():
            self.flags[item] = self.flags.get(item, 0) + 1
        if self.pools.sources:
            for place in np.flatnonzero(np.isin(items, list(self.pools.sources))).tolist():
                self._count_in_pools(answers[place])

    def _count(self, entry: Entry) -> None:
        self.raters = max(self.raters, entry.rater + 1)
        if entry.kind == Kind.VOTE:
            self._add_vote(entry, 1, self.place_of(entry.rater))
            self._count_in_pools(entry)
        elif entry.kind == Kind.SKIP:
            self.skips += 1
        else:
            self.flags[entry.item] = self.flags.get(entry.item, 0) + 1

    def _count_in_pools(self, entry: Entry) -> None:
        """Counts a vote for the items that stand for the item voted on."""
        if entry.kind == Kind.VOTE and entry.item in self.pools.sources:
            items = self.pools.count(entry, self.place_of(entry.rater))
            self.pooled += [(item, entry) for item in items]

    # Effects of events

    def add_items(self, count: int) -> None:
        """Adds items, with room for their counts."""
        super().add_items(count)
        if self.items > self._counts.shape[1]:
            self._counts = _larger(self._counts, max(self.items, 2 * self._counts.shape[1]))

    def replace_items(self, items: Sequence[int], *, keep_votes: bool, past: Past) -> None:
        """Replaces items by a new one, which keeps the votes on them or starts without."""
        self.add_items(1)
        made = self.replace_by_last(items, self._pool_shape, keep_votes=keep_votes)
        earlier = self.pools.earlier_votes(made, items, past.on_items, before=past.position)
        for pool, votes in earlier:
            pool.count_all(votes, self.place_of)

    @property
    def _pool_shape(self) -> tuple[int, int]:
        lanes, _, levels = self._counts.shape
        return lanes, levels

    def set_fields(self, given: dict[str, Any]) -> None:
        """Changes settings; a new scale or new lanes give the counts another shape."""
        self.changes.update(given)
        if not given.keys() & {"lanes", "scale"}:
            return
        if self.begun:
            raise InvalidInput("The log changes the scale or the algorithms after the first vote.")
        lanes, room, levels = self._counts.shape
        lanes = 1 + len(given["lanes"]) if "lanes" in given else lanes
        levels = len(given["scale"]) if "scale" in given else levels
        self._counts = np.zeros((lanes, room, levels), dtype=np.int64)
        self._aside = self._counts[:, :0].copy()

    def exclude_rater(self, rater: int, past: Past, *, grounds: str) -> None:
        """Removes the votes of a rater from the counts; by votes, they are kept aside."""
        if rater not in self.excluded:
            self._add_votes_of(rater, -1, past)
            self.excluded.add(rater)
            self.grounds[rater] = grounds
            self._add_votes_of(rater, 1, past)

    def erase_rater(self, rater: int, past: Past) -> None:
        """Removes the votes of a rater for good; if they are kept aside already, they stay there.

        A rater asks for it, so nobody chose by the votes.
        """
        self.erased.add(rater)
        self.exclude_rater(rater, past, grounds=ERASED)

    def readmit_rater(self, rater: int, past: Past) -> None:
        """Counts the votes of a rater again, unless the rater was erased."""
        if rater in self.excluded and rater not in self.erased:
            self._add_votes_of(rater, -1, past)
            self.excluded.discard(rater)
            del self.grounds[rater]
            self._add_votes_of(rater, 1, past)

    def _add_votes_of(self, rater: int, times: int, past: Past) -> None:
        """Adds the votes of a rater where they belong now (`times` 1), or removes them (-1)."""
        place = self.place_of(rater)
        for vote in past.of_raters[rater]:
            if vote.kind == Kind.VOTE and vote.position < past.position:
                self._add_vote(vote, times, place)
        self.pools.add_votes_of(rater, times, place)

    def _add_vote(self, vote: Entry, times: int, place: int) -> None:
        if place == COUNTED:
            self._counts[vote.lane, vote.item, vote.level] += times
        elif place == ASIDE:
            self._aside = self._aside_with(self._counts.shape[1])
            self._aside[vote.lane, vote.item, vote.level] += times

    def to_snapshot(self) -> bytes:
        """The state as bytes, so that a later start need not fold the log up to here."""
        plain = {name: value for name, value in vars(self).items() if name not in _APART}
        body = {
            "format": FORMAT,
            "plain": plain,
            "pools": self.pools.to_record(),
            "shape": self.counts.shape,
            "counts": _packed(self.counts),
            "aside": _packed(self.aside),
        }
        return msgspec.msgpack.encode(body)

    def from_snapshot(self, body: bytes) -> bool:
        """Takes over what `to_snapshot` wrote; false if an edition with another format wrote it."""
        record = msgspec.msgpack.decode(body, strict=False)
        plain = record["plain"]
        if record["format"] != FORMAT or plain.keys() != vars(self).keys() - _APART:
            return False
        for name in ("withdrawn", "excluded", "erased", "absent", *SETS):
            plain[name] = set(plain[name])
        plain["verdicts"] = msgspec.convert(plain["verdicts"], dict[int, VerdictReached])
        plain["proposals"] = msgspec.convert(plain["proposals"], dict[int, Proposal])
        plain["authored"] = msgspec.convert(plain["authored"], dict[int, tuple[int, ...]])
        vars(self).update(plain)
        self._counts = _unpacked(record["counts"], record["shape"])
        self._aside = self._counts[:, :0].copy()
        if self.by_votes:
            self._aside = _unpacked(record["aside"], record["shape"])
        self.pools = Pools.from_record(record["pools"], self._pool_shape, self.place_of)
        return True


def _larger(counts: NDArray[np.int64], room: int) -> NDArray[np.int64]:
    """The same counts with room for so many items."""
    lanes, used, levels = counts.shape
    larger = np.zeros((lanes, room, levels), dtype=np.int64)
    larger[:, :used] = counts
    return larger


def _packed(counts: NDArray[np.int64]) -> bytes:
    return zlib.compress(np.ascontiguousarray(counts).tobytes(), level=1)


def _unpacked(body: bytes, shape: Sequence[int]) -> NDArray[np.int64]:
    return np.frombuffer(zlib.decompress(body), dtype=np.int64).reshape(shape).copy()
