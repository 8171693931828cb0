"""What all events have in common."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from msgspec import Struct

from plaudit.store.log import Entry, Kind

if TYPE_CHECKING:
    from plaudit.service.contest.state import ContestState

# What an event changes: ("item", 3), ("field", "title"), ("rater", 5), ("state", ""), ("code", 7),
# ("proposal", 40) by its position, or ("id", "…") for an id of the list.
Thing = tuple[str, Any]
AnswersOf = Mapping[int, Sequence[Entry]]


class Past(NamedTuple):
    """The answers before an event that it concerns: by rater, and by item."""

    position: int
    of_raters: AnswersOf
    on_items: AnswersOf


class ContestEvent(Struct, frozen=True, omit_defaults=True):
    """What happened to a contest; `undoes` is the position of the event that it undoes."""

    kind: ClassVar[Kind]

    def change(self, contest: "ContestState", past: Past) -> None:
        """Changes the state of the contest."""

    def touches(self, contest: "ContestState") -> list[Thing]:
        """What it changes; `contest` is the state before it."""
        return []

    def before(self, contest: "ContestState") -> dict[str, Any]:
        """The values that it replaces, if its opposite needs them."""
        return {}

    @property
    def reopens(self) -> bool:
        """Whether races are built anew after it, so that earlier verdicts no longer stand."""
        return False

    @property
    def undone_position(self) -> int:
        """The position of the event that this one undoes; 0 if it undoes none."""
        return getattr(self, "undoes", 0)
