"""What the desk does to the items of a contest: add, withdraw, bring back, edit and merge."""

from collections.abc import Iterable, Sequence

from plaudit.errors import InvalidInput, NotAllowed
from plaudit.service.accounts.roles import COMMAND_LINE, Actor
from plaudit.service.contest import words
from plaudit.service.desk.checks import check_algorithms, check_alone, check_items, check_left
from plaudit.service.desk.step import Stepping, added
from plaudit.service.intake.contest_file import checked_items
from plaudit.store.contract import Asset, Item
from plaudit.store.log import Entry, Kind


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
            raise InvalidInput("There are no items to add: give at least one.")
        self._put_pictures(pictures)
        return self._append(
            history, Kind.ADD, added(new), by=by, what=words.added(first, len(new)),
            items=new,
        )  # fmt: skip

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
            raise NotAllowed("All of these items were withdrawn already.")
        check_left(history, history.present - len(new), f"Withdrawing {len(new)} items")
        return self._append(history, Kind.WITHDRAW, {"items": new}, by=by, what=words.withdrew(new))

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
            raise NotAllowed("None of these items is withdrawn.")
        check_alone(history, back)
        return self._append(
            history, Kind.RESTORE, {"items": back, "without": []}, by=by, what=words.restored(back)
        )

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
        if gone or not old:
            named = f"{words.listed(gone)} {'is' if len(gone) == 1 else 'are'} withdrawn"
            told = named.capitalize() if gone else "No item was named"
            raise NotAllowed(f"{told}: only an item that is there can be replaced.")
        (first,) = self._store.items(name, first=items[0], limit=1)
        wanted = (first.text if text is None else text, first.image if image is None else image)
        (given,) = checked_items([wanted], is_there=self._has_picture)
        check_left(history, history.present - len(old) + 1, f"Merging {len(old)} items")
        if len(old) == 1 and (given.text, given.image) == (first.text, first.image):
            raise NotAllowed("Nothing changes: the item says this already.")
        new = [Item(number, given.text, given.image)]
        payload = {"items": old, **added(new), "votes": keep_votes}
        what = words.replaced(old, number, keep_votes=keep_votes)
        return self._append(history, Kind.REPLACE, payload, by=by, what=what, items=new)

    def _has_picture(self, hash: str) -> bool:
        return bool(self._store.hold_assets([hash], at=self._clock()))
