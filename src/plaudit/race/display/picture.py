"""A picture of intervals, as SVG: for notebooks and files, without a chart library."""

from collections.abc import Sequence
from html import escape
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from plaudit.errors import InvalidInput
from plaudit.race.verdict import Intervals

MOST_ROWS = 30
LABEL, AXIS, ROW, MARGIN = 150, 420, 22, 12
LONGEST_NAME = 24
IN, OTHER = "#1b6e3c", "#6b7280"


class Picture:
    """An SVG picture that notebooks show; `save` writes it to a file."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, file: str | Path) -> None:
        """Writes the picture: `.svg`, or `.png` where vl-convert-python is installed."""
        path = Path(file)
        if path.suffix == ".svg":
            path.write_text(self.svg, encoding="utf-8")
        elif path.suffix == ".png":
            if find_spec("vl_convert") is None:
                raise InvalidInput("PNG files need the extra `studies`; save the picture as .svg.")
            path.write_bytes(import_module("vl_convert").svg_to_png(self.svg, scale=2.0))
        else:
            raise InvalidInput(f"A picture is saved as .svg or .png; got {str(file)!r}.")


def interval_picture(table: Intervals, named: Sequence[int], *, title: str) -> Picture:
    """The intervals of the items with the largest means, those named in another colour.

    Of many items it shows the first thirty and says how many are left out.
    """
    means = np.where(np.isnan(table.means), -1.0, table.means)
    by_mean = np.lexsort((np.arange(means.size), -means)).tolist()
    inside = set(named)
    order = sorted(by_mean, key=lambda number: number not in inside)[:MOST_ROWS]
    left = table.votes.size - len(order)
    height = MARGIN + ROW * (len(order) + 2) + (ROW if left else 0)
    items = table.columns()["item"]
    rows = [
        _row(table, int(number), str(items[number]), place, is_in=number in inside)
        for place, number in enumerate(order)
    ]
    foot = _text(LABEL, MARGIN + ROW * (len(order) + 2), f"… and {left:,} more") if left else ""
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LABEL + AXIS + 2 * MARGIN}" '
        f'height="{height + MARGIN}" font-family="sans-serif" font-size="12" role="img">'
        f"<title>{escape(title)}</title>{_axis(len(order))}{''.join(rows)}{foot}</svg>"
    )


def _row(table: Intervals, number: int, name: str, place: int, *, is_in: bool) -> str:
    y = MARGIN + ROW * place + ROW / 2
    colour = IN if is_in else OTHER
    shown = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
    low, high = _x(table.lower[number]), _x(table.upper[number])
    mean = table.means[number]
    dot = "" if np.isnan(mean) else f'<circle cx="{_x(mean):.1f}" cy="{y}" r="4"/>'
    says = f"{name}: {table.votes[number]:,} votes, {table.lower[number]:.3f} to "
    return (
        f'<g fill="{colour}" stroke="{colour}"><title>{escape(says)}{table.upper[number]:.3f}'
        f'</title><line x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}" stroke-width="3"/>{dot}'
        f'<text x="{LABEL - 8}" y="{y + 4}" text-anchor="end" stroke="none">{escape(shown)}</text>'
        "</g>"
    )


def _axis(rows: int) -> str:
    top, bottom = MARGIN, MARGIN + ROW * rows
    ticks = (0.0, 0.25, 0.5, 0.75, 1.0)
    return "".join(
        f'<line x1="{_x(tick)}" x2="{_x(tick)}" y1="{top}" y2="{bottom}" stroke="#d1d5db"/>'
        + _text(_x(tick), bottom + ROW * 0.8, f"{tick:g}", anchor="middle")
        for tick in ticks
    )


def _text(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{OTHER}">{escape(text)}</text>'
    )


def _x(value: float) -> float:
    return LABEL + AXIS * float(min(1.0, max(0.0, value)))
