"""How every chart looks: colours, fonts and lines, the same on paper and on a live page."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

INK = "#1c2430"
SOFT = "#5b6675"
LINE = "#d9dee5"
FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"

# Told apart by most colour-blind readers too (after Okabe and Ito), darkest first.
COLOURS = ("#0072b2", "#d55e00", "#1c2430", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d3b")

# The paper's own colours for its three bounds: blue, red, black.
BOUND_COLOURS = {"KL": "#0057b8", "SG1": "#d62728", "SG2": "#111111"}


def themed(chart: Any, *, title: str | None = None) -> Any:
    """The chart with Plaudit's look; only for the outermost chart."""
    if title is not None:
        chart = chart.properties(title=title)
    return (
        chart.configure(font=FONT, background="white", padding=12)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=SOFT, titleColor=INK, gridColor=LINE, domainColor=SOFT, tickColor=SOFT,
            titleFontWeight="normal", labelFontSize=11, titleFontSize=12,
        )
        .configure_legend(
            labelColor=INK, titleColor=SOFT, labelFontSize=12, titleFontSize=11,
            symbolStrokeWidth=3,
        )
        .configure_title(color=INK, fontSize=14, anchor="start", offset=10)
        .configure_header(labelColor=INK, titleColor=INK, labelFontSize=12)
    )  # fmt: skip


def chart_data(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as the data of a chart."""
    import altair as alt

    # As text: Altair would copy and check every row again for each part of a chart.
    return alt.Data(values=json.dumps(rows, allow_nan=False), format={"type": "json"})


def colours(names: list[str], own: dict[str, str] | None = None) -> Any:
    """A colour scale that keeps the order of the names."""
    import altair as alt

    fixed = own or dict(zip(names, COLOURS * (len(names) // len(COLOURS) + 1), strict=False))
    return alt.Scale(domain=names, range=[fixed[name] for name in names])
