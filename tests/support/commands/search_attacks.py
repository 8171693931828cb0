"""Searches for the worst attack: the plans race against each other, and a vote is a race lost.

    python tests/support/commands/search_attacks.py

An attack gets a vote of 1 for each attacked race that ends with a wrong verdict, so the best item
of this race is the attack that does most harm. Each vote is one attacked race, with a number of
dishonest raters drawn from those of the study. Deltas are larger than in the study: more goes wrong
there, and differences show sooner. First a grid of plans, then steps from the winner until none
of them is better. Random numbers are others than the study's.
"""

import sys
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache

import numpy as np

from plaudit import Race
from plaudit.simulation.attacks import Attack, AttackedRaces
from plaudit.simulation.attacks.plans import ADAPTIVE, AT_ONCE, HALFWAY, LATE
from plaudit.studies.dishonest.instances import MAIN

DELTA = 0.3
SEED = 7_001
# Of the race between plans: which differences do not matter, how sure it is, and its end.
EPSILON, ERROR, MOST_VOTES = 0.005, 0.05, 120_000
BLOCK = 10
STEPS = 4


def grid() -> Iterator[Attack]:
    """Plans of every kind: when, on whom, how much at once, how soon."""
    for ruined in (0, 1, 2, 8):
        for pushed in (False, True):
            if ruined or pushed:
                yield Attack(AT_ONCE, ruined, pushed)
                yield Attack(HALFWAY, ruined, pushed, sleeps=True, early=0.0)
                yield Attack(HALFWAY, ruined, pushed, early=0.5)
                yield from (
                    Attack(LATE, ruined, pushed, early=early, slack=slack)
                    for early in (0.0, 0.5)
                    for slack in (0.0, 0.02, 0.1)
                )
    yield Attack(AT_ONCE, others=True, pushed=True)
    for early in (0.0, 0.3, 0.7):
        for margin in (-0.12, -0.06, -0.03, -0.015, 0.0, 0.03):
            for patience in (0, 5, 20, 60):
                yield Attack(ADAPTIVE, early=early, margin=margin, patience=patience)


def near(plan: Attack) -> Iterator[Attack]:
    """The plan, and plans that differ from it in one respect."""
    yield plan
    for early in (plan.early - 0.15, plan.early + 0.15):
        if 0.0 <= early <= 1.0:
            yield replace(plan, early=round(early, 3))
    for step in (-0.02, -0.01, 0.01, 0.02):
        yield replace(plan, margin=round(plan.margin + step, 3))
    for patience in (plan.patience // 2, plan.patience + 2, 2 * plan.patience + 5):
        yield replace(plan, patience=patience)
    yield replace(plan, pushed=not plan.pushed)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def words(plan: Attack) -> str:
    """A plan by what differs from the knock-out."""
    usual = Attack()
    changed = (
        f"{field.name}={getattr(plan, field.name)}"
        for field in fields(plan)
        if getattr(plan, field.name) != getattr(usual, field.name)
    )
    return ", ".join(changed) or "knock-out"


def worst(plans: list[Attack], seed: int) -> Attack:
    """The plan that makes most verdicts wrong, by a race that ends or has cost enough."""
    by_words = {words(plan): plan for plan in plans}
    race = Race(list(by_words), delta=ERROR, epsilon=EPSILON, seed=seed)
    random = np.random.default_rng(seed)
    while not race.verdict() and race.votes < MOST_VOTES:
        for name in race.ask(2):
            for number in random.choice(MAIN.numbers, BLOCK):
                result = _attacked(int(number)).block(
                    1, by_words[name], raters=int(number), seed=int(random.integers(2**62)),
                    limit=MAIN.limit,
                )  # fmt: skip
                race.tell(name, float(result.wrong))
    say(f"{len(plans)} plans, {race.votes:,} attacked races\n{race.verdict()}")
    return by_words[race.leaders[0]]


@cache
def _attacked(tolerance: int) -> AttackedRaces:
    return AttackedRaces(
        MAIN.profile, delta=DELTA, epsilon=MAIN.epsilon, tolerance=tolerance, reserve=0.0
    )


def search() -> Attack:
    """A grid, then steps from its winner while they help."""
    found = worst(list(dict.fromkeys(grid())), SEED)
    for step in range(STEPS):
        better = worst(list(dict.fromkeys(near(found))), SEED + 1 + step)
        if better == found:
            break
        found = better
    return found


if __name__ == "__main__":
    say(f"found: {words(search())}")
