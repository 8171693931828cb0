"""Finds the texts that are like a new one, by the measure of `near_duplicates`.

An index from trigrams to texts is kept, so that a look takes about a millisecond among thousands
of texts, whatever they say.
"""

from array import array
from typing import NamedTuple

import numpy as np

from plaudit.service.intake.near_duplicates import (
    LEAST,
    LONGEST,
    numbers_in,
    plain_text,
    trigrams,
)

# So many near texts are named, the nearest first.
MOST_NEAR = 5


class Near(NamedTuple):
    """A text that is like another: its number, and how much they have in common, up to 1."""

    number: int
    likeness: float


class Likeness:
    """Texts, numbered in the order in which they are added."""

    def __init__(self) -> None:
        self._first: dict[str, int] = {}
        self._numbers: list[list[str]] = []
        self._sizes = array("q")
        self._holders: dict[str, array[int]] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, text: str) -> None:
        """Adds the next text."""
        plain, number = plain_text(text), len(self)
        self._first.setdefault(plain, number)
        self._numbers.append(numbers_in(plain[:LONGEST]))
        pieces = trigrams(plain[:LONGEST])
        self._sizes.append(len(pieces))
        for piece in pieces:
            self._holders.setdefault(piece, array("q")).append(number)

    def same(self, text: str) -> int | None:
        """The first text that differs only in case, punctuation and spaces; None if none does."""
        return self._first.get(plain_text(text))

    def near(self, text: str) -> list[Near]:
        """The texts that have most of their trigrams and all numbers in common with this one.

        >>> known = Likeness()
        >>> for line in ("Honey, I am home", "Skim milk", "Room 12"): known.add(line)
        >>> [near.number for near in known.near("honey, I'm home!")], known.near("room 13")
        ([0], [])
        """
        plain = plain_text(text)[:LONGEST]
        pieces, numbers = trigrams(plain), numbers_in(plain)
        held = [
            np.frombuffer(self._holders[one], np.int64) for one in pieces & self._holders.keys()
        ]
        if not held:
            return []
        shared = np.bincount(np.concatenate(held), minlength=len(self))
        likeness = shared / (np.array(self._sizes) + len(pieces) - shared)
        order = np.argsort(-likeness, kind="stable")
        near = (Near(int(at), float(likeness[at])) for at in order if likeness[at] >= LEAST)
        return [one for one in near if self._numbers[one.number] == numbers][:MOST_NEAR]
