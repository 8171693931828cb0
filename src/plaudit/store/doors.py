"""What a store promises about doors: how raters came in, and how many were turned away.

1. **Only counts.** Nothing here tells one rater from another, and refusals have neither an address
   nor a person.
2. **Counts add up.** Several workers may add refusals for the same contest, day and reason.

Exports have none of it: raters of a restored contest came by a door that is not known, 0.
"""

from collections.abc import Iterable
from typing import NamedTuple, Protocol


class Refusals(NamedTuple):
    """How often the door of a contest turned somebody away on a day, for one reason.

    `day` counts from 1970, UTC.
    """

    contest: str
    day: int
    reason: str
    times: int


class DoorStore(Protocol):
    """Counts of those who came in and of those who did not."""

    def raters_by_door(self, name: str) -> dict[int, int]:
        """How many raters came by each door, as their first answers said."""

    def add_refusals(self, refusals: Iterable[Refusals]) -> None:
        """Adds to the counts of refusals. Those of a contest that is not there are left out."""

    def refusals(self, name: str) -> list[Refusals]:
        """What the door of a contest turned away, by day and reason."""
