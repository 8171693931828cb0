"""Rows of a CSV file, each with the line of the file on which it starts."""

import csv
import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plaudit.datasets.file_text import read_text
from plaudit.errors import VoteFileError
from plaudit.phrase import Phrase
from plaudit.words import N_

SEPARATORS = ",;\t"

Row = tuple[int, list[str]]

_ONE_FIELD = N_(
    "The row has 1 field, the header has {wanted}. Every row needs one field per column; put a "
    "text that holds the separator, a quotation mark or a line break between quotation marks."
)
_FIELDS = N_(
    "The row has {count} fields, the header has {wanted}. Every row needs one field per column; "
    "put a text that holds the separator, a quotation mark or a line break between quotation marks."
)


@dataclass(frozen=True)
class Sheet:
    """The columns of a CSV file and its rows, to be read once.

    `columns` are in lower case without outer spaces; `line` is the header's.
    Every row has as many fields as the header, and there is at least one:
    anything else is a `VoteFileError` when the row is reached.
    """

    columns: tuple[str, ...]
    line: int
    rows: Iterator[Row]
    warnings: tuple[str, ...]

    def has(self, *names: str) -> bool:
        """Whether every one of these columns is there."""
        return all(name in self.columns for name in names)

    def position(self, name: str) -> int:
        """Where in a row the column of this name is."""
        if self.columns.count(name) > 1:
            told = N_(
                "The column {name!r} is there {count} times; it may be there only once. Rename or "
                "delete the others."
            )
            words = Phrase(told, name=name, count=self.columns.count(name))
            raise VoteFileError(words, line=self.line)
        return self.columns.index(name)


def open_sheet(path: str | os.PathLike[str]) -> Sheet:
    """The sheet in a CSV file, with commas, semicolons or tabs between its fields.

    Blank lines are skipped. The separator is the one that splits the header
    into the most names, a comma if that does not decide.
    """
    text, warnings = read_text(path)
    # newline="": break lines at CR, LF and CRLF, and leave them as they are.
    lines = io.StringIO(text, newline="")
    first = next((line for line in lines if line.strip()), "")
    lines.seek(0)
    records = _records(lines, _separator(first))
    line, header = next(records, (0, []))
    if not header:
        raise VoteFileError(
            f"The file {os.fspath(path)} is empty. A file of votes starts with a row of column "
            "names, such as 'item,value'; check that the export finished."
        )
    columns = tuple(name.strip().lower() for name in header)
    return Sheet(columns, line, _full_rows(records, len(columns)), warnings)


def _separator(header: str) -> str:
    """The separator of a header line.

    >>> _separator('item;value;"note, if any"')
    ';'
    """
    start = header[:10_000]
    return max(SEPARATORS, key=lambda mark: len(next(csv.reader([start], delimiter=mark))))


def _records(lines: Iterator[str], separator: str) -> Iterator[Row]:
    reader = csv.reader(lines, delimiter=separator, strict=True)
    start = 1
    try:
        for fields in reader:
            if len(fields) > 1 or (fields and fields[0].strip()):
                yield start, fields
            start = reader.line_num + 1
    except csv.Error as error:
        told = N_(
            "The quotation marks of the row that starts here do not match ({reason}). Close every "
            'field that opens with ", and write "" for a quotation mark inside it.'
        )
        raise VoteFileError(Phrase(told, reason=error), line=start) from None


def _full_rows(records: Iterator[Row], width: int) -> Iterator[Row]:
    line = None
    for line, fields in records:
        if len(fields) != width:
            told = _ONE_FIELD if len(fields) == 1 else _FIELDS
            raise VoteFileError(Phrase(told, count=len(fields), wanted=width), line=line)
        yield line, fields
    if line is None:
        raise VoteFileError(
            "The file has a header and no rows: there are no votes to read. "
            "Check that the export finished."
        )


def number(text: str) -> float | None:
    """The number that a field holds, or None; NaN and infinities count as numbers.

    >>> number(" 12.0 "), number("twelve"), number("1_000")
    (12.0, None, None)
    """
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def name_lines(lines: Sequence[int]) -> str:
    """The first few line numbers, for a message.

    >>> name_lines([7]), name_lines([2, 3, 5, 7, 11, 13, 17])
    ('line 7', 'lines 2, 3, 5, 7, 11 and 2 more')
    """
    shown = ", ".join(str(line) for line in lines[:5])
    more = f" and {len(lines) - 5} more" if len(lines) > 5 else ""
    return f"{'line' if len(lines) == 1 else 'lines'} {shown}{more}"


def shorten(text: str, *, width: int = 60) -> str:
    """A field's text in quotes, cut to a width that a message can hold.

    >>> shorten("a very long caption", width=6)
    "'a very…'"
    """
    return repr(text if len(text) <= width else text[:width] + "…")
