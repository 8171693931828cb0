"""Raters whose votes no longer count, or count again."""

from typing import TYPE_CHECKING, Any

from plaudit.service.contest.events.event import ContestEvent, Past, Thing
from plaudit.service.contest.grounds import UNKNOWN
from plaudit.store.log import Kind

if TYPE_CHECKING:
    from plaudit.service.contest.state import ContestState


class RaterEvent(ContestEvent, frozen=True, omit_defaults=True):
    """A change of which raters count."""

    # Logs of earlier editions name one rater in each event, as `rater`.
    raters: tuple[int, ...] = ()
    rater: int | None = None
    undoes: int = 0

    @property
    def named(self) -> tuple[int, ...]:
        """The raters that it concerns."""
        if self.raters or self.rater is None:
            return self.raters
        return (self.rater,)

    @property
    def reopens(self) -> bool:
        return True


class RatersExcluded(RaterEvent, frozen=True, omit_defaults=True):
    """The votes of raters no longer count.

    `grounds` says why: one of `grounds.GROUNDS` for all raters, or one for each of them, in order.
    """

    kind = Kind.EXCLUDE
    grounds: str | tuple[str, ...] = UNKNOWN

    @property
    def grounds_of_each(self) -> tuple[str, ...]:
        """The grounds for each of the raters, in the order of `named`."""
        if isinstance(self.grounds, str):
            return (self.grounds,) * len(self.named)
        return self.grounds

    def touches(self, contest: "ContestState") -> list[Thing]:
        return [("rater", one) for one in sorted({*self.named} - contest.excluded)]

    def change(self, contest: "ContestState", past: Past) -> None:
        for rater, grounds in zip(self.named, self.grounds_of_each, strict=True):
            contest.exclude_rater(rater, past, grounds=grounds)


class RatersReadmitted(RaterEvent, frozen=True, omit_defaults=True):
    """The votes of raters count again, except those of erased raters."""

    kind = Kind.READMIT

    def touches(self, contest: "ContestState") -> list[Thing]:
        back = contest.excluded.intersection(self.named) - contest.erased
        return [("rater", one) for one in sorted(back)]

    def before(self, contest: "ContestState") -> dict[str, Any]:
        """The grounds on which each of them was excluded."""
        return {"grounds": {rater: contest.grounds.get(rater, UNKNOWN) for rater in self.named}}

    def change(self, contest: "ContestState", past: Past) -> None:
        for rater in self.named:
            contest.readmit_rater(rater, past)


class RatersErased(RaterEvent, frozen=True, omit_defaults=True):
    """Raters were erased for good; their votes no longer count."""

    kind = Kind.ERASE

    def touches(self, contest: "ContestState") -> list[Thing]:
        return [("rater", one) for one in self.named]

    def change(self, contest: "ContestState", past: Past) -> None:
        for rater in self.named:
            contest.erase_rater(rater, past)
