"""Error rates under attack over delta: a line for each attack and number of dishonest raters."""

from collections.abc import Mapping, Sequence
from typing import Any

from plaudit.charts.theme import COLOURS, INK, chart_data, colours

WIDTH, STEP = 520, 44


def attack_chart(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows have attack, raters, delta, tightness, error_low and error_high."""
    import altair as alt

    dots = [
        {
            "attack": row["attack"],
            "raters": f"{row['raters']}",
            "share": row["tightness"],
            "low": row["error_low"] / row["delta"],
            "high": row["error_high"] / row["delta"],
        }
        for row in rows
    ]
    numbers = list(dict.fromkeys(dot["raters"] for dot in dots))
    order = list(dict.fromkeys(dot["attack"] for dot in dots))
    axis = alt.Axis(ticks=False, domain=False, labelColor=INK, labelLimit=380, labelPadding=12)
    across = alt.X("share:Q", title="error over δ", scale=alt.Scale(domainMin=0.0, nice=True))
    along = {
        "y": alt.Y("attack:N", sort=order, title=None, axis=axis),
        "yOffset": alt.YOffset("raters:N", sort=numbers),
        "color": alt.Color(
            "raters:N", scale=colours(numbers), legend=alt.Legend(title="dishonest raters")
        ),
    }
    base = alt.Chart(chart_data(dots))
    promise = alt.Chart(chart_data([{"share": 1.0}])).mark_rule(color=COLOURS[1])
    return alt.layer(
        promise.encode(x=across),
        base.mark_rule(strokeWidth=1.6).encode(x=alt.X("low:Q"), x2="high:Q", **along),
        base.mark_point(size=30, filled=True, opacity=1.0).encode(x=across, **along),
    ).properties(width=WIDTH, height=len(order) * STEP)
