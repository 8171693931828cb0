"""The public pages, error pages and pictures."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from plaudit.errors import UnknownContest
from plaudit.service.contest.settings import (
    AFTER_VISIT,
    ALWAYS,
    AT_END,
    CLOSED,
    DRAFT,
    FROZEN,
    NEVER,
    OPEN,
    PAUSED,
)
from plaudit.service.live.contest import LiveContest
from plaudit.web.answering import content_policy
from plaudit.web.heavy_work import shared
from plaudit.web.problem import Problem, problem_of
from plaudit.web.public.outcome_pages import moment_of, outcome_for
from plaudit.web.rendering import page, shown
from plaudit.web.site import Site
from plaudit.web.visibility import contest_for, sees_results
from plaudit.words import N_, _

YEAR = "public, max-age=31536000, immutable"
# A picture may be opened by itself: then nothing in it may run or load.
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
# Errors at these addresses are for programs; elsewhere people read them.
FOR_PROGRAMS = ("/api/", "/static/", "/assets/", "/healthz", "/readyz", "/metrics")
TITLES = {
    403: N_("Not allowed"),
    404: N_("Not found"),
    409: N_("Not now"),
    410: N_("This link no longer works"),
    429: N_("Too fast"),
    503: N_("Try again soon"),
}
OTHER_TITLE = N_("Something is wrong")
# What raters meet in an open contest that has its verdict, or whose time is not yet, or is over.
DECIDED, SCHEDULED, ENDED = "decided", "scheduled", "ended"
# Groups of the start page: their titles, and the states that they have.
GROUPS = (
    (N_("Running"), (OPEN, PAUSED, SCHEDULED)),
    (N_("Decided"), (DECIDED,)),
    (N_("Over"), (CLOSED, ENDED)),
)
TURK = ("https://www.mturk.com", "https://workersandbox.mturk.com")


async def index(request: Request) -> Response:
    """The start page: the contests that may be shown."""
    worker = _site(request).worker
    now = worker.clock()
    cards = [contest_card(live, now) for live in reversed(worker.all) if is_listed(live)]
    groups = [
        (_(title), [one for one in cards if one["state"] in states]) for title, states in GROUPS
    ]
    return page("public/index.html", groups=[group for group in groups if group[1]])


def contest_card(live: LiveContest, now: int) -> dict[str, Any]:
    """A contest as lists of contests show it at a time."""
    return {
        "name": live.name,
        "title": live.settings.title,
        "state": state_for_raters(live, now),
        "votes": int(live.contest.counts.sum()),
        "items": live.contest.items - len(live.contest.withdrawn),
        "image": live.settings.context.image,
        "public_results": live.shows_results(now),
        "publishes": live.settings.results_when != NEVER,
    }


def is_listed(live: LiveContest) -> bool:
    """Whether the start page names a contest."""
    return live.settings.listed and live.contest.state not in (DRAFT, *FROZEN)


def state_for_raters(live: LiveContest, now: int) -> str:
    """What a rater would meet: an open contest asks nothing before its time, after it, or with a
    verdict."""
    if live.contest.state != OPEN:
        return live.contest.state
    opens, closes = live.settings.opens, live.settings.closes
    if closes is not None and now >= closes:
        return ENDED
    return DECIDED if live.all_decided else SCHEDULED if (opens or 0) > now else OPEN


async def rater_page(request: Request) -> Response:
    """Where raters vote."""
    live = await contest_for(request.scope, _site(request))
    policy = content_policy(live.settings.embed)
    if "turkSubmitTo" in request.query_params:
        allowed = f"form-action 'self' {' '.join(TURK)}".encode()
        policy = policy.replace(b"form-action 'self'", allowed)
    contest = {"name": live.name, "title": live.settings.title}
    provider = request.app.state.provider
    name = provider.name if provider is not None else ""
    return page("public/rater.html", policy=policy, contest=contest, provider=name)


async def results_page(request: Request) -> Response:
    """Where everyone sees the results."""
    live = await contest_for(request.scope, _site(request))
    if not await sees_results(request.scope, _site(request), live):
        told = {
            ALWAYS: _("The results of this contest will be public once it has begun."),
            AT_END: _("The results of this contest will be public once it is decided or over."),
            AFTER_VISIT: _(
                "The results of this contest are for those who have voted, and for everybody once "
                "it is over."
            ),
            NEVER: _("The results of this contest are not public."),
        }
        raise Problem(404, "not_found", told[live.settings.results_when])
    lanes = (await shared(_site(request).results.ask(live)))["lanes"]
    said = [(lane["algorithm"], *_sentences(lane)) for lane in lanes]
    contest = {"name": live.name, "title": live.settings.title}
    outcome = await outcome_for(_site(request), live)
    moment = moment_of(live, outcome) if outcome is not None else None
    return page("public/results.html", contest=contest, said=said, moment=moment)


def _sentences(lane: dict[str, Any]) -> tuple[str, bool, str]:
    """What is proven, whether it is decided, and what that owes to excluded raters."""
    owed = shown(lane["exclusions"]["sentence"]) if lane["exclusions"] else ""
    return shown(lane["sentence"]), lane["decided"], owed


async def openapi(request: Request) -> Response:
    """The OpenAPI document."""
    return JSONResponse(request.app.state.openapi())


async def asset(request: Request) -> Response:
    """A picture by the hash of its content, which never changes."""
    found = await _site(request).blocking(_site(request).store.asset, request.path_params["hash"])
    if found is None:
        raise Problem(404, "not_found", "There is no such picture.")
    headers = {"cache-control": YEAR, "content-security-policy": PICTURE_POLICY}
    return Response(found.body, media_type=found.media_type, headers=headers)


async def for_people(
    request: Request, error: Exception, *, said: str = "", again: str = ""
) -> Response:
    """An error as a page for people, or as JSON for programs; `again` is where to start again."""
    problem = problem_of(error)
    retry = {"retry-after": str(problem.retry)} if problem.retry else {}
    path = request.url.path
    if path.startswith(FOR_PROGRAMS) or problem.status == 500:
        return Response(problem.body(), problem.status, retry, "application/json")
    title = _(TITLES.get(problem.status, OTHER_TITLE))
    code, message = problem.status, said or shown(problem)
    if isinstance(error, UnknownContest):
        message = _("There is no contest at this address. Check the link that you were given.")
    at_desk = path == "/desk" or path.startswith("/desk/")
    facts: dict[str, Any] = {"title": title, "message": message, "at_desk": at_desk, "again": again}
    answer = page("shared/message.html", code=code, status=code, **facts)
    answer.headers.update(retry)
    return answer


def _site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site
