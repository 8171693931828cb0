"""What somebody did to a contest, in words for the audit trail.

Deeds and errors have the numbers of the log, which begin at 0, as programs do. Pages show `told`,
where items are numbered from 1.
"""

import json
import re
from collections.abc import Iterable, Sequence

from plaudit.service.contest.state import raters_named
from plaudit.store.log import Entry, Kind

STEPS = {
    "open": "opened the contest",
    "pause": "paused the contest",
    "close": "closed the contest",
    "reopen": "reopened the contest",
    "retire": "retired the contest",
    "unretire": "brought the contest back from retirement",
}
# No key of a rater ever stands in a deed: deeds outlive an erasure.
_RATERS = {
    Kind.EXCLUDE: "excluded",
    Kind.READMIT: "readmitted",
    Kind.ERASE: "erased",
}
_MOST_NAMED = 12
_ITEMS = re.compile(
    r"\bitems? (?:[0-9]+(?:, | and )?)+|\bitems (?:are |\()[0-9]+ to [0-9]+",
    re.IGNORECASE,
)


def listed(numbers: Sequence[int], one: str = "item") -> str:
    """Items by number, as one says it.

    >>> listed([3]), listed([3, 7, 9]), listed(range(50))
    ('item 3', 'items 3, 7 and 9', '50 items')
    """
    if len(numbers) == 1:
        return f"{one} {numbers[0]}"
    if len(numbers) > _MOST_NAMED:
        return f"{len(numbers):,} {one}s"
    return f"{one}s {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def shown_number(number: int) -> int:
    """The number by which people know an item: the log and the API begin at 0, pages at 1."""
    return number + 1


def told(what: str) -> str:
    """A deed or an error as pages show it: its items are numbered from 1.

    >>> told("merged items 0, 7 and 9 into item 12"), told("added 3 items (8 to 10)")
    ('merged items 1, 8 and 10 into item 13', 'added 3 items (9 to 11)')
    """

    def shifted(found: re.Match[str]) -> str:
        return re.sub("[0-9]+", lambda one: str(shown_number(int(one[0]))), found[0])

    return _ITEMS.sub(shifted, what)


def created(count: int) -> str:
    """A new contest."""
    return f"created the contest with {count:,} items"


def added(first: int, count: int) -> str:
    """Items that joined."""
    if count <= 2:
        return f"added {listed(range(first, first + count))}"
    return f"added {count:,} items ({first} to {first + count - 1})"


def withdrew(items: Sequence[int]) -> str:
    """Items that were taken out."""
    return f"withdrew {listed(items)}"


def restored(items: Sequence[int]) -> str:
    """Items that came back."""
    return f"brought back {listed(items)}"


def replaced(old: Sequence[int], new: int, *, keep_votes: bool) -> str:
    """An item in the place of others."""
    if not keep_votes:
        return f"replaced {listed(old)} by item {new}, which starts anew"
    if len(old) == 1:
        return f"corrected item {old[0]}, now item {new}, with its votes"
    return f"merged {listed(old)} into item {new}"


def changed(fields: Iterable[str]) -> str:
    """Settings with other values."""
    return f"changed {', '.join(name.replace('_', ' ') for name in fields)}"


def moderated(kind: Kind, raters: Sequence[int]) -> str:
    """Raters whose votes count no more, or again."""
    return f"{_RATERS[kind]} {listed(raters, 'rater')}"


def undid(position: int, event: Entry) -> str:
    """A step that was undone."""
    return f"undid step {position}: {said(event)}"


def said(event: Entry) -> str:
    """What an event did, also where no deed tells who."""
    payload, kind = json.loads(event.payload), Kind(event.kind)
    if kind == Kind.ADD:
        return added(payload["first"], payload["count"])
    if kind == Kind.WITHDRAW:
        return withdrew(payload["items"])
    if kind == Kind.REPLACE:
        return replaced(payload["items"], payload["first"], keep_votes=payload["votes"])
    if kind == Kind.RESTORE:
        return _moved(payload["items"], payload["without"])
    if kind == Kind.SETTINGS:
        return changed(payload["set"])
    if kind == Kind.STATE:
        return f"made the contest {payload['state']}"
    if kind == Kind.VERDICT:
        return f"named {listed(payload['winners'])} in a verdict"
    return moderated(kind, raters_named(payload))


def _moved(back: Sequence[int], gone: Sequence[int]) -> str:
    parts = [restored(back)] if back else []
    return " and ".join(parts + ([f"took out {listed(gone)}"] if gone else []))
