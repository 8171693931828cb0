"""What a race's ranking says on the way, against a ranking made by sorting."""

import numpy as np
import pytest

from plaudit.simulation import Profile, SimulatedRace
from plaudit.simulation.curves import follow_races
from plaudit.simulation.seeds import seed_at

SETTINGS = {"delta": 0.05, "accounting": "paper"}
GRID = np.array([30, 31, 45, 60, 80, 200, 500])
# With votes of 1 only, many means tie; in the second profile two items are the best.
PROFILES = (np.linspace(1.0, 0.1, 30), [1.0, 1.0, *np.linspace(0.95, 0, 28)])
MASK = 2**64 - 1


def ticket(seed: int, item: int, votes: int) -> int:
    """Splitmix64 in whole numbers, as the race draws among equals."""
    x = (seed + item * 0x9E3779B97F4A7C15 + votes * 0xD1B54A32D192ED03) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def sorted_ranking(race: SimulatedRace, seed: int, *, voted_first: bool) -> list[int]:
    records = race.race.engine.state.items
    votes, totals = records["votes"].tolist(), records["total"].tolist()

    def key(item: int) -> tuple[float, int, int]:
        drawn = ticket(seed, item, votes[item])
        return totals[item] / votes[item], votes[item] if voted_first else 0, drawn

    return sorted(range(len(votes)), key=key, reverse=True)


@pytest.mark.parametrize("rule", ["largest-upper", "pair"])
@pytest.mark.parametrize("means", PROFILES)
def test_curves_are_what_sorting_says(rule, means):
    profile = Profile.bernoulli(means)
    best = set(np.flatnonzero(profile.means == profile.means.max()))
    low = profile.means < np.median(profile.means)
    expected = np.zeros((4, GRID.size), dtype=np.int64)
    seeds = [seed_at(1, "curves", k) for k in range(12)]
    for seed in seeds:
        race = SimulatedRace(profile, seed=seed, rule=rule, **SETTINGS)
        for k, votes in enumerate(GRID):
            if not race.race.verdict().stopped:
                race.advance(int(votes) - race.race.votes)
            for row, voted_first in enumerate((False, True)):
                shown = sorted_ranking(race, seed, voted_first=voted_first)[:3]
                expected[row, k] += bool(best & set(shown))
            expected[2, k] += race.race.votes
            expected[3, k] += race.race.engine.state.items["votes"][low].sum()
    curve = follow_races(profile, seeds, GRID, shown=3, rule=rule, **SETTINGS)
    found = np.array([curve.found, curve.found_voted, curve.votes, curve.below])
    assert found.tolist() == expected.tolist()
    assert 0 < curve.found[0] < len(seeds)
    assert (curve.found != curve.found_voted).any()


def test_curves_of_blocks_add_up():
    profile = Profile.power(40, 0.5)
    seeds = [seed_at(3, k) for k in range(6)]
    whole = follow_races(profile, seeds, GRID, **SETTINGS)
    blocks = [follow_races(profile, seeds[k : k + 2], GRID, **SETTINGS) for k in (0, 2, 4)]
    assert sum(block.found for block in blocks).tolist() == whole.found.tolist()
    assert sum(block.below for block in blocks).tolist() == whole.below.tolist()


def test_means_that_differ_only_by_rounding_are_equally_the_best():
    """22/24 from two counts: the one leads in some races, the other in the rest."""
    counts = [[0, 2, 10], [1, 0, 11], *([[9, 2, 1]] * 8)]
    profile = Profile.frequencies(counts, [0.0, 0.5, 1.0])
    assert profile.means[0] != profile.means[1]
    curve = follow_races(profile, list(range(12)), np.array([600]), shown=1, **SETTINGS)
    assert curve.found.tolist() == [12]


def test_a_race_with_a_verdict_spends_no_more():
    curve = follow_races(Profile.bernoulli([1.0, 0.0]), [1], np.array([10, 10_000]), shown=1)
    assert curve.votes[1] < 1000
    assert curve.found.tolist() == [1, 1]


def test_seeds_follow_the_address():
    addresses = (("a", 1), ("a", 2), ("a1",), ("b", 1))
    seeds = {seed_at(seed, *address) for seed in (0, 1) for address in addresses}
    assert len(seeds) == 8
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert seed_at(0, "a", 1) == 8083070235740157823
