"""Dots on a log axis of votes: a row for each contest, a line in it for each name."""

from collections.abc import Mapping, Sequence
from typing import Any

from plaudit.charts.theme import COLOURS, INK, SOFT, chart_data, colours

WIDTH, LINE_HEIGHT, ROW_GAP = 560, 9, 0.16
DOT_SIZE = 42
# More rows would make a figure that nobody can open.
MAX_ROWS = 30
Rows = Sequence[Mapping[str, Any]]


def dot_chart(dots: Rows, marks: Rows, *, names: list[str], hollow: str, key: str) -> Any:
    """Dots have row, name, kind, votes and more; those of the kind `hollow` are not filled.

    Dots of one row and name are joined by a line. Where `more` is true the votes are only a
    lower limit, and the dot is a triangle. A mark is a bar across its row. `key` says above
    the chart what all this means.
    """
    import altair as alt

    order = list(dict.fromkeys(mark["row"] for mark in marks))[:MAX_ROWS]
    across = {"x": _votes_axis(alt), "y": _row_axis(alt, order)}
    legend = alt.Legend(title=None, symbolOpacity=1.0, symbolType="circle")
    along = across | {
        "yOffset": alt.YOffset("name:N", sort=names),
        "color": alt.Color("name:N", scale=_colours(names), legend=legend),
    }
    row_height = len(names) * LINE_HEIGHT
    base = alt.Chart(_data(alt, dots, order))
    layers = (
        alt.Chart(_data(alt, marks, order))
        .mark_tick(orient="vertical", thickness=3, size=(1 - ROW_GAP) * row_height,
                   color=INK, opacity=0.35)
        .encode(**across),
        base.mark_line(strokeWidth=1.2, opacity=0.55).encode(**along, detail=["row:N", "name:N"]),
        _points(alt, base, along, hollow),
    )  # fmt: skip
    title = alt.TitleParams(key, fontSize=12, fontWeight="normal", color=SOFT)
    height = len(order) * row_height
    return alt.layer(*layers).properties(width=WIDTH, height=height, title=title)


def _data(alt: Any, rows: Rows, order: Sequence[str]) -> Any:
    return chart_data([row for row in rows if row["row"] in order])


def _votes_axis(alt: Any) -> Any:
    scale = alt.Scale(type="log", nice=False, padding=12)
    return alt.X("votes:Q", scale=scale, title="votes", axis=alt.Axis(format="~s", tickCount=8))


def _row_axis(alt: Any, order: list[str]) -> Any:
    axis = alt.Axis(ticks=False, domain=False, labelPadding=8, labelColor=INK, labelFontSize=12)
    return alt.Y("row:N", sort=order, title=None, scale=alt.Scale(paddingInner=ROW_GAP), axis=axis)


def _points(alt: Any, base: Any, along: dict[str, Any], hollow: str) -> Any:
    shapes = alt.Scale(domain=[False, True], range=["circle", "triangle-right"])
    return base.mark_point(size=DOT_SIZE, opacity=1.0, strokeWidth=1.4).encode(
        **along,
        fill=alt.condition(f"datum.kind == '{hollow}'", alt.value("white"), along["color"]),
        shape=alt.Shape("more:N", legend=None, scale=shapes),
    )


def _colours(names: list[str]) -> Any:
    """Plaudit's colours, and grey for the ninth."""
    palette = (*COLOURS, SOFT)
    return colours(names, {name: palette[k % len(palette)] for k, name in enumerate(names)})
