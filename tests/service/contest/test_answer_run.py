"""Answers as columns: the same entries, and the same state when they are folded."""

import random
from pathlib import Path

import numpy as np
import pytest

from plaudit.errors import InvalidInput
from plaudit.service.contest.answer_run import AnswerRun
from plaudit.service.contest.replay import Batch
from plaudit.service.contest.settings import UNIFORM, Lane
from plaudit.service.live import contest, untold
from plaudit.service.live.contest import LiveContest
from plaudit.service.live.loading import load_contest
from plaudit.store import open_store
from plaudit.store.log import NONE, Entry, Kind, packed
from support.live_worker import NAME, create

KINDS = (Kind.VOTE, Kind.VOTE, Kind.VOTE, Kind.SKIP, Kind.FLAG)


def answers(first: int, count: int = 300) -> list[Entry]:
    """Answers of all kinds by forty raters, in both lanes and by chance."""
    chance = random.Random(first)
    found = []
    for position in range(first, first + count):
        kind = chance.choice(KINDS)
        level = NONE if kind == Kind.SKIP else chance.randrange(3)
        lane = chance.choice((0, 1, UNIFORM))
        rater, item = chance.randrange(40), chance.randrange(12)
        found.append(Entry(position, kind, position, rater, item, level, lane, 900, ""))
    return found


@pytest.fixture
def both(tmp_path: Path) -> list[LiveContest]:
    """The same contest twice, with a rater who is excluded and ten whom it remembers."""
    store = open_store(str(tmp_path / "votes.db"))
    create(store, 12, lanes=(Lane("plaudit"), Lane("lil-klucb")))
    made = [load_contest(store, NAME) for _ in range(2)]
    for live in made:
        live.contest.excluded.add(7)
        live.contest.grounds[7] = "votes"
        for number in range(10):
            live.remember(number.to_bytes(16, "big"), number, ())
    store.close()
    return made


def test_a_run_is_the_same_entries() -> None:
    entries = answers(5, 20)
    run = AnswerRun.unpacked(b"".join(packed(entries)))
    assert list(run) == entries
    assert (run[3], list(run[4:6])) == (entries[3], entries[4:6])
    assert list(run.after(9)) == entries[5:]
    assert list(run.after(2)) == entries
    assert not run.after(30)
    assert run.of_rater(entries[0].rater) == [e for e in entries if e.rater == entries[0].rater]


def test_a_run_leads_to_the_same_state(both: list[LiveContest]) -> None:
    one, other = both
    entries = answers(one.contest.position + 1)
    for start in range(0, 300, 60):
        part = entries[start : start + 60]
        one.apply(Batch(part, digest=b"d" * 32))
        # As it comes from the scribe: with entries before it that are folded already.
        together = b"".join(packed(entries[max(0, start - 5) : start + 60]))
        other.apply(Batch(AnswerRun.unpacked(together), digest=b"d" * 32))
    assert one.contest.to_snapshot() == other.contest.to_snapshot()
    for race, same in zip(one.races, other.races, strict=True):
        assert race.votes == same.votes
        assert np.array_equal(race.intervals().means, same.intervals().means, equal_nan=True)
    for number in range(10):
        memories = [live.remember(number.to_bytes(16, "big"), number, ()) for live in both]
        assert memories[0].answers == memories[1].answers
        assert sorted(memories[0].barred) == sorted(memories[1].barred)
        assert sorted(one.recent.of(number)) == sorted(other.recent.of(number))
        late = [entry for entry in entries[240:] if entry.rater == number]
        assert sorted(other.recent.of(number, after=entries[239].position)) == late


def test_a_run_with_a_gap_is_not_folded(both: list[LiveContest]) -> None:
    live, other = both
    entries = answers(live.contest.position + 1, 10)
    for wrong in (entries[1:], entries[:4] + entries[5:]):
        with pytest.raises(InvalidInput, match="right after"):
            live.apply(Batch(AnswerRun.unpacked(b"".join(packed(wrong)))))
    # Without its digest the chain is computed.
    live.apply(Batch(AnswerRun.unpacked(b"".join(packed(entries)))))
    other.apply(Batch(entries))
    assert live.contest.digest == other.contest.digest


