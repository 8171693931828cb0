"""What editors looked at and let be: flags, raters, and items that are alike but differ.

It is kept as deeds, with those who did it, so that all editors and workers know, also after a
restart. It changes no contest, so it is no event. The last deed about a subject stands.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from plaudit.service.accounts.roles import Actor
from plaudit.service.clock import now_ms
from plaudit.store.contract import Store
from plaudit.store.people import Deed

# More deeds of one contest than this are not looked through.
MOST = 20_000
_LEFT = re.compile(r"looked at (.+) and let it be \(entry ([0-9]+)\)")
_AGAIN = re.compile(r"wants to look at (.+) again")


class Looked(NamedTuple):
    """What was let be: by subject, the position of the log that the editor saw."""

    at: dict[str, int]

    def until(self, subject: str) -> int:
        """Up to which position a subject was looked at; 0 where it was not."""
        return self.at.get(subject, 0)


def flags_of(item: int) -> str:
    """The flags of an item, as a subject."""
    return f"the flags of item {item}"


def rater_of(number: int) -> str:
    """A rater, as a subject."""
    return f"rater {number}"


def group_of(items: Sequence[int]) -> str:
    """Items that are alike, as a subject.

    >>> group_of([8, 3])
    'whether items 3, 8 are the same'
    """
    return f"whether items {', '.join(str(item) for item in sorted(items))} are the same"


def let_be(
    store: Store,
    name: str,
    subject: str,
    *,
    position: int,
    by: Actor,
    clock: Callable[[], int] = now_ms,
) -> None:
    """Notes that somebody looked at a subject, as the log had it at a position."""
    what = f"looked at {subject} and let it be (entry {position})"
    store.note(Deed(clock(), by.name, what, contest=name))


def look_again(
    store: Store, name: str, subject: str, *, by: Actor, clock: Callable[[], int] = now_ms
) -> None:
    """Takes it back."""
    store.note(Deed(clock(), by.name, f"wants to look at {subject} again", contest=name))


def looked_at(store: Store, name: str) -> Looked:
    """All that was let be in a contest, and not taken back."""
    found: dict[str, int] = {}
    for deed in reversed(store.deeds(contest=name, limit=MOST)):
        if left := _LEFT.fullmatch(deed.what):
            found[left[1]] = int(left[2])
        elif again := _AGAIN.fullmatch(deed.what):
            found.pop(again[1], None)
    return Looked(found)
