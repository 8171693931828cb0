"""The table of a contest's items."""

import re
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from plaudit.race.standing import WITHDRAWN
from plaudit.service.accounts.roles import VIEWER
from plaudit.service.contest.standings import STANDINGS
from plaudit.service.watch.dashboard import Dashboard
from plaudit.service.watch.item_table import COLUMNS, Found, Query
from plaudit.web.desk.dashboard_pages import csv_file, latest, share
from plaudit.web.desk.dashboard_words import MARKS, meanings, standing_words
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.desk.requests.route import desk_route
from plaudit.web.rendering import page
from plaudit.words import N_, _

HEADINGS = {
    "place": N_("Place"),
    "text": N_("Item"),
    "standing": N_("Standing"),
    "mean": N_("Mean"),
    "lower": N_("From"),
    "upper": N_("To"),
    "votes": N_("Votes"),
    "flags": N_("Flags"),
    "number": N_("Id"),
}
_LONGEST = 200


async def items(request: DeskRequest) -> Response:
    """The table: by itself, where a script asks, or as a page."""
    update = await latest(request)
    dashboard, table = update.dashboard, update.rendered.table
    query = _query(request, dashboard)
    found = await request.site.blocking(table.page, query)
    shown = _shown(dashboard, query, found)
    if request.http.query_params.get("part") == "table":
        return page("desk/item_table.html", contest={"name": dashboard.contest}, **shown)
    return request.contest_page("items.html", **shown)


async def items_csv(request: DeskRequest) -> Response:
    """All items found, as a file."""
    update = await latest(request)
    query = _query(request, update.dashboard)
    return csv_file(update.rendered.table.csv(query), f"{update.dashboard.contest}-items")


def _query(request: DeskRequest, dashboard: Dashboard) -> Query:
    """What the address asks for; anything impossible is ignored."""
    given = request.http.query_params
    sort = given.get("sort", "place")
    order = {"up": False, "down": True}.get(given.get("order", ""))
    standing = given.get("standing", "")
    lane = _whole(given.get("lane", ""), 0)
    return Query(
        text=given.get("text", "").replace("\0", "")[:_LONGEST],
        standing=standing if standing in STANDINGS else "",
        sort=sort if sort in COLUMNS else "place",
        descending=order,
        page=_whole(given.get("page", ""), 1),
        lane=lane if lane < len(dashboard.lanes) else 0,
    )


def _whole(text: str, otherwise: int) -> int:
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else otherwise


def _shown(dashboard: Dashboard, query: Query, found: Found) -> dict[str, Any]:
    standings = dashboard.lanes[query.lane]
    return {
        "query": query,
        "found": found,
        "whole": len(dashboard.items),
        "counts": standings.counts,
        "withdrawn": standings.counts[WITHDRAWN],
        "algorithms": [lane.algorithm for lane in dashboard.lanes],
        "headings": {name: _(words) for name, words in HEADINGS.items()},
        "standings": STANDINGS,
        "words": standing_words(),
        "meanings": meanings(dashboard),
        "marks": MARKS,
        "share": share,
        "link": lambda **changes: _link(query, **changes),
    }


def _link(query: Query, **changes: Any) -> str:
    """The part of an address that asks for the same with changes; a new order begins at page 1."""
    changed = query._replace(**({"page": 1} | changes))
    if changes.get("sort") == query.sort:
        changed = changed._replace(descending=not query.is_descending)
    elif "sort" in changes:
        changed = changed._replace(descending=None)
    order = {None: "", False: "up", True: "down"}[changed.descending]
    given = {**changed._asdict(), "order": order}
    del given["descending"]
    usual = {"text": "", "standing": "", "sort": "place", "order": "", "page": 1, "lane": 0}
    told = {key: value for key, value in given.items() if value != usual[key]}
    return f"?{urlencode(told)}" if told else ""


_BASE = "/desk/contests/{contest}"
ROUTES = [
    desk_route(f"{_BASE}/items", get=items, role=VIEWER),
    desk_route(f"{_BASE}/items.csv", get=items_csv, role=VIEWER),
]
