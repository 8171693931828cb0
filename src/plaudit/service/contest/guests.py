"""Whom the door of a contest lets in, as its log tells it: codes, the list, the key of links.

The log has numbers and keyed hashes only. It says how many codes there are and which were revoked,
the hashes of the ids on the list, and how often the key of links was changed.
"""

import re
from collections.abc import Iterable

# As many as the text of a code has room for, and more than any hall has seats.
MOST_CODES = 100_000
MOST_LISTED = 100_000
# The hash of an id on the list.
LISTED_BYTES = 12
LISTED_DIGITS = re.compile(f"[0-9a-f]{{{2 * LISTED_BYTES}}}")
# Attributes that are sets, which a snapshot keeps as lists.
SETS = ("revoked_codes", "listed")


class Guests:
    """Codes are numbered from 1 to `codes`; `revoked_codes` get nobody in any more.

    `listed` has the hashes of the ids on the list. `link_key` counts how often the key that signs
    links was changed.
    """

    def __init__(self) -> None:
        self.codes = 0
        self.revoked_codes: set[int] = set()
        self.listed: set[str] = set()
        self.link_key = 0

    def make_codes(self, upto: int) -> None:
        """Lets there be codes up to this number."""
        self.codes = max(self.codes, upto)

    def change_codes(self, revoked: Iterable[int], reinstated: Iterable[int]) -> None:
        """Revokes codes, and lets revoked ones work again."""
        self.revoked_codes.difference_update(reinstated)
        self.revoked_codes.update(revoked)

    def change_list(self, added: Iterable[str], removed: Iterable[str]) -> None:
        """Puts ids on the list and takes others off it, by their hashes."""
        self.listed.difference_update(removed)
        self.listed.update(added)

    def change_link_key(self, number: int) -> None:
        """Lets another key sign links from now on."""
        self.link_key = number
