"""The settings of a race on a finite set of examples, checked."""

import math
from dataclasses import dataclass

from plaudit.errors import InvalidInput
from plaudit.race.arguments import check_wanted, check_whole
from plaudit.scale import Scale

MOST_ITEMS = 100_000
MOST_EXAMPLES = 2**31 - 1
# A capital for every item and place.
MOST_CAPITALS = 2**24
# With an epsilon: the share of delta that puts items out. The rest names leaders up to epsilon.
OUT_SHARE = 0.75


@dataclass(frozen=True)
class FiniteSettings:
    """What a race on a finite set of examples was started with."""

    items: int
    examples: int
    delta: float
    top: int
    epsilon: float
    scale: Scale | None
    seed: int
    tolerance: int = 0

    def __post_init__(self) -> None:
        check_wanted(self, most_items=MOST_ITEMS)
        check_whole("examples", self.examples, 1, MOST_EXAMPLES)
        if self.items * self.top > MOST_CAPITALS:
            raise InvalidInput(
                f"{self.items:,} items for {self.top:,} places are too many: at most "
                f"{MOST_CAPITALS // self.items:,} places are possible with so many items."
            )

    @property
    def level(self) -> float:
        """The logarithm of the capital that puts an item out: top of them share delta."""
        share = OUT_SHARE if self.epsilon > 0.0 else 1.0
        return math.log(self.top / (share * self.delta))

    @property
    def near_level(self) -> float:
        """The same for an item that is not better than a leader by more than epsilon."""
        if self.epsilon <= 0.0:
            return math.inf
        return math.log(self.top / ((1.0 - OUT_SHARE) * self.delta))
