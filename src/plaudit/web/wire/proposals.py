"""The formats of the API for proposals: what raters send and read, and the list for editors."""

from typing import Annotated

from msgspec import Meta, Struct

from plaudit.service.contest.proposals import LONGEST_NOTE, REFUSALS, STANDINGS
from plaudit.service.intake.item_list import LONGEST_ITEM
from plaudit.web.wire.running import Change, ItemText
from plaudit.web.wire.voting import In

MOST_AT_ONCE = 1_000
Number = Annotated[
    int, Meta(ge=1, le=2**53, description="A proposal by its number: its position in the log.")
]
Standing = Annotated[str, Meta(pattern=f"^({'|'.join(STANDINGS)})$")]


class Propose(In):
    """An item that a rater proposes; `anyway` sends it although others are near."""

    text: Annotated[str, Meta(min_length=1, max_length=LONGEST_ITEM)]
    anyway: bool = False


class NearItem(Struct):
    """An item that is near, or without `id` a proposal of the same rater that waits."""

    item: int | None
    id: str | None
    text: str


class ProposedNow(Struct):
    """What became of a proposal: `waiting`, `taken` as an item, or `near`: it was not sent.

    `near` lists what is like it; send it again with `anyway` if it is something else.
    """

    standing: str
    proposal: int | None
    item: int | None
    id: str | None
    near: list[NearItem]


class OwnProposal(Struct):
    """A proposal of the rater who asks; `sentence` says what became of it."""

    proposal: int
    text: str
    standing: Standing
    item: int | None
    id: str | None
    reason: str
    note: str
    sentence: str


class OwnProposals(Struct):
    """The proposals of the rater who asks, oldest first, and how many more they may send."""

    proposals: list[OwnProposal]
    left: int


class QueuedProposal(Struct):
    """A proposal as editors see it; `near` lists items like one that waits.

    `item_text` is what its item says, which may have been changed when it was taken.
    """

    proposal: int
    at: int
    rater: int
    excluded: bool
    text: str
    standing: Standing
    item: int | None
    id: str | None
    item_text: str
    reason: str
    note: str
    near: list[NearItem]


class ProposalQueue(Struct):
    """The proposals of a contest, oldest first, and how many of them wait."""

    name: str
    epoch: int
    waiting: int
    proposals: list[QueuedProposal]


class ToTake(In):
    """A proposal to take; `text` is what the item says instead, if it is given."""

    proposal: Number
    text: ItemText | None = None


class TakeProposals(Change, kw_only=True):
    """Proposals that join as items, in one step."""

    proposals: Annotated[list[ToTake], Meta(min_length=1, max_length=MOST_AT_ONCE)]


class RefuseProposals(Change, kw_only=True):
    """Proposals to refuse in one step; their authors read the reason and the note."""

    proposals: Annotated[list[Number], Meta(min_length=1, max_length=MOST_AT_ONCE)]
    reason: Annotated[str, Meta(pattern=f"^({'|'.join(REFUSALS)})$")] = "other"
    note: Annotated[str, Meta(max_length=LONGEST_NOTE)] = ""
