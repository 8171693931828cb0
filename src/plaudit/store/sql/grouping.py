"""What a group of answers adds to a log: the one place where answers become entries.

An engine looks up what the log knows of a group, asks `plan_group` what to write, and writes it.
"""

import secrets
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from plaudit.errors import InvalidInput, NotOpen
from plaudit.proof.digests import SALT_BYTES
from plaudit.store.contract import OPEN, Appended, Receipt
from plaudit.store.log import NONE, Answer, Entry, Event, chain, chain_packed, packed


class Standing(NamedTuple):
    """State, end of the log and digest of a contest, as the transaction that writes sees them."""

    contest: int
    state: str
    position: int
    epoch: int
    digest: bytes


class Known(NamedTuple):
    """What the log knows of an answer: its rater's number, and the entry if there is one.

    `place` is the answer's index in its group. The last three are None if the rater has not
    answered this item before.
    """

    place: int
    rater: int
    position: int | None
    kind: int | None
    level: int | None


class NewRater(NamedTuple):
    """What is kept of a rater with the first answer."""

    key: bytes
    origin: bytes
    salt: bytes
    door: int


class GroupPlan(NamedTuple):
    """What to write for a group, and its receipts. New raters come with their columns."""

    receipts: list[Receipt]
    entries: list[Entry]
    new_raters: list[NewRater]
    digest: bytes
    packed: list[bytes]

    @property
    def appended(self) -> Appended:
        """What to tell of the group, once it is written."""
        return Appended(self.receipts, self.entries, self.digest, self.packed)


def check_open(name: str, state: str) -> None:
    """Returns if a contest in this state takes answers; `NotOpen` otherwise."""
    if state != OPEN:
        raise NotOpen(
            f"The contest {name!r} is {state} and takes no answers now. "
            "Nothing was written; it takes answers while it is open."
        )


def plan_group(
    standing: Standing,
    answers: Sequence[Answer],
    *,
    known: Iterable[Known],
    next_rater: int,
    numbers: dict[bytes, int] | None = None,
) -> GroupPlan:
    """What to write for these answers: in their order, and each (rater, item) once.

    `numbers` are those of raters by key, as far as they are known; the others of the group are
    added to it.
    """
    numbers = {} if numbers is None else numbers
    first = _known_answers(answers, known, numbers)
    receipts: list[Receipt] = []
    entries: list[Entry] = []
    new_raters: list[NewRater] = []
    position = standing.position
    for kind, key, item, level, lane, at, response_ms, origin, door in answers:
        rater = numbers.get(key)
        if rater is None:
            rater = numbers[key] = next_rater + len(new_raters)
            new_raters.append(NewRater(key, origin, secrets.token_bytes(SALT_BYTES), door))
        earlier = first.get((rater, item))
        if earlier is None:
            position += 1
            entries.append(Entry(position, kind, at, rater, item, level, lane, response_ms, ""))
            receipt = first[rater, item] = Receipt(position, kind, level, rater, True)
        else:
            receipt = Receipt(earlier.position, earlier.kind, earlier.level, rater, False)
        receipts.append(receipt)
    with _numbers_that_fit():
        whole = packed(entries)
    digest = chain_packed(standing.digest, whole)
    return GroupPlan(receipts, entries, new_raters, digest, whole)


def event_entry(standing: Standing, event: Event) -> Entry:
    """The entry of an event at the end of a log."""
    position = standing.position + 1
    return Entry(position, event.kind, event.at, NONE, NONE, NONE, NONE, NONE, event.payload)


def extend_digest(digest: bytes, entries: Sequence[Entry]) -> bytes:
    """The digest after these entries; `InvalidInput` if a number does not fit its field."""
    with _numbers_that_fit():
        return chain(digest, entries)


@contextmanager
def _numbers_that_fit() -> Iterator[None]:
    try:
        yield
    except struct.error as error:
        raise InvalidInput(
            f"The log cannot hold a number of an entry ({error}). All are whole numbers: times and "
            "items have 64 bits, response times 32, levels and lanes 16, kinds 8."
        ) from None


def _known_answers(
    answers: Sequence[Answer], known: Iterable[Known], numbers: dict[bytes, int]
) -> dict[tuple[int, int], Receipt]:
    """The answers that the log has, by rater and item; adds the numbers of their raters."""
    first: dict[tuple[int, int], Receipt] = {}
    for place, rater, position, kind, level in known:
        answer = answers[place]
        numbers[answer.rater] = rater
        if position is not None and kind is not None and level is not None:
            first[rater, answer.item] = Receipt(position, kind, level, rater, False)
    return first
