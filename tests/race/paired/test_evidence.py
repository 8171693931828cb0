"""The evidence of a paired race: against 50 digits, in any order, and the chance of error exactly.

The chances are those of all states that two items can be in: every rater rates both, so that the
number of raters at each difference is all that a race knows. Nothing is simulated.
"""

import itertools
import math

import mpmath
import numpy as np
import pytest

from plaudit import PairedRace, Scale
from plaudit.race.paired.bets import (
    BETS,
    LARGEST,
    LOG_WEIGHTS,
    MARGIN,
    SIZES,
    SMALLEST,
    WEIGHT_POWER,
    log_capitals,
    most_gained,
)
from plaudit.race.paired.ledger import SLACK, gather
from plaudit.scale import STARS, THUMBS

DELTAS = (0.05, 0.01, 0.001, 1e-4)
RATERS = 300
WORSE, BETTER = 0.4999, 0.5001
THREE = Scale.of({"no": 0, "maybe": 0.5, "yes": 1})


def exact_capital(differences, theta=0, *, spare=0):
    """The logarithm of the capital from its definition, to 50 digits.

    A bet multiplies its part by 1 + lam (d - theta), with lam = b / (1 + b theta).
    """
    with mpmath.workdps(50):
        ratio = (mpmath.mpf(str(LARGEST)) / mpmath.mpf(str(SMALLEST))) ** (
            mpmath.mpf(1) / (BETS - 1)
        )
        odds = [mpmath.mpf(str(SMALLEST)) * ratio**k for k in range(BETS)]
        shares = [one ** mpmath.mpf(str(WEIGHT_POWER)) for one in odds]
        left = sorted(map(mpmath.mpf, differences))[: max(len(differences) - spare, 0)]
        total = mpmath.mpf(0)
        for one, share in zip(odds, shares, strict=True):
            bet = one / (2 + one)
            lam = bet / (1 + bet * mpmath.mpf(theta))
            capital = share / mpmath.fsum(shares)
            for difference in left:
                capital *= 1 + lam * (difference - mpmath.mpf(theta))
            total += capital
        return mpmath.log(total)


def capital_of(race, side=0, slack=SLACK, pair=0):
    """What the race itself has, without its tolerance's largest differences."""
    ledger = race._ledger
    left = gather(ledger, pair, side, ledger.tolerance)
    return float(log_capitals(ledger.scratch, np.array(left), float(ledger.thetas[slack])))


def differences_of(rows, i, j):
    both = rows[~np.isnan(rows[:, i] - rows[:, j])]
    return [float(value) for value in both[:, i] - both[:, j]]


def some_rows(rng, raters, items, values):
    rows = rng.choice(values, size=(raters, items))
    rows[rng.random(rows.shape) < 0.2] = np.nan
    rows[:, 0] = np.where(np.isnan(rows).all(axis=1), values[0], rows[:, 0])
    return rows


def test_bets_and_weights():
    assert np.all((SIZES > 0) & (SIZES < 1))
    assert np.exp(LOG_WEIGHTS).sum() == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize("tolerance", [0, 2])
@pytest.mark.parametrize("epsilon", [0.0, 0.07])
@pytest.mark.parametrize("scale", [None, THREE, STARS, "many"])
def test_capital_to_fifty_digits(scale, epsilon, tolerance):
    """Both sides of every pair, with missing votes; differences counted, and added up."""
    if scale == "many":  # more differences than are counted
        scale = Scale.of({str(k): (k / 20) ** 2 for k in range(21)})
    values = np.array(scale.values) if scale else np.linspace(0.0, 1.0, 23) ** 1.7
    rows = some_rows(np.random.default_rng(5), 60, 3, values)
    race = PairedRace(3, scale=scale, epsilon=epsilon, tolerance=tolerance, delta=1e-4)
    race.tell_many(rows)
    for pair, (i, j) in enumerate(itertools.combinations(range(3), 2)):
        for side, ends in enumerate([(i, j), (j, i)]):
            differences = differences_of(rows, *ends)
            for slack, theta in enumerate((-epsilon, 0.0)):
                exact = exact_capital(differences, theta, spare=tolerance)
                assert capital_of(race, side, slack, pair) == pytest.approx(float(exact), abs=1e-11)
            found = race.difference(*ends)
            assert found.raters == len(differences)
            assert found.mean == pytest.approx(np.mean(differences))


