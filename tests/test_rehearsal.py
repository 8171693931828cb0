"""Who plays in a rehearsal: raters in the order in which they come, and what fakes do."""

import numpy as np
import pytest

from plaudit.rehearsal import Cast, bar_of, binomial_law
from plaudit.simulation.crowds import parse_population
from plaudit.simulation.crowds.attacks import WAKE

QUALITIES = {item: 0.9 - 0.1 * item for item in range(9)}


def cast(people, *, qualities=QUALITIES, items=9, levels=3):
    return Cast(
        parse_population(people), levels=levels, items=items, visit=5, qualities=qualities,
        generator=np.random.default_rng(1),
    )  # fmt: skip


def test_laws_of_votes_are_binomial():
    """Four tosses of a coin that falls on its head with probability 0.3."""
    law = np.diff(binomial_law(5, 0.3), prepend=0.0, append=1.0)
    assert law == pytest.approx([0.2401, 0.4116, 0.2646, 0.0756, 0.0081])
    assert binomial_law(2, 1.0).tolist() == [0.0]


@pytest.mark.parametrize(
    ("attack", "false"),
    [
        ("knock-out", {0: 0}),
        ("knock-out-five", {0: 0, 1: 0, 2: 0, 3: 0, 4: 0}),
        ("push", {8: 2}),
        ("push-and-knock-out", {0: 0, 1: 0, 2: 0, 3: 0, 4: 0, 8: 2}),
    ],
)
def test_fakes_vote_down_the_best_and_push_one_other(attack, false):
    """The worst items come first, so that the first below the bar is the one that is pushed."""
    people = cast(f"{attack}:3")
    fakes, guest = [people.next_person() for _ in range(3)], people.next_person()
    assert [fake.is_fake for fake in (*fakes, guest)] == [True] * 3 + [False]
    seen = {item: set() for item in QUALITIES}
    for _ in range(40):
        for fake in fakes:
            for item in reversed(range(9)):
                seen[item].add(people.level(fake, item, QUALITIES[item], place=0))
    always = {item: min(levels) for item, levels in seen.items() if len(levels) == 1}
    assert {item: always[item] for item in false} == false
    assert set(always) == set(false)


def test_honest_raters_of_a_rehearsal_vote_as_the_quality_says():
    """2,000 votes of mean 0.6, within five standard errors."""
    people = cast("knock-out:2+kind-stern:0.3")
    votes = [people.level(people.next_person(), 3, 0.6, place=0) for _ in range(2002)][2:]
    assert np.mean(votes) / 2 == pytest.approx(0.6, abs=5 * np.sqrt(0.24 / 2 / 2000))


def test_sleepers_wake_up():
    people = cast("sleepers:2")
    fake = people.next_person()
    early = {people.level(fake, 0, QUALITIES[0], place=0) for _ in range(60)}
    assert len(early) > 1
    for _ in range(WAKE):
        people.next_person()
    assert {people.level(fake, 0, QUALITIES[0], place=0) for _ in range(60)} == {0}


def test_where_qualities_are_unknown_the_bar_is_where_they_lie_on_average():
    assert bar_of(1, 1000, {}) == pytest.approx(0.05 + 0.7 * 0.999**3)
    assert bar_of(5, 9, QUALITIES) == pytest.approx(0.5)
    assert bar_of(5, 3, {0: 0.1, 1: 0.2, 2: 0.3}) == pytest.approx(0.1)
