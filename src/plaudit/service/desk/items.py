"""The desk's steps on items: add, withdraw, bring back, edit and merge."""

from collections.abc import Iterable, Sequence

from plaudit.errors import InvalidInput, NotAllowed
from plaudit.phrase import Items, Phrase
from plaudit.service.accounts.roles import COMMAND_LINE, Actor
from plaudit.service.contest.events import ItemsReplaced, ItemsRestored, ItemsWithdrawn
from plaudit.service.desk.checks import check_algorithms, check_alone, check_items, check_left
from plaudit.service.desk.step import Stepping, added
from plaudit.service.intake.contest_file import checked_items
from plaudit.store.contract import Asset, Item
from plaudit.store.log import Entry
from plaudit.words import N_


class ItemSteps(Stepping):
    """Steps on items. An item never changes: an edit replaces it by a new one."""

    def _put_pictures(self, pictures: Iterable[Asset]) -> None:
        for picture in pictures:
            self._store.put_asset(picture.media_type, picture.body, at=self._clock())

    def add_items(
        self,
        name: str,
        items: Iterable[Item],
        *,
        pictures: Iterable[Asset] = (),
        by: Actor = COMMAND_LINE,
        epoch: int | None = None,
    ) -> Entry:
        """Adds items; their numbers follow those of the existing items."""
        history = self._changeable(name, by, epoch)
        if history.contest.begun:
            check_algorithms(history.settings)
        first = history.contest.items
        new = [Item(first + k, item.text, item.image) for k, item in enumerate(items)]
        if not new:
            raise InvalidInput(Phrase(N_("There are no items to add: give at least one.")))
        self._put_pictures(pictures)
        return self._append(history, added(new), by=by, items=new)

    def withdraw(
        self,
        name: str,
        items: Sequence[int],
        *,
        by: Actor = COMMAND_LINE,
        epoch: int | None = None,
    ) -> Entry:
        """Withdraws items; their votes do not count while they are withdrawn."""
        history = self._changeable(name, by, epoch)
        check_algorithms(history.settings)
        check_items(history, items)
        new = sorted(set(items) - history.contest.withdrawn)
        if not new:
            raise NotAllowed(Phrase(N_("All of these items are withdrawn already.")))
        check_left(history, history.contest.present - len(new))
        return self._append(history, ItemsWithdrawn(tuple(new)), by=by)

    def restore(
        self,
        name: str,
        items: Sequence[int],
        *,
        by: Actor = COMMAND_LINE,
        epoch: int | None = None,
    ) -> Entry:
        """Brings back withdrawn items, with their votes."""
        history = self._changeable(name, by, epoch)
        check_items(history, items)
        back = sorted(set(items) & history.contest.withdrawn)
        if not back:
            raise NotAllowed(Phrase(N_("None of these items is withdrawn.")))
        check_alone(history, back)
        return self._append(history, ItemsRestored(tuple(back), ()), by=by)

    def replace(
        self,
        name: str,
        items: Sequence[int],
        text: str | None = None,
        image: str | None = None,
        *,
        keep_votes: bool,
        by: Actor = COMMAND_LINE,
        epoch: int | None = None,
    ) -> Entry:
        """Replaces one or several items by a new one.

        With `keep_votes` the new item keeps their votes, of each rater only the first: for a typo
        fix, or to merge duplicates. Otherwise it starts anew. `image` is the hash of a
        picture, or "" for none. A text or image that is not given is that of the first item.
        """
        history = self._changeable(name, by, epoch)
        check_algorithms(history.settings)
        check_items(history, items)
        old, number = sorted(set(items)), history.contest.items
        gone = sorted(history.contest.withdrawn.intersection(old))
        if not old:
            raise NotAllowed(Phrase(N_("No item was named: name at least one to replace.")))
        if gone:
            text = N_("Withdrawn items cannot be replaced. Bring back {items} first.")
            raise NotAllowed(Phrase(text, items=Items(gone)))
        (first,) = self._store.items(name, first=items[0], limit=1)
        wanted = (first.text if text is None else text, first.image if image is None else image)
        (given,) = checked_items([wanted], is_there=self._has_picture)
        check_left(history, history.contest.present - len(old) + 1)
        if len(old) == 1 and (given.text, given.image) == (first.text, first.image):
            raise NotAllowed(Phrase(N_("No changes: the item says this already.")))
        new = [Item(number, given.text, given.image)]
        joined = added(new)
        event = ItemsReplaced(
            items=tuple(old),
            first=joined.first,
            count=joined.count,
            digest=joined.digest,
            votes=keep_votes,
        )
        return self._append(history, event, by=by, items=new)

    def _has_picture(self, hash: str) -> bool:
        return bool(self._store.hold_assets([hash], at=self._clock()))
