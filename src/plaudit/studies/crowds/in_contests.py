"""Bets on differences in a contest with visits: how many raters answer the leader and a rival?

The race runs as always. Its log says who answered both, and from when on a capital of
differences would have settled a rival, with half of delta for such bets. The votes that the rival
got after that are what they could have saved at most: the race itself kept all of delta.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.race.paired.bets import growth_of, log_capitals
from plaudit.scale import FUNNY
from plaudit.simulation.crowds import Population
from plaudit.simulation.shapes import caption_shape
from plaudit.simulation.visits import VisitRace
from plaudit.studies.crowds.pairs import DELTA

EPSILON = 0.05
CONTENDERS = 20
MOST_VOTES = 1_000_000


def visited_pairs(items: int, visit: int, correlation: float, seed: int) -> dict[str, Any]:
    """One contest: shares of raters who answered both, and what differences could have saved."""
    profile = caption_shape(items, scale=FUNNY).draw(np.random.default_rng(seed))
    race = VisitRace(
        profile, people=Population(kind_stern=correlation), votes_per_rater=visit, seed=seed,
        delta=DELTA, epsilon=EPSILON, reserve=0.0, log=MOST_VOTES,
    )  # fmt: skip
    outcome = race.run(max_votes=MOST_VOTES)
    log, leader = race.votes_log, outcome.winners[0]
    values = np.asarray(profile.values)
    level = np.log((items - 1) / (DELTA / 2.0))
    most = np.bincount(log[:, 1], minlength=items)
    most[leader] = 0
    rivals = np.argsort(-most, kind="stable")
    found = [_against(log, leader, int(rival), values, level) for rival in rivals]
    close = found[:CONTENDERS]
    return {
        "votes": outcome.votes,
        "raters": race.raters,
        "leader_votes": int((log[:, 1] == leader).sum()),
        "both_of_raters": float(np.mean([pairs for pairs, _, _ in close]) / race.raters),
        "both_of_votes": sum(p for p, _, _ in close) / max(1, sum(v for _, v, _ in close)),
        "settled": sum(saved >= 0 for _, _, saved in found) / (items - 1),
        "settled_close": sum(saved >= 0 for _, _, saved in close) / len(close),
        "saved": sum(max(saved, 0) for _, _, saved in found) / outcome.votes,
    }


def _against(
    log: NDArray[np.int64], leader: int, rival: int, values: Any, level: float
) -> tuple[int, int, int]:
    """Pairs of a rival with the leader, its votes, and how many came after it was settled.

    The last is -1 where pairs do not settle it.
    """
    mine, theirs = (np.flatnonzero(log[:, 1] == item) for item in (leader, rival))
    _, at_mine, at_theirs = np.intersect1d(log[mine, 0], log[theirs, 0], return_indices=True)
    if at_mine.size == 0:
        return 0, int(theirs.size), -1
    when = np.maximum(mine[at_mine], theirs[at_theirs])
    order = np.argsort(when)
    ahead = values[log[mine[at_mine], 2]] - values[log[theirs[at_theirs], 2]]
    growth = np.cumsum(growth_of(ahead[order]), axis=0)
    capital = log_capitals(growth, np.arange(1, order.size + 1), -EPSILON)
    settled = np.flatnonzero(capital >= level)
    if settled.size == 0:
        return int(at_mine.size), int(theirs.size), -1
    return int(at_mine.size), int(theirs.size), int((theirs > when[order][settled[0]]).sum())