def waiting(entries: list[Entry]) -> Batch:
    """Answers that another worker of this machine looks at."""
    return Batch(AnswerRun.unpacked(b"".join(packed(entries))), digest=b"d" * 32, looks=False)


def check_same_races(one: LiveContest, other: LiveContest) -> None:
    """Checks that the races of both have the same votes and bounds, and what is pending."""
    for race, same in zip(one.races, other.races, strict=True):
        assert (race.votes, race.pending) == (same.votes, same.pending)
        ours, theirs = race.intervals(), same.intervals()
        for name in ("votes", "means", "lower", "upper"):
            found, wanted = getattr(ours, name), getattr(theirs, name)
            assert np.array_equal(found, wanted, equal_nan=True)


def test_races_that_nobody_reads_are_told_later(
    both: list[LiveContest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts and raters are up to date; the races are told all at once, before they are read."""
    one, other = both
    told: list[int] = []
    tell = LiveContest._tell_run
    monkeypatch.setattr(
        LiveContest, "_tell_run", lambda live, run: told.append(len(run)) or tell(live, run)
    )
    entries = answers(one.contest.position + 1)
    for start in range(0, 300, 60):
        one.apply(Batch(entries[start : start + 60], digest=b"d" * 32))
        other.apply(waiting(entries[start : start + 60]))
        assert (other.waits, told) == (True, [])
        assert one.contest.to_snapshot() == other.contest.to_snapshot()
    assert one.memories.get(bytes(16)).answers == other.memories.get(bytes(16)).answers  # type: ignore[union-attr]
    assert not other.all_decided
    check_same_races(one, other)
    assert (other.waits, told) == (False, [300])


def test_races_are_told_before_an_event_changes_whose_votes_count(
    both: list[LiveContest],
) -> None:
    one, other = both
    entries = answers(one.contest.position + 1, 60)
    gone = '{"rater":3,"grounds":"votes"}'
    last = entries[-1].position + 1
    event = Entry(last, Kind.EXCLUDE, last, NONE, NONE, NONE, NONE, NONE, gone)
    past = {3: [entry for entry in entries if entry.rater == 3]}
    one.apply(Batch(entries, digest=b"d" * 32))
    other.apply(waiting(entries))
    for live in both:
        live.apply(Batch([event], answers_of=past, digest=b"d" * 32))
        assert not live.waits
    check_same_races(one, other)


def test_after_very_many_the_races_are_built_from_the_counts(
    both: list[LiveContest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(untold, "MOST_KEPT", 100)
    one, other = both
    monkeypatch.setattr(other, "_tell_run", None)
    entries = answers(one.contest.position + 1)
    for start in range(0, 300, 60):
        one.apply(Batch(entries[start : start + 60], digest=b"d" * 32))
        other.apply(waiting(entries[start : start + 60]))
    check_same_races(one, other)
    assert not other.waits


def test_of_very_many_items_the_races_are_told_in_between(
    both: list[LiveContest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Building them anew would look at every item."""
    for module in (untold, contest):
        monkeypatch.setattr(module, "MOST_KEPT", 100)
    monkeypatch.setattr(contest, "MANY_ITEMS", 11)
    monkeypatch.setattr(LiveContest, "_make_races", None)
    one, other = both
    entries, waited = answers(one.contest.position + 1), []
    for start in range(0, 300, 50):
        one.apply(Batch(entries[start : start + 50], digest=b"d" * 32))
        other.apply(waiting(entries[start : start + 50]))
        waited.append(other.waits)
    assert waited == [True, True, False, True, True, False]
    check_same_races(one, other)


def test_what_could_not_be_told_is_not_lost(
    both: list[LiveContest], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = both
    entries = answers(one.contest.position + 1, 60)
    one.apply(Batch(entries, digest=b"d" * 32))
    other.apply(waiting(entries))
    with monkeypatch.context() as failing:
        failing.setattr(other, "_tell_run", lambda run: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            _ = other.races
    check_same_races(one, other)
