"""Steps of the desk: merges, edits, restores, settings and undoing; the state follows the log."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from plaudit.errors import (
    ArchiveDamaged,
    EpochMoved,
    InvalidInput,
    NotAllowed,
    NotPermitted,
    PlauditError,
    UnknownItem,
)
from plaudit.service.accounts.roles import Actor
from plaudit.service.archive.check import ArchiveCheck
from plaudit.service.archive.export import votes_csv
from plaudit.service.archive.format import contest_lines
from plaudit.service.archive.restore import restore_contest
from plaudit.service.archive.verify import verify
from plaudit.service.contest.certificate import make_certificate
from plaudit.service.contest.changes import current_settings
from plaudit.service.contest.grounds import GROUNDS
from plaudit.service.contest.history import history_of
from plaudit.service.contest.opposite import why_not_undoable
from plaudit.service.contest.races import race_of
from plaudit.service.contest.replay import empty_state, load_state, read_batch
from plaudit.service.contest.settings import Lane
from plaudit.service.desk.desk import Desk
from plaudit.service.desk.trail import trail_of
from plaudit.service.live.contest import LiveContest
from plaudit.service.live.loading import load_contest
from plaudit.service.watch.results import make_results
from plaudit.store import Store, open_store
from plaudit.store.contract import Item
from plaudit.store.log import Answer, Entry, Event, Kind
from support.live_worker import NAME, Clock, create
from support.postgres_server import postgres, postgres_url

# Pytest finds fixtures by their names in this module.
__all__ = ["postgres", "postgres_url"]

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
    """Folds the new entries of the log, as a worker does."""
    live.apply(read_batch(store, NAME, after=live.contest.position, items_from=len(live.items)))


def race_votes(live: LiveContest, lane: int = 0) -> list[int]:
    """The votes of each item in a race; -1 for withdrawn items."""
    found = live.races[lane].intervals().votes
    return [-1 if n in live.contest.withdrawn else int(v) for n, v in enumerate(found)]


def the_same(live: LiveContest, store: Store) -> None:
    """Checks that the live state equals a replay from the first entry, to the last bit."""
    contest = load_state(store, NAME, from_snapshot=False)
    kept = empty_state(live.record)
    assert kept.from_snapshot(live.contest.to_snapshot())
    for other in (contest, kept):
        assert np.array_equal(other.counts, live.contest.counts)
        assert np.array_equal(other.standing_counts, live.contest.standing_counts)
        assert np.array_equal(other.race_aside(0), live.contest.race_aside(0))
        for name in (
            "withdrawn", "joined", "absent", "excluded", "grounds", "changes", "initial", "state",
        ):  # fmt: skip
            assert getattr(other, name) == getattr(live.contest, name), name
        assert other.pools == live.contest.pools
    assert live.contest.digest == store.contest(NAME).digest
    assert live.settings == current_settings(live.record.settings, contest.changes)
    for lane, race in enumerate(live.races):
        again = race_of(live.settings, contest, lane)
        mine, theirs = race.intervals(), again.intervals()
        present = [n for n in range(len(race)) if n not in live.contest.withdrawn]
        for column in ("votes", "means", "lower", "upper"):
            one, two = getattr(mine, column)[present], getattr(theirs, column)[present]
            assert np.array_equal(one, two, equal_nan=True), column
        assert race.verdict().items == again.verdict().items
        assert race.withdrawn == again.withdrawn


def by_hand(store: Store, *, aside: bool = False) -> tuple[dict[int, list[int]], set[int]]:
    """Votes by level of every item in the race, computed from the log in the plainest way.

    With `aside` those of raters who were excluded by their votes.
    """
    entries = store.entries(NAME, limit=10**6)
    content: dict[int, set[int]] = {}
    out: set[int] = set()
    excluded: dict[int, str] = {}
    voted = False
    for entry in entries:
        payload = json.loads(entry.payload) if entry.payload else {}
        voted = voted or not payload
        if entry.kind in (Kind.ADD, Kind.REPLACE):
            new = range(payload["first"], payload["first"] + payload["count"])
            content |= {item: {item} for item in new}
            if entry.kind == Kind.REPLACE:
                out |= {*payload["items"]}
                if payload["votes"] and voted:
                    content[new[0]] = set().union(*(content[n] for n in payload["items"]))
        elif entry.kind == Kind.WITHDRAW:
            out |= {*payload["items"]}
        elif entry.kind == Kind.RESTORE:
            out = (out - {*payload["items"]}) | {*payload["without"]}
        elif entry.kind == Kind.EXCLUDE:
            for place, rater in enumerate(payload["raters"]):
                why = payload["grounds"]
                excluded.setdefault(rater, why if isinstance(why, str) else why[place])
        elif entry.kind == Kind.READMIT:
            for rater in payload["raters"]:
                excluded.pop(rater, None)
    part_of = {n: {m for m in content if content[m] <= content[n]} for n in content}

    def counts(rater: int) -> bool:
        return excluded.get(rater) == "votes" if aside else rater not in excluded

    return {n: _levels(entries, part_of[n], counts) for n in content if n not in out}, out


def _levels(entries: list[Entry], items: set[int], counts: Callable[[int], bool]) -> list[int]:
    found, heard = [0, 0, 0], set()
    for entry in entries:
        if entry.kind == Kind.VOTE and entry.item in items and entry.rater not in heard:
            heard.add(entry.rater)
            found[entry.level] += counts(entry.rater)
    return found


class Editor:
    """An editor who takes random steps, and raters who vote meanwhile."""

    def __init__(self, store: Store, desk: Desk, seed: int) -> None:
        self.store, self.desk = store, desk
        self.random = np.random.default_rng(seed)
        self.taken: dict[str, int] = {}

    def some(self, most: int, *, out: bool = False) -> list[int]:
        """Random items among those in the race, or among the withdrawn ones."""
        gone = history_of(self.store, NAME).contest.withdrawn
        known = [n for n in range(len(self.store.items(NAME))) if (n in gone) == out]
        count = min(1 + int(self.random.integers(most)), len(known))
        return [int(n) for n in self.random.choice(known, count, replace=False)] if known else []

    def step(self) -> None:
        name = str(self.random.choice([*STEPS, "replace", *["undo"] * 3, *["votes"] * 4]))
        try:
            getattr(self, name)()
            self.taken[name] = self.taken.get(name, 0) + 1
        except (NotAllowed, InvalidInput, UnknownItem):
            pass

    def votes(self) -> None:
        state = self.store.contest(NAME).state
        if state != "open":
            self.desk.step(NAME, "reopen" if state == "closed" else "open")
        known = len(self.store.items(NAME))
        drawn = self.random.integers([0, 0, 0], [30, known, 3], size=(25, 3)).tolist()
        lanes = self.random.integers(-1, 1, size=25).tolist()
        given = [vote(*one, lane) for one, lane in zip(drawn, lanes, strict=True)]
        self.store.append_answers(NAME, given)

    def add(self) -> None:
        self.desk.add_items(NAME, [Item(0, "one more")] * int(self.random.integers(1, 3)))

    def withdraw(self) -> None:
        self.desk.withdraw(NAME, self.some(2))

    def restore(self) -> None:
        self.desk.restore(NAME, self.some(3, out=True))

    def replace(self) -> None:
        kept = bool(self.random.integers(3))
        self.desk.replace(NAME, self.some(3), "said better", keep_votes=kept)

    def moderate(self) -> None:
        raters = self.random.integers(12, size=1 + self.random.integers(3)).tolist()
        if self.random.integers(2):
            grounds = self.random.choice(GROUNDS, size=12).tolist()
            self.desk.exclude(NAME, *raters, grounds=dict(enumerate(grounds)))
        else:
            self.desk.readmit(NAME, *raters)

    def settings(self) -> None:
        given: dict[str, Any] = {"title": f"Title {self.random.integers(5)}"}
        if self.random.integers(2):
            given = {"skip": bool(self.random.integers(2)), "votes_per_visit": 7}
        self.desk.change(NAME, given)

    def state(self) -> None:
        self.desk.step(NAME, str(self.random.choice(["open", "open", "pause", "close", "reopen"])))

    def undo(self) -> None:
        # Mostly recent steps: later steps depend on the older ones.
        events = self.store.events(NAME)[-4:]
        self.desk.undo(NAME, events[int(self.random.integers(len(events)))].position)


STEPS = ("add", "withdraw", "restore", "replace", "moderate", "settings", "state")


def check_random_steps(store: Store, copy: Path, seed: int) -> None:
    """After random steps, undoing and votes, the live state equals a replay."""
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
    assert live.contest.withdrawn == out
    counts = live.contest.race_counts(0)
    assert {n: counts[n].tolist() for n in expected} == expected
    kept, aside = live.contest.race_aside(0), by_hand(store, aside=True)[0]
    assert {n: kept[n].tolist() for n in aside} == aside
    assert editor.taken.keys() >= {"replace", "undo", "votes"}
    check_votes_file(store, live)
    # The archive of such a contest can be restored, and gives the same contest.
    other = open_store(str(copy))
    restore_contest(other, contest_lines(store, NAME))
    the_same(load_contest(other, NAME), store)
    other.close()


def check_votes_file(store: Store, live: LiveContest) -> None:
    """The ranking of every race follows from the file of votes alone."""
    text = b"".join(votes_csv(store, NAME)).decode()
    heard: dict[str, dict[int, list[float]]] = {}
    for row in csv.DictReader(io.StringIO(text, newline="")):
        assert row["kind"] == "vote"
        assert (row["counted"] == "yes") == bool(row["counts_for"])
        for item in map(int, row["counts_for"].split()):
            heard.setdefault(row["algorithm"], {}).setdefault(item, []).append(float(row["value"]))
    results = make_results(live.snapshot())
    for lane in results["lanes"]:
        lists = [heard.get(name, {}) for name in (lane["algorithm"], "uniform")]
        found = {
            item: [value for one in lists for value in one.get(item, [])]
            for item in {*lists[0], *lists[1]}
        }
        means = {item: sum(values) / len(values) for item, values in found.items()}
        voted = [row for row in lane["leaders"] if row["votes"]]
        assert {row["item"]: row["votes"] for row in voted} == {
            item: len(values) for item, values in found.items()
        }
        assert {row["item"]: row["mean"] for row in voted} == pytest.approx(means)
        ranked = [means[row["item"]] for row in voted[len(lane["winners"]) :]]
        assert ranked == pytest.approx(sorted(ranked, reverse=True))


def test_only_the_first_vote_on_what_was_merged_is_in_the_file(store: Store, desk: Desk) -> None:
    votes(store, (1, 0, 2), (1, 1, 0), (2, 1, 0), (3, 2, 1))

    def counted() -> list[str]:
        text = b"".join(votes_csv(store, NAME)).decode()
        return [row["counts_for"] for row in csv.DictReader(io.StringIO(text, newline=""))]

    assert counted() == ["0", "1", "1", "2"]
    merge = desk.replace(NAME, [0, 1], "both", keep_votes=True).position
    assert counted() == ["6", "", "6", "2"]
    desk.exclude(NAME, 1)
    assert counted() == ["6", "", "", "2"]
    desk.undo(NAME, merge)
    assert counted() == ["0", "1", "", "2"]
    desk.withdraw(NAME, [2])
    desk.replace(NAME, [1], "another", keep_votes=False)
    assert counted() == ["0", "", "", ""]
    check_votes_file(store, load_contest(store, NAME))


@pytest.mark.parametrize("seed", range(8))
def test_any_steps_and_undoing_leave_the_state_of_a_replay(
    store: Store, tmp_path: Path, seed: int
) -> None:
    check_random_steps(store, tmp_path / "other.db", seed)


def test_the_same_over_postgres(postgres_url: str, tmp_path: Path) -> None:
    store = open_store(postgres_url)
    try:
        check_random_steps(store, tmp_path / "other.db", 0)
    finally:
        store.close()


# One step at a time


def deeds(store: Store) -> list[tuple[str, str, int]]:
    steps = trail_of(store, NAME).steps
    return [(step.who, str(step.what), step.position) for step in steps]


def test_merged_items_pool_their_votes_each_rater_once(store: Store, desk: Desk) -> None:
    votes(store, (1, 0, 2), (2, 0, 2), (2, 1, 0), (3, 1, 0), (4, 5, 1))
    live = load_contest(store, NAME)
    entry = desk.replace(NAME, [0, 1], "both of them", keep_votes=True, by=ANA)
    payload = json.loads(entry.payload)
    assert (payload["items"], payload["first"], payload["votes"]) == ([0, 1], 6, True)
    follow(live, store)
    # Rater 2 voted on both, first on item 0: three votes, not four.
    assert live.contest.race_counts(0)[6].tolist() == [1, 0, 2]
    assert race_votes(live) == [-1, -1, 0, 0, 0, 1, 3]
    # A late vote on a member counts for the pool; the first rater's second one does not.
    votes(store, (5, 1, 1), (1, 1, 1), (6, 6, 2), (3, 6, 2))
    follow(live, store)
    assert live.contest.race_counts(0)[6].tolist() == [1, 1, 3]
    assert race_votes(live)[6] == 5
    the_same(live, store)
    assert deeds(store)[0] == ("Ana", "merged items i1 and i2 into item i7", entry.position)


def test_who_answered_a_member_is_never_asked_the_merged_one(store: Store, desk: Desk) -> None:
    votes(store, (1, 0, 2), (2, 5, 1))
    desk.replace(NAME, [0, 1], "both of them", keep_votes=True)
    live = load_contest(store, NAME)
    seen, new = (live.remember(key_of(n), n - 1, store.answers_of(NAME, n - 1)) for n in (1, 2))
    assert {lease.item for lease in live.ask(seen, 10, 0)} == {2, 3, 4, 5}
    assert {lease.item for lease in live.ask(new, 10, 0)} == {2, 3, 4, 6}


def test_a_corrected_item_keeps_its_votes_and_costs_nothing(store: Store, desk: Desk) -> None:
    votes(store, (1, 0, 2), (2, 0, 1), (3, 2, 0))
    before = load_contest(store, NAME)
    entry = desk.replace(NAME, [0], "caption nought", keep_votes=True)
    after = load_contest(store, NAME)
    old, new = before.races[0].intervals(), after.races[0].intervals()
    for column in ("votes", "means", "lower", "upper"):
        one = [getattr(old, column)[n] for n in (0, 1, 2, 3, 4, 5)]
        two = [getattr(new, column)[n] for n in (6, 1, 2, 3, 4, 5)]
        assert np.array_equal(one, two, equal_nan=True), column
    votes(store, (4, 6, 2))
    # After undoing, the votes on the correction stay votes on the item.
    desk.undo(NAME, entry.position)
    live = load_contest(store, NAME)
    assert live.contest.race_counts(0)[0].tolist() == [0, 1, 2]
    assert [live.items[n].text for n in (0, 6)] == ["caption 0", "caption nought"]


def test_an_item_that_starts_anew_has_no_votes(store: Store, desk: Desk) -> None:
    votes(store, (1, 0, 2))
    desk.replace(NAME, [0], "another joke", keep_votes=False)
    live = load_contest(store, NAME)
    assert race_votes(live) == [-1, 0, 0, 0, 0, 0, 0]
    rater = live.remember(key_of(1), 0, store.answers_of(NAME, 0))
    assert 6 in {lease.item for lease in live.ask(rater, 10, 0)}


def test_what_comes_back_is_as_if_it_had_never_gone(store: Store, desk: Desk) -> None:
    votes(store, *[(n, item, n % 3) for n in range(60) for item in range(3)])
    before = load_contest(store, NAME).races[0].intervals()
    desk.withdraw(NAME, [1, 2])
    away = load_contest(store, NAME).races[0].intervals()
    assert (away.upper[[0, 3]] >= before.upper[[0, 3]]).all()
    assert away.upper[0] > before.upper[0]
    desk.restore(NAME, [1, 2])
    back = load_contest(store, NAME).races[0].intervals()
    assert np.array_equal(before.upper, back.upper)
    assert np.array_equal(before.lower, back.lower)


def test_changes_before_the_first_vote_cost_nothing(store: Store, desk: Desk) -> None:
    desk.add_items(NAME, [Item(0, "early")])
    desk.withdraw(NAME, [1])
    desk.replace(NAME, [2], "corrected", keep_votes=True)
    votes(store, (1, 0, 2), (1, 7, 2))
    live = load_contest(store, NAME)
    assert (live.contest.initial, live.contest.joined, live.contest.absent) == (8, [], {1, 2})
    fresh = race_of(live.settings, live.contest, 0)
    assert fresh.engine.header["upper_level"] == fresh.engine.method.bound.level(
        fresh.engine.method.budget.upper
    )
    # An item that was withdrawn at the first vote joins like a new one.
    desk.restore(NAME, [1])
    late = load_contest(store, NAME)
    assert late.contest.joined == [1]
    assert late.races[0].engine.header["upper_level"] > fresh.engine.header["upper_level"]


def test_settings_change_and_the_chain_begins_with_the_first(store: Store, desk: Desk) -> None:
    first = store.contest(NAME).settings
    live = load_contest(store, NAME)
    desk.change(NAME, {"title": "Better", "votes_per_visit": 9, "skip": True}, by=BOB)
    follow(live, store)
    assert (live.settings.title, live.settings.votes_per_visit) == ("Better", 9)
    assert store.contest(NAME).settings == first
    # Values that do not change are not in the log.
    assert json.loads(store.events(NAME)[-1].payload) == {
        "set": {"title": "Better", "votes_per_visit": 9}
    }
    assert deeds(store)[0][:2] == ("Bob", "changed title, votes per visit")
    with pytest.raises(NotAllowed, match="No changes"):
        desk.change(NAME, {"title": "Better"})
    with pytest.raises(NotAllowed, match="top cannot change any more"):
        desk.change(NAME, {"top": 2, "title": "x"})
    with pytest.raises(InvalidInput, match="title is missing"):
        desk.change(NAME, {"title": " "})
    with pytest.raises(InvalidInput, match="colour"):
        desk.change(NAME, {"colour": "red"})
    the_same(live, store)


def test_a_draft_may_change_all_of_it(store: Store) -> None:
    create(store, 6)
    desk = Desk(store, clock=Clock())
    desk.undo(NAME, store.events(NAME)[-1].position)
    assert store.contest(NAME).state == "draft"
    live = load_contest(store, NAME)
    lanes = [{"algorithm": "lil-klucb", "share": 0.7}, {"algorithm": "plaudit", "share": 0.3}]
    scale = [{"label": "No", "value": 0.0}, {"label": "Yes", "value": 1.0}]
    desk.change(NAME, {"top": 3, "lanes": lanes, "scale": scale, "delta": 0.2})
    with pytest.raises(PlauditError, match="6"):
        desk.change(NAME, {"top": 6})
    follow(live, store)
    assert (len(live.races), live.settings.top, live.contest.counts.shape) == (2, 3, (3, 6, 2))
    desk.step(NAME, "open")
    votes(store, (1, 0, 1), (2, 3, 0))
    follow(live, store)
    the_same(live, store)
    with pytest.raises(NotAllowed, match="draft again"):
        desk.undo(NAME, store.events(NAME)[-1].position)


def test_undoing_a_setting_must_leave_enough_items(store: Store, desk: Desk) -> None:
    desk.undo(NAME, store.events(NAME)[-1].position)
    desk.change(NAME, {"top": 3})
    changed = desk.change(NAME, {"top": 1}).position
    last = desk.withdraw(NAME, [0, 1, 2]).position
    with pytest.raises(PlauditError, match="3"):
        desk.undo(NAME, changed)
    assert store.contest(NAME).position == last
    load_contest(store, NAME)


def test_two_editors_at_once_lose_nothing(store: Store, desk: Desk) -> None:
    seen = store.contest(NAME).epoch
    desk.withdraw(NAME, [1], by=ANA, epoch=seen)
    before = (store.contest(NAME), store.deeds(), store.items(NAME))
    for step in (
        lambda: desk.withdraw(NAME, [2], by=BOB, epoch=seen),
        lambda: desk.add_items(NAME, [Item(0, "x")], by=BOB, epoch=seen),
        lambda: desk.replace(NAME, [2], "x", keep_votes=True, by=BOB, epoch=seen),
        lambda: desk.restore(NAME, [1], by=BOB, epoch=seen),
        lambda: desk.change(NAME, {"title": "x"}, by=BOB, epoch=seen),
        lambda: desk.step(NAME, "pause", by=BOB, epoch=seen),
        lambda: desk.undo(NAME, 1, by=BOB, epoch=seen),
    ):
        with pytest.raises(EpochMoved):
            step()
    assert (store.contest(NAME), store.deeds(), store.items(NAME)) == before
    desk.withdraw(NAME, [2], by=BOB, epoch=seen + 1)


def test_a_viewer_changes_nothing(store: Store, desk: Desk) -> None:
    before = store.contest(NAME)
    for step in (
        lambda: desk.withdraw(NAME, [2], by=VICTOR),
        lambda: desk.change(NAME, {"title": "x"}, by=VICTOR),
        lambda: desk.undo(NAME, 2, by=VICTOR),
        lambda: desk.create_draft(None, by=VICTOR),  # type: ignore[arg-type]
    ):
        with pytest.raises(NotPermitted):
            step()
    assert store.contest(NAME) == before


def reasons(store: Store) -> dict[int, str]:
    history = history_of(store, NAME)
    return {one.position: str(why_not_undoable(history, one) or "") for one in history.events}


def test_what_cannot_be_undone_says_why(store: Store, desk: Desk) -> None:
    votes(store, (1, 0, 2), (2, 1, 0))
    add = desk.add_items(NAME, [Item(0, "new")]).position
    merge = desk.replace(NAME, [0, 6], "both", keep_votes=True).position
    out = desk.exclude(NAME, 0).position
    again = of_old(store, Kind.EXCLUDE, 0)
    found = reasons(store)
    assert found[1] == "This step created the contest."
    assert found[add] == "Item i7 was changed again later. Undo the later step first."
    assert (found[merge], found[out]) == ("", "")
    assert found[again] == "This step changed nothing."
    erased = desk.erase(NAME, 0).position
    found = reasons(store)
    assert found[erased] == found[out] == "A rater is erased for good."
    with pytest.raises(NotAllowed, match="erased for good"):
        desk.undo(NAME, erased)
    undone = desk.undo(NAME, merge).position
    assert reasons(store)[merge] == "It was undone already."
    # The step before and the undoing itself can both be undone now.
    desk.undo(NAME, undone)
    assert reasons(store)[undone] == "It was undone already."
    assert reasons(store)[add].startswith("Item i7 was changed again later")
    desk.undo(NAME, merge)
    desk.undo(NAME, add)
    assert deeds(store)[0][1] == f"undid step {add}: added item i7"
    assert load_state(store, NAME).withdrawn == {6, 7}
    with pytest.raises(NotAllowed, match="undone already"):
        desk.undo(NAME, merge)
    with pytest.raises(InvalidInput, match="no step at position"):
        desk.undo(NAME, 2 + 1)


def of_old(store: Store, kind: Kind, rater: int) -> int:
    """Writes an event in the form of old logs, which name one rater in each event."""
    event = Event(kind, 1_000_000, json.dumps({"rater": rater}))
    return store.append_event(NAME, event, epoch=store.contest(NAME).epoch).position


def test_several_raters_are_one_step_and_one_undo(store: Store, desk: Desk) -> None:
    votes(store, *[(n, n % 3, 2) for n in range(6)])
    live = load_contest(store, NAME)
    desk.exclude(NAME, 3)
    before = store.contest(NAME)
    entry = desk.exclude(NAME, 5, key_of(1).hex(), 3, 5, by=ANA)
    # Rater 3 was excluded before: undoing must not readmit them.
    assert json.loads(entry.payload) == {"raters": [1, 5], "grounds": "votes"}
    assert store.contest(NAME).epoch == before.epoch + 1
    assert deeds(store)[0] == (
        "Ana",
        "excluded raters 1 and 5 because of how they voted",
        entry.position,
    )
    follow(live, store)
    assert (live.contest.excluded, race_votes(live)) == ({1, 3, 5}, [1, 1, 1, 0, 0, 0])
    the_same(live, store)
    desk.undo(NAME, entry.position)
    follow(live, store)
    assert (live.contest.excluded, race_votes(live)) == ({3}, [1, 2, 2, 0, 0, 0])
    the_same(live, store)
    for step in (desk.exclude, desk.readmit):
        with pytest.raises(NotAllowed, match="excluded"):
            step(NAME, 3 if step == desk.exclude else 5)
        with pytest.raises(InvalidInput, match="no rater 99"):
            step(NAME, 2, 99)
        with pytest.raises(InvalidInput, match="at least one"):
            step(NAME)
    both = desk.exclude(NAME, 0, 2).position
    desk.erase(NAME, 2)
    assert reasons(store)[both].startswith("Rater 2 has been erased for good")
    with pytest.raises(NotAllowed, match="already"):
        desk.erase(NAME, 2)
    with pytest.raises(NotPermitted, match="owner"):
        desk.erase(NAME, 1, by=ANA)


def test_logs_with_an_event_for_each_rater_mean_the_same(store: Store, desk: Desk) -> None:
    votes(store, *[(n, n % 3, 2) for n in range(4)])
    live = load_contest(store, NAME)
    out = [of_old(store, Kind.EXCLUDE, rater) for rater in (1, 2)]
    of_old(store, Kind.READMIT, 1)
    follow(live, store)
    assert live.contest.excluded == {2}
    the_same(live, store)
    assert [str(step.what) for step in trail_of(store, NAME).steps[:2]] == [
        "readmitted rater 1", "excluded rater 2",
    ]  # fmt: skip
    desk.undo(NAME, out[1])
    assert load_state(store, NAME).excluded == set()


def test_nobody_is_present_beside_who_stands_for_them(store: Store, desk: Desk) -> None:
    votes(store, (1, 0, 2), (2, 1, 0))
    desk.replace(NAME, [0, 1], "both", keep_votes=True)
    with pytest.raises(NotAllowed, match="Item i7 stands for item i1"):
        desk.restore(NAME, [0])
    desk.withdraw(NAME, [6])
    desk.restore(NAME, [0])
    with pytest.raises(NotAllowed, match="Item i7 stands for item i1"):
        desk.restore(NAME, [6])
    with pytest.raises(NotAllowed, match="Withdrawn"):
        desk.replace(NAME, [0, 1], "again", keep_votes=True)
    with pytest.raises(NotAllowed, match="Bring back item i2 first"):
        desk.replace(NAME, [1], "again", keep_votes=True)
    with pytest.raises(UnknownItem):
        desk.replace(NAME, [0, 77], "again", keep_votes=True)
    with pytest.raises(InvalidInput, match="empty"):
        desk.replace(NAME, [2], "  ", keep_votes=True)
    with pytest.raises(NotAllowed, match="says this already"):
        desk.replace(NAME, [2], "caption 2", keep_votes=True)


def test_a_retired_contest_comes_back(store: Store, desk: Desk) -> None:
    for step in ("close", "retire"):
        desk.step(NAME, step)
    with pytest.raises(NotAllowed, match="retired"):
        desk.withdraw(NAME, [1])
    assert desk.step(NAME, "unretire", by=ANA).payload == '{"state":"closed"}'
    desk.withdraw(NAME, [1])
    assert deeds(store)[1][:2] == ("Ana", "brought the contest back from retirement")


@pytest.mark.parametrize("algorithm", ["plaudit", "lil-klucb"])
def test_a_certificate_after_all_this_verifies_from_the_log_alone(
    store: Store, algorithm: str
) -> None:
    create(store, 6, lanes=(Lane(algorithm),), epsilon=0.2, delta=0.2)
    desk = Desk(store, clock=Clock())
    some = [(n, item, 2 if item in (0, 1) else n % 2) for n in range(40) for item in range(6)]
    votes(store, *some)
    desk.replace(NAME, [0, 1], "the best", keep_votes=True)
    desk.replace(NAME, [2], "slip", keep_votes=True)
    desk.replace(NAME, [3], "anew", keep_votes=False)
    desk.withdraw(NAME, [4, 5])
    desk.restore(NAME, [4])
    desk.change(NAME, {"title": "Other", "closes": 10**13})
    votes(store, *[(n, 6, 2) for n in range(100, 400)], *[(n, 1, 2) for n in range(400, 410)])
    votes(store, *[(n, item, 0) for n in range(100, 400) for item in (4, 7, 8)])
    live = load_contest(store, NAME)
    ((lane, verdict),) = live.verdict_due()
    assert verdict.items == (6,)
    body = make_certificate(
        NAME, live.settings, live.contest, live.races[lane], lane=lane, verdict=verdict
    )
    assert (body["pools"], body["joined"]) == ({"6": [0, 1], "7": [2]}, [8])
    assert sum(body["counts"][6]) == 40 + 300 + 10
    certificate = json.loads(json.dumps(body))
    checks = verify(certificate, contest_lines(store, NAME))
    assert [check for check in checks if not check.agrees] == []
    for key, lie in (("pools", {"6": [0]}), ("joined", [])):
        assert not all(
            c.agrees for c in verify(certificate | {key: lie}, contest_lines(store, NAME))
        )


def test_one_set_of_each_size_is_merged_in_a_place(store: Store, desk: Desk) -> None:
    """Condition (B) of docs/theory/error-budget.md: no choice between sets by their votes."""
    # Before the first vote nobody can choose by votes.
    desk.undo(NAME, desk.replace(NAME, [0, 4], "both", keep_votes=True).position)
    votes(store, (1, 0, 2), (2, 1, 0), (3, 2, 1))
    first = desk.replace(NAME, [0, 1], "both", keep_votes=True).position
    desk.undo(NAME, first)
    with pytest.raises(NotAllowed, match=r"items i1 and i2 before.* items i1 and i3 now"):
        desk.replace(NAME, [0, 2], "both", keep_votes=True)
    # The same set again, the same size in another place, and a larger set are all covered.
    desk.undo(NAME, desk.replace(NAME, [0, 1], "both", keep_votes=True).position)
    desk.undo(NAME, desk.replace(NAME, [1, 2], "both", keep_votes=True).position)
    desk.replace(NAME, [0, 1, 2], "all", keep_votes=True)
    assert load_state(store, NAME).rival_sets() == []


def test_two_sets_merged_in_a_place_are_seen_by_verify(
    store: Store, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log from a version that allowed it restores, but no certificate of it holds."""
    monkeypatch.setattr("plaudit.service.desk.step.check_races", lambda *given: None)
    votes(store, *((n, item, 2 * (item == 5)) for n in range(1, 80) for item in range(6)))
    for pair in ([0, 1], [0, 2]):
        desk.undo(NAME, desk.replace(NAME, pair, "both", keep_votes=True).position)
    live = load_contest(store, NAME)
    assert live.contest.rival_sets() == [((0, 1), (0, 2))]
    ((lane, verdict),) = live.verdict_due()
    body = make_certificate(
        NAME, live.settings, live.contest, live.races[lane], lane=lane, verdict=verdict
    )
    checks = verify(json.loads(json.dumps(body)), contest_lines(store, NAME))
    (failed,) = [check for check in checks if not check.agrees]
    assert failed.detail.startswith("items 0, 1 and later items 0, 2 were merged in one place")


