"""What the desk does to the items of a contest: add, withdraw, bring back, edit and merge."""

from collections.abc import Iterable, Sequence

from plaudit.errors import InvalidInput, NotAllowed
from plaudit.phrase import Item as ItemNumber
from plaudit.phrase import Phrase
from plaudit.service.accounts.roles import COMMAND_LINE, Actor
from plaudit.service.contest.events import ItemsReplaced, ItemsRestored, ItemsWithdrawn
from plaudit.service.desk.checks import check_algorithms, check_alone, check_items, check_left
from plaudit.service.desk.step import Stepping, added
from plaudit.service.intake.contest_file import checked_items
from plaudit.store.contract import Asset, Item
from plaudit.store.log import Entry
from plaudit.words import N_


class ItemSteps(Stepping):
    """Steps on items. What was voted on never changes: an edit puts a new item in its place."""

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
        """Lets new items join; they are numbered after those that are there."""
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
        """Takes items out; their votes count for nothing while they are."""
        history = self._changeable(name, by, epoch)
        check_algorithms(history.settings)
        check_items(history, items)
        new = sorted(set(items) - history.contest.withdrawn)
        if not new:
            raise NotAllowed(Phrase(N_("All of these items were withdrawn already.")))
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
        """Lets withdrawn items come back, with their votes."""
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
        """Puts a new item in the place of one or several.

        With `keep_votes` it has their votes, a rater's first alone: a slip of the pen, or
        duplicates that are merged. Without, it starts anew. `image` is the hash of a picture, or
        "" for none. What is not given is as with the first of the items.
        """
        history = self._changeable(name, by, epoch)
        check_algorithms(history.settings)
        check_items(history, items)
        old, number = sorted(set(items)), history.contest.items
        gone = sorted(history.contest.withdrawn.intersection(old))
        if not old:
            raise NotAllowed(Phrase(N_("No item was named: name at least one to replace.")))
        if gone:
            told = N_("Item {item} is withdrawn: only an item that is there can be replaced.")
            raise NotAllowed(Phrase(told, item=ItemNumber(gone[0])))
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
