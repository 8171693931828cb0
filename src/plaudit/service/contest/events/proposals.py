"""Items that raters propose."""

from typing import TYPE_CHECKING, Any

from plaudit.service.contest.events.event import ContestEvent, Past, Thing
from plaudit.store.log import Kind

if TYPE_CHECKING:
    from plaudit.service.contest.state import ContestState


class ItemProposed(ContestEvent, frozen=True, omit_defaults=True):
    """A rater proposed an item; the position of this event is the proposal's number."""

    kind = Kind.PROPOSE
    rater: int
    text: str

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.add_proposal(past.position, self.rater, self.text)


class ProposalsRefused(ContestEvent, frozen=True, omit_defaults=True):
    """Proposals were refused for a reason, or (`back`) refused ones wait again; by position."""

    kind = Kind.REFUSE
    proposals: tuple[int, ...] = ()
    reason: str = ""
    note: str = ""
    back: tuple[int, ...] = ()
    undoes: int = 0

    def touches(self, contest: "ContestState") -> list[Thing]:
        return [("proposal", one) for one in (*self.proposals, *self.back)]

    def before(self, contest: "ContestState") -> dict[str, Any]:
        """Why those that come back had been refused: all for one reason, in one step."""
        known = [contest.proposals[one] for one in self.back if one in contest.proposals]
        return {"reason": known[0].reason, "note": known[0].note} if known else {}

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.refuse_proposals(self.proposals, self.reason, self.note)
        contest.reconsider_proposals(self.back)
