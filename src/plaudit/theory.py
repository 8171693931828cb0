"""How many votes a contest needs, from its true means: hardness, an upper bound, a floor.

Every function takes the means of at least two items, in any order, each in [0, 1], with
one best item; a tie for the best place has no finite answer and is an error. Two sums
measure hardness, `sample_bound` is what lil-KLUCB needs up to a constant, and
`vote_floor` is what no procedure can do without. D is the Bernoulli divergence and D* the
Chernoff information of `plaudit.bounds.bernoulli`.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaudit.bounds.arrays import Floats, in_unit_interval, level_of_error, valid
from plaudit.bounds.bernoulli import chernoff_information, shifted_divergence
from plaudit.compiled import compiled
from plaudit.errors import InvalidInput

__all__ = [
    "characteristic_time",
    "gaps",
    "hardness_kl",
    "hardness_sub_gaussian",
    "optimal_shares",
    "power_profile",
    "sample_bound",
    "vote_floor",
]

# Means below this count as 0, so that squares and quotients of gaps stay within floats.
TINY = 1e-100
MAX_STEPS = 80


def power_profile(items: int, exponent: float) -> NDArray[np.float64]:
    """The means 1 - ((i-1)/n)^exponent, i = 1..n, of the paper's Section 5; n = `items`.

    `items` is at least 2 and `exponent` (the paper's alpha) is positive.

    >>> power_profile(4, 1.0).tolist()
    [1.0, 0.75, 0.5, 0.25]
    """
    if not isinstance(items, int | np.integer) or items < 2:
        raise InvalidInput(f"items must be a whole number of at least 2; got {items!r}.")
    valid("exponent", exponent, lambda v: (v > 0.0) & (v < math.inf), "a positive number")
    return 1.0 - (np.arange(items) / items) ** exponent


def gaps(means: ArrayLike) -> NDArray[np.float64]:
    """How far every other item lies below the best one, in the order of the items.

    >>> gaps([0.25, 0.75, 0.5]).tolist()
    [0.5, 0.25]
    """
    _, best, rivals = _best_and_rivals(means)
    return best - rivals


def hardness_kl(means: ArrayLike) -> float:
    """S_KL = sum over i >= 2 of 1/D*(mu_i, mu_1), mu_1 the best mean.

    Up to doubly logarithmic terms, lil-KLUCB's votes on the items that lose (Mankoff,
    Nowak and Tanczos 2017, Section 2). It is at most twice `hardness_sub_gaussian`, since
    D* is at least gap^2/2. An item of mean 0 adds nothing where the best mean is 1.

    >>> round(hardness_kl([1.0, 0.5]), 12) == round(1.0 / math.log(2.0), 12)
    True
    """
    _, best, rivals = _best_and_rivals(means)
    return float(np.sum(1.0 / _chernoff(rivals, best)))


def hardness_sub_gaussian(means: ArrayLike) -> float:
    """S_SG = sum over i >= 2 of 1/gap_i^2: the sum for bounds blind to variance.

    Up to doubly logarithmic terms, lil-UCB's votes on the items that lose (Mankoff, Nowak
    and Tanczos 2017, Section 2; Jamieson et al. 2014).

    >>> hardness_sub_gaussian([0.25, 0.75, 0.5])
    20.0
    """
    return float(np.sum(1.0 / gaps(means) ** 2))


def sample_bound(means: ArrayLike, delta: float) -> float:
    """The order of lil-KLUCB's votes: its theorem's bound with the constant c_0 set to 1.

    Mankoff, Nowak and Tanczos (2017), Theorem `samplecomp`: with probability at least
    1 - 2 delta, the votes are at most c_0 times this, for a universal c_0 that the theorem
    leaves open. With mu_1 the best mean and l(D) = ln max(e, 1/D), it is

        inf over c in (mu_2, mu_1) of  ln((n-1)/delta l(D*(mu_1, c))) / D*(mu_1, c)
                    + sum over i >= 2 of  ln(1/delta l(D*(mu_i, c))) / D*(mu_i, c).

    The theorem takes its infimum over one c_i in (mu_i, mu_1) for every i >= 2, with c
    their maximum. One number suffices: D*(mu_i, c_i) grows with c_i and each term falls as
    its D* grows, so raising every c_i to c lowers the sum and leaves the first term alone;
    c then exceeds mu_2. The theorem writes ln 1/D* for the inner logarithm, which is below 1
    (or negative) where D* > 1/e; it is read as at least 1 there, as l says. Means of 0
    and 1 need no care: D* is finite for c strictly between. `delta` is in (0, 1). Where no
    floating-point number lies between the two best means, the bound is infinite.

    >>> sample_bound([1.0, 0.0], 0.5) == sample_bound([0.0, 1.0], 0.5)
    True
    >>> round(sample_bound([1.0, 0.0], 0.5), 12)  # c = 1/2, D* = ln 2 = ln(1/delta): 1 + 1
    2.0
    """
    from scipy.optimize import minimize_scalar

    _, best, rivals = _best_and_rivals(means)
    level = float(level_of_error("delta", delta))
    second = float(rivals.max())

    def votes(place: float) -> float:
        # Logistic in `place`: the best c may lie within 1/n of the gap from either end.
        c = min(best, second + (best - second) / (1.0 + math.exp(-place)))
        on_best = _cost(_chernoff(best, c), rivals.size / level)
        return float(on_best + np.sum(_cost(_chernoff(rivals, c), 1.0 / level)))

    # The scan finds the valley, whatever its shape elsewhere; the search its floor.
    start = min(range(-20, 21, 4), key=votes)
    sides = (start - 4.0, start + 4.0)
    found = minimize_scalar(votes, bounds=sides, method="bounded", options={"xatol": 1e-5})
    return min(votes(start), float(found.fun))


def characteristic_time(means: ArrayLike) -> float:
    """T*: the votes that any procedure needs per unit of evidence, on average.

    For weights w of the items that sum to 1,

        1/T* = max over w of  min over a >= 2 of  w_1 D(mu_1, m_a) + w_a D(mu_a, m_a),
        m_a = (w_1 mu_1 + w_a mu_a) / (w_1 + w_a),

    computed by Garivier and Kaufmann (2016), Theorem 5: with x_a = w_a/w_1, the cost
    g_a(x_a) = D(mu_1, m_a) + x_a D(mu_a, m_a) is a common y, which solves F(y) = 1 for
    F(y) = sum over a >= 2 of D(mu_1, m_a)/D(mu_a, m_a); T* = (1 + sum of x_a)/y.

    >>> round(characteristic_time([1.0, 0.0]) * math.log(2.0), 12)  # w = (1/2, 1/2), m = 1/2
    1.0
    """
    _, best, rivals = _best_and_rivals(means)
    ratios, evidence = _optimal_ratios(best, rivals)
    return float((1.0 + ratios.sum()) / evidence)


def optimal_shares(means: ArrayLike) -> NDArray[np.float64]:
    """The share of the votes for each item, in the order given, that attains T*.

    They are positive, sum to 1 and are the only maximiser w in `characteristic_time`
    (Garivier and Kaufmann 2016, Theorem 5).

    >>> optimal_shares([0.25, 0.75]).round(12).tolist()
    [0.5, 0.5]
    """
    index, best, rivals = _best_and_rivals(means)
    ratios, _ = _optimal_ratios(best, rivals)
    shares: NDArray[np.float64] = np.insert(ratios, index, 1.0) / (1.0 + ratios.sum())
    return shares


def vote_floor(means: ArrayLike, delta: float) -> float:
    """The least expected number of votes of a procedure that errs with probability <= delta.

    T* D(delta, 1-delta) = T* (1 - 2 delta) ln((1-delta)/delta), for Bernoulli items with
    these means and any procedure that names the best item with error at most `delta`
    whatever the means are (Garivier and Kaufmann 2016, Theorem 1). `delta` is in (0, 1).
    The proof needs delta < 1/2; from there on the floor is 0, as a guess between two items
    needs no vote.

    >>> round(vote_floor([1.0, 0.0], 0.2), 12)  # D(0.2, 0.8) = 0.6 ln 4 and T* = 1/ln 2
    1.2
    """
    level = float(level_of_error("delta", delta))
    time = characteristic_time(means)
    if level >= 0.5:
        return 0.0
    return time * (1.0 - 2.0 * level) * (math.log1p(-level) - math.log(level))


def _best_and_rivals(means: ArrayLike) -> tuple[int, float, NDArray[np.float64]]:
    """The index and mean of the best item, and the means of the others."""
    all_means = in_unit_interval("means", means)
    if all_means.ndim != 1 or all_means.size < 2:
        raise InvalidInput(
            f"means must be a list of at least 2 numbers; got the shape {all_means.shape}."
        )
    all_means = np.where(all_means < TINY, 0.0, all_means)
    index = int(all_means.argmax())
    best, rivals = float(all_means[index]), np.delete(all_means, index)
    if rivals.max() == best:
        raise InvalidInput(
            f"The largest mean, {best!r}, is shared by {int((all_means == best).sum())} items; "
            "votes never separate equal items, so merge them or leave all but one out."
        )
    return index, best, rivals


def _chernoff(x: ArrayLike, y: float) -> Floats:
    """D*(x, y), kept above its lower bound (x-y)^2/2 where rounding would take it below."""
    # At full shape, since NumPy warns of the view that broadcasting to one item makes.
    information = chernoff_information(x, np.full(np.shape(x), y))
    return np.maximum(information, 0.5 * np.subtract(x, y) ** 2)


def _cost(information: Floats, odds: float) -> Floats:
    """ln(odds ln max(e, 1/information)) / information, infinite at 0."""
    with np.errstate(divide="ignore"):
        rate = 1.0 / np.asarray(information)
    return rate * np.log(odds * np.log(np.maximum(math.e, rate)))


def _optimal_ratios(best: float, rivals: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """The ratios x_a = w_a/w_1 at the optimum, and their common cost y."""
    from scipy.optimize import brentq

    nearest = float(rivals.max())
    ratios = np.empty(rivals.size)

    # F is increasing in y, and y in the ratio x of the nearest rival. Searching for ln x
    # spares the end of y's range, where F is infinite and which may be infinite itself. The
    # nearest rival alone makes F at least 1 at x = e - 1 (two Poisson means, one of them 0).
    def cost(place: float) -> float:
        return transport_kernel(best, nearest, math.exp(place))[0]

    def log_balance(place: float) -> float:
        return math.log(_fill_ratios(best, rivals, cost(place), ratios))

    low = -1.0
    while log_balance(low) > 0.0:
        low *= 2.0
    evidence = cost(brentq(log_balance, low, 1.0, xtol=1e-13))
    _fill_ratios(best, rivals, evidence, ratios)
    return ratios, evidence


@compiled
def transport_kernel(best: float, rival: float, ratio: float) -> tuple[float, float, float]:
    """g_a(x) = D(mu_1, m) + x D(mu_a, m), and the two divergences, at x = `ratio`."""
    gap = best - rival
    from_best = shifted_divergence(best, -gap * ratio / (1.0 + ratio))
    from_rival = shifted_divergence(rival, gap / (1.0 + ratio))
    return from_best + ratio * from_rival, from_best, from_rival


@compiled
def _fill_ratios(best: float, rivals: Floats, evidence: float, out: Floats) -> float:
    """F(y) at y = `evidence`, with the ratios x_a(y) = g_a^-1(y) in `out`."""
    total = 0.0
    # g_a(x) is the least D(mu_1, m) + x D(mu_a, m) over all m. At an m with D(mu_1, m) <= y/2,
    # an x whose second part is y/2 is therefore left of the root. D is at most the chi-square
    # (mu_1-m)^2 / (m (1-m)), and the m that makes the latter y/2 solves a quadratic.
    half = 0.5 * evidence
    lean = half * (2.0 * best - 1.0)
    root = math.sqrt(half * (half + 4.0 * best * (1.0 - best)))
    shift = 0.5 * (lean + root) / (1.0 + half)
    for i in range(rivals.size):
        rival = rivals[i]
        ratio = half / shifted_divergence(rival, best - rival - shift)
        for _ in range(MAX_STEPS):
            _, from_best, from_rival = transport_kernel(best, rival, ratio)
            # g_a is concave with slope D(mu_a, m): Newton's steps from the left stay there.
            before, ratio = ratio, (evidence - from_best) / from_rival
            if ratio - before <= 1e-9 * ratio:
                # Quadratic convergence: what is left is below one unit in the last place.
                break
        out[i] = ratio
        _, from_best, from_rival = transport_kernel(best, rival, ratio)
        total += from_best / from_rival
    return total
