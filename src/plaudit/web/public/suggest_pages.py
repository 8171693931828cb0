"""The page on which raters suggest items and see what became of them; it needs no script."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from plaudit.errors import InvalidInput, ProposalRefused
from plaudit.service.contest.proposals import OFF, TAKEN, WAITING
from plaudit.service.contest.proposers import proposals_left
from plaudit.service.door.networks import UNKNOWN
from plaudit.service.intake.item_list import LONGEST_ITEM
from plaudit.service.live.contest import LiveContest
from plaudit.service.live.rater_memory import Memory
from plaudit.service.proposals.own import own_proposals
from plaudit.service.proposals.proposing import NEAR, NearText
from plaudit.store.log import NONE
from plaudit.web.answering import content_policy
from plaudit.web.form_body import read_form
from plaudit.web.newcomers import cookie_name
from plaudit.web.problem import Problem, problem_of
from plaudit.web.public.sign_in import is_own_form
from plaudit.web.rendering import page, shown
from plaudit.web.site import Site
from plaudit.web.visibility import contest_for
from plaudit.words import _

FRESH = {"cache-control": "no-store"}
# A text of the longest length, with every letter written out as %F0%9F%98%80.
LARGEST_FORM = 32 * 1024


async def suggest_page(request: Request) -> Response:
    """The form, and what this rater suggested before."""
    site = _site(request)
    live = await contest_for(request.scope, site)
    rater = site.worker.signer(live.name).rater(request.cookies.get(cookie_name(live), ""))
    memory = None if rater is None else await site.memory(live, rater)
    return _page(live, memory, sent=request.query_params.get("sent", ""))


async def suggest(request: Request) -> Response:
    """Sends a suggestion, or shows what is wrong with it or near it."""
    if not is_own_form(request):
        said = _("This form was sent from another site. Use the form on this one.")
        raise Problem(403, "foreign_form", said)
    site = _site(request)
    live = await contest_for(request.scope, site)
    fields = dict((await read_form(request, LARGEST_FORM))[0])
    # A frame on another site may get no cookie: there the script puts the token into the form.
    token = request.cookies.get(cookie_name(live)) or fields.get("rater", "")
    rater = site.worker.signer(live.name).rater(token)
    site.check_door(live, rater)
    if rater is None:
        return _page(live, None, code=401)
    site.count_rater(rater.key)
    memory = await site.memory(live, rater)
    text, address = fields.get("text", ""), request.client.host if request.client else UNKNOWN
    anyway = fields.get("anyway") == "yes"
    try:
        found = await site.propose(live, rater, memory, text, address=address, anyway=anyway)
    except (InvalidInput, ProposalRefused, Problem) as error:
        code = problem_of(error).status
        return _page(live, memory, text=text, wrong=shown(error), code=code)
    if found.standing == NEAR:
        return _page(live, memory, text=text, near=found.near)
    return RedirectResponse(f"/c/{live.name}/suggest?sent={found.standing}", 303, FRESH)


def _page(
    live: LiveContest,
    memory: Memory | None,
    *,
    text: str = "",
    wrong: str = "",
    near: Sequence[NearText] = (),
    sent: str = "",
    code: int = 200,
) -> Response:
    given, number = live.settings, memory.number if memory else NONE
    response = page(
        "public/suggest.html",
        code=code,
        policy=content_policy(given.embed),
        contest={"name": live.name, "title": given.title},
        takes=given.proposals != OFF,
        voted=memory is not None and memory.votes > 0,
        left=proposals_left(live.contest, given, number),
        own=own_proposals(live.contest, number) if number != NONE else [],
        longest=LONGEST_ITEM,
        sent=sent if sent in (TAKEN, WAITING) else "",
        text=text,
        wrong=wrong,
        near=near,
    )
    response.headers["cache-control"] = "no-store"
    # Otherwise browsers hide where a form comes from; and at a plain http address, such as one in
    # a local network, they say it in no other way.
    response.headers["referrer-policy"] = "same-origin"
    return response


def _site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


ROUTES = [
    Route("/c/{contest}/suggest", suggest_page),
    Route("/c/{contest}/suggest", suggest, methods=["POST"]),
]
