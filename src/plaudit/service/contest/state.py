"""What a log adds up to: counts per lane, item and level, and who and what does not count.

A contest is a function of the log. Any worker that has folded the same entries has the same
contest, whether it saw them live, from a snapshot, or all at once.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from plaudit.errors import InvalidInput
from plaudit.service.contest.changes import current_settings, json_value
from plaudit.service.contest.events import (
    AnswersOf,
    ContestEvent,
    Past,
    VerdictReached,
    read_event,
)
from plaudit.service.contest.pools import Pools
from plaudit.service.contest.roster import Roster
from plaudit.service.contest.settings import DRAFT, ContestSettings
from plaudit.store.log import ANSWERS, NONE, Entry, Kind, chain, first_digest

FORMAT = 2
# What a snapshot has in forms of its own, or not at all.
_APART = frozenset({"_counts", "pools", "told", "created"})
# Counting by arrays pays from so many answers on.
MANY = 200


class ContestState(Roster):
    """The counts of a contest with `lanes` algorithms and `levels` labels on its scale.

    `counts[lane, item, level]` are votes that count; uniform traffic is the last lane, which
    is also lane -1. They are by the item that raters saw; `pools` has what counts for items
    that stand for others.
    `changes` are the settings that were changed.
    """

    def __init__(self, name: str, settings: str, *, lanes: int, levels: int) -> None:
        super().__init__()
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
        self.verdicts: dict[int, VerdictReached] = {}
        # What pools were told by the entries folded last.
        self.told: list[tuple[int, Entry]] = []
        self._counts = np.zeros((lanes + 1, 0, levels), dtype=np.int64)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Votes that count, by lane, item and level; each on the item that the rater saw."""
        return self._counts[:, : self.items]

    @property
    def standing_counts(self) -> NDArray[np.int64]:
        """The same, where an item that stands for others has the votes on those too."""
        counts = self.counts.copy()
        for item, pool in self.pools.items():
            counts[:, item] = pool.counts
        return counts

    def race_counts(self, lane: int) -> NDArray[np.int64]:
        """What the race in a lane is told: its own votes, and those of uniform traffic."""
        own: NDArray[np.int64] = self.counts[lane] + self.counts[NONE]
        for item, pool in self.pools.items():
            own[item] = pool.counts[lane] + pool.counts[NONE]
        return own

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
        """How many items are there now."""
        return self.items - len(self.withdrawn)

    def setting_values(self, names: Iterable[str]) -> dict[str, Any]:
        """What some settings are now, as JSON has them."""
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
        """Folds the entries that follow; the events among them come back.

        `answers_of` has the answers of raters whom they exclude or readmit, `answers_on` the
        answers on items that they merge, and `digest` is the chain's after these entries, where
        it is known already.
        """
        self.told = []
        for entry in entries:
            if entry.position != self.position + 1:
                raise InvalidInput(
                    f"The log goes on with entry {entry.position} after {self.position}."
                )
            self.position = entry.position
        begun = 0
        events: list[ContestEvent] = []
        for place, entry in enumerate(entries):
            if entry.kind not in ANSWERS:
                self._count_all(entries[begun:place])
                events.append(read_event(entry))
                self.take(events[-1], Past(entry.position, answers_of or {}, answers_on or {}))
                begun = place + 1
        self._count_all(entries[begun:])
        self.digest = chain(self.digest, entries) if digest is None else digest
        return events

    def take(self, event: ContestEvent, past: Past) -> None:
        """Changes the state as an event says."""
        event.change(self, past)
        if event.reopens:
            self.verdicts.clear()
        self.epoch += 1

    def _count_all(self, answers: Sequence[Entry]) -> None:
        if answers:
            self.begin()
        if len(answers) < MANY:
            for entry in answers:
                self._count(entry)
            return
        columns = np.array([entry[1:7] for entry in answers])
        kinds, _, raters, items, levels, lanes = columns.T
        self.raters = max(self.raters, int(raters.max()) + 1)
        told = (kinds == Kind.VOTE) & ~np.isin(raters, list(self.excluded))
        np.add.at(self._counts, (lanes[told], items[told], levels[told]), 1)
        self.skips += int((kinds == Kind.SKIP).sum())
        for item in items[kinds == Kind.FLAG].tolist():
            self.flags[item] = self.flags.get(item, 0) + 1
        if self.pools.sources:
            for place in np.flatnonzero(np.isin(items, list(self.pools.sources))).tolist():
                self._feed(answers[place])

    def _count(self, entry: Entry) -> None:
        self.raters = max(self.raters, entry.rater + 1)
        if entry.kind == Kind.VOTE:
            if entry.rater not in self.excluded:
                self._counts[entry.lane, entry.item, entry.level] += 1
            self._feed(entry)
        elif entry.kind == Kind.SKIP:
            self.skips += 1
        else:
            self.flags[entry.item] = self.flags.get(entry.item, 0) + 1

    def _feed(self, entry: Entry) -> None:
        """Lets a vote count for the items that stand for its own."""
        if entry.kind == Kind.VOTE and entry.item in self.pools.sources:
            fed = self.pools.feed(entry, counted=entry.rater not in self.excluded)
            self.told += [(item, entry) for item in fed]

    # What events do

    def add_items(self, count: int) -> None:
        """Lets items join; there is room for their counts."""
        super().add_items(count)
        if self.items > self._counts.shape[1]:
            lanes, room, levels = self._counts.shape
            larger = np.zeros((lanes, max(self.items, 2 * room), levels), dtype=np.int64)
            larger[:, :room] = self._counts
            self._counts = larger

    def replace_items(self, items: Sequence[int], *, keep_votes: bool, past: Past) -> None:
        """Lets a new item take the place of others, with the votes on them or without."""
        self.add_items(1)
        made = self.take_place(items, self._pool_shape, keep_votes=keep_votes)
        filled = self.pools.fill(made, items, past.on_items, before=past.position)
        for pool, found in filled:
            pool.begin(found, self.excluded)

    @property
    def _pool_shape(self) -> tuple[int, int]:
        lanes, _, levels = self._counts.shape
        return lanes, levels

    def set_fields(self, given: dict[str, Any]) -> None:
        """Changes settings; counts take the form of a new scale or new lanes."""
        self.changes.update(given)
        if not given.keys() & {"lanes", "scale"}:
            return
        if self.begun:
            raise InvalidInput("The log changes the scale or the algorithms after the first vote.")
        lanes, room, levels = self._counts.shape
        lanes = 1 + len(given["lanes"]) if "lanes" in given else lanes
        levels = len(given["scale"]) if "scale" in given else levels
        self._counts = np.zeros((lanes, room, levels), dtype=np.int64)

    def exclude_rater(self, rater: int, past: Past) -> None:
        """Lets no vote of a rater count."""
        if rater not in self.excluded:
            self.excluded.add(rater)
            self._weigh(rater, -1, past)

    def readmit_rater(self, rater: int, past: Past) -> None:
        """Lets the votes of a rater count again, unless the rater was erased."""
        if rater in self.excluded and rater not in self.erased:
            self.excluded.discard(rater)
            self._weigh(rater, 1, past)

    def _weigh(self, rater: int, step: int, past: Past) -> None:
        for vote in past.of_raters[rater]:
            if vote.kind == Kind.VOTE and vote.position < past.position:
                self._counts[vote.lane, vote.item, vote.level] += step
        self.pools.weigh(rater, step)

    def to_snapshot(self) -> bytes:
        """The contest as bytes, to start from later."""
        plain = {name: value for name, value in vars(self).items() if name not in _APART}
        body = {
            "format": FORMAT,
            "plain": plain,
            "pools": self.pools.to_record(),
            "shape": self.counts.shape,
            "counts": zlib.compress(np.ascontiguousarray(self.counts).tobytes(), level=1),
        }
        return msgspec.msgpack.encode(body)

    def from_snapshot(self, body: bytes) -> bool:
        """Takes over what `to_snapshot` wrote; false where another edition wrote it."""
        record = msgspec.msgpack.decode(body, strict=False)
        plain = record["plain"]
        if record["format"] != FORMAT or plain.keys() != vars(self).keys() - _APART:
            return False
        for name in ("withdrawn", "excluded", "erased", "absent"):
            plain[name] = set(plain[name])
        plain["verdicts"] = msgspec.convert(plain["verdicts"], dict[int, VerdictReached])
        vars(self).update(plain)
        counts = np.frombuffer(zlib.decompress(record["counts"]), dtype=np.int64)
        self._counts = counts.reshape(record["shape"]).copy()
        self.pools = Pools.from_record(record["pools"], self._pool_shape, self.excluded)
        return True
