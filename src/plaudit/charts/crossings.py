"""How often bounds fail: the probability against time, and all laws side by side."""

from collections.abc import Mapping, Sequence
from typing import Any

from plaudit.charts.theme import chart_data, colours, themed

PANEL_WIDTH, PANEL_HEIGHT, ROW_HEIGHT = 210, 190, 22
# Shares of delta are drawn from here to 1; a probability of 0 has no place on such an axis.
LEAST = 1e-6
SHARES = [10.0**power for power in range(-6, 1)]
VOTES = [10.0**power for power in range(0, 9, 2)]
SIDES = ["upper", "lower"]
Rows = Sequence[Mapping[str, Any]]


def crossing_chart(curves: Rows, ends: Rows) -> Any:
    """Above, votes of 0 and 1 over time, a panel for each delta; below, every law at the end."""
    import altair as alt

    deltas = sorted({row["delta"] for row in curves}, reverse=True)
    panels = [_panel(curves, delta, legend=delta == deltas[-1]) for delta in deltas]
    above = alt.hconcat(*panels).resolve_legend(color="independent", strokeDash="independent")
    whole = alt.vconcat(above, _laws(ends))
    return themed(whole.resolve_scale(color="independent", shape="independent"))


def _panel(curves: Rows, delta: float, *, legend: bool) -> Any:
    import altair as alt

    values = [
        {
            "votes": row["votes"],
            "share": row["share_of_delta"],
            "mean": f"{row['mean']:g}",
            "side": row["side"],
        }
        for row in curves
        if row["delta"] == delta and row["share_of_delta"] >= LEAST
    ]
    means = sorted({f"{row['mean']:g}" for row in curves}, key=float)
    key = alt.Legend(title="mean", symbolType="stroke") if legend else None
    dashes = alt.Legend(title="bound", symbolType="stroke") if legend else None
    colour = alt.Color("mean:N", scale=colours(means), sort=means, legend=key)
    lines = alt.Chart(chart_data(values)).mark_line(strokeWidth=1.6)
    drawn = lines.encode(
        x=_log_axis(alt.X, "votes", "votes", VOTES, "~s"),
        y=_log_axis(alt.Y, "share", "P(crossed so far) / δ", SHARES, "~e"),
        color=colour,
        strokeDash=alt.StrokeDash("side:N", scale=alt.Scale(domain=SIDES), legend=dashes),
    )
    return drawn.properties(width=PANEL_WIDTH, height=PANEL_HEIGHT, title=f"0 and 1, δ = {delta:g}")


def _log_axis(channel: Any, field: str, title: str, marks: list[float], form: str) -> Any:
    """A logarithmic axis with a line at each power of ten; shares end at the promise, 1."""
    import altair as alt

    ends = {"domain": [LEAST, 1]} if field == "share" else {}
    scale = alt.Scale(type="log", **ends)
    return channel(f"{field}:Q", title=title, scale=scale, axis=alt.Axis(values=marks, format=form))


def _laws(ends: Rows) -> Any:
    """Where a probability is known, a dot; where no walk crossed, a bar up to its limit."""
    import altair as alt

    values = [
        {
            "case": f"{row['law']}, mean {row['mean']:.3g}",
            "share": row["share_of_delta"],
            "low": max(row["low"] / row["delta"], LEAST),
            "high": min(row["high"] / row["delta"], 1.0),
            "delta": f"{row['delta']:g}",
            "side": row["side"],
        }
        for row in ends
    ]
    cases = list(dict.fromkeys(value["case"] for value in values))
    deltas = sorted({value["delta"] for value in values}, key=float, reverse=True)
    key = alt.Legend(title="δ")
    base = alt.Chart(chart_data(values)).encode(
        y=alt.Y("case:N", sort=cases, title=None),
        color=alt.Color("delta:N", scale=colours(deltas), sort=deltas, legend=key),
    )
    shape = alt.Shape("side:N", scale=alt.Scale(domain=SIDES), legend=alt.Legend(title="bound"))
    share = _log_axis(alt.X, "share", "P(crossed by the last vote) / δ", SHARES, "~e")
    dots = base.transform_filter(f"datum.share >= {LEAST}").mark_point(filled=True, size=45)
    limits = base.transform_filter("datum.high > 1.01 * datum.low")
    return (
        limits.mark_rule(opacity=0.35).encode(x="low:Q", x2="high:Q")
        + limits.mark_tick(thickness=2, size=12).encode(x="high:Q")
        + dots.encode(x=share, shape=shape)
    ).properties(
        width=3 * PANEL_WIDTH, height=ROW_HEIGHT * len(cases), title="every law by the last vote"
    )
