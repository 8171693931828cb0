"""Calls against errors: a panel for each benchmark, a dot for each way."""

from collections.abc import Mapping, Sequence
from typing import Any

from plaudit.charts.theme import INK, SOFT, chart_data, colours

WIDTH, HEIGHT = 300, 220


def calls_chart(rows: Sequence[Mapping[str, Any]], *, delta: float) -> Any:
    """Rows have benchmark, way, share, error, error_low and error_high."""
    import altair as alt

    ways = list(dict.fromkeys(row["way"] for row in rows))
    panels = [
        _panel(alt, [row for row in rows if row["benchmark"] == name], name, ways, delta)
        for name in dict.fromkeys(row["benchmark"] for row in rows)
    ]
    return alt.hconcat(*panels)


def _panel(
    alt: Any, rows: Sequence[Mapping[str, Any]], name: str, ways: list[str], delta: float
) -> Any:
    across = alt.X(
        "share:Q",
        title="share of the full grid's calls",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%"),
    )
    up = alt.Y("error:Q", title="runs that are wrong", axis=alt.Axis(format="%"))
    colour = alt.Color("way:N", scale=colours(ways), legend=alt.Legend(title=None))
    base = alt.Chart(chart_data(list(rows)))
    promise = alt.Chart(chart_data([{"error": delta}]))
    title = alt.TitleParams(name, fontSize=12, fontWeight="normal", color=INK)
    return alt.layer(
        promise.mark_rule(color=SOFT, strokeDash=[4, 3]).encode(y=up),
        base.mark_rule(strokeWidth=1.6).encode(
            x=across, y=alt.Y("error_low:Q"), y2="error_high:Q", color=colour
        ),
        base.mark_point(size=60, filled=True, opacity=1.0).encode(x=across, y=up, color=colour),
    ).properties(width=WIDTH, height=HEIGHT, title=title)
