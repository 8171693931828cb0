"""Error over delta for every crowd: a panel for each instance, 1 marked as the promise."""

from collections.abc import Mapping, Sequence
from typing import Any

from plaudit.charts.theme import COLOURS, INK, chart_data, colours

WIDTH, STEP = 300, 40
MARKS = [0, 0.5, 1, 2, 5, 10, 20]


def crowd_chart(rows: Sequence[Mapping[str, Any]], *, names: Sequence[str]) -> Any:
    """Rows have instance, crowd, algorithm, over_delta, low and high."""
    import altair as alt

    used = [name for name in names if any(row["algorithm"] == name for row in rows)]
    panels = [
        _panel([row for row in rows if row["instance"] == instance], instance, used)
        for instance in dict.fromkeys(row["instance"] for row in rows)
    ]
    return alt.hconcat(*panels, spacing=30)


def _panel(rows: Sequence[Mapping[str, Any]], title: str, names: list[str]) -> Any:
    import altair as alt

    order = list(dict.fromkeys(row["crowd"] for row in rows))
    fields = ("crowd", "algorithm", "over_delta", "low", "high")
    data = chart_data([{name: row[name] for name in fields} for row in rows])
    across = alt.X(
        "over_delta:Q",
        title="error over δ",
        scale=alt.Scale(type="symlog", domainMin=0.0),
        axis=alt.Axis(values=MARKS),
    )
    axis = alt.Axis(ticks=False, domain=False, labelColor=INK, labelLimit=200, labelPadding=10)
    along = {
        "y": alt.Y("crowd:N", sort=order, title=None, axis=axis),
        "yOffset": alt.YOffset("algorithm:N", sort=names),
        "color": alt.Color("algorithm:N", scale=colours(names), legend=alt.Legend(title=None)),
    }
    base = alt.Chart(data)
    promise = alt.Chart(chart_data([{"over_delta": 1.0}])).mark_rule(color=COLOURS[1])
    return alt.layer(
        promise.encode(x=across),
        base.mark_rule(strokeWidth=1.2).encode(x=alt.X("low:Q"), x2="high:Q", **along),
        base.mark_point(size=22, filled=True, opacity=1.0).encode(x=across, **along),
    ).properties(width=WIDTH, height=len(order) * STEP, title=title)
