"""Ratios on a log axis: a dot with its limits for each name, 1 marked, the floor dashed."""

from collections.abc import Mapping, Sequence
from typing import Any

from plaudit.charts.theme import COLOURS, INK, SOFT, chart_data

WIDTH, STEP = 250, 17
WIDE = 520
LEAST = 0.01
TICKS = [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000]
Rows = Sequence[Mapping[str, Any]]


def ratio_panels(rows: Rows, *, columns: int) -> Any:
    """A panel for each `panel`: rows have name, ratio, low, high, more, ours and floor.

    Where `more` is true the ratio is only a limit, and the dot a triangle.
    """
    import altair as alt

    panels = [
        _panel([row for row in rows if row["panel"] == panel], title=panel, width=WIDTH)
        for panel in dict.fromkeys(row["panel"] for row in rows)
    ]
    return alt.concat(*panels, columns=columns)


def ratio_column(rows: Rows) -> Any:
    """One wide panel, a line for each name."""
    return _panel(rows, title="", width=WIDE)


def _panel(rows: Rows, *, title: str, width: int) -> Any:
    import altair as alt

    order = list(dict.fromkeys(row["name"] for row in rows))
    ticks = alt.Axis(format="~g", values=TICKS)
    scale = alt.Scale(type="log", nice=False, padding=10)
    across = alt.X("ratio:Q", title="of lil-KLUCB's votes", axis=ticks, scale=scale)
    axis = alt.Axis(ticks=False, domain=False, labelColor=INK, labelLimit=340, grid=True)
    down = alt.Y("name:N", sort=order, title=None, axis=axis)
    colour = alt.condition(alt.datum.ours, alt.value(COLOURS[1]), alt.value(COLOURS[0]))
    shapes = alt.Scale(domain=[False, True], range=["circle", "triangle-right"])
    base = alt.Chart(chart_data([_on_axis(row) for row in rows]))
    layers = [
        _mark(alt, 1.0, across, [1, 0]),
        *(_mark(alt, floor, across, [5, 3]) for floor in _floors(rows)),
        base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q", y=down, color=colour),
        base.mark_point(filled=True, size=55, opacity=1.0).encode(
            x=across, y=down, color=colour, shape=alt.Shape("more:N", scale=shapes, legend=None)
        ),
    ]
    height = max(len(order), 2) * STEP
    return alt.layer(*layers).properties(width=width, height=height, title=title)


def _on_axis(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with limits that a log axis has room for: few races may reach below 0."""
    return {**row, "low": max(row["low"], LEAST)} if row["low"] is not None else dict(row)


def _floors(rows: Rows) -> list[float]:
    return list({row["floor"] for row in rows if row["floor"] is not None})[:1]


def _mark(alt: Any, place: float, across: Any, dash: list[int]) -> Any:
    data = chart_data([{"ratio": place}])
    return alt.Chart(data).mark_rule(color=SOFT, strokeDash=dash).encode(x=across)
