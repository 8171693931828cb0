"""Dots on a log axis of votes: a row for each contest, a line in it for each name."""

from collections.abc import Mapping, Sequence
from typing import Any

from plaudit.charts.theme import COLOURS, INK, SOFT, colours

WIDTH, LINE_HEIGHT, ROW_GAP = 560, 9, 0.16
DOT_SIZE = 42
# More rows would make a figure that nobody can open.
MAX_ROWS = 30
Rows = Sequence[Mapping[str, Any]]


def dot_chart(dots: Rows, marks: Rows, *, hollow: str, key: str) -> Any:
    """Dots have row, name, kind, votes and more; dots of the kind `hollow` are not filled.

    Dots of one row and name are joined by a line. Where `more` is true the votes are only a
    lower limit, and the dot is a triangle. A mark is a bar across its row. `key` says above
    the chart what all this means.
    """
    import altair as alt

    order = list(dict.fromkeys(mark["row"] for mark in marks))[:MAX_ROWS]
    names = list(dict.fromkeys(dot["name"] for dot in dots))
    legend = alt.Legend(title=None, symbolOpacity=1.0, symbolType="circle")
    colour = alt.Color("name:N", scale=_colours(names), legend=legend)
    y = alt.Y(
        "row:N", sort=order, title=None, scale=alt.Scale(paddingInner=ROW_GAP),
        axis=alt.Axis(ticks=False, domain=False, labelPadding=8),
    )  # fmt: skip
    offset = alt.YOffset("name:N", sort=names)
    x = alt.X(
        "votes:Q", scale=alt.Scale(type="log", nice=False, padding=12), title="votes",
        axis=alt.Axis(format="~s", tickCount=8),
    )  # fmt: skip
    kept = [dot for dot in dots if dot["row"] in order]
    base = alt.Chart(alt.Data(values=kept))
    height = len(order) * len(names) * LINE_HEIGHT
    bars = _bars(alt, [mark for mark in marks if mark["row"] in order], x, y, height / len(order))
    lines = base.mark_line(strokeWidth=1.2, opacity=0.55).encode(
        x=x, y=y, yOffset=offset, color=colour, detail=["row:N", "name:N"]
    )
    points = base.mark_point(size=DOT_SIZE, opacity=1.0, strokeWidth=1.4).encode(
        x=x, y=y, yOffset=offset, color=colour,
        fill=alt.condition(f"datum.kind == '{hollow}'", alt.value("white"), colour),
        shape=alt.Shape(
            "more:N", legend=None,
            scale=alt.Scale(domain=[False, True], range=["circle", "triangle-right"]),
        ),
    )  # fmt: skip
    title = alt.TitleParams(key, fontSize=12, fontWeight="normal", color=SOFT)
    return alt.layer(bars, lines, points).properties(width=WIDTH, height=height, title=title)


def _bars(alt: Any, marks: Rows, x: Any, y: Any, height: float) -> Any:
    """One bar across each row."""
    size = (1 - ROW_GAP) * height
    return (
        alt.Chart(alt.Data(values=list(marks)))
        .mark_tick(orient="vertical", thickness=3, size=size, color=INK, opacity=0.35)
        .encode(x=x, y=y)
    )


def _colours(names: list[str]) -> Any:
    """Plaudit's colours, and grey for the ninth."""
    palette = (*COLOURS, SOFT)
    return colours(names, {name: palette[k % len(palette)] for k, name in enumerate(names)})
