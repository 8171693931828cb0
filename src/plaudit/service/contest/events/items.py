"""Items that come and go."""

from typing import TYPE_CHECKING

from plaudit.service.contest.events.event import ContestEvent, Past, Thing
from plaudit.store.log import Kind

if TYPE_CHECKING:
    from plaudit.service.contest.state import ContestState


class ItemEvent(ContestEvent, frozen=True, omit_defaults=True):
    """A change of the items."""

    @property
    def reopens(self) -> bool:
        return True

    @property
    def numbers(self) -> list[int]:
        """The items that are added, withdrawn or restored."""
        return []

    def touches(self, contest: "ContestState") -> list[Thing]:
        return [("item", number) for number in self.numbers]


class ItemsAdded(ItemEvent, frozen=True, omit_defaults=True):
    """Items were added; `digest` is the digest of their texts and pictures.

    `proposals` are the positions of the proposals that they come from, one for each, if any.
    """

    kind = Kind.ADD
    first: int
    count: int
    digest: str | None = None
    undoes: int = 0
    proposals: tuple[int, ...] = ()

    @property
    def new(self) -> range:
        """The numbers of the new items."""
        return range(self.first, self.first + self.count)

    @property
    def numbers(self) -> list[int]:
        return [*self.new]

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.add_items(self.count)
        contest.take_proposals(self.proposals, self.new)


class ItemsWithdrawn(ItemEvent, frozen=True, omit_defaults=True):
    """Items were withdrawn."""

    kind = Kind.WITHDRAW
    items: tuple[int, ...]
    undoes: int = 0

    @property
    def numbers(self) -> list[int]:
        return [*self.items]

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.withdraw_items(self.items)


class ItemsReplaced(ItemEvent, frozen=True, omit_defaults=True, kw_only=True):
    """A new item replaced others; with `votes` it keeps their votes."""

    kind = Kind.REPLACE
    items: tuple[int, ...]
    first: int
    count: int
    digest: str | None = None
    votes: bool
    undoes: int = 0

    @property
    def new(self) -> range:
        """The number of the new item, as a range of one."""
        return range(self.first, self.first + self.count)

    @property
    def numbers(self) -> list[int]:
        return [*self.items, *self.new]

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.replace_items(self.items, keep_votes=self.votes, past=past)


class ItemsRestored(ItemEvent, frozen=True, omit_defaults=True):
    """Withdrawn items were restored, and the items in `without` were withdrawn."""

    kind = Kind.RESTORE
    items: tuple[int, ...]
    without: tuple[int, ...]
    undoes: int = 0

    @property
    def numbers(self) -> list[int]:
        return [*self.items, *self.without]

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.restore_items(self.items, self.without)
