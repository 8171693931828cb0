"""What fakes do: which items they vote on, how, and when.

Fakes are the strongest that there can be: they know the true means, are in league, and vote on any
item at any time, each once on an item. What they may not do is vote twice.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.simulation.profiles import Profile

# When fakes vote: before all others; when the race is well under way, having voted honestly on
# other items first; when the verdict is near; when luck is against the best item.
EARLY, AWAKE, LATE, ADAPTIVE = 0, 1, 2, 3
# Sleepers wake up after so many raters.
WAKE = 40
# Late: when the gap between the leading set and the rest is so little above epsilon.
NEAR = 0.1
# Adaptive: when the best item has so many votes' worth less than it deserves, or after `WAKE`.
BAD_LUCK = 1.5
FIRST = 5


@dataclass(frozen=True)
class Attack:
    """Which items are voted down or up, when, and in words."""

    when: int
    says: str
    down: int = 0
    up: bool = False


ATTACKS = {
    "knock-out": Attack(EARLY, "the lowest level for the best item, before anyone else votes", 1),
    "knock-out-five": Attack(EARLY, "the same for the five best items", FIRST),
    "push": Attack(EARLY, "the highest level for the best wrong item, before anyone else", up=True),
    "push-and-knock-out": Attack(EARLY, "both, for all that is better than the wrong item (at most "
                                 "five)", FIRST, up=True),
    "sleepers": Attack(AWAKE, f"vote honestly on other items at first; push and knock out after "
                       f"{WAKE} raters", FIRST, up=True),
    "late": Attack(LATE, "push and knock out when the verdict is near", FIRST, up=True),
    "adaptive": Attack(ADAPTIVE, "see all votes, and push and knock out when luck is against the "
                       "best item", FIRST, up=True),
}  # fmt: skip


class Targets(NamedTuple):
    """The items that fakes vote on, and the level that each gets; the best comes first."""

    items: NDArray[np.int64]
    levels: NDArray[np.int64]


class Strike(NamedTuple):
    """An attack as compiled code reads it; `best_mean` is that of the first target."""

    when: int
    fakes: int
    items: NDArray[np.int64]
    levels: NDArray[np.int64]
    best_mean: float


def targets_of(attack: str, profile: Profile, *, top: int = 1, epsilon: float = 0.0) -> Targets:
    """Which items an attack votes on, and how: those who attack know the truth.

    >>> targets_of("push-and-knock-out", Profile.bernoulli([0.5, 0.4, 0.9]))
    Targets(items=array([2, 0]), levels=array([0, 1]))
    """
    plan = ATTACKS[attack]
    order = np.argsort(-profile.means, kind="stable")
    means = profile.means[order]
    wrong = order[means < means[top - 1] - epsilon - 1e-12]
    # With slack for all, nothing is wrong: then the last is as good as any.
    pushed = int(wrong[0]) if wrong.size else int(order[-1])
    better = [int(item) for item in order[: plan.down] if not plan.up or item != pushed]
    if plan.up:
        better = better[: list(order).index(pushed)]
    items = better[: len(profile) - 1] + ([pushed] if plan.up else [])
    levels = [0] * (len(items) - plan.up) + [profile.values.size - 1] * plan.up
    return Targets(np.array(items, dtype=np.int64), np.array(levels, dtype=np.int64))


def strike_of(attack: str, fakes: int, profile: Profile, *, top: int, epsilon: float) -> Strike:
    """The attack on the races of a profile; no attack has no fakes."""
    if not fakes:
        return Strike(EARLY, 0, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), 0.0)
    items, levels = targets_of(attack, profile, top=top, epsilon=epsilon)
    return Strike(ATTACKS[attack].when, fakes, items, levels, float(profile.means[items[0]]))
