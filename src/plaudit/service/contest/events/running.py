"""How a contest runs: its settings, its state and its verdicts."""

from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct, UnsetType

from plaudit.service.contest.changes import OF_THE_RACE
from plaudit.service.contest.events.event import ContestEvent, Past, Thing
from plaudit.store.log import Kind

if TYPE_CHECKING:
    from plaudit.service.contest.state import ContestState


class SettingsChanged(ContestEvent, frozen=True, omit_defaults=True):
    """Settings were changed."""

    kind = Kind.SETTINGS
    set: dict[str, Any]
    undoes: int = 0

    @property
    def reopens(self) -> bool:
        return bool(self.set.keys() & OF_THE_RACE)

    def touches(self, contest: "ContestState") -> list[Thing]:
        return [("field", name) for name in self.set]

    def before(self, contest: "ContestState") -> dict[str, Any]:
        return contest.setting_values(self.set)

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.set_fields(self.set)


class StateChanged(ContestEvent, frozen=True, omit_defaults=True):
    """The contest was opened, paused, closed or retired."""

    kind = Kind.STATE
    state: str
    undoes: int = 0

    def touches(self, contest: "ContestState") -> list[Thing]:
        return [("state", "")]

    def before(self, contest: "ContestState") -> dict[str, Any]:
        return {"state": contest.state}

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.state = self.state


class Exclusions(Struct, frozen=True):
    """What a verdict owes to excluded raters; it has more in the certificate.

    `raters` were excluded when it was reached, `by_votes` of them by their votes. `same` says
    whether the verdict is proven to be the same with or without those.
    """

    raters: int
    by_votes: int
    same: bool


class VerdictReached(ContestEvent, frozen=True, omit_defaults=False, kw_only=True):
    """A race reached its verdict; its certificate in the store has the proof."""

    kind = Kind.VERDICT
    lane: int
    judged_at: int = 0
    winners: tuple[int, ...]
    delta: float | None
    epsilon: float = 0.0
    top: int = 1
    votes: int = 0
    gap: float | None = None
    # Verdicts of earlier editions do not have it, and their bytes stay as they are.
    exclusions: Exclusions | UnsetType = UNSET
    # How many dishonest raters it had to withstand, and how many it does; None without a proof.
    tolerance: int | UnsetType = UNSET
    withstands: int | UnsetType | None = UNSET

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.verdicts[self.lane] = self
