"""CSV in chunks of bytes, so that a file of any length takes little memory."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

ROWS_A_CHUNK = 5_000
# A spreadsheet program takes a cell that starts with one of these for a formula, and may run it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
_SPECIAL = re.compile('[",;\t\r\n]')
BYTE_ORDER_MARK = "\ufeff"

Cell = str | int | float


def csv_chunks(
    header: Sequence[str], rows: Iterable[Sequence[Cell]], *, spreadsheet: bool = False
) -> Iterator[bytes]:
    """The header and rows as CSV in UTF-8; see `line_chunks`."""
    lines = (",".join(cell(each, spreadsheet=spreadsheet) for each in row) for row in rows)
    return line_chunks(header, lines, spreadsheet=spreadsheet)


def line_chunks(
    header: Sequence[str], lines: Iterable[str], *, spreadsheet: bool = False
) -> Iterator[bytes]:
    """The header and the lines, a few thousand at a time; a line is cells joined by commas.

    `spreadsheet` puts a byte-order mark first, so that Excel recognises UTF-8.
    """
    first = ",".join(cell(name, spreadsheet=spreadsheet) for name in header)
    yield f"{BYTE_ORDER_MARK if spreadsheet else ''}{first}\r\n".encode()
    rest = iter(lines)
    while chunk := list(islice(rest, ROWS_A_CHUNK)):
        yield ("\r\n".join(chunk) + "\r\n").encode()


def cell(content: Cell, *, spreadsheet: bool = False) -> str:
    """A cell as it is written: a text in quotation marks if it needs them.

    With `spreadsheet`, no program takes it for a formula.

    >>> cell('a "b", c'), cell("=1+1"), cell("=1+1", spreadsheet=True)
    ('"a ""b"", c"', '=1+1', "'=1+1")
    """
    if not isinstance(content, str):
        return str(content)
    if spreadsheet and content.startswith(_FORMULA):
        content = f"'{content}"
    if _SPECIAL.search(content):
        return '"' + content.replace('"', '""') + '"'
    return content
