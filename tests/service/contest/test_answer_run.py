"""Answers as columns: the same entries, and the same state when they are folded."""

import random
from pathlib import Path

import numpy as np
import pytest

from plaudit.errors import InvalidInput
from plaudit.service.contest.answer_run import AnswerRun
from plaudit.service.contest.replay import Batch
from plaudit.service.contest.settings import UNIFORM, Lane
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
