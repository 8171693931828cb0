"""A chart as plain values: the same rows are drawn, listed in a table, and written as CSV."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from plaudit.phrase import Phrase
from plaudit.service.archive.csv_rows import Cell, csv_chunks

# How rows are read. LINE: x, y and, with a band, low and high. BARS: a label, a number.
# HISTOGRAM: from, to, a number. INTERVALS: a label, mean, lower, upper, standing.
# Columns that come after these are for the table and the CSV.
LINE, BARS, HISTOGRAM, INTERVALS = "line", "bars", "histogram", "intervals"

# Cells: numbers, texts, None, and labels that are phrases, which pages translate.
Row = Sequence[Any]


class Axis(NamedTuple):
    """What an axis shows. `low` and `high` are ends that it has at least.

    `is_whole`: it counts, so that no tick is a fraction. `zoned` is the label of a time with a
    place for the name of the reader's zone.
    """

    label: str = ""
    is_time: bool = False
    is_log: bool = False
    low: float | None = None
    high: float | None = None
    is_whole: bool = False
    zoned: str = ""


@dataclass(frozen=True)
class Chart:
    """One chart: `name` says what it shows, of the race in a lane where it is about one race.

    `algorithm` is that of the lane where a contest has several. `facts` are numbers that the words
    of the chart need. Pages fill in the words: `title`, `about` and the labels of the axes.
    """

    name: str
    kind: str
    x: Axis
    y: Axis
    header: tuple[str, ...]
    rows: Sequence[Row]
    lane: int = 0
    algorithm: str = ""
    facts: Mapping[str, float] = field(default_factory=dict)
    has_band: bool = False
    has_dots: bool = False
    title: str = ""
    about: str = ""

    @property
    def id(self) -> str:
        """The name in addresses and files: the first race's needs no number."""
        return f"{self.name}-{self.lane + 1}" if self.lane else self.name

    def csv(self) -> Iterator[bytes]:
        """The rows as a file for a spreadsheet; times are in UTC."""
        return csv_chunks(self.header, map(self._cells, self.rows), spreadsheet=True)

    def _cells(self, row: Row) -> list[Cell]:
        cells: list[Cell] = [_cell(value) for value in row]
        if self.x.is_time and isinstance(cells[0], int):
            cells[0] = iso(cells[0])
        return cells


def _cell(value: Any) -> Cell:
    if isinstance(value, Phrase):
        return str(value)
    return "" if value is None else value


def iso(at: int) -> str:
    """A time as files have it.

    >>> iso(1_700_000_000_000)
    '2023-11-14T22:13:20Z'
    """
    return f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%dT%H:%M:%SZ}"
