"""Votes with their raters: what each rater gave each item, one row a rater."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plaudit.datasets.csv_reader import Sheet, open_sheet, shorten
from plaudit.datasets.plain_votes import ReadVote, vote_column
from plaudit.errors import VoteFileError
from plaudit.scale import Scale

# Columns of the file of votes that a contest exports; votes that do not count are left out.
EXPORTED = ("kind", "counted", "counts_for", "text")


@dataclass(frozen=True, eq=False)
class RowTable:
    """Votes by rater and item: `votes[r, i]` is what rater r gave item i, NaN if nothing.

    Raters and items are in the order of their first vote, items of an exported contest by their
    number, with their text as names. `scale` has all the votes, or is None.
    """

    items: tuple[str, ...]
    raters: tuple[str, ...]
    votes: NDArray[np.float64]
    scale: Scale | None = None
    warnings: tuple[str, ...] = ()


def read_rows(path: str | os.PathLike[str], *, scale: Scale | None = None) -> RowTable:
    """The votes in a CSV file with the columns rater, item and value (or label), one vote a row.

    A label needs a `scale`. The file of votes that a contest exports is read as it is: votes
    that count, for the items that they count for, on the levels that occur. A rater who has two
    votes on an item is refused, with the line of the second.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "votes.csv")
    ...     _ = file.write_text("rater,item,value\\nann,tea,1\\nbob,tea,0\\nann,coffee,0.5\\n")
    ...     table = read_rows(file)
    >>> table.items, table.raters, table.votes.tolist()
    (('tea', 'coffee'), ('ann', 'bob'), [[1.0, 0.5], [0.0, nan]])
    """
    sheet = open_sheet(path)
    missing = [name for name in ("rater", "item") if not sheet.has(name)]
    missing += [] if sheet.has("value") or sheet.has("label") else ["value (or label)"]
    if missing:
        raise VoteFileError(
            "A comparison needs to know who voted: the columns rater, item and value (or label). "
            f"Missing: {', '.join(missing)}. Add or rename the columns.",
            line=sheet.line,
        )
    found = _Found(*vote_column(sheet, scale))
    reader = _exported if sheet.has(*EXPORTED) else _plain
    for line, rater, item, fields in reader(sheet, found):
        found.add(line, rater, item, fields)
    if not found.cells:
        raise VoteFileError("No vote in the file counts: there is nothing to compare.")
    return found.table(sheet, scale)


def _plain(sheet: Sheet, _found: "_Found") -> Iterator[tuple[int, str, str, list[str]]]:
    rater_at, item_at = sheet.position("rater"), sheet.position("item")
    for line, fields in sheet.rows:
        rater, item = fields[rater_at].strip(), fields[item_at].strip()
        if not rater or not item:
            what = "item" if rater else "rater"
            raise VoteFileError(
                f"The {what}'s name is empty. Every vote needs its rater and its item: fill it in, "
                "or delete the row.",
                line=line,
            )
        yield line, rater, item, fields


def _exported(sheet: Sheet, found: "_Found") -> Iterator[tuple[int, str, str, list[str]]]:
    """The votes that count; items are numbers here, and `found.texts` learns what they say."""
    names = ("rater", "item", "text", "kind", "counted", "counts_for")
    rater_at, item_at, text_at, kind_at, counted_at, for_at = map(sheet.position, names)
    found.texts, aside = {}, 0
    for line, fields in sheet.rows:
        found.texts.setdefault(fields[item_at], fields[text_at])
        if fields[kind_at] == "vote":
            aside += fields[counted_at] != "yes"
            for item in fields[for_at].split():
                yield line, fields[rater_at], item, fields
    if aside:
        found.warnings.append(
            f"{aside:,} votes do not count in the contest (withdrawn items, excluded raters, or a "
            "second vote on merged items), and are left out."
        )


class _Found:
    """Votes as they are found, by rater and item."""

    def __init__(self, vote_at: int, read_vote: ReadVote) -> None:
        self._vote_at, self._read = vote_at, read_vote
        self.raters: dict[str, int] = {}
        self.items: dict[str, int] = {}
        self.cells: dict[tuple[int, int], float] = {}
        self.texts: dict[str, str] | None = None
        self.warnings: list[str] = []

    def add(self, line: int, rater: str, item: str, fields: list[str]) -> None:
        place = (
            self.raters.setdefault(rater, len(self.raters)),
            self.items.setdefault(item, len(self.items)),
        )
        if place in self.cells:
            raise VoteFileError(
                f"The rater {shorten(rater)} has a second vote on the item {shorten(item)}. "
                "Every rater has at most one vote on an item: delete one of them.",
                line=line,
            )
        self.cells[place] = self._read(fields[self._vote_at], line)

    def table(self, sheet: Sheet, scale: Scale | None) -> RowTable:
        order = list(self.items) if self.texts is None else sorted(self.items, key=int)
        column = {self.items[name]: k for k, name in enumerate(order)}
        votes = np.full((len(self.raters), len(order)), np.nan)
        for (rater, item), value in self.cells.items():
            votes[rater, column[item]] = value
        if scale is not None and not np.isin(votes[~np.isnan(votes)], scale.values).all():
            self.warnings.append("The votes are not all on the scale given, so it is not used.")
            scale = None
        names = tuple((self.texts or {}).get(name) or name for name in order)
        warnings = (*sheet.warnings, *self.warnings)
        return RowTable(names, tuple(self.raters), votes, scale, warnings)
