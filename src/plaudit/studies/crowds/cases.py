"""What `crowds` compares: instances, crowds and algorithms."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from plaudit.simulation.crowds import ATTACKS
from plaudit.simulation.profiles import Profile
from plaudit.studies.entrants import ENTRANTS, OURS
from plaudit.studies.level_laws import three_levels

FAKES = 4
PRODUCTS = "products"
OPPOSED = "camps, opposed"
PUBLISHED = ("lil-klucb", "kl-lucb", "lucb++")
# The default with a tolerance of as many raters as there are fakes.
TOLERANT = f"{OURS}, tolerance {FAKES}"


@dataclass(frozen=True)
class Instance:
    """A profile, what is asked of it, and how long visits are; `raters` come at most."""

    name: str
    profile: Profile
    delta: float
    visit: int
    raters: int
    epsilon: float = 0.0


@dataclass(frozen=True)
class Kind:
    """A crowd: who comes and how visits go. `covered`: the theorem has it, if nobody lies."""

    name: str
    people: str
    covered: bool = True
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def attacked(self) -> bool:
        """Whether fakes are in it."""
        return self.people.partition(":")[0] in ATTACKS


TWO = Instance("two items", Profile.bernoulli([0.5001, 0.4999]), 0.01, 2, 300)
SIX = Instance("six items", three_levels([0.75] + 5 * [0.5]), 0.1, 3, 400)
_CONTEST_MEANS = np.r_[0.75, 0.62 - 0.5 * (np.arange(199) / 199) ** 0.5]
CONTEST = Instance("200 items", three_levels(_CONTEST_MEANS.tolist()), 0.05, 10, 4000, 0.05)
INSTANCES = {one.name: one for one in (TWO, SIX, CONTEST)}

SHUFFLED = {"shuffled": True}
HONEST = (
    Kind("independent", "independent"),
    Kind("kind and stern, 0.15", "kind-stern:0.15"),
    Kind("kind and stern, 0.32", "kind-stern:0.32"),
    Kind("camps, half opposed", "camps:0.5"),
    Kind(OPPOSED, "camps:1"),
    Kind("one in ten careless", "careless:0.1"),
    Kind("tired, lists shuffled", "fatigue:0.5", options=SHUFFLED),
    # Lists that look at unfinished visits are the gap that the theory page names.
    Kind("overlapping visits", "kind-stern:0.32", covered=False, options={"at_once": 10}),
    Kind("vote by vote", "kind-stern:0.32", covered=False, options={"listed": False}),
    Kind("tired, as asked", "fatigue:0.5", covered=False),
    Kind("moods of the day", "mood:0.3", covered=False),
    Kind("tastes drift", "drift:0.3", covered=False),
)
ATTACKED = tuple(Kind(attack, f"{attack}:{FAKES}", covered=False) for attack in ATTACKS)
KINDS = {kind.name: kind for kind in (*HONEST, *ATTACKED)}

CONTENDERS: dict[str, dict[str, Any]] = {
    OURS: {"algorithm": OURS},
    PRODUCTS: {"algorithm": OURS, "stopping": "evidence"},
    **{name: dict(ENTRANTS[name].settings) for name in PUBLISHED},
    TOLERANT: {"algorithm": OURS, "tolerance": FAKES},
}


def contenders_for(kind: Kind) -> list[str]:
    """Who races on a crowd: the tolerance only where there are fakes."""
    return [name for name in CONTENDERS if kind.attacked or name != TOLERANT]
