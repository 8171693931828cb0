"""Reviews: flags, raters and similar items that an editor has reviewed and left as they are.

A review is stored as a deed, with the name of the editor, so that all editors and workers know of
it, even after a restart. It does not change the contest, so it is not an event. The latest deed
about a subject counts.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from plaudit.service.accounts.roles import Actor
from plaudit.service.clock import now_ms
from plaudit.service.deeds import AGAIN, FLAGS, GROUP, RATER, REVIEWED, Did, did, read
from plaudit.store.contract import Store
from plaudit.store.people import Deed

# More deeds of one contest than this are not read.
MOST = 20_000


class Subject(NamedTuple):
    """What was reviewed: the flags of an item, a rater, or a group of items."""

    kind: str
    numbers: tuple[int, ...]

    @property
    def facts(self) -> dict[str, int | list[int]]:
        """The subject as the facts of a deed."""
        if self.kind == GROUP:
            return {"items": list(self.numbers)}
        return {"item" if self.kind == FLAGS else "rater": self.numbers[0]}


def flags_of(item: int) -> Subject:
    """The flags of an item."""
    return Subject(FLAGS, (item,))


def rater_of(number: int) -> Subject:
    """A rater."""
    return Subject(RATER, (number,))


def group_of(items: Iterable[int]) -> Subject:
    """Items that look alike.

    >>> group_of([8, 3])
    Subject(kind='group', numbers=(3, 8))
    """
    return Subject(GROUP, tuple(sorted(items)))


class Reviewed(NamedTuple):
    """The reviews of a contest: by subject, the position of the log that the editor saw."""

    at: dict[Subject, int]

    def until(self, subject: Subject) -> int:
        """Up to which position a subject was reviewed; 0 if it was not."""
        return self.at.get(subject, 0)


def mark_reviewed(
    store: Store,
    name: str,
    subject: Subject,
    *,
    position: int,
    by: Actor,
    clock: Callable[[], int] = now_ms,
) -> None:
    """Notes that somebody reviewed a subject, seeing the log up to a position."""
    what = did(f"{REVIEWED}-{subject.kind}", **subject.facts, position=position)
    store.note(Deed(clock(), by.name, what, contest=name))


def withdraw_review(
    store: Store, name: str, subject: Subject, *, by: Actor, clock: Callable[[], int] = now_ms
) -> None:
    """Withdraws a review, so that the subject is shown again."""
    what = did(f"{AGAIN}-{subject.kind}", **subject.facts)
    store.note(Deed(clock(), by.name, what, contest=name))


def reviewed(store: Store, name: str) -> Reviewed:
    """All reviews of a contest that were not withdrawn."""
    found: dict[Subject, int] = {}
    for deed in reversed(store.deeds(contest=name, limit=MOST)):
        known = read(deed.what) if deed.what else None
        subject = None if known is None else _subject(known)
        if known is None or subject is None:
            continue
        if known.code.startswith(REVIEWED):
            found[subject] = known.facts["position"]
        else:
            found.pop(subject, None)
    return Reviewed(found)


def _subject(known: Did) -> Subject | None:
    if "items" in known.facts:
        return group_of(known.facts["items"])
    if "item" in known.facts:
        return flags_of(known.facts["item"])
    return rater_of(known.facts["rater"]) if "rater" in known.facts else None
