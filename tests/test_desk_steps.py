"""Steps of the desk: merges, edits, restores, settings and undoing; the state is the log's."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from live_worker import NAME, Clock, create
from plaudit.errors import (
    InvalidInput,
    NotAllowed,
    UnknownItem,
)
from plaudit.service.archive import contest_lines
from plaudit.service.desk import Desk
from plaudit.service.in_force import in_force
from plaudit.service.live import LiveContest, race_of
from plaudit.service.loading import empty_tally, load_contest, load_tally, read_batch
from plaudit.service.restore import restore_contest
from plaudit.service.roles import Actor
from plaudit.store import Store, open_store
from plaudit.store.contract import Item
from plaudit.store.log import Answer, Entry, Kind

ANA = Actor(1, "Ana", "editor")
BOB = Actor(2, "Bob", "editor")
VICTOR = Actor(3, "Victor", "viewer")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(str(tmp_path / "steps.db"))
    yield store
    store.close()


@pytest.fixture
def desk(store: Store) -> Desk:
    create(store, 6)
    return Desk(store, clock=Clock())


def key_of(rater: int) -> bytes:
    return rater.to_bytes(16, "big")


def vote(rater: int, item: int, level: int, lane: int = 0) -> Answer:
    return Answer(Kind.VOTE, key_of(rater), item, level, lane, 5, 900)


def votes(store: Store, *given: tuple[int, int, int]) -> None:
    store.append_answers(NAME, [vote(*one) for one in given])


def follow(live: LiveContest, store: Store) -> None:
    """Folds what the log has more, as a worker does."""
    live.apply(read_batch(store, NAME, after=live.tally.position, items_from=len(live.items)))


def race_votes(live: LiveContest, lane: int = 0) -> list[int]:
    """The votes of each item in a race; -1 for those that are out."""
    found = live.races[lane].intervals().votes
    return [-1 if n in live.tally.withdrawn else int(v) for n, v in enumerate(found)]


def the_same(live: LiveContest, store: Store) -> None:
    """The live state is that of a replay from the first entry, to the last bit."""
    tally = load_tally(store, NAME, from_snapshot=False)
    kept = empty_tally(live.record)
    assert kept.from_snapshot(live.tally.to_snapshot())
    for other in (tally, kept):
        assert np.array_equal(other.counts, live.tally.counts)
        assert np.array_equal(other.standing_counts, live.tally.standing_counts)
        for name in ("withdrawn", "joined", "absent", "excluded", "changes", "initial", "state"):
            assert getattr(other, name) == getattr(live.tally, name), name
        assert {n: p.members for n, p in other.pools.items()} == {
            n: p.members for n, p in live.tally.pools.items()
        }
    assert live.tally.digest == store.contest(NAME).digest
    assert live.settings == in_force(live.record.settings, tally.changes)
    for lane, race in enumerate(live.races):
        again = race_of(live.settings, tally, lane)
        mine, theirs = race.intervals(), again.intervals()
        present = [n for n in range(len(race)) if n not in live.tally.withdrawn]
        for column in ("votes", "means", "lower", "upper"):
            one, two = getattr(mine, column)[present], getattr(theirs, column)[present]
            assert np.array_equal(one, two, equal_nan=True), column
        assert race.verdict().items == again.verdict().items
        assert race.withdrawn == again.withdrawn


def by_hand(store: Store) -> tuple[dict[int, list[int]], set[int]]:
    """Votes by level of every item that is present, read off the log in the plainest way."""
    entries = store.entries(NAME, limit=10**6)
    sources: dict[int, set[int]] = {}
    out: set[int] = set()
    excluded: set[int] = set()
    voted = False
    for entry in entries:
        payload = json.loads(entry.payload) if entry.payload else {}
        voted = voted or not payload
        if entry.kind in (Kind.ADD, Kind.REPLACE):
            new = range(payload["first"], payload["first"] + payload["count"])
            sources |= {item: {item} for item in new}
            if entry.kind == Kind.REPLACE:
                out |= {*payload["items"]}
                if payload["votes"] and voted:
                    for item in payload["items"]:
                        sources[new[0]] |= sources[item]
        elif entry.kind == Kind.WITHDRAW:
            out |= {*payload["items"]}
        elif entry.kind == Kind.RESTORE:
            out = (out - {*payload["items"]}) | {*payload["without"]}
        elif entry.kind == Kind.EXCLUDE:
            excluded.add(payload["rater"])
        elif entry.kind == Kind.READMIT:
            excluded.discard(payload["rater"])
    return {n: _levels(entries, sources[n], excluded) for n in sources if n not in out}, out


def _levels(entries: list[Entry], items: set[int], excluded: set[int]) -> list[int]:
    found, heard = [0, 0, 0], set()
    for entry in entries:
        if entry.kind == Kind.VOTE and entry.item in items and entry.rater not in heard:
            heard.add(entry.rater)
            found[entry.level] += entry.rater not in excluded
    return found


class Editor:
    """Someone who takes steps at random, and raters who vote meanwhile."""

    def __init__(self, store: Store, desk: Desk, seed: int) -> None:
        self.store, self.desk = store, desk
        self.random = np.random.default_rng(seed)
        self.taken: dict[str, int] = {}

    def some(self, most: int) -> list[int]:
        known = len(self.store.items(NAME))
        count = min(1 + int(self.random.integers(most)), known)
        return [int(n) for n in self.random.choice(known, count, replace=False)]

    def step(self) -> None:
        name = str(self.random.choice([*STEPS, "undo", "undo", "votes", "votes"]))
        try:
            getattr(self, name)()
            self.taken[name] = self.taken.get(name, 0) + 1
        except (NotAllowed, InvalidInput, UnknownItem):
            pass

    def votes(self) -> None:
        if self.store.contest(NAME).state != "open":
            return
        known = len(self.store.items(NAME))
        drawn = self.random.integers([0, 0, 0], [15, known, 3], size=(12, 3)).tolist()
        lanes = self.random.integers(-1, 1, size=12).tolist()
        given = [vote(*one, lane) for one, lane in zip(drawn, lanes, strict=True)]
        self.store.append_answers(NAME, given)

    def add(self) -> None:
        self.desk.add_items(NAME, [Item(0, "one more")] * int(self.random.integers(1, 3)))

    def withdraw(self) -> None:
        self.desk.withdraw(NAME, self.some(2))

    def restore(self) -> None:
        self.desk.restore(NAME, self.some(3))

    def replace(self) -> None:
        kept = bool(self.random.integers(3))
        self.desk.replace(NAME, self.some(3), "said better", keep_votes=kept)

    def moderate(self) -> None:
        rater = int(self.random.integers(12))
        (self.desk.exclude if self.random.integers(2) else self.desk.readmit)(NAME, rater)

    def settings(self) -> None:
        given: dict[str, Any] = {"title": f"Title {self.random.integers(5)}"}
        if self.random.integers(2):
            given = {"skip": bool(self.random.integers(2)), "votes_per_visit": 7}
        self.desk.change(NAME, given)

    def state(self) -> None:
        self.desk.step(NAME, str(self.random.choice(["open", "open", "pause", "close", "reopen"])))

    def undo(self) -> None:
        events = self.store.events(NAME)
        self.desk.undo(NAME, events[int(self.random.integers(len(events)))].position)


STEPS = ("add", "withdraw", "restore", "replace", "moderate", "settings", "state")


@pytest.mark.parametrize("seed", range(6))
def test_any_steps_and_undoing_leave_the_state_of_a_replay(
    store: Store, tmp_path: Path, seed: int
) -> None:
    create(store, 8)
    editor = Editor(store, Desk(store, clock=Clock()), seed)
    live = load_contest(store, NAME)
    for _ in range(70):
        editor.step()
        if editor.random.integers(2):
            follow(live, store)
    follow(live, store)
    the_same(live, store)
    expected, out = by_hand(store)
    assert live.tally.withdrawn == out
    counts = live.tally.race_counts(0)
    assert {n: counts[n].tolist() for n in expected} == expected
    assert editor.taken.keys() >= {"replace", "undo", "votes"}
    # The file of such a contest can be restored, and is the same contest there.
    other = open_store(str(tmp_path / "other.db"))
    restore_contest(other, contest_lines(store, NAME))
    the_same(load_contest(other, NAME), store)
    other.close()
