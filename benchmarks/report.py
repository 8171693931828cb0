"""The report of a benchmark: rows with the goal, the measurement, and whether it is met."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table


@dataclass(frozen=True)
class Row:
    """One measured number; `holds` is None if there is no goal, or if the noise hides it."""

    what: str
    measured: float
    unit: str = ""
    asked: str = ""
    holds: bool | None = None
    remark: str = ""


@dataclass
class Report:
    """All rows of one benchmark, and remarks on how they were measured."""

    name: str
    title: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    # A second table, of texts: its headings, then its rows.
    grid: list[list[str]] = field(default_factory=list)

    def add(self, what: str, measured: float, unit: str = "") -> None:
        """Adds a number without a goal."""
        self.rows.append(Row(what, float(measured), unit))

    def at_most(self, what: str, measured: float, bar: float, unit: str = "") -> None:
        """Adds a number that must not be larger than the bar."""
        asked = f"at most {bar:g} {unit}".rstrip()
        self.rows.append(Row(what, float(measured), unit, asked, bool(measured <= bar)))

    def at_least(self, what: str, measured: float, bar: float, unit: str = "") -> None:
        """Adds a number that must not be smaller than the bar."""
        asked = f"at least {bar:g} {unit}".rstrip()
        self.rows.append(Row(what, float(measured), unit, asked, bool(measured >= bar)))

    def note(self, text: str) -> None:
        """Adds a remark below the table."""
        self.notes.append(text)

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values, for JSON."""
        return asdict(self)


def show(report: Report) -> None:
    """Prints the report as a table."""
    table = Table(title=f"{report.name}: {report.title}", title_justify="left", box=box.SIMPLE)
    for heading in ("what", "asked", "measured", "holds"):
        table.add_column(heading, justify="right" if heading == "measured" else "left")
    for row in report.rows:
        table.add_row(escape(row.what), row.asked, _number(row), _word(row))
    console = Console(highlight=False)
    console.print(table)
    if report.grid:
        console.print(_grid(*report.grid))
    for note in report.notes:
        console.print(f"  {escape(note)}")
    console.print()


def _grid(headings: list[str], *rows: list[str]) -> Table:
    table = Table(box=box.SIMPLE)
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="right" if place else "left")
    for row in rows:
        table.add_row(*map(escape, row))
    return table


def _number(row: Row) -> str:
    value = row.measured
    if row.remark:
        text = f"{value:.3f}"
    elif value == 0 or math.isnan(value):
        text = f"{value:g}"
    elif value == int(value) or abs(value) >= 1000:
        text = f"{value:,.0f}"
    else:
        text = f"{value:.3g}"
    return " ".join(part for part in (text, row.unit, row.remark) if part)


def _word(row: Row) -> str:
    if row.holds is None:
        return "unclear" if row.asked else ""
    return "[green]yes[/green]" if row.holds else "[red]NO[/red]"
