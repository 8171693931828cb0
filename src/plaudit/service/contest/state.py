"""What a log adds up to: counts per lane, item and level, and who and what does not count.

A contest is a function of the log. Any worker that has folded the same entries has the same
contest, whether it saw them live, from a snapshot, or all at once.
"""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from plaudit.errors import InvalidInput
from plaudit.service.contest.changes import OF_RACES
from plaudit.service.contest.pools import Pools
from plaudit.service.contest.roster import OF_ITEMS, Roster
from plaudit.service.contest.settings import DRAFT
from plaudit.store.log import ANSWERS, NONE, Entry, Kind, chain, first_digest

# These change counts of the past: folding them takes the rater's answers.
OF_A_RATER = frozenset({Kind.EXCLUDE, Kind.READMIT, Kind.ERASE})
# After these the races are judged anew, so a verdict before them no longer stands.
REOPENING = OF_ITEMS | OF_A_RATER

AnswersOf = Mapping[int, Sequence[Entry]]
FORMAT = 2
# What a snapshot has in forms of its own, or not at all.
_APART = frozenset({"_counts", "pools", "told"})
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
        self.digest = first_digest(name, settings)
        self.state = DRAFT
        self.changes: dict[str, Any] = {}
        self.raters = 0
        self.skips = 0
        self.flags: dict[int, int] = {}
        self.excluded: set[int] = set()
        self.erased: set[int] = set()
        self.verdicts: dict[int, dict[str, Any]] = {}
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

    def apply(
        self,
        entries: Sequence[Entry],
        answers_of: AnswersOf | None = None,
        *,
        answers_on: AnswersOf | None = None,
        digest: bytes | None = None,
    ) -> None:
        """Folds the entries that follow; `answers_of` the raters whom they exclude or readmit.

        `answers_on` has the answers on items that they merge, and `digest` is the chain's after
        these entries, where it is known already.
        """
        self.told = []
        for entry in entries:
            if entry.position != self.position + 1:
                raise InvalidInput(
                    f"The log goes on with entry {entry.position} after {self.position}."
                )
            self.position = entry.position
        begun = 0
        for place, entry in enumerate(entries):
            if entry.kind not in ANSWERS:
                self._count_all(entries[begun:place])
                self._take(entry, answers_of or {}, answers_on or {})
                begun = place + 1
        self._count_all(entries[begun:])
        self.digest = chain(self.digest, entries) if digest is None else digest

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

    def _take(self, entry: Entry, answers_of: AnswersOf, answers_on: AnswersOf) -> None:
        payload = json.loads(entry.payload)
        if entry.kind in OF_ITEMS:
            made = self.move_items(Kind(entry.kind), payload)
            given = (made, payload.get("items", ()), answers_on)
            for pool, found in self.pools.fill(*given, before=entry.position):
                pool.begin(found, self.excluded)
        elif entry.kind == Kind.SETTINGS:
            self.set_fields(payload["set"])
        elif entry.kind in OF_A_RATER:
            for rater in raters_named(payload):
                self._moderate(entry, rater, answers_of)
        elif entry.kind == Kind.STATE:
            self.state = payload["state"]
        elif entry.kind == Kind.VERDICT:
            self.verdicts[payload["lane"]] = payload
        if entry.kind in REOPENING:
            self.verdicts.clear()
        self.epoch += 1

    def move_items(self, kind: Kind, payload: dict[str, Any]) -> list[int]:
        """What an event does to the items there are; which have a new pool, without votes yet."""
        made = self.move(kind, payload, self._pool_shape)
        if self.items > self._counts.shape[1]:
            lanes, room, levels = self._counts.shape
            larger = np.zeros((lanes, max(self.items, 2 * room), levels), dtype=np.int64)
            larger[:, :room] = self._counts
            self._counts = larger
        return made

    @property
    def _pool_shape(self) -> tuple[int, int]:
        lanes, _, levels = self._counts.shape
        return lanes, levels

    def set_fields(self, given: dict[str, Any]) -> None:
        """Notes settings that were changed; counts take the form of a new scale or new lanes."""
        self.changes.update(given)
        if given.keys() & OF_RACES:
            self.verdicts.clear()
        if not given.keys() & {"lanes", "scale"}:
            return
        if self.begun:
            raise InvalidInput("The log changes the scale or the algorithms after the first vote.")
        lanes, room, levels = self._counts.shape
        lanes = 1 + len(given["lanes"]) if "lanes" in given else lanes
        levels = len(given["scale"]) if "scale" in given else levels
        self._counts = np.zeros((lanes, room, levels), dtype=np.int64)

    def _moderate(self, entry: Entry, rater: int, answers_of: AnswersOf) -> None:
        before = rater in self.excluded
        if entry.kind == Kind.ERASE:
            self.erased.add(rater)
        if entry.kind == Kind.READMIT and rater not in self.erased:
            self.excluded.discard(rater)
        elif entry.kind != Kind.READMIT:
            self.excluded.add(rater)
        after = rater in self.excluded
        if after != before:
            step = -1 if after else 1
            for vote in answers_of[rater]:
                if vote.kind == Kind.VOTE and vote.position < entry.position:
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
        vars(self).update(plain)
        counts = np.frombuffer(zlib.decompress(record["counts"]), dtype=np.int64)
        self._counts = counts.reshape(record["shape"]).copy()
        self.pools = Pools.from_record(record["pools"], self._pool_shape, self.excluded)
        return True


def raters_named(payload: dict[str, Any]) -> list[int]:
    """The raters whom an event excludes, readmits or erases.

    Events of older logs are about one each.

    >>> raters_named({"raters": [3, 5]}), raters_named({"rater": 3})
    ([3, 5], [3])
    """
    return payload["raters"] if "raters" in payload else [payload["rater"]]


def raters_to_read(entries: Iterable[Entry]) -> set[int]:
    """The raters whose answers `apply` needs to fold these entries."""
    payloads = (json.loads(entry.payload) for entry in entries if entry.kind in OF_A_RATER)
    return {rater for payload in payloads for rater in raters_named(payload)}


def items_to_read(entries: Iterable[Entry]) -> set[int]:
    """The items whose answers `apply` needs to fold these entries: those that are merged."""
    merges = (json.loads(entry.payload) for entry in entries if entry.kind == Kind.REPLACE)
    return {item for payload in merges if payload["votes"] for item in payload["items"]}
