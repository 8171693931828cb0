"""Growth with the number of items: lines on two logarithmic axes, and shares of a limit."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plaudit.charts.theme import FONT, INK, SOFT, chart_data

WIDTH, HEIGHT, SHARE_HEIGHT = 330, 270, 150
# Room for the labels of the vertical axis, so that panels above each other line up.
LABEL_ROOM = 44
# For names in an order: from violet through blue, green and amber to crimson.
SHADES = (
    "#2d0a5e", "#3b3fb6", "#1f7fc4", "#0d9a8f", "#4da33a",
    "#9a9a1a", "#d08a12", "#dd5c1d", "#c8283f", "#8f1060",
)  # fmt: skip
Rows = Sequence[Mapping[str, Any]]


def growth_panel(rows: Rows, *, title: str, y_title: str, names: list[str], legend: str) -> Any:
    """`value` against `n` for each `name`, with its `line` of theory dashed."""
    import altair as alt

    base = alt.Chart(chart_data(rows))
    colour = _colour(names, legend)
    values = [row[key] for row in rows for key in ("value", "line")]
    height = power_axis("value", values, title=y_title)
    dashed = base.mark_line(strokeDash=[4, 3], strokeWidth=1).encode(
        x=items_axis(), y=alt.Y("line:Q"), color=colour
    )
    points = base.mark_line(strokeWidth=1.6, point={"size": 20, "filled": True}).encode(
        x=items_axis(), y=height, color=colour
    )
    return (dashed + points).properties(width=WIDTH, height=HEIGHT, title=panel_title(title))


def share_panel(rows: Rows, *, y_title: str, names: list[str], legend: str) -> Any:
    """`share` against `n` for each `name`, with a rule at 1."""
    import altair as alt

    rule = alt.Chart(chart_data([{"one": 1}])).mark_rule(color=INK, strokeDash=[4, 3])
    height = alt.Y("share:Q", title=y_title, axis=alt.Axis(minExtent=LABEL_ROOM, tickCount=6))
    lines = (
        alt.Chart(chart_data(rows))
        .mark_line(strokeWidth=1.6, point={"size": 20, "filled": True})
        .encode(x=items_axis(), y=height, color=_colour(names, legend))
    )
    return (rule.encode(y="one:Q") + lines).properties(width=WIDTH, height=SHARE_HEIGHT)


def items_axis(sizes: Sequence[int] | None = None) -> Any:
    """The number of items, on a logarithmic axis; with a tick at each of `sizes`."""
    import altair as alt

    if sizes is None:
        scale, axis = alt.Scale(type="log", nice=False), alt.Axis(grid=False, tickCount=5)
    else:
        scale = alt.Scale(type="log", nice=False, domain=[0.75 * sizes[0], 1.3 * sizes[-1]])
        axis = alt.Axis(grid=False, values=list(sizes))
    axis.format, axis.labelOverlap = "~s", True
    return alt.X("n:Q", title="items n", scale=scale, axis=axis)


def power_axis(field: str, values: Iterable[float], *, title: str) -> Any:
    """A logarithmic axis around the values, labelled at powers of ten."""
    import altair as alt

    present = list(values)
    low, high = 0.7 * min(present), 1.4 * max(present)
    powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    step = max(1, len(powers) // 6)
    # Vega has no format that suits both 100 and 10^18: the labels come as a list.
    labels = [_power_label(power) for power in powers]
    axis = alt.Axis(
        values=[10.0**power for power in powers if power % step == 0],
        labelExpr=f"{labels}[round(log(datum.value) / LN10) - ({powers[0]})]",
        minExtent=LABEL_ROOM,
    )
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    return alt.Y(f"{field}:Q", title=title, scale=scale, axis=axis)


def _power_label(power: int) -> str:
    """A power of ten as people read it.

    >>> [_power_label(power) for power in (-1, 2, 5, 7, 18)]
    ['0.1', '100', '100k', '10M', '10^18']
    """
    if not 3 <= power <= 8:
        return f"10^{power}" if power > 8 else f"{10.0**power:g}"
    return f"{10 ** (power % 3)}{'k' if power < 6 else 'M'}"


def panel_title(text: str) -> Any:
    """A panel's title, at the same height above every panel of a row."""
    import altair as alt

    return alt.Title(text, frame="group")


def figure_title(text: str, key: str) -> Any:
    """The title of a whole figure, with a key to its marks below."""
    import altair as alt

    return alt.Title(
        text,
        subtitle=[key],
        subtitleFont=FONT,
        subtitleColor=SOFT,
        subtitlePadding=6,
        offset=18,
    )


def _colour(names: list[str], legend: str) -> Any:
    """Shades in the order of the names, with one legend for the whole figure."""
    import altair as alt

    scale = alt.Scale(domain=names, range=[SHADES[k % len(SHADES)] for k in range(len(names))])
    key = alt.Legend(title=legend, symbolType="stroke", orient="right")
    return alt.Color("name:N", scale=scale, legend=key)
