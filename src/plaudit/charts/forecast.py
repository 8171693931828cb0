"""A forecast as a chart: the smallest epsilon certified against the number of votes."""

from typing import Any

from plaudit.charts.theme import COLOURS, INK, SOFT, chart_data, themed

WIDTH, HEIGHT = 460, 280


def forecast_chart(forecast: Any, *, title: str) -> Any:
    """The median as a line, the middle 80 % as a band, the wanted epsilon as a rule."""
    import altair as alt

    rows = [
        {
            "votes": max(point.votes, 1),
            "epsilon": point.epsilon.median,
            "low": point.epsilon.low,
            "high": point.epsilon.high,
        }
        for point in forecast.curve
    ]
    axis = alt.Axis(format="~s", grid=False, tickCount=6)
    votes = alt.X("votes:Q", title="votes", scale=alt.Scale(type="log", nice=False), axis=axis)
    height = alt.Y("epsilon:Q", title="smallest epsilon certified", scale=alt.Scale(zero=True))
    base = alt.Chart(chart_data(rows))
    shape: Any = {"interpolate": "step-after", "color": COLOURS[0]}
    band = base.mark_area(opacity=0.16, **shape).encode(x=votes, y="low:Q", y2="high:Q")
    line = base.mark_line(strokeWidth=2, **shape).encode(x=votes, y=height)
    wanted = alt.Chart(chart_data([{"epsilon": forecast.epsilon, "text": "wanted"}]))
    rule = wanted.mark_rule(color=INK, strokeDash=[4, 3]).encode(y="epsilon:Q")
    word = wanted.mark_text(align="right", dy=-6, color=SOFT).encode(
        y="epsilon:Q", x=alt.value(WIDTH), text="text:N"
    )
    return themed((band + line + rule + word).properties(width=WIDTH, height=HEIGHT), title=title)
