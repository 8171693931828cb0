"""Which faults a round has, from its seed alone: the same seed gives the same faults again."""

import random
from collections.abc import Iterator
from typing import NamedTuple

# How often each kind comes, for each engine.
WEIGHTS: dict[str, dict[str, int]] = {
    "sqlite": {
        "kill service": 24,
        "kill at a point": 30,
        "stop service": 5,
        "pause service": 9,
        "pause at a point": 6,
        "lock database": 7,
        "full disk": 9,
        "clock jump": 10,
    },
    "postgres": {
        "kill worker": 16,
        "kill at a point": 24,
        "kill all workers": 4,
        "kill service": 5,
        "kill parent": 3,
        "stop service": 2,
        "pause worker": 5,
        "pause at a point": 4,
        "kill database": 10,
        "crash database": 3,
        "pause database": 6,
        "end connections": 5,
        "kill a backend": 4,
        "lock database": 3,
        "full disk": 3,
        "clock jump": 4,
    },
}
# Kinds that last: another fault may come while they do.
LASTING = {
    "pause service", "pause worker", "lock database", "full disk", "clock jump",
    "kill database", "crash database", "pause database",
}  # fmt: skip
# What comes on top: a kill of whatever serves.
NESTED = {
    "sqlite": ("kill service", "kill at a point"),
    "postgres": ("kill worker", "kill worker", "kill at a point", "kill all workers"),
}
NESTED_SHARE = 0.4
# Shares of faults after which the next comes at once, without waiting for votes.
HASTY_SHARE = 0.3
SHORTEST, LONGEST = 0.1, 5.5


class Planned(NamedTuple):
    """A fault to come: how long it lasts, what comes on top, and the pause before the next.

    `chance` is a number in [0, 1) for whatever else is random in it.
    """

    kind: str
    seconds: float
    nested: str
    chance: float
    hasty: bool
    pause: float


def plan(seed: int, round: int, engine: str) -> Iterator[Planned]:
    """The faults of a round, without end."""
    chance = random.Random(f"{engine} {seed} {round}")
    kinds, weights = zip(*WEIGHTS[engine].items(), strict=True)
    while True:
        (kind,) = chance.choices(kinds, weights)
        # Most are short; some are longer than the service waits for its database.
        seconds = SHORTEST + (LONGEST - SHORTEST) * chance.random() ** 3
        on_top = chance.choice(NESTED[engine]) if chance.random() < NESTED_SHARE else ""
        yield Planned(
            kind,
            seconds,
            on_top if kind in LASTING else "",
            chance.random(),
            chance.random() < HASTY_SHARE,
            0.4 * chance.random(),
        )
