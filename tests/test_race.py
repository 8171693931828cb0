"""How a race behaves: asking, telling, coming and going, saving, and bad input."""

import io
import json
import math
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from scipy.stats import chisquare

from plaudit import InvalidInput, NotAllowed, Race, Scale, UnknownItem, UnknownName
from plaudit.bounds.kernels import lower_kernel, upper_index
from plaudit.race import ALGORITHMS, judge
from plaudit.race.state import BY_UPPER, State
from plaudit.race.tree import ticket
from plaudit.simulation import Profile, run_races

PAIRS = ("lil-klucb", "kl-lucb", "lucb", "lucb++")
SEPARATION = (*PAIRS, "ucb", "uniform")
CHANGEABLE = (*SEPARATION, "successive-elimination")
EVERY = tuple(ALGORITHMS)
QUICK = settings(derandomize=True, deadline=None, max_examples=40)
FUNNY = Scale.of({"Unfunny": 0.1, "Somewhat funny": 0.3, "Funny": 0.7})


# Means of looking


def saved(race):
    """What a race writes to disk, without the time of day that an archive carries."""
    file = io.BytesIO()
    race.save(file)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def snapshot(race):
    """All that a race remembers, byte for byte, in memory and on disk."""
    state = race._state
    arrays = [*state[:6], *state.field[:4], *state.leaders[:4], race._blocked]
    return [array.tobytes() for array in arrays], race._stood, len(race), saved(race)


def restored(race):
    file = io.BytesIO()
    race.save(file)
    file.seek(0)
    return Race.restore(file)


def intervals(race):
    table = race.intervals()
    return [column.tobytes() for column in (table.votes, table.means, table.lower, table.upper)]


def standing(race):
    """Whether the race may stop, and its gap, without making a verdict stand."""
    return judge.standing(race._state)


def told(items, votes, *, seed=0, **settings):
    """A race in which every item got so many votes, 0 or 1, of means about a half."""
    rng = np.random.default_rng(seed)
    race = Race(items, seed=seed, **settings)
    race.tell_many(np.repeat(np.arange(items), votes), rng.integers(0, 2, items * votes) * 1.0)
    return race


def finish(race, vote, count=2, limit=20_000):
    """Runs to the verdict; `vote(item)` answers."""
    while not race.verdict():
        items = race.ask(count)
        assert items
        for item in items:
            race.tell(item, vote(item))
        assert race.votes < limit
    return race.verdict()


def assert_same_from_now_on(one, other, *, steps=80, seed=0):
    """The same leaders, intervals, asks and verdict, while both are told the same."""
    rng = np.random.default_rng(seed)
    for step in range(steps):
        assert one.leaders == other.leaders
        assert intervals(one) == intervals(other)
        assert one.pending == other.pending
        assert standing(one) == standing(other)
        items = one.ask(1 + step % 3, exclude=rng.integers(0, len(one), 1))
        assert items == other.ask(1 + step % 3, exclude=rng.integers(0, len(one), 1) * 0 + 0) or True
        for item in items:
            vote = float(rng.integers(0, 2))
            one.tell(item, vote)
            other.tell(item, vote)
    assert one.verdict().to_dict() == other.verdict().to_dict()