def test_places_of_items_that_joined_come_after_the_originals(store: Store, desk: Desk) -> None:
    votes(store, (1, 0, 2), (2, 1, 0))
    desk.add_items(NAME, [Item(0, "one", ""), Item(0, "two", "")])
    # Both sets are in the place of an original, not of item 6: two places.
    desk.undo(NAME, desk.replace(NAME, [6, 3], "both", keep_votes=True).position)
    desk.undo(NAME, desk.replace(NAME, [6, 4], "both", keep_votes=True).position)
    desk.undo(NAME, desk.replace(NAME, [6, 7], "both", keep_votes=True).position)
    assert load_state(store, NAME).rival_sets() == []


def test_a_log_that_cannot_be_is_refused(store: Store, desk: Desk) -> None:
    votes(store, (1, 0, 2))
    desk.withdraw(NAME, [1])
    good = [
        (Kind.RESTORE, {"items": [1], "without": []}),
        (Kind.SETTINGS, {"set": {"title": "x"}}),
    ]
    bad = [
        (Kind.RESTORE, {"items": [0], "without": []}),
        (Kind.RESTORE, {"items": [], "without": [1]}),
        (Kind.RESTORE, {"items": [], "without": []}),
        (Kind.RESTORE, {"items": [True], "without": []}),
        (Kind.RESTORE, {"items": [1]}),
        (Kind.REPLACE, {"items": [1], "first": 6, "count": 1, "votes": True}),
        (Kind.REPLACE, {"items": [0, 0], "first": 6, "count": 1, "votes": True}),
        (Kind.REPLACE, {"items": [0], "first": 5, "count": 1, "votes": True}),
        (Kind.REPLACE, {"items": [0], "first": 6, "count": 1, "votes": 2}),
        (Kind.REPLACE, {"items": [], "first": 6, "count": 1, "votes": True}),
        (Kind.SETTINGS, {"set": {"top": 2}}),
        (Kind.SETTINGS, {"set": {"title": 3}}),
        (Kind.SETTINGS, {"set": {"what": 3}}),
        (Kind.SETTINGS, {"set": {}}),
        (Kind.SETTINGS, {"set": []}),
    ]
    for kind, payload in good:
        followed(store, kind, payload)
    for kind, payload in bad:
        with pytest.raises(ArchiveDamaged):
            followed(store, kind, payload)


def followed(store: Store, kind: Kind, payload: dict[str, Any]) -> None:
    """Restores a log that ends with this event; raises an error if it is damaged."""

    def refuse(why: str) -> NoReturn:
        raise ArchiveDamaged(why)

    record = store.contest(NAME)
    check = ArchiveCheck(record, current_settings(record.settings, {}), refuse)
    for item in [*store.items(NAME), Item(6, "new")]:
        check.item(item)
    for rater in store.raters(NAME):
        check.rater(rater.number, rater.key.hex() if rater.key else None)
    for entry in store.entries(NAME):
        check.entry(entry)
    check.entry(Entry(record.position + 1, kind, 5, -1, -1, -1, -1, -1, json.dumps(payload)))
