"""The settings of a paired race, checked."""

import math
from dataclasses import asdict, dataclass
from typing import Any

from plaudit.errors import InvalidInput
from plaudit.race.arguments import check_wanted
from plaudit.race.paired.ledger import lattice_of
from plaudit.scale import Scale

# Evidence is kept for every pair of items.
MOST_ITEMS = 500
# Differences kept aside for the tolerance, over all pairs: half a gigabyte.
MOST_ASIDE = 2**26


@dataclass(frozen=True)
class PairedSettings:
    """What a paired race was started with."""

    items: int
    delta: float
    top: int
    epsilon: float
    scale: Scale | None
    tolerance: int
    seed: int

    def __post_init__(self) -> None:
        check_wanted(self, most_items=MOST_ITEMS)
        aside = self.items * (self.items - 1) * self.tolerance
        if aside > MOST_ASIDE and not lattice_of(self.scale).size:
            most = MOST_ASIDE // (self.items * (self.items - 1))
            raise InvalidInput(
                f"A tolerance of {self.tolerance} is too much to keep for every pair of "
                f"{self.items} items without a scale; at most {most} is possible. Give the race a "
                "scale, or compare fewer items."
            )

    @property
    def level(self) -> float:
        """The logarithm of the capital that settles a claim: k (n - k) claims share delta."""
        return math.log(self.top * (self.items - self.top) / self.delta)

    def as_dict(self) -> dict[str, Any]:
        """The settings as plain values, from which they can be made again."""
        return asdict(self)