@pytest.mark.parametrize("scale", [None, STARS])
def test_ends_of_an_interval_to_fifty_digits(scale):
    """At the lower end the capital is what excludes; a little above it is not."""
    rng = np.random.default_rng(8)
    rows = rng.choice(STARS.values, size=(400, 2), p=[0.1, 0.1, 0.2, 0.3, 0.3])
    rows[:, 1] = np.maximum(rows[:, 0] - rng.choice([0, 0.25], size=400), 0)
    race = PairedRace(2, scale=scale, delta=0.02)
    race.tell_many(rows)
    found = race.difference(0, 1)
    for end, differences in ((found.lower, rows[:, 0] - rows[:, 1]),
                             (-found.upper, rows[:, 1] - rows[:, 0])):  # fmt: skip
        level = math.log(2 / 0.02)
        assert exact_capital(differences, end) >= level
        assert exact_capital(differences, end + 1e-7) < level + 2 * MARGIN
    assert found.lower < found.mean < found.upper
    other = race.difference(1, 0)
    assert (other.lower, other.upper) == (-found.upper, -found.lower)
    alone = race.difference(0, 1, at_once=False)
    assert (alone.lower, alone.upper) == (found.lower, found.upper)  # two items are one pair


@pytest.mark.parametrize("tolerance", [0, 3])
def test_order_of_raters_does_not_matter(tolerance):
    rng = np.random.default_rng(3)
    rows = some_rows(rng, 200, 4, np.array(STARS.values))
    shuffled = rng.permutation(rows)
    for scale, close in ((STARS, 0.0), (None, 1e-12)):
        races = [PairedRace(4, scale=scale, tolerance=tolerance) for _ in range(2)]
        for race, table in zip(races, (rows, shuffled), strict=True):
            race.tell_many(table)
        for pair, side in itertools.product(range(6), range(2)):
            first, second = (capital_of(race, side, SLACK, pair) for race in races)
            assert abs(first - second) <= close
        assert races[0].means == pytest.approx(races[1].means, nan_ok=True)


@pytest.mark.parametrize("scale", [None, THREE])
@pytest.mark.parametrize(("epsilon", "tolerance"), [(0.0, 0), (0.05, 0), (0.0, 2), (0.05, 3)])
def test_a_claim_is_settled_by_the_rater_who_brings_its_capital_to_the_level(
    scale, epsilon, tolerance
):
    """Capitals are computed late; the claim is settled with the same rater as if they were not."""
    rng = np.random.default_rng(11)
    settled_at = []
    for _ in range(20):
        race = PairedRace(2, scale=scale, epsilon=epsilon, tolerance=tolerance, delta=0.05)
        differences, done = [], np.zeros(2, dtype=bool)
        for rater in range(400):
            x, y = rng.choice([0, 0.5, 1], p=[0.2, 0.3, 0.5]), rng.choice([0, 0.5, 1])
            race.tell({0: x, 1: y})
            differences.append(x - y)
            growth = np.log1p(np.outer(np.sort(differences), SIZES))
            left = max(len(differences) - tolerance, 0)
            for slack, theta in enumerate((-epsilon, 0.0)):
                capital = log_capitals(growth[:left].sum(axis=0), np.array(left), theta)
                done[slack] |= left > 0 and capital >= race.settings.level + MARGIN
                assert bool(race._ledger.settled[0, 0, slack]) == done[slack]
            if done.all():
                settled_at.append(rater)
                break
    assert len(settled_at) > 10


@pytest.mark.parametrize("theta", [-0.5, -0.05, 0.0, 0.2])
def test_no_bet_gains_more_than_the_limit(theta):
    for difference in np.linspace(-1, 1, 81):
        most = most_gained(float(difference), theta)
        gains = np.log1p(SIZES * difference) - np.log1p(SIZES * theta)
        assert most == pytest.approx(gains.max(), abs=1e-14)


def law_of(crowd):
    """The chance of each difference, from the chances of both votes."""
    law = {}
    for (x, y), chance in crowd.items():
        law[x - y] = law.get(x - y, 0.0) + chance
    return law


def pair_of_votes(correlation):
    covariance = correlation * np.sqrt(WORSE * (1 - WORSE) * BETTER * (1 - BETTER))
    both = min(WORSE * BETTER + covariance, WORSE)
    chances = {(1, 1): both, (1, 0): WORSE - both, (0, 1): BETTER - both}
    chances[0, 0] = 1.0 - sum(chances.values())
    return {votes: max(chance, 0.0) for votes, chance in chances.items()}


