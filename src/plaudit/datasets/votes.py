"""Reads a file of votes, whichever of the known forms it has."""

import os

from plaudit.datasets import plain_votes, summary
from plaudit.datasets.csv_reader import Sheet, open_sheet, shorten
from plaudit.datasets.table import VoteTable
from plaudit.errors import VoteFileError
from plaudit.scale import Scale

__all__ = ["VoteTable", "read_votes"]

MAX_COLUMNS_SHOWN = 12


def read_votes(path: str | os.PathLike[str], *, scale: Scale | None = None) -> VoteTable:
    """The votes in a CSV file, counted per item.

    The header decides the form; names count whatever their case and outer
    spaces, and other columns are ignored:

    - ``caption, votes, not_funny, somewhat_funny, funny``: a caption-contest
      summary. Every row is an item, on the scale `FUNNY`.
    - ``item, value``: one vote a row, its value in [0, 1]. With a `scale` that
      has all the values, the votes at each level are counted too.
    - ``item, label``: one vote a row, its label on the `scale`, which is needed.

    Raises `VoteFileError`, with the line of the file where there is one, for
    anything that cannot be read as written. The table's `warnings` report what
    was read but looks wrong.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "votes.csv")
    ...     _ = file.write_text("item,value\\ntea,1\\ncoffee,0\\ntea,0.5\\n")
    ...     table = read_votes(file)
    >>> table.items, table.votes, table.means
    (('tea', 'coffee'), array([2, 1]), array([0.75, 0.  ]))
    """
    sheet = open_sheet(path)
    if sheet.has(*summary.COLUMNS):
        return summary.read_summary(sheet, scale=scale)
    if sheet.has("item", "value") or sheet.has("item", "label"):
        return plain_votes.read_plain_votes(sheet, scale=scale)
    raise _unknown_form(sheet)


def _unknown_form(sheet: Sheet) -> VoteFileError:
    found = ", ".join(shorten(name, width=30) for name in sheet.columns[:MAX_COLUMNS_SHOWN])
    more = len(sheet.columns) - MAX_COLUMNS_SHOWN
    return VoteFileError(
        f"The columns do not make a file of votes. Found: {found}"
        f"{f' and {more} more' if more > 0 else ''}. {_what_is_missing(sheet)} "
        "Add or rename the columns; the first row must hold their names.",
        line=sheet.line,
    )


def _what_is_missing(sheet: Sheet) -> str:
    """What the nearest form lacks, or each form if none is near."""
    plain = [] if sheet.has("item") else ["'item'"]
    if not (sheet.has("value") or sheet.has("label")):
        plain.append("'value' (or 'label')")
    contest = [repr(name) for name in summary.COLUMNS if not sheet.has(name)]
    sentences = {
        f"One vote a row needs item and value (or label); missing: {', '.join(plain)}.": (
            1 - len(plain) / 2
        ),
        f"A caption-contest summary needs {', '.join(summary.COLUMNS)}; "
        f"missing: {', '.join(contest)}.": 1 - len(contest) / len(summary.COLUMNS),
    }
    nearest = max(sentences.values())
    return " ".join(text for text, nearness in sentences.items() if nearness == nearest)
