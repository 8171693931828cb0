"""Dishonest raters in a paired race: brute force over everyone who may have lied."""

import itertools

import numpy as np
import pytest

from plaudit import PairedRace, Scale
from plaudit.race.paired.bets import MARGIN, growth_of, log_capitals
from plaudit.race.paired.ledger import SLACK, gather
from plaudit.race.paired.withstanding import withstood

THREE = Scale.of({"no": 0, "maybe": 0.5, "yes": 1})


def capital(differences, theta=0.0):
    growth = growth_of(np.asarray(differences)).sum(axis=0)
    return float(log_capitals(growth, np.array(len(differences)), theta))


def least_honest(differences, liars, theta=0.0):
    """The least capital of the honest raters, over all sets of at most so many liars."""
    return min(
        capital(np.delete(differences, list(gone)), theta)
        for number in range(liars + 1)
        for gone in itertools.combinations(range(len(differences)), number)
    )


@pytest.mark.parametrize("theta", [0.0, -0.1])
@pytest.mark.parametrize("liars", [1, 2, 3])
def test_without_its_largest_differences_a_claim_has_the_least(liars, theta):
    """As long as so many differences favour the claim, it is exactly the least there is."""
    rng = np.random.default_rng(liars)
    exact = 0
    for _ in range(30):
        differences = rng.choice([-1, -0.5, 0, 0.5, 1], size=9)
        trimmed = capital(np.sort(differences)[: 9 - liars], theta)
        least = least_honest(differences, liars, theta)
        if (differences > theta).sum() >= liars:
            assert trimmed == pytest.approx(least, abs=1e-12)
            exact += 1
        else:
            # Nothing is left that speaks for the claim: it is not settled either way.
            assert least <= trimmed <= 0.0
    assert exact > 15


@pytest.mark.parametrize("scale", [THREE, None])
@pytest.mark.parametrize("tolerance", [0, 1, 3])
def test_a_race_judges_by_what_is_least(scale, tolerance):
    rng = np.random.default_rng(4)
    rows = rng.choice([0, 0.5, 1], size=(12, 2), p=[0.2, 0.3, 0.5])
    race = PairedRace(2, scale=scale, tolerance=tolerance)
    race.tell_many(rows)
    for side, differences in enumerate((rows[:, 0] - rows[:, 1], rows[:, 1] - rows[:, 0])):
        left = gather(race._ledger, 0, side, tolerance)
        own = float(log_capitals(race._ledger.scratch, np.array(left), 0.0))
        if (differences > 0).sum() >= tolerance:
            assert own == pytest.approx(least_honest(differences, tolerance), abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("scale", [THREE, None])
def test_withstands_is_the_largest_number_by_brute_force(scale, epsilon):
    """Three items, ten raters: the verdict holds whoever of so many lied, and not of one more."""
    rng = np.random.default_rng(9)
    seen = set()
    for _ in range(12):
        race = PairedRace(3, scale=scale, epsilon=epsilon, delta=0.49)
        while not race.verdict():
            race.tell({0: rng.choice([0.5, 1]), 1: 0.5 * (rng.random() < 0.3), 2: 0.0})
        # The rows once more, so that there is something to withstand.
        for _ in range(10 - race.raters):
            race.tell({0: rng.choice([0.5, 1]), 1: 0.5 * (rng.random() < 0.3), 2: 0.0})
        names, number = race.verdict().items, race.withstands()
        assert certified_without_any(race, names, number, epsilon)
        assert not certified_without_any(race, names, number + 1, epsilon)
        seen.add(number)
    assert len(seen) > 1


def certified_without_any(race, names, liars, epsilon):
    """Whether what is left of every claim, whoever lied, names these items.

    An item is out if any other beats it without slack; the winner needs a claim, up to epsilon,
    against all that are not out. (One item is wanted.)
    """
    level = race.settings.level + MARGIN
    rows = rows_of(race)

    def beats(i, j, theta):
        differences = rows[:, i] - rows[:, j]
        return least_honest(differences[~np.isnan(differences)], liars, theta) >= level

    (winner,) = names
    others = [item for item in range(len(race)) if item != winner]
    out = {j for j in others if any(beats(i, j, 0.0) for i in range(len(race)) if i != j)}
    in_ = all(beats(winner, j, 0.0) for j in others)
    return in_ or all(j in out or beats(winner, j, -epsilon) for j in others)


def rows_of(race):
    """The differences as rows, from what the race keeps."""
    if not race._ledger.lattice.size:
        return race._rows[: race.raters]
    return race.told


@pytest.fixture(autouse=True)
def _told(monkeypatch):
    """A race with a scale keeps counts alone: the tests remember its rows."""
    count = PairedRace._count

    def remember(self, table):
        self.told = np.concatenate([getattr(self, "told", table[:0]), table])
        count(self, table)

    monkeypatch.setattr(PairedRace, "_count", remember)


def test_counted_and_kept_differences_withstand_the_same():
    rng = np.random.default_rng(6)
    rows = rng.choice([0, 0.5, 1], size=(300, 4))
    rows[:, 2] = np.maximum(rows[:, 2], rng.choice([0, 0.5, 1], size=300))
    rows[rng.random(rows.shape) < 0.1] = np.nan
    rows = rows[~np.isnan(rows).all(axis=1)]
    found = []
    for scale in (THREE, None):
        race = PairedRace(4, scale=scale, epsilon=0.05, tolerance=2, delta=0.1)
        race.tell_many(rows)
        found.append(withstood(race._ledger, race._rows[: race.raters]))
        assert race.verdict().withstands >= 2
    assert np.array_equal(found[0], found[1])
    assert found[0].max() > 10


def named_despite(liars, tolerance, *, races=60):
    """How many races name the worse item, where the first raters all put it ahead."""
    rng = np.random.default_rng(12)
    wrong = 0
    for _ in range(races):
        race = PairedRace(2, scale=THREE, tolerance=tolerance, delta=0.05)
        race.tell_many([[0.0, 1.0]] * liars)
        while not race.verdict() and race.raters < 1000:
            first = rng.choice([0, 0.5, 1], size=10, p=[0.2, 0.3, 0.5])
            race.tell_many(np.stack([first, rng.choice([0, 0.5, 1], size=10)], axis=1))
        wrong += race.verdict().items == (1,)
    return wrong


@pytest.mark.statistical
def test_liars_in_league():
    """As many as are tolerated do no harm; twice as many decide alone, so the test sees something.

    With an error of 0.05, 9 or more wrong of 60 come up less than once in 300 tries.
    """
    assert named_despite(10, 10) < 9
    assert named_despite(20, 10) == 60


def test_a_claim_settled_on_the_way_keeps_the_tolerance():
    race = PairedRace(2, scale=THREE, tolerance=1, delta=0.4)
    while not race.verdict():
        race.tell({0: 1.0, 1: 0.0})
    for _ in range(50):
        race.tell({0: 0.0, 1: 1.0})
    assert race.verdict().items == (0,)
    assert race.withstands() == 1
    assert race._ledger.settled[0, 0, SLACK]
