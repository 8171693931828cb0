"""The list of those who may vote: only keyed hashes of their ids are kept.

The hash on the list is another one than the rater's key in the log, and the log has the hashes in
their own order, so that neither an export nor the list says which of the listed ids voted what.
"""

import csv
import io
from collections.abc import Iterable

from plaudit.errors import InvalidInput
from plaudit.phrase import Phrase
from plaudit.service.accounts.secret import Secret
from plaudit.service.contest.guests import LISTED_BYTES, MOST_LISTED
from plaudit.service.door.rater_ids import RaterIds, tidy_id
from plaudit.words import N_

LONGEST_ID = 200
_HEADINGS = frozenset({"id", "ids", "rater", "raters", "external", "external_id"})


class GuestList:
    """Hashes the ids of one contest."""

    def __init__(self, secret: Secret, ids: RaterIds) -> None:
        self._ids = ids
        self._key = secret.key("listed ids")

    def hash(self, id: bytes) -> str:
        """The hash on the list for the id of a rater."""
        return self._ids.mac(self._key, id)[:LISTED_BYTES].hex()

    def hashes(self, externals: Iterable[str]) -> tuple[str, ...]:
        """The hashes of external ids, each once, in their own order."""
        found = {self.hash(self._ids.external_rater(tidy_id(one)).id) for one in externals}
        return tuple(sorted(found))


def read_ids(text: str) -> list[str]:
    """The ids in a text: one a line, or the first column of a CSV file; each once.

    A first line that only names the column is left out.

    >>> read_ids("id,name\\nS-17,Ann\\nS-18,Bo\\nS-17,Ann")
    ['S-17', 'S-18']
    """
    rows = csv.reader(io.StringIO(text.lstrip("\ufeff")), strict=False)
    try:
        ids = [tidy_id(row[0]) for row in rows if row]
    except csv.Error as error:
        told = N_("The list cannot be read ({reason}). Write one id a line.")
        raise InvalidInput(Phrase(told, reason=str(error))) from None
    if ids and ids[0].casefold() in _HEADINGS:
        del ids[0]
    return checked_ids(ids)


def checked_ids(ids: Iterable[str]) -> list[str]:
    """The ids, tidied, each once; an error that names the first that none can be."""
    found = list(dict.fromkeys(tidy for one in ids if (tidy := tidy_id(one))))
    for one in found:
        if len(one) > LONGEST_ID or not one.isprintable():
            told = N_("An id has 1 to {most} characters that can be printed; got {given!r}.")
            raise InvalidInput(Phrase(told, most=LONGEST_ID, given=one[:40]))
    if len(found) > MOST_LISTED:
        told = N_("A list has at most {most} ids; these are {count}.")
        raise InvalidInput(Phrase(told, most=MOST_LISTED, count=len(found)))
    return found
