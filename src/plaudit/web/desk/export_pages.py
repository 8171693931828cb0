"""What can be downloaded at the desk: files, certificates, the QR code and a poster."""

from typing import NamedTuple

import msgspec
from starlette.responses import Response, StreamingResponse

from plaudit.errors import NotPermitted
from plaudit.scale import FUNNY
from plaudit.service.accounts.roles import EDITOR, VIEWER, may
from plaudit.service.live.contest import LiveContest
from plaudit.web.api.contest_routes import CSV, EXPORTS
from plaudit.web.charts.qr import qr_svg
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.desk.requests.route import desk_route
from plaudit.web.problem import Problem
from plaudit.web.reach import reach_of
from plaudit.web.rendering import page, role_name
from plaudit.words import N_, _


class File(NamedTuple):
    """A file to download, and the least role for it."""

    name: str
    title: str
    words: str
    role: str


FILES = (
    File("items.csv", N_("Items"), N_("Every item with its votes and their mean."), VIEWER),
    File(
        "summary.csv",
        N_("Summary"),
        N_("The items by rank, in the format of the public caption contests."),
        VIEWER,
    ),
    File("votes.csv", N_("Votes"), N_("Every vote in a row, with a code for the rater."), EDITOR),
    File(
        "proposals.csv",
        N_("Proposals"),
        N_("What raters proposed, with a code for the rater, and what became of it."),
        EDITOR,
    ),
    File(
        "contest.jsonl.gz",
        N_("Archive"),
        N_("The whole contest: to keep, to check with plaudit verify, or to restore elsewhere."),
        EDITOR,
    ),
)


def files_of(live: LiveContest) -> list[File]:
    """The files of a contest, in words for people; the summary needs the scale of 0, ½ and 1."""
    fits = sorted(live.settings.race_scale.values) == sorted(FUNNY.values)
    return [
        file._replace(title=_(file.title), words=_(file.words))
        for file in FILES
        if fits or file.name != "summary.csv"
    ]


async def export(request: DeskRequest) -> Response:
    """A file of the contest, as the API gives it."""
    live, what = request.live, request.http.path_params["file"]
    known = {file.name: file for file in FILES}
    if what not in known:
        names = ", ".join(known)
        said = _("There is no such file. The files are: %(names)s.", names=names)
        raise Problem(404, "not_found", said)
    role = request.who.account.role
    if not may(role, known[what].role):
        raise NotPermitted(
            _(
                "This file needs the role %(needed)s, and yours is %(role)s. Ask an owner.",
                needed=role_name(known[what].role),
                role=role_name(role),
            )
        )
    make, media = EXPORTS[what]
    # People who download it at the desk usually open it in a spreadsheet.
    given = {"spreadsheet": True} if media == CSV else {}
    chunks = await request.site.blocking(make, request.site.store, live.name, **given)
    return StreamingResponse(chunks, media_type=media, headers=_named(f"{live.name}-{what}"))


async def certificate(request: DeskRequest) -> Response:
    """The certificate of a lane's verdict that stands, or the last that there was."""
    live, lane = request.live, request.http.path_params["lane"]
    found = await request.site.blocking(request.site.store.certificates, live.name)
    mine = [one for one in found if str(one.lane) == lane]
    if not mine:
        said = _("There is no verdict here yet, so there is no certificate.")
        raise Problem(404, "not_found", said)
    body = msgspec.json.format(mine[-1].body.encode(), indent=2)
    named = _named(f"{live.name}-certificate-{lane}.json")
    return Response(body, media_type="application/json", headers=named)


async def qr_code(request: DeskRequest) -> Response:
    """The contest's link as a QR code, black on white whatever the page's colours."""
    link = f"{request.browsers.public_url}/c/{request.live.name}"
    headers = {}
    if "download" in request.http.query_params:
        headers = _named(f"{request.live.name}-qr.svg")
    return Response(qr_svg(link), media_type="image/svg+xml", headers=headers)


async def poster(request: DeskRequest) -> Response:
    """A page to print: the question, the code and the link."""
    live = request.live
    link = f"{request.browsers.public_url}/c/{live.name}"
    contest = {"name": live.name, "title": live.settings.title, "context": live.settings.context}
    reach = reach_of(link)
    return page("desk/poster.html", contest=contest, link=link, reach=reach)


def _named(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}


ONE = "/desk/contests/{contest}"
ROUTES = [
    desk_route(f"{ONE}/export/{{file}}", export, role=VIEWER),
    desk_route(f"{ONE}/certificate/{{lane}}", certificate, role=VIEWER),
    desk_route(f"{ONE}/qr.svg", qr_code, role=VIEWER),
    desk_route(f"{ONE}/poster", poster, role=VIEWER),
]
