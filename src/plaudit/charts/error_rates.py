"""Error rates over delta: a line for each instance, 1 marked as the promise."""

from collections.abc import Mapping, Sequence
from typing import Any

from plaudit.charts.theme import COLOURS, INK, chart_data, colours

WIDTH, STEP = 520, 26
NO_ATTACK = "its own rule"


def error_chart(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows have instance, attack, delta, tightness, error_low and error_high."""
    import altair as alt

    dots = [
        {
            "instance": row["instance"],
            "who": row["attack"] or NO_ATTACK,
            "share": row["tightness"],
            "low": row["error_low"] / row["delta"],
            "high": row["error_high"] / row["delta"],
        }
        for row in rows
    ]
    names = list(dict.fromkeys(dot["who"] for dot in dots))
    order = list(dict.fromkeys(dot["instance"] for dot in dots))
    axis = alt.Axis(ticks=False, domain=False, labelColor=INK, labelLimit=380, labelPadding=12)
    across = alt.X("share:Q", title="error over δ", scale=alt.Scale(domainMin=0.0, nice=True))
    colour = alt.Color("who:N", scale=colours(names), legend=alt.Legend(title="votes asked by"))
    along = {
        "y": alt.Y("instance:N", sort=order, title=None, axis=axis),
        "yOffset": alt.YOffset("who:N", sort=names),
        "color": colour,
    }
    base = alt.Chart(chart_data(dots))
    promise = alt.Chart(chart_data([{"share": 1.0}])).mark_rule(color=COLOURS[1])
    return alt.layer(
        promise.encode(x=across),
        base.mark_rule(strokeWidth=1.6).encode(x=alt.X("low:Q"), x2="high:Q", **along),
        base.mark_point(size=34, strokeWidth=1.6, opacity=1.0).encode(
            x=across,
            fill=alt.condition(
                f"datum.who == '{NO_ATTACK}'", alt.value(COLOURS[0]), alt.value("white")
            ),
            **along,
        ),
    ).properties(width=WIDTH, height=len(order) * STEP)
