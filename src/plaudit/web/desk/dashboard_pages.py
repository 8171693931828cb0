"""The dashboard of a contest: its page, the part that updates by itself, figures and files."""

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from markupsafe import Markup
from starlette.responses import Response, StreamingResponse

from plaudit.service.accounts.roles import VIEWER
from plaudit.service.contest.standings import Standings
from plaudit.service.watch.chart import Chart
from plaudit.service.watch.dashboard import Dashboard
from plaudit.service.watch.dashboard_updates import DashboardUpdates, Update
from plaudit.service.watch.item_table import ItemTable, ItemTexts
from plaudit.service.watch.race_charts import label_of, shown_leaders
from plaudit.service.watch.shared_result import Limits, SharedResult
from plaudit.web.api.contest_routes import CSV
from plaudit.web.charts.chart_words import in_words
from plaudit.web.charts.drawing import drawn, figure
from plaudit.web.desk.dashboard_words import MARKS, forecast_words, meanings, standing_words
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.desk.requests.route import desk_route
from plaudit.web.heavy_work import shared
from plaudit.web.problem import Problem
from plaudit.web.public.outcome_pages import moment_of, outcome_for
from plaudit.web.public.pages import PICTURE_POLICY
from plaudit.web.rendering import environment
from plaudit.words import _

# Charts that need the whole log, in the order of the page.
SLOW = ("pace", "scores", "drift", "raters", "visits", "times")
_LEADERS = 12


class Fragment(NamedTuple):
    """The part of a dashboard that changes, the same for all viewers."""

    body: bytes
    etag: str


class Shown(NamedTuple):
    """What pages show of a dashboard: the part that changes, and the table of items."""

    fragment: Fragment
    table: ItemTable


class Renderer:
    """Renders each new dashboard, away from the event loop."""

    def __init__(self) -> None:
        self._texts: SharedResult[ItemTexts] = SharedResult("texts", Limits())

    def __call__(self, dashboard: Dashboard) -> Shown:
        """What all viewers of a dashboard are shown."""
        items = dashboard.items
        texts = self._texts.compute_here(dashboard.contest, len(items), lambda: ItemTexts(items))
        return Shown(fragment_of(dashboard), ItemTable(dashboard, texts))


def fragment_of(dashboard: Dashboard) -> Fragment:
    """The part of the dashboard that changes."""
    shown = {
        "board": dashboard,
        "lanes": [_lane(dashboard, found) for found in dashboard.lanes],
        "slow": SLOW,
        "chart": {name: in_words(chart) for name, chart in dashboard.charts.items()}.get,
        "draw": drawn,
        "share": share,
        "marks": MARKS,
        "words": standing_words(),
    }
    body = environment().get_template("desk/board.html").render(**shown).encode()
    return Fragment(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def _lane(dashboard: Dashboard, found: Standings) -> dict[str, object]:
    """What the template shows of a race."""
    leaders = shown_leaders(found)
    least = max(_LEADERS, min(dashboard.top + 3, len(leaders)))
    return {
        "view": found,
        "meanings": meanings(dashboard, decided=found.decided),
        "forecast": forecast_words(dashboard, found),
        "leaders": leaders[:least].tolist(),
        "suffix": f"-{found.lane + 1}" if found.lane else "",
        "left": len(found.listed),
        "label": lambda item: label_of(dashboard.items[item]),
    }


def share(value: float) -> str:
    """Where a value in [0, 1] stands on a strip, with room for half a dot at both ends.

    >>> share(0.0), share(1.0)
    ('3.50%', '96.50%')
    """
    return f"{3.5 + 93.0 * min(1.0, max(0.0, value)):.2f}%"


def updates_of(request: DeskRequest) -> DashboardUpdates[Shown]:
    """The dashboards of this worker."""
    updates: DashboardUpdates[Shown] = request.http.app.state.dashboards
    return updates


async def latest(request: DeskRequest) -> Update[Shown]:
    """The dashboard of the contest that the address names; the first viewer waits for it."""
    return await shared(updates_of(request).ask(request.live))


async def watch(request: DeskRequest) -> Response:
    """The dashboard."""
    body, etag = (await latest(request)).rendered.fragment
    outcome = await outcome_for(request.site, request.live)
    moment = None if outcome is None else moment_of(request.live, outcome)
    part = Markup(body.decode())
    return request.contest_page("watch.html", fragment=part, etag=etag, moment=moment)


async def fragment(request: DeskRequest) -> Response:
    """The part of the dashboard that changes, or that it has not changed."""
    body, etag = (await latest(request)).rendered.fragment
    headers = {"etag": etag}
    if request.http.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="text/html")


async def chart_figure(request: DeskRequest) -> Response:
    """A chart as a figure of its own."""
    chart = await _chart(request)
    headers = {
        "content-security-policy": PICTURE_POLICY,
        "content-disposition": f'inline; filename="{request.live.name}-{chart.id}.svg"',
    }
    return Response(figure(in_words(chart)), headers=headers, media_type="image/svg+xml")


async def chart_csv(request: DeskRequest) -> Response:
    """The numbers behind a chart."""
    chart = await _chart(request)
    return csv_file(chart.csv(), f"{request.live.name}-{chart.id}")


def csv_file(chunks: Iterator[bytes], name: str) -> Response:
    """A CSV file to keep."""
    headers = {"content-disposition": f'attachment; filename="{name}.csv"'}
    return StreamingResponse(chunks, headers=headers, media_type=CSV)


async def _chart(request: DeskRequest) -> Chart:
    dashboard = (await latest(request)).dashboard
    name = request.http.path_params["chart"]
    if name in SLOW and dashboard.answers is None:
        raise Problem(503, "try_again", _("The votes are being read. Try again soon."), retry=2)
    if name not in dashboard.charts:
        raise Problem(404, "not_found", _("There is no such chart now."))
    return dashboard.charts[name]


_BASE = "/desk/contests/{contest}"
ROUTES = [
    desk_route(_BASE, get=watch, role=VIEWER),
    desk_route(f"{_BASE}/board", get=fragment, role=VIEWER, background=True),
    desk_route(f"{_BASE}/charts/{{chart}}.svg", get=chart_figure, role=VIEWER),
    desk_route(f"{_BASE}/charts/{{chart}}.csv", get=chart_csv, role=VIEWER),
]
