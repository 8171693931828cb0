"""What raters proposed, and what became of it, as the log tells it."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from plaudit.store.log import NONE
from plaudit.words import N_

# Whether raters may propose items: not at all, for the editor to decide, or into the race at once.
PROPOSALS = OFF, HELD, AT_ONCE = "off", "held", "at-once"
# Why an editor does not take a proposal; a log keeps the word, and its author reads the sentence.
REFUSALS: Mapping[str, str] = {
    "duplicate": N_("It says the same as another item."),
    "off-topic": N_("It does not fit this contest."),
    "offensive": N_("It may hurt somebody."),
    "unclear": N_("It is hard to understand."),
    "other": N_("The people who run the contest decided so."),
}
LONGEST_NOTE = 300
# What a proposal can be: it waits, became an item, was refused, or its item was taken out again.
STANDINGS = WAITING, TAKEN, REFUSED, WITHDRAWN = "waiting", "taken", "refused", "withdrawn"


class Proposal(Struct, frozen=True):
    """An item that a rater, by number, proposed.

    `item` is the item that it became, `reason` why it was refused; it waits if it has neither.
    """

    rater: int
    text: str
    item: int = NONE
    reason: str = ""
    note: str = ""

    @property
    def waits(self) -> bool:
        """Whether nobody has decided about it."""
        return self.item == NONE and not self.reason


class Proposals:
    """The proposals of a contest by position, and the items of each rater who proposed some.

    A rater is never asked about an item of their own.
    """

    def __init__(self) -> None:
        self.proposals: dict[int, Proposal] = {}
        self.authored: dict[int, tuple[int, ...]] = {}

    @property
    def proposals_waiting(self) -> list[int]:
        """The proposals about which nobody has decided, oldest first."""
        return [position for position, one in self.proposals.items() if one.waits]

    @property
    def proposals_counted(self) -> int:
        """How many proposals count for the contest's limit: all but those refused."""
        return sum(not one.reason for one in self.proposals.values())

    def proposals_of(self, rater: int) -> dict[int, Proposal]:
        """The proposals of a rater, oldest first."""
        return {at: one for at, one in self.proposals.items() if one.rater == rater}

    def add_proposal(self, position: int, rater: int, text: str) -> None:
        """Notes a proposal, which waits."""
        self.proposals[position] = Proposal(rater, text)

    def take_proposals(self, positions: Sequence[int], items: Iterable[int]) -> None:
        """Lets proposals become items."""
        for position, item in zip(positions, items, strict=False):
            taken = replace(self.proposals[position], item=item)
            self.proposals[position] = taken
            self.authored[taken.rater] = (*self.authored.get(taken.rater, ()), item)

    def refuse_proposals(self, positions: Iterable[int], reason: str, note: str) -> None:
        """Refuses proposals."""
        for position in positions:
            refused = replace(self.proposals[position], reason=reason, note=note)
            self.proposals[position] = refused

    def reconsider_proposals(self, positions: Iterable[int]) -> None:
        """Lets refused proposals wait again."""
        self.refuse_proposals(positions, "", "")
