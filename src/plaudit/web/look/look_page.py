"""The component sheet at `/desk/look`, for those who work on pages: all components, light and dark.

It shows no data and no texts of the catalogue, and is there only if the service was asked for it.
"""

from dataclasses import replace
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from plaudit.service.watch.chart import BARS, INTERVALS, LINE, Axis, Chart
from plaudit.web.charts.drawing import drawn
from plaudit.web.rendering import page

_TITLES: Final = {"line": "A line with its band", "bars": "Bars", "intervals": "Intervals"}
_CHARTS: Final = (
    Chart(
        "line", LINE, Axis("votes"), Axis("at most below", low=0.0), ("x", "y", "low", "high"),
        [(x, 40 / (x + 50), 30 / (x + 50), 50 / (x + 50)) for x in range(0, 1001, 50)],
        has_band=True,
    ),
    Chart(
        "bars", BARS, Axis(""), Axis("votes", low=0.0), ("answer", "votes"),
        [("Unfunny", 412), ("Somewhat funny", 263), ("Funny", 121)],
    ),
    Chart(
        "intervals", INTERVALS, Axis("score", low=0.0, high=1.0), Axis(""),
        ("item", "mean", "lower", "upper", "standing", "votes"),
        [("I came to cool off.", 0.72, 0.66, 0.78, "in", 1204),
         ("Is it me?", 0.64, 0.55, 0.73, "open", 310),
         ("Cold feet", 0.31, 0.26, 0.37, "out", 88)],
    ),
)  # fmt: skip


async def look(request: Request) -> Response:
    """The sheet."""
    return page("look/look.html", chart=_chart, charts=tuple(_TITLES.items()))


def _chart(name: str, theme: str) -> str:
    """A chart, drawn for one theme: its ids must differ from those of the other."""
    found = next(one for one in _CHARTS if one.name == name)
    return drawn(replace(found, name=f"{name}-{theme}", title=_TITLES[name], about=_TITLES[name]))


ROUTES = [Route("/desk/look", look)]
