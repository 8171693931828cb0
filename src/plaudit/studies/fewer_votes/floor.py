r"""The fewest votes that any algorithm needs, for votes of any law on a scale and slack epsilon.

Naming item i within epsilon must be told apart from all worlds in which some other item j is
better by more than epsilon. With shares w of the votes, the evidence that a vote gives is at
most

    min over j of  inf over m of  w_i K-(law_i, m) + w_j K+(law_j, m + epsilon),

where K+(law, m) is the least divergence from the law to one on [0, 1] with mean at least m,
and K- the same from above. T* is one over the largest such evidence, over all w and all i
that are right. The dual form of K+ is a maximum over bets (Honda and Takemura 2010):
K+(law, m) = max over b in [0, 1/(1-m)] of E ln(1 - b (X - m)). For votes of 0 and 1 it is
the Bernoulli divergence, and with epsilon = 0 this is `theory.characteristic_time`.

With one right answer T* D(delta, 1-delta) is a floor at any delta (Garivier and Kaufmann
2016); with several it is one in the limit of small delta (Degenne and Koolen 2019).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from plaudit.simulation.profiles import Profile

GRID = 160
HALVINGS = 40
# Of very many right answers those with the largest means are looked at.
MOST_ANSWERS = 4
TINY = 1e-12

Floats = NDArray[np.float64]


def vote_floor_of(profile: Profile, delta: float, *, epsilon: float = 0.0) -> float:
    """The least expected votes of a verdict with error `delta` and slack `epsilon`, top 1.

    >>> profile = Profile.bernoulli([0.75, 0.5, 0.25])
    >>> from plaudit.theory import vote_floor
    >>> round(vote_floor_of(profile, 0.01) / vote_floor(profile.means, 0.01), 2)
    1.0
    """
    time = characteristic_time_of(profile, epsilon=epsilon)
    return time * (1.0 - 2.0 * delta) * float(np.log1p(-delta) - np.log(delta))


def characteristic_time_of(profile: Profile, *, epsilon: float = 0.0) -> float:
    """T* of a profile; infinite where items tie and there is no slack."""
    means = profile.means
    order = np.argsort(-means, kind="stable")
    best, second = means[order[0]], means[order[1]]
    if best - second + epsilon < TINY:
        return float("inf")
    chances = _chances(profile)
    marks = np.linspace(second - epsilon, best, GRID + 2)[1:-1]
    marks = marks[(marks > 0.0) & (marks < 1.0)]
    against = _raising(chances, profile.values, marks + epsilon)
    right = order[means[order] > best - epsilon][:MOST_ANSWERS] if epsilon else order[:1]
    return min(_time_for(int(item), chances, profile, marks, against, epsilon) for item in right)


def _chances(profile: Profile) -> Floats:
    edges = np.zeros((len(profile), 1)), np.ones((len(profile), 1))
    return np.diff(np.concatenate((edges[0], profile.below, edges[1]), axis=1), axis=1)


def _time_for(
    item: int, chances: Floats, profile: Profile, marks: Floats, against: Floats, epsilon: float
) -> float:
    """T* if this item is to be named: (1 + sum of x_j)/y at its smallest.

    The ratio x_j = w_j/w_i that makes the evidence against j as large as y is the maximum over
    m of (y - K-(law_i, m))/K+(law_j, m + epsilon).
    """
    means = profile.means
    others = np.arange(len(profile)) != item
    start = float(means[others].max()) - epsilon
    inside = (marks > start) & (marks < means[item])
    if not inside.any():
        return float("inf")
    mirrored = chances[item : item + 1, ::-1]
    own = _raising(mirrored, 1.0 - profile.values[::-1], 1.0 - marks[inside])[0]
    rivals = np.maximum(against[np.ix_(others, inside)], TINY)

    def time(evidence: float) -> float:
        ratios = (np.maximum(evidence - own, 0.0)[None, :] / rivals).max(axis=1)
        return float((1.0 + ratios.sum()) / evidence)

    # Evidence up to what the item's own votes could give; x_j is convex in it.
    found = minimize_scalar(time, bounds=(own.min(), own.max()), method="bounded",
                            options={"xatol": 1e-6 * own.max()})  # fmt: skip
    return float(found.fun)


def _raising(chances: Floats, values: Floats, marks: Floats) -> Floats:
    """K+(law, m) for every law (row) and mark (column); 0 where the mean is at least m."""
    out = np.empty((len(chances), marks.size))
    for column, mark in enumerate(marks):
        out[:, column] = _raise_to(chances, values - mark, float(mark))
    return out


def _raise_to(chances: Floats, steps: Floats, mark: float) -> Floats:
    if mark >= 1.0:
        return np.full(len(chances), np.inf)
    low, high = np.zeros(len(chances)), np.full(len(chances), 1.0 / (1.0 - mark))
    for _ in range(HALVINGS):
        bet = 0.5 * (low + high)
        # The slope of E ln(1 - b (X - m)) falls with b.
        rising = -(chances * steps / (1.0 - bet[:, None] * steps)).sum(axis=1) > 0.0
        low, high = np.where(rising, bet, low), np.where(rising, high, bet)
    found: Floats = (chances * np.log1p(-low[:, None] * steps)).sum(axis=1)
    return np.maximum(found, 0.0)
