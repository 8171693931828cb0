"""Items with the same votes share a bound that is computed once; light copies of races."""

import copy

import numpy as np
import pytest

from plaudit.race import ALGORITHMS, Race
from plaudit.race import index as trees
from plaudit.scale import FUNNY
from support.same_race import assert_same_from_now_on, intervals

EVERY = tuple(ALGORITHMS)
KINDS = ({"tolerance": 2}, {"goal": "all-good", "epsilon": 0.05}, {"stopping": "fresh"})
ITEMS = 300


def crowded(algorithm="plaudit", **settings):
    """A race whose items have few votes each, so that many have the same, some only nearly."""
    race = Race(ITEMS, algorithm=algorithm, seed=2, **settings)
    random = np.random.default_rng(4)
    for _ in range(3 * ITEMS):
        for item in race.ask(1):
            race.tell(item, FUNNY.values[int(random.choice(3, p=[0.6, 0.2, 0.2]))])
    return race


def one_by_one(race):
    """The same bounds, each computed by itself."""
    tables = [race.intervals([item]) for item in range(len(race))]
    return [
        np.concatenate([getattr(table, name) for table in tables]).tobytes()
        for name in ("votes", "means", "lower", "upper")
    ]


@pytest.mark.parametrize("scale", [FUNNY, None])
@pytest.mark.parametrize("algorithm", EVERY)
def test_items_with_the_same_votes_have_the_bounds_of_their_own(algorithm, scale):
    race = crowded(algorithm, scale=scale)
    assert len(np.unique(race.intervals().upper)) < ITEMS / 2
    assert intervals(race) == one_by_one(race)


@pytest.mark.parametrize("settings", KINDS)
def test_so_they_do_where_the_race_is_of_another_kind(settings):
    race = crowded(scale=FUNNY, **settings)
    assert intervals(race) == one_by_one(race)


def test_sums_alone_do_not_make_items_alike():
    """Two middling votes are not a good one and a bad one; items that joined have other levels."""
    race = Race(3, scale=FUNNY)
    race.add(2)
    for item, votes in enumerate(([0.5, 0.5], [0.0, 1.0], [0.5, 0.5], [0.5, 0.5], [0.0, 1.0])):
        race.tell_many([item] * 80, votes * 40)
    table = race.intervals()
    assert intervals(race) == one_by_one(race)
    assert table.upper[0] == table.upper[2] != table.upper[1]
    assert table.lower[0] == table.lower[2] != table.lower[3]


@pytest.mark.parametrize("algorithm", ["plaudit", "lil-klucb", "lucb++", "ucb"])
def test_keys_made_for_all_items_are_those_that_votes_left(algorithm):
    race = crowded(algorithm, scale=FUNNY)
    told = race.engine.state.field.nodes.copy()
    trees.rebuild(race.engine.state)
    # The place of a leader is empty in trees of the others, with any ticket.
    assert race.engine.state.field.nodes["key"].tobytes() == told["key"].tobytes()
    there = told["key"] > -np.inf
    assert (race.engine.state.field.nodes["ticket"] == told["ticket"])[there].all()


def test_the_leader_is_found_among_all_of_equal_means():
    votes = np.full(ITEMS, 4)
    race = Race.from_votes(votes, votes / 2, top=3, seed=7)
    told = Race(ITEMS, top=3, seed=7)
    told.tell_many(np.repeat(np.arange(ITEMS), 4), np.tile([0.0, 1.0, 0.0, 1.0], ITEMS))
    assert race.leaders == told.leaders


@pytest.mark.parametrize("algorithm", EVERY)
def test_a_light_copy_is_the_race_as_it_was(algorithm):
    race = crowded(algorithm, scale=FUNNY)
    race.ask(5)
    deep, engine = copy.deepcopy(race), race.engine.light_copy()
    light = copy.deepcopy(race, {id(race.engine): engine})
    # What comes later is not in the copy.
    for item in race.ask(3):
        race.tell(item, 1.0)
    light.engine.complete()
    assert light.votes == deep.votes
    assert intervals(light) == intervals(deep)
    assert_same_from_now_on(light, deep)
