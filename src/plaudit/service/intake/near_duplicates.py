"""Groups of items with the same or nearly the same text, for people to look at.

Two texts are the same if they differ only in case, punctuation and spaces. They are near if they
share most of their trigrams (pieces of three characters) and all of their numbers. Near pairs are
found without comparing all pairs: two sets whose similarity is at least t share one of their
rarest tokens, so only items that share rare trigrams are compared (prefix filtering: Chaudhuri,
Ganti and Kaushik 2006; with several tokens: Wang, Li and Feng 2012).
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.service.intake.fields import is_crowded

EXACT, NEAR = "exact", "near"
# Near texts have at least this share of their trigrams in common (Jaccard). Short sentences that
# differ in one letter are above it.
LEAST = 0.6
# Of longer texts, only the beginning is compared.
LONGEST = 400
# How many texts are searched, and how many pairs are compared, at a time.
ROWS, PAIRS = 500, 100_000
# Near texts share at least this many of their rarest trigrams.
LEAST_SHARED = 4
# Limits of the work, for thousands of texts that all begin alike: then the most common trigrams
# are left out, and some near pairs may be missed.
MOST_MEETINGS, MOST_PAIRS = 40_000_000, 1_000_000
_NUMBERS = re.compile(r"\d+")

Whole = NDArray[np.int64]


class Group(NamedTuple):
    """Items that are alike, by position; the first is the one to keep.

    `likeness` is 1 for the same text, otherwise the smallest likeness of a member to the first.
    """

    kind: str
    members: tuple[int, ...]
    likeness: float


def groups(texts: Sequence[str], *, apart: Sequence[str] = ()) -> list[Group]:
    """The groups of items that are alike: the same first, then near ones, in order of position.

    Every member of a group is like its first member. Of items that are the same, only the first
    can be in a group of near ones, and in at most one. Items are never alike if `apart`, such as
    their pictures, differs. It takes a second or two for 10,000 items.

    >>> groups(["Honey, I'm home!", "honey im home", "Honey, I am home", "Skim milk"])[0]
    Group(kind='exact', members=(0, 1), likeness=1.0)
    """
    plain = [plain_text(text) for text in texts]
    keys = list(zip(plain, apart or [""] * len(plain), strict=True))
    same: dict[tuple[str, str], list[int]] = {}
    for number, key in enumerate(keys):
        if any(key):
            same.setdefault(key, []).append(number)
    exact = [Group(EXACT, tuple(found), 1.0) for found in same.values() if len(found) > 1]
    firsts = [found[0] for (text, _), found in same.items() if text]
    return exact + _near_groups(firsts, keys)


def plain_text(text: str) -> str:
    """A text as it is compared: in lower case, without punctuation and repeated spaces.

    >>> plain_text("  “Honey,  I'm HOME!” "), plain_text("?!")
    ('honey im home', '?!')
    """
    # Old items may have more accents on a letter than can be sorted in a short time.
    folded = (text if is_crowded(text) else unicodedata.normalize("NFKC", text)).casefold()
    kept = "".join(
        sign for sign in folded if not unicodedata.category(sign).startswith(("P", "Cf"))
    )
    # A text of punctuation only keeps it.
    return " ".join((kept if kept.strip() else folded).split())


def _near_groups(firsts: Sequence[int], keys: Sequence[tuple[str, str]]) -> list[Group]:
    """Groups of near texts among texts that all differ, each around its first member."""
    near: dict[int, list[tuple[int, float]]] = {}
    for one, other, likeness in _near_pairs([keys[number][0] for number in firsts]):
        first, second = firsts[one], firsts[other]
        if keys[first][1] == keys[second][1]:
            near.setdefault(first, []).append((second, likeness))
    taken: set[int] = set()
    found = []
    for first in sorted(near):
        members = sorted(pair for pair in near[first] if pair[0] not in taken)
        if first in taken or not members:
            continue
        taken.update((first, *(number for number, _ in members)))
        least = min(likeness for _, likeness in members)
        found.append(Group(NEAR, (first, *(number for number, _ in members)), least))
    return found


def _near_pairs(texts: Sequence[str]) -> Iterator[tuple[int, int, float]]:
    """Pairs of near texts, the smaller position first."""
    if len(texts) < 2:
        return
    table = _table([text[:LONGEST] for text in texts])
    numbers = [numbers_in(text) for text in texts]
    sizes = np.diff(table.indptr)
    for left, right in _candidates(table, sizes):
        shared = np.asarray(table[left].multiply(table[right]).sum(axis=1)).ravel()
        likeness = shared / (sizes[left] + sizes[right] - shared)
        for at in np.flatnonzero(likeness >= LEAST):
            one, other = int(left[at]), int(right[at])
            if numbers[one] == numbers[other]:
                yield one, other, float(likeness[at])


def _table(texts: Sequence[str]) -> Any:
    """One row per text with its trigrams marked; the rarest trigrams have the first columns."""
    from scipy.sparse import csr_array

    known: dict[str, int] = {}
    held = [[known.setdefault(piece, len(known)) for piece in trigrams(text)] for text in texts]
    flat = np.array([piece for row in held for piece in row], dtype=np.int64)
    rows = np.repeat(np.arange(len(held)), [len(row) for row in held])
    rank = np.empty(len(known), dtype=np.int64)
    rank[np.argsort(np.bincount(flat), kind="stable")] = np.arange(len(known))
    table = csr_array(
        (np.ones(flat.size, dtype=np.int32), (rows, rank[flat])), shape=(len(held), len(known))
    )
    table.sort_indices()
    return table


def numbers_in(text: str) -> list[str]:
    """The numbers of a text: near texts have the same."""
    return _NUMBERS.findall(text)


def trigrams(text: str) -> set[str]:
    """The pieces of three characters, with a space before and after the text.

    A repeated piece counts as another one: "ha ha" and "ha ha ha" differ.
    """
    padded = f" {text} "
    pieces = [padded[start : start + 3] for start in range(len(padded) - 2)]
    if len(set(pieces)) == len(pieces):
        return set(pieces)
    seen: Counter[str] = Counter()
    for at, piece in enumerate(pieces):
        pieces[at] = f"{piece}{seen[piece] or ''}"
        seen[piece] += 1
    return set(pieces)


def _candidates(table: Any, sizes: Whole) -> Iterator[tuple[Whole, Whole]]:
    """Pairs that share some of their rarest trigrams and are similar enough in size."""
    rare = _rarest(table, sizes)
    turned = rare.T.tocsr()
    left_over = MOST_PAIRS
    for start in range(0, len(sizes), ROWS):
        met = (rare[start : start + ROWS] @ turned).tocoo()
        left, right = met.col.astype(np.int64), met.row.astype(np.int64) + start
        small, large = np.minimum(sizes[left], sizes[right]), np.maximum(sizes[left], sizes[right])
        shared = met.data >= np.minimum(LEAST_SHARED, np.ceil(LEAST * large))
        fits = shared & (left < right) & (small >= LEAST * large)
        left, right = left[fits][:left_over], right[fits][:left_over]
        left_over -= left.size
        for at in range(0, left.size, PAIRS):
            yield left[at : at + PAIRS], right[at : at + PAIRS]


def _rarest(table: Any, sizes: Whole) -> Any:
    """The rarest trigrams of each row, enough of them that near rows share some."""
    from scipy.sparse import csr_array

    place = np.arange(table.nnz) - np.repeat(table.indptr[:-1], sizes)
    enough = sizes - np.ceil(LEAST * sizes) + LEAST_SHARED
    kept = place < np.repeat(enough, sizes)
    meetings = np.bincount(table.indices[kept], minlength=table.shape[1]) ** 2
    kept &= (np.cumsum(meetings) <= MOST_MEETINGS)[table.indices]
    rows = np.repeat(np.arange(len(sizes)), sizes)[kept]
    ones = np.ones(rows.size, dtype=np.int32)
    return csr_array((ones, (rows, table.indices[kept])), shape=table.shape)
