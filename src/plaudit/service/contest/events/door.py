"""Who may vote: codes, the list of ids, and the keys that sign links."""

from typing import TYPE_CHECKING, Any

from plaudit.service.contest.events.event import ContestEvent, Past, Thing
from plaudit.store.log import Kind

if TYPE_CHECKING:
    from plaudit.service.contest.state import ContestState


class CodesMade(ContestEvent, frozen=True, omit_defaults=True):
    """Codes were made, so that there are codes up to this number."""

    kind = Kind.CODES
    upto: int

    def before(self, contest: "ContestState") -> dict[str, Any]:
        return {"upto": contest.codes}

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.make_codes(self.upto)


class CodesRevoked(ContestEvent, frozen=True, omit_defaults=True):
    """Codes were revoked, or (`back`) revoked ones work again; by their numbers."""

    kind = Kind.REVOKE
    codes: tuple[int, ...] = ()
    back: tuple[int, ...] = ()
    undoes: int = 0

    def touches(self, contest: "ContestState") -> list[Thing]:
        revoked = {*self.codes} - contest.revoked_codes
        back = contest.revoked_codes.intersection(self.back)
        return [("code", number) for number in sorted(revoked | back)]

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.change_codes(self.codes, self.back)


class ListChanged(ContestEvent, frozen=True, omit_defaults=True):
    """Ids were put on the list of those who may vote, or taken off it; by their keyed hashes."""

    kind = Kind.LIST
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    undoes: int = 0

    def touches(self, contest: "ContestState") -> list[Thing]:
        added = {*self.added} - contest.listed
        removed = contest.listed.intersection(self.removed)
        return [("id", one) for one in sorted(added | removed)]

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.change_list(self.added, self.removed)


class LinkKeyChanged(ContestEvent, frozen=True, omit_defaults=True):
    """Another key signs links from now on; keys are numbered from 0."""

    kind = Kind.LINK_KEY
    number: int

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.change_link_key(self.number)
