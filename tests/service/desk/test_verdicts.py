"""No step takes back a verdict unseen: one rule for every event that reopens races."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from plaudit.errors import InvalidInput, VerdictStands
from plaudit.service.accounts.roles import Actor
from plaudit.service.contest.certificate import make_certificate, verdict_in
from plaudit.service.contest.events import to_log
from plaudit.service.contest.replay import load_state
from plaudit.service.contest.settings import Lane
from plaudit.service.desk.desk import Desk
from plaudit.service.desk.exclusions import exclusions_standing
from plaudit.service.live.loading import load_contest
from plaudit.store import Store, open_store
from plaudit.store.contract import Item
from plaudit.store.log import Answer, Entry, Kind
from support.live_worker import NAME, START, Clock, create

ANA = Actor(1, "Ana", "owner")
BOB = Actor(2, "Bob", "editor")


def key_of(rater: int) -> bytes:
    return rater.to_bytes(16, "big")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A contest with two steps that can be undone, and then a verdict: item 0 wins."""
    store = open_store(str(tmp_path / "verdicts.db"))
    create(store, 5, epsilon=0.3, delta=0.2, lanes=(Lane("plaudit"), Lane("lil-klucb")))
    rows = [
        Answer(Kind.VOTE, key_of(rater), item, 2 if item == 0 else 0, lane, START, 900)
        for rater in range(400)
        for item in range(5)
        for lane in [rater % 2]
    ]
    store.append_answers(NAME, rows)
    desk = Desk(store, clock=Clock())
    desk.withdraw(NAME, [4])
    desk.exclude(NAME, 7)
    decide(store)
    yield store
    store.close()


def decide(store: Store) -> None:
    live = load_contest(store, NAME)
    for lane, verdict in live.verdict_due():
        body = make_certificate(
            NAME, live.settings, live.contest, live.races[lane], lane=lane, verdict=verdict
        )
        epoch = store.contest(NAME).epoch
        store.append_event(NAME, to_log(verdict_in(body), START), epoch=epoch)


REOPENING: dict[str, Callable[[Desk], Entry]] = {
    "exclude": lambda desk: desk.exclude(NAME, 8),
    "readmit": lambda desk: desk.readmit(NAME, 7),
    "erase": lambda desk: desk.erase(NAME, 8, by=ANA),
    "withdraw": lambda desk: desk.withdraw(NAME, [3]),
    "restore": lambda desk: desk.restore(NAME, [4]),
    "add": lambda desk: desk.add_items(NAME, [Item(0, "new")]),
    "merge": lambda desk: desk.replace(NAME, [1, 2], keep_votes=True),
    "edit": lambda desk: desk.replace(NAME, [1], "other", keep_votes=False),
    "undo": lambda desk: desk.undo(NAME, withdrawal(desk)),
}


def withdrawal(desk: Desk) -> int:
    events = desk.history(NAME).events
    return next(one.position for one in events if one.event.kind == Kind.WITHDRAW)


@pytest.mark.parametrize("step", REOPENING)
def test_a_step_that_takes_back_a_verdict_must_say_that_it_may(store: Store, step: str) -> None:
    desk, before = Desk(store, clock=Clock()), store.contest(NAME)
    with pytest.raises(VerdictStands) as refused:
        REOPENING[step](desk)
    assert store.contest(NAME) == before
    lost = [str(verdict) for verdict in refused.value.lost]
    assert lost == [
        "This would take back the verdict of plaudit of 2023-11-14, which names item i1.",
        "This would take back the verdict of lil-klucb of 2023-11-14, which names item i1.",
    ]
    assert all(one in str(refused.value) for one in lost)
    assert "names item i1." in str(refused.value.lost[0])
    REOPENING[step](desk.revoking())
    assert load_state(store, NAME).verdicts == {}
    # The consent was for that step only.
    decide(store)
    if load_state(store, NAME).verdicts:
        with pytest.raises(VerdictStands):
            desk.exclude(NAME, 99)


def test_other_steps_go_on_as_ever(store: Store) -> None:
    desk = Desk(store, clock=Clock())
    desk.change(NAME, {"title": "Other"})
    closing = desk.step(NAME, "close")
    desk.undo(NAME, closing.position)
    assert len(load_state(store, NAME).verdicts) == 2


def test_without_a_verdict_nothing_is_asked(store: Store) -> None:
    desk = Desk(store, clock=Clock())
    desk.revoking().exclude(NAME, 9)
    desk.exclude(NAME, 10)
    desk.withdraw(NAME, [3])


# Grounds


def test_grounds_are_one_for_all_or_one_for_each(store: Store) -> None:
    desk = Desk(store, clock=Clock()).revoking()
    desk.exclude(NAME, 20, 21, grounds="speed", by=ANA)
    desk.exclude(NAME, 24, 22, 23, grounds={22: "address", 24: "robot"}, by=BOB)
    contest = load_state(store, NAME)
    assert contest.grounds == {
        7: "votes", 20: "speed", 21: "speed", 22: "address", 23: "votes", 24: "robot",
    }  # fmt: skip
    assert contest.by_votes == {7, 23}
    told = [(one.who, str(one.what)) for one in exclusions_standing(store, NAME)]
    assert told == [
        ("Bob", "excluded rater 23 because of how they voted"),
        ("Bob", "excluded rater 24 as a known robot"),
        ("Bob", "excluded rater 22 because of their address"),
        ("Ana", "excluded raters 20 and 21 because of their speed"),
        ("the command line", "excluded rater 7 because of how they voted"),
    ]


def test_who_decided_is_who_excluded_also_after_a_readmission_was_undone(store: Store) -> None:
    desk = Desk(store, clock=Clock()).revoking()
    desk.exclude(NAME, 20, 21, grounds="speed", by=ANA)
    back = desk.readmit(NAME, 20, 7, by=BOB)
    assert [one.raters for one in exclusions_standing(store, NAME)] == [(21,)]
    desk.undo(NAME, back.position, by=BOB)
    found = {one.raters: (one.who, one.grounds) for one in exclusions_standing(store, NAME)}
    assert found == {(20, 21): ("Ana", "speed"), (7,): ("the command line", "votes")}
    desk.erase(NAME, 30, by=ANA)
    assert len(exclusions_standing(store, NAME)) == 2


def test_unknown_grounds_are_refused(store: Store) -> None:
    desk, before = Desk(store, clock=Clock()).revoking(), store.contest(NAME)
    for grounds in ("luck", "erased", "", {8: "luck"}):
        with pytest.raises(InvalidInput, match="no grounds named"):
            desk.exclude(NAME, 8, grounds=grounds)
    assert store.contest(NAME) == before
