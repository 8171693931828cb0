"""Answers that come late because of what they say: what goes wrong, and what keeps delta.

Two items, the better one first. Votes against the truth come at once; votes for it come late.
"""

import numpy as np
from scipy.stats import binom

from plaudit import Race

ASKED, BETTER, WORSE, DELTA = 60, 0.6, 0.4, 0.001
Votes = list[tuple[int, float]]


def asked_votes(seed: int, *, better: float = BETTER, worse: float = WORSE) -> Votes:
    """Votes on both items in turn, in the order of asking."""
    draws = np.random.default_rng(seed).random((ASKED, 2)) < (better, worse)
    return [(item, float(row[item])) for row in draws for item in (0, 1)]


def as_they_come(votes: Votes) -> Votes:
    """The same votes, those against the truth first: a 0 for the better item, a 1 for the other."""
    return sorted(votes, key=lambda vote: vote[1] == (vote[0] == 0))


def first_verdict(votes: Votes, *, delta: float) -> int | None:
    """The item that a race names if its verdict is read after every vote; None if it names none."""
    race = Race(2, delta=delta)
    for item, vote in votes:
        race.tell(item, vote)
        verdict = race.verdict()
        if verdict:
            return verdict.items[0]
    return None


def test_lateness_that_depends_on_the_vote_makes_verdicts_wrong():
    """Claim: judged as they come, all verdicts are wrong, at delta 0.001; they stand afterwards.

    Fixed seeds: no false alarms. If races judged in the order of asking, this would fail.
    """
    for seed in range(8):
        votes = as_they_come(asked_votes(seed))
        assert first_verdict(votes, delta=DELTA) == 1
        race = Race(2, delta=DELTA)
        for item, vote in votes:
            race.tell(item, vote)
            race.verdict()
        assert race.verdict().items == (1,)


def test_in_the_order_of_asking_delta_is_kept():
    """Claim: the error is at most delta = 0.1, on nearly equal items.

    200 races; at an error of exactly delta, a false alarm has the probability 1e-6. Power: as
    they come, every race is wrong.
    """
    races = [asked_votes(seed, better=0.501, worse=0.499) for seed in range(200)]
    wrong = sum(first_verdict(votes, delta=0.1) == 1 for votes in races)
    assert wrong <= binom.isf(1e-6, len(races), 0.1)
    assert all(first_verdict(as_they_come(votes), delta=0.1) == 1 for votes in races[:20])


def test_waiting_for_all_answers_is_the_same_as_the_order_of_asking():
    """Claim: read only when no answer is missing, a race has the bounds of the order of asking."""
    votes = asked_votes(3)
    late = Race(2, delta=DELTA)
    prompt = Race(2, delta=DELTA)
    for batch in range(0, len(votes), 20):
        for item, vote in votes[batch : batch + 20]:
            prompt.tell(item, vote)
        for item, vote in as_they_come(votes[batch : batch + 20]):
            late.tell(item, vote)
        assert late.intervals().upper.tolist() == prompt.intervals().upper.tolist()
        assert late.intervals().lower.tolist() == prompt.intervals().lower.tolist()
