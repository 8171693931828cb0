"""The votes of several files as one: a contest whose raters were divided."""

from collections.abc import Sequence

import numpy as np

from plaudit.datasets.table import VoteTable
from plaudit.errors import VoteFileError


def added(tables: Sequence[VoteTable]) -> VoteTable:
    """One table with the votes of all; items with the same name are the same item.

    An item that a file does not have got no votes there. `VoteFileError` if it cannot be told which
    items are the same, or the votes are on different scales.

    >>> one = VoteTable(("a", "b"), np.array([2, 1]), np.array([1.5, 0.0]))
    >>> two = VoteTable(("b", "c"), np.array([1, 1]), np.array([1.0, 1.0]))
    >>> both = added([one, two])
    >>> both.items, both.votes, both.totals
    (('a', 'b', 'c'), array([2, 2, 1]), array([1.5, 1. , 1. ]))
    """
    first = tables[0]
    if len({table.scale for table in tables}) > 1:
        raise VoteFileError(
            "The files have votes on different scales, which cannot be added. Give files of one "
            "kind, and one --scale for all of them."
        )
    items, places = _same_items(tables)
    votes, totals = np.zeros(len(items), dtype=np.int64), np.zeros(len(items))
    levels = None
    if first.levels is not None:
        levels = np.zeros((len(items), first.levels.shape[1]), dtype=np.int64)
    for table, place in zip(tables, places, strict=True):
        votes[place] += table.votes
        totals[place] += table.totals
        if levels is not None and table.levels is not None:
            levels[place] += table.levels
    warnings = tuple(dict.fromkeys(words for table in tables for words in table.warnings))
    return VoteTable(items, votes, totals, levels, first.scale, warnings)


def _same_items(tables: Sequence[VoteTable]) -> tuple[tuple[str, ...], list[list[int]]]:
    """All items, and where those of each table are among them."""
    first = tables[0].items
    if all(table.items == first for table in tables):
        return first, [list(range(len(first)))] * len(tables)
    if any(len(set(table.items)) < len(table.items) for table in tables):
        raise VoteFileError(
            "The files have different items, and some of them share a name: which of them are the "
            "same cannot be told. Give files with the same rows, or items with names of their own."
        )
    known = {name: place for place, name in enumerate(dict.fromkeys(_names(tables)))}
    return tuple(known), [[known[name] for name in table.items] for table in tables]


def _names(tables: Sequence[VoteTable]) -> list[str]:
    return [name for table in tables for name in table.items]
