"""Curves with bands against the number of votes, and the profile of means above them."""

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from plaudit.charts.theme import INK, SOFT, chart_data, colours

WIDTH, HEIGHT, PROFILE_HEIGHT = 340, 240, 70
MAX_POINTS = 400
Rows = Sequence[Mapping[str, Any]]


def curve_panel(
    rows: Rows,
    *,
    title: str,
    names: list[str],
    own: dict[str, str] | None = None,
    legend: bool,
    dashed: Rows = (),
) -> Any:
    """Probability against votes: `rows` have votes, share, low, high and name.

    `dashed` has the same without bands, to compare with.
    """
    import altair as alt

    axis = alt.Axis(format="~s", grid=False, tickCount=6)
    votes = alt.X("votes:Q", title="votes", scale=alt.Scale(nice=False), axis=axis)
    key = alt.Legend(title=None, orient="bottom-right", symbolType="stroke") if legend else None
    scale = colours(names, own)
    share = alt.Y("share:Q", title="P(best item in top 5)", scale=alt.Scale(domain=[0, 1]))
    base = alt.Chart(chart_data(rows))
    band = base.mark_area(opacity=0.16).encode(
        x=votes, y="low:Q", y2="high:Q", color=alt.Color("name:N", scale=scale, legend=None)
    )
    line = base.mark_line(strokeWidth=2).encode(
        x=votes, y=share, color=alt.Color("name:N", scale=scale, legend=key)
    )
    compared = alt.Chart(chart_data(dashed)).mark_line(strokeWidth=1.2, strokeDash=[4, 3])
    layers = [
        compared.encode(x=votes, y=share, color=alt.Color("name:N", scale=scale, legend=None))
    ]
    panel = alt.layer(band, *(layers if dashed else []), line).resolve_scale(color="independent")
    return panel.properties(width=WIDTH, height=HEIGHT, title=title)


def profile_strip(means: NDArray[Any]) -> Any:
    """The items' means, largest first, as a thin chart."""
    import altair as alt

    ordered = sorted(means.tolist(), reverse=True)
    step = max(1, len(ordered) // MAX_POINTS)
    places = range(0, len(ordered), step)
    values = [{"item": place + 1, "mean": ordered[place]} for place in places]
    height = alt.Scale(domain=[0, 1])
    return (
        alt.Chart(chart_data(values))
        .mark_area(color=SOFT, opacity=0.25, line={"color": INK, "strokeWidth": 1})
        .encode(
            x=alt.X("item:Q", title="item, best first", axis=alt.Axis(grid=False, tickCount=5)),
            y=alt.Y("mean:Q", title="mean", scale=height, axis=alt.Axis(tickCount=3)),
        )
        .properties(width=WIDTH, height=PROFILE_HEIGHT)
    )
