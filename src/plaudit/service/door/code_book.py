"""The codes of a contest with their states: used, unused or revoked; never who voted what."""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from plaudit.errors import InvalidInput
from plaudit.phrase import Phrase
from plaudit.service.contest.guests import Guests
from plaudit.service.door.doorkeeper import Doorkeeper
from plaudit.store.contract import LogStore
from plaudit.words import N_

USED, UNUSED, REVOKED = "used", "unused", "revoked"


class Code(NamedTuple):
    """A code. A revoked one may have been used before."""

    number: int
    text: str
    is_used: bool
    is_revoked: bool

    @property
    def state(self) -> str:
        """What has become of it."""
        return REVOKED if self.is_revoked else USED if self.is_used else UNUSED


class CodeCounts(NamedTuple):
    """How many codes there are; a revoked one counts neither as used nor as unused."""

    made: int
    used: int
    unused: int
    revoked: int


class CodeBook:
    """The codes of a contest as they are now; `raters` has the rater of each code in use."""

    def __init__(self, store: LogStore, name: str, door: Doorkeeper, guests: Guests) -> None:
        self._door = door
        self.made = guests.codes
        self.revoked = frozenset(guests.revoked_codes)
        # A rater is in the store from the first answer on.
        known = {one.key: one.number for one in store.raters(name)} if self.made else {}
        keys = ((number, self.key(number)) for number in range(1, self.made + 1))
        self.raters = {number: known[key] for number, key in keys if key in known}

    def key(self, number: int) -> bytes:
        """The key in the log of the rater with a code."""
        return self._door.ids.coded_rater(number).key

    @property
    def counts(self) -> CodeCounts:
        """How many there are of each kind."""
        used, revoked = len(self.raters.keys() - self.revoked), len(self.revoked)
        return CodeCounts(self.made, used, self.made - used - revoked, revoked)

    def codes(self, first: int = 1, last: int | None = None) -> Iterator[Code]:
        """The codes from one number to another."""
        for number in range(max(1, first), min(last or self.made, self.made) + 1):
            text = self._door.codes.text(number)
            yield Code(number, text, number in self.raters, number in self.revoked)

    def numbers_of(self, given: Iterable[int | str]) -> list[int]:
        """The numbers of codes that are named by number or by their text."""
        return [one if isinstance(one, int) else self._number_of(one) for one in given]

    def _number_of(self, text: str) -> int:
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 7 else None
        number = number or self._door.codes.number(text)
        if number is None:
            told = N_("{given!r} is neither the number of a code nor a code of this contest.")
            raise InvalidInput(Phrase(told, given=text[:40]))
        return number


def as_csv(codes: Iterable[Code], address: str) -> Iterator[str]:
    """The codes as CSV, for spreadsheets and mail merges; `address` is that of the contest."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(("number", "code", "link", "state"))
    for code in codes:
        rows.writerow((code.number, code.text, link_of(address, code), code.state))
        yield out.getvalue()
        out.seek(0)
        out.truncate()
    yield out.getvalue()


def link_of(address: str, code: Code) -> str:
    """The link that lets the holder of a code in.

    >>> link_of("https://example.org/c/elephant", Code(1, "7CNR-6RPD-0FZB", False, False))
    'https://example.org/c/elephant?code=7CNR-6RPD-0FZB'
    """
    return f"{address}?code={code.text}"
