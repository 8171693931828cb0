"""Votes to the verdict against the number of items: panels, algorithms, floor and bound."""

from collections.abc import Mapping, Sequence
from typing import Any

from plaudit.charts.growth import figure_title, items_axis, panel_title, power_axis
from plaudit.charts.theme import COLOURS, SOFT, chart_data, themed

WIDTH, HEIGHT, COLUMNS = 250, 260, 3
SHAPES = (
    "circle",
    "square",
    "diamond",
    "cross",
    "triangle-right",
    "triangle-left",
    "triangle-down",
)
KEY = (
    "Open triangle: more than this, given up without a verdict. Dashed: the floor that no "
    "algorithm can pass. Dotted: the paper's bound for lil-KLUCB, constant 1."
)
Rows = Sequence[Mapping[str, Any]]


def votes_chart(rows: Rows, theory: Rows, *, names: list[str]) -> Any:
    """A panel for each `panel`: `votes` against `n`, a line for each `name`.

    Rows that are not `finished` are drawn as open triangles. `theory` has the
    `floor` and the `bound` of each panel and `n`.
    """
    import altair as alt

    values = [row["votes"] for row in rows] + [row["floor"] for row in theory]
    sizes = sorted({row["n"] for row in rows})
    panels = [
        _panel(
            [row for row in rows if row["panel"] == panel],
            [row for row in theory if row["panel"] == panel],
            title=panel,
            names=names,
            axes=(items_axis(sizes), power_axis("votes", values, title="votes to the verdict")),
        )
        for panel in dict.fromkeys(row["panel"] for row in rows)
    ]
    title = figure_title("Votes to the verdict", KEY)
    return themed(alt.concat(*panels, columns=COLUMNS).properties(title=title))


def _panel(rows: Rows, theory: Rows, *, title: str, names: list[str], axes: Any) -> Any:
    import altair as alt

    across, height = axes
    colour, shape = _keys(names)
    # The first name is what the figure is about.
    width = alt.condition(alt.datum.name == names[0], alt.value(3), alt.value(1.4))
    done = alt.Chart(chart_data([row for row in rows if row["finished"]]))
    lines = done.mark_line().encode(x=across, y=height, color=colour, strokeWidth=width)
    points = done.mark_point(size=34, filled=True, opacity=1).encode(
        x=across, y=height, color=colour, shape=shape
    )
    layers = [*_theory_layers(theory, axes), lines, points]
    given_up = _side_by_side([row for row in rows if not row["finished"]], names)
    if given_up:
        layers.append(
            alt.Chart(chart_data(given_up))
            .mark_point(shape="triangle-up", size=34, strokeWidth=1.4)
            .encode(x=across, y=height, color=colour)
        )
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=panel_title(title))


def _keys(names: list[str]) -> tuple[Any, Any]:
    """Colours and shapes by name, in one legend."""
    import altair as alt

    hues = (*COLOURS, "#7a3e9d", "#7f8c2f")
    scale = alt.Scale(domain=names, range=[hues[k % len(hues)] for k in range(len(names))])
    marks = alt.Scale(domain=names, range=[SHAPES[k % len(SHAPES)] for k in range(len(names))])
    return (
        alt.Color("name:N", scale=scale, legend=alt.Legend(title="algorithm")),
        alt.Shape("name:N", scale=marks, legend=alt.Legend(title="algorithm")),
    )


def _theory_layers(theory: Rows, axes: Any) -> list[Any]:
    import altair as alt

    across, height = axes
    return [
        alt.Chart(chart_data([{"n": row["n"], "votes": row[field]} for row in theory]))
        .mark_line(color=SOFT, strokeDash=dash, strokeWidth=1.8)
        .encode(x=across, y=height)
        for field, dash in (("floor", [6, 3]), ("bound", [1.5, 2.5]))
    ]


def _side_by_side(rows: Rows, names: list[str]) -> list[dict[str, Any]]:
    """Rows moved a little sideways by name: races are given up at the same votes."""
    middle = (len(names) - 1) / 2
    return [{**row, "n": row["n"] * 1.05 ** (names.index(row["name"]) - middle)} for row in rows]
