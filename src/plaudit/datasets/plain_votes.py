"""Plain votes: one vote a row, with its item and its value or label."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from plaudit.datasets.csv_reader import Sheet, number, shorten
from plaudit.datasets.table import VoteTable, level_totals
from plaudit.errors import UnknownName, VoteFileError
from plaudit.scale import Scale

_HOW_TO_SCALE = '--scale "Unfunny=0,Somewhat funny=0.5,Funny=1"'

ReadVote = Callable[[str, int], float]


@dataclass(frozen=True)
class _Votes:
    """Votes in the order of the file: `items[who[v]]` got `values[chosen[v]]`.

    `lines` says where each distinct value first occurs.
    """

    items: tuple[str, ...]
    who: NDArray[np.int64]
    chosen: NDArray[np.int64]
    values: tuple[float, ...]
    lines: tuple[int, ...]


def read_plain_votes(sheet: Sheet, *, scale: Scale | None = None) -> VoteTable:
    """The table of a file with one vote in each row: the rows of an item are added up.

    Items are in the order of their first vote; names are compared exactly,
    without outer spaces. A column `value` is used before a column `label`,
    which needs a scale. Levels are counted if every value is on the scale.
    """
    votes = _collect(sheet, *vote_column(sheet, scale))
    counts = np.bincount(votes.who).astype(np.int64)
    off_scale = None if scale is None else _off_scale(votes, scale)
    if scale is None or off_scale:
        totals = np.zeros(len(votes.items))
        np.add.at(totals, votes.who, np.array(votes.values)[votes.chosen])
        warnings = (*sheet.warnings, off_scale) if off_scale else sheet.warnings
        return VoteTable(votes.items, counts, totals, warnings=warnings)
    levels = _count_levels(votes, scale)
    totals = level_totals(levels, scale)
    return VoteTable(votes.items, counts, totals, levels, scale, sheet.warnings)


def vote_column(sheet: Sheet, scale: Scale | None) -> tuple[int, ReadVote]:
    """Where in a row the vote is, and what reads it."""
    if sheet.has("value"):
        return sheet.position("value"), _read_value
    if scale is None:
        raise VoteFileError(
            "The votes are labels, and labels need a scale that gives each a value in [0, 1]. "
            f"Pass one, such as {_HOW_TO_SCALE}, or scale=Scale.parse(...) in Python.",
            line=sheet.line,
        )
    return sheet.position("label"), partial(_read_label, scale=scale)


def _read_label(text: str, line: int, *, scale: Scale) -> float:
    try:
        return scale.values[scale.level(text)]
    except UnknownName:
        labels = {label.casefold(): label for label in scale.labels}
        near = difflib.get_close_matches(text.strip().casefold(), labels, n=1, cutoff=0.5)
        hint = f" Did you mean {labels[near[0]]!r}?" if near else ""
    raise VoteFileError(
        f"The scale has no label {shorten(text)}.{hint} It has {', '.join(scale.labels)}. "
        "Correct the label, or add it to the scale.",
        line=line,
    )


def _read_value(text: str, line: int) -> float:
    value = number(text)
    if value is not None and 0.0 <= value <= 1.0:
        return value
    fault = "which is not a number" if value is None else "which is outside [0, 1]"
    raise VoteFileError(
        f"The column 'value' holds {shorten(text)}, {fault}. A vote's value is a number from 0 to "
        "1, with a point before its decimals. Divide the values of a longer scale by its largest.",
        line=line,
    )


def _collect(sheet: Sheet, vote_at: int, read_vote: ReadVote) -> _Votes:
    item_at = sheet.position("item")
    positions: dict[str, int] = {}
    choices: dict[str, int] = {}
    values: list[float] = []
    lines: list[int] = []
    who: list[int] = []
    chosen: list[int] = []
    for line, fields in sheet.rows:
        name = fields[item_at].strip()
        if not name:
            raise VoteFileError(
                "The item's name is empty. Every vote needs the name of its item: "
                "fill it in, or delete the row.",
                line=line,
            )
        text = fields[vote_at]
        # Most votes repeat a few texts: each text is read once.
        if text not in choices:
            choices[text] = len(values)
            values.append(read_vote(text, line))
            lines.append(line)
        who.append(positions.setdefault(name, len(positions)))
        chosen.append(choices[text])
    pairs = np.array(who, dtype=np.int64), np.array(chosen, dtype=np.int64)
    return _Votes(tuple(positions), *pairs, tuple(values), tuple(lines))


def _count_levels(votes: _Votes, scale: Scale) -> NDArray[np.int64]:
    width = len(scale.values)
    level = np.array([scale.values.index(value) for value in votes.values])
    cells = votes.who * width + level[votes.chosen]
    counts = np.bincount(cells, minlength=len(votes.items) * width).astype(np.int64)
    return counts.reshape(-1, width)


def _off_scale(votes: _Votes, scale: Scale) -> str | None:
    """A warning about the first vote that is not on the scale, or None if all are."""
    for value, line in zip(votes.values, votes.lines, strict=True):
        if value not in scale.values:
            allowed = ", ".join(str(value) for value in scale.values)
            return (
                "The votes are not all on the scale given, so those at each level are not "
                f"counted: line {line} has the value {value}; the scale has {allowed}."
            )
    return None
