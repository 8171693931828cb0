"""The summary file of one contest: whether it is whole, how much it holds, and its hash."""

import hashlib
import math
from collections import Counter
from pathlib import Path

from plaudit.datasets.csv_reader import number, open_sheet, shorten
from plaudit.datasets.summary import LEVELS
from plaudit.datasets.table import VoteTable
from plaudit.datasets.votes import read_votes
from plaudit.errors import DataUnavailable, VoteFileError


def read_contest(path: Path, *, called: str = "") -> VoteTable:
    """The table of a contest's summary.

    Anything else, or a summary that was cut off, is a `DataUnavailable`. A cut
    between two rows leaves no trace; only a known hash shows it. `called` is how
    messages name the file; by default they name its path.
    """
    what = called or f"The file {path}"
    try:
        table = read_votes(path)
    except VoteFileError as error:
        raise DataUnavailable(
            f"{what} is not a contest summary, or only the first part of one: get it again. {error}"
        ) from None
    if table.levels is None:
        raise DataUnavailable(
            f"{what} has one vote a row. A contest has one item a row, with the columns "
            f"{', '.join(LEVELS)}; `plaudit rank` and `read_votes` take the other form."
        )
    if not _ends_with_a_line(path):
        raise DataUnavailable(
            f"{what} breaks off within its last line: it is half-written. Get it again."
        )
    return table


def _ends_with_a_line(path: Path) -> bool:
    # A last count that lost a digit still reads as a row; a lost line break shows it.
    # Without zero bytes, so that UTF-16 works too.
    return path.read_bytes()[-2:].strip(b"\0").endswith((b"\n", b"\r"))


def count_votes(path: Path) -> tuple[int, int]:
    """The numbers of items and of votes in a summary, read in half the time of a table."""
    sheet = open_sheet(path)
    if not sheet.has(*LEVELS):
        raise VoteFileError(f"{path} is not a contest summary: it lacks {', '.join(LEVELS)}.")
    columns = [sheet.position(name) for name in LEVELS]
    rows = [fields for _, fields in sheet.rows]
    # Few different counts fill most of the fields, so each is read once.
    found = Counter(fields[column] for column in columns for fields in rows)
    return len(rows), sum(times * _count(text, path) for text, times in found.items())


def _count(text: str, path: Path) -> int:
    count = number(text)
    if count is None or not math.isfinite(count):
        raise VoteFileError(f"{path} holds {shorten(text)} where it should count votes.")
    return int(count)


def sha256(path: Path) -> str:
    """The file's SHA-256, in hexadecimal digits."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise DataUnavailable(
            f"Cannot read the file {path} ({error.strerror or error}). "
            "Check that you are allowed to."
        ) from None
