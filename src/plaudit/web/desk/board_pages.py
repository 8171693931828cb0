"""The dashboard of a contest: its page, the part that updates by itself, figures and files."""

import asyncio
import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from markupsafe import Markup
from starlette.responses import Response, StreamingResponse

from plaudit.race.standing import WITHDRAWN
from plaudit.service.accounts.roles import VIEWER
from plaudit.service.watch.board import Board
from plaudit.service.watch.boards import Boards, Dressed
from plaudit.service.watch.chart import Chart
from plaudit.service.watch.item_table import ItemTable, Texts
from plaudit.service.watch.lane_view import LaneView, label_of
from plaudit.web.api.contest_routes import CSV
from plaudit.web.charts.drawing import drawn, figure
from plaudit.web.desk.board_words import MARKS, forecast_words, meanings, standing_words
from plaudit.web.desk.desk_request import DeskRequest, desk_route
from plaudit.web.problem import Problem
from plaudit.web.public.pages import PICTURE_POLICY
from plaudit.web.rendering import environment
from plaudit.words import _

# Charts that need the whole log, in the order of the page.
SLOW = ("pace", "scores", "drift", "raters", "visits", "times")
_LEADERS = 12


class Fragment(NamedTuple):
    """The part of a dashboard that changes, the same for all who look."""

    body: bytes
    etag: str


class Shown(NamedTuple):
    """All that pages need of a board, made once: the part that changes, and the table."""

    fragment: Fragment
    table: ItemTable


class Renderer:
    """Makes what is shown of each new board, away from the event loop."""

    def __init__(self) -> None:
        self._texts = Texts()

    def __call__(self, board: Board) -> Shown:
        """What all who look at a board are shown."""
        return Shown(fragment_of(board), ItemTable(board, self._texts))


def fragment_of(board: Board) -> Fragment:
    """The part of the dashboard that shows a board."""
    shown = {
        "board": board,
        "lanes": [_lane(board, view) for view in board.lanes],
        "slow": SLOW,
        "chart": board.charts.get,
        "draw": drawn,
        "share": share,
        "marks": MARKS,
        "words": standing_words(),
    }
    body = environment().get_template("desk/board.html").render(**shown).encode()
    return Fragment(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def _lane(board: Board, view: LaneView) -> dict[str, object]:
    """What the template shows of a race."""
    least = max(_LEADERS, min(board.top + 3, len(view.shown)))
    return {
        "view": view,
        "meanings": meanings(board, decided=view.decided),
        "forecast": forecast_words(board, view),
        "leaders": view.shown[:least].tolist(),
        "suffix": f"-{view.lane + 1}" if view.lane else "",
        "left": sum(view.counts.values()) - view.counts[WITHDRAWN],
        "label": lambda item: label_of(board.items[item]),
    }


def share(value: float) -> str:
    """Where a value in [0, 1] stands on a strip, with room for half a dot at both ends.

    >>> share(0.0), share(1.0)
    ('3.50%', '96.50%')
    """
    return f"{3.5 + 93.0 * min(1.0, max(0.0, value)):.2f}%"


def boards_of(request: DeskRequest) -> Boards[Shown]:
    """The boards of this worker."""
    boards: Boards[Shown] = request.http.app.state.boards
    return boards


async def latest(request: DeskRequest) -> Dressed[Shown]:
    """The board of the contest that the address names: the last, or the first when it is made."""
    found = boards_of(request).look(request.live)
    # Whoever leaves the page must not cancel what others wait for.
    return await asyncio.shield(asyncio.wrap_future(found))


async def watch(request: DeskRequest) -> Response:
    """The dashboard."""
    body, etag = (await latest(request)).dress.fragment
    return request.contest_page("watch.html", fragment=Markup(body.decode()), etag=etag)


async def fragment(request: DeskRequest) -> Response:
    """The part of the dashboard that changes, or that it has not changed."""
    body, etag = (await latest(request)).dress.fragment
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
    return Response(figure(chart), headers=headers, media_type="image/svg+xml")


async def chart_csv(request: DeskRequest) -> Response:
    """The numbers behind a chart."""
    chart = await _chart(request)
    return csv_file(chart.csv(), f"{request.live.name}-{chart.id}")


def csv_file(chunks: Iterator[bytes], name: str) -> Response:
    """A CSV file to keep."""
    headers = {"content-disposition": f'attachment; filename="{name}.csv"'}
    return StreamingResponse(chunks, headers=headers, media_type=CSV)


async def _chart(request: DeskRequest) -> Chart:
    board = (await latest(request)).board
    name = request.http.path_params["chart"]
    if name in SLOW and board.answers is None:
        raise Problem(503, "try_again", _("The votes are being read. Try again soon."), retry=2)
    if name not in board.charts:
        raise Problem(404, "not_found", _("There is no such chart now."))
    return board.charts[name]


_BASE = "/desk/contests/{contest}"
ROUTES = [
    desk_route(_BASE, get=watch, role=VIEWER),
    desk_route(f"{_BASE}/board", get=fragment, role=VIEWER, background=True),
    desk_route(f"{_BASE}/charts/{{chart}}.svg", get=chart_figure, role=VIEWER),
    desk_route(f"{_BASE}/charts/{{chart}}.csv", get=chart_csv, role=VIEWER),
]