def chances_of_error(laws, *, delta, epsilon=0.0, raters=RATERS, factor=1.0, keep=lambda x: x):
    """For each law, the probability that the worse item, the first, is named by so many raters.

    Laws have the same differences, in units of the smallest step. The last two arguments plant
    bugs.
    """
    steps = np.array(sorted(laws[0]))
    units, free = max(1, np.abs(steps).max()), len(steps) - 1
    masses = np.zeros((len(laws),) + (raters + 1,) * free)
    masses[(slice(None),) + (0,) * free] = 1.0
    gains = [np.log1p(np.outer(keep(sign * steps / units), SIZES)) for sign in (1, -1)]
    level = math.log(factor / delta) + MARGIN
    errors = np.zeros(len(laws))
    for rater in range(1, raters + 1):
        masses = np.stack(
            [next_rater(law, steps, mass) for law, mass in zip(laws, masses, strict=True)]
        )
        here = np.nonzero(masses.max(axis=0) > 0.0)
        known = np.stack(here, axis=1)
        counts = np.concatenate([known, rater - known.sum(axis=1, keepdims=True)], axis=1)
        for worse, gain in zip((True, False), gains, strict=True):
            # What names the worse item, and what names the better one.
            reached = log_capitals(counts @ gain, np.full(len(counts), rater), -epsilon) >= level
            gone = (slice(None), *(axis[reached] for axis in here))
            errors += masses[gone].sum(axis=1) if worse else 0.0
            masses[gone] = 0.0
    return errors


def next_rater(law, steps, mass):
    """The chances of all states after one more rater; the last difference is not counted."""
    moved = law[int(steps[-1])] * mass
    for axis, step in enumerate(steps[:-1]):
        to, source = [slice(None)] * mass.ndim, [slice(None)] * mass.ndim
        to[axis], source[axis] = slice(1, None), slice(None, -1)
        moved[tuple(to)] += law[int(step)] * mass[tuple(source)]
    return moved


@pytest.mark.parametrize("delta", DELTAS)
def test_opposed(delta):
    """A rater likes one item or the other."""
    (error,) = chances_of_error([{1: WORSE, -1: BETTER}], delta=delta)
    assert delta / 4 < error <= delta


@pytest.mark.parametrize("delta", DELTAS)
def test_two_items_of_every_correlation(delta):
    laws = [law_of(pair_of_votes(rho)) for rho in (-1.0, -0.9, -0.5, 0.0, 0.5, 0.9, 1.0)]
    errors = chances_of_error(laws, delta=delta)
    assert max(errors) <= delta
    # Not for nothing: part of delta is used with independent votes too.
    assert min(errors[:4]) > delta / 20


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("epsilon", [0.02, 0.1])
def test_opposed_with_slack(delta, epsilon):
    """The second item is better by a little more than epsilon, so that one name is wrong."""
    law = {1: 0.5 - epsilon / 2 - 1e-4, -1: 0.5 + epsilon / 2 + 1e-4}
    (error,) = chances_of_error([law], delta=delta, epsilon=epsilon)
    assert delta / 10 < error <= delta


@pytest.mark.parametrize("delta", DELTAS)
def test_three_levels(delta):
    """Votes of 0, 1/2 and 1: opposed; alike, with differences that are mostly 0; half opposed."""
    share = {0: 0.3001, 1: 0.4, 2: 0.2999}
    opposed = {(x, 2 - x): chance for x, chance in share.items()}
    alike = {(0, 0): 0.29, (1, 1): 0.4, (2, 2): 0.29, (0, 2): 0.0101, (2, 0): 0.0099}
    laws = [law_of(crowd) for crowd in (opposed, alike)]
    assert max(chances_of_error(laws, delta=delta, raters=120)) <= delta
    apart = {(x, 2 - y): share[x] * share[y] for x in share for y in share}
    half = {votes: (opposed.get(votes, 0.0) + chance) / 2 for votes, chance in apart.items()}
    assert max(chances_of_error([law_of(half)], delta=delta, raters=14)) <= delta


def test_a_bug_is_seen():
    """A level that is too low, and differences that lose less than they should, both show."""
    laws = [{1: WORSE, -1: BETTER}]
    assert chances_of_error(laws, delta=0.01, factor=0.25) > 0.01
    assert chances_of_error(laws, delta=0.01, keep=lambda d: np.maximum(d, -0.9)) > 0.01


def test_the_race_itself_names_as_computed():
    """Walks of a race: it names an item with the same rater as the capitals say."""
    rng = np.random.default_rng(2)
    named = []
    for _ in range(60):
        race, plus, minus = PairedRace(2, delta=0.05, scale=THUMBS), 0, 0
        for _ in range(200):
            x, y = rng.choice([(1, 0), (0, 1), (1, 1)], p=[0.5, 0.2, 0.3])
            race.tell({0: float(x), 1: float(y)})
            plus, minus = plus + (x > y), minus + (y > x)
            counts = np.array([[plus, minus], [minus, plus]])
            growth = counts @ np.log1p(np.outer([1, -1], SIZES))
            reached = log_capitals(growth, np.zeros(2), 0.0) >= math.log(1 / 0.05) + MARGIN
            verdict = race.verdict()
            assert bool(verdict) == reached.any()
            if verdict:
                assert verdict.items == (int(np.argmax(reached)),)
                named.append(verdict.items[0])
                break
    assert named.count(0) > 50
