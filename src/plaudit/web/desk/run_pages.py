"""Running a contest: its steps, its times, the ways to share it, and what is published of it."""

from typing import Any

from starlette.responses import Response

from plaudit.errors import InvalidInput, NotAllowed
from plaudit.service.accounts.roles import EDITOR, VIEWER
from plaudit.service.contest.changes import changes_between
from plaudit.service.contest.setting import Place
from plaudit.service.contest.settings import (
    AT_END,
    CLOSED,
    CODES,
    DELETED,
    DRAFT,
    OPEN,
    PAUSED,
    RETIRED,
    settings_at,
)
from plaudit.service.desk.desk import STEPS
from plaudit.service.desk.exclusions import exclusions_standing
from plaudit.service.intake.contest_form import TIMES, FormMistakes, read_form
from plaudit.service.intake.filled_form import form_of, in_utc
from plaudit.service.intake.setting_readers import VISIBILITIES
from plaudit.service.live.contest import LiveContest
from plaudit.web.desk.desk_steps import change
from plaudit.web.desk.export_pages import files_of
from plaudit.web.desk.forecasts.forecast_pages import RATERS_A_DAY, VOTES_A_RATER, query_of
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.desk.requests.route import desk_route
from plaudit.web.heavy_work import shared
from plaudit.web.rendering import shown
from plaudit.words import N_, _

_OVER = N_("Raters see that voting is over. All votes stay, and you can start it again.")
_DECIDED = N_("The verdict stands, so raters are not asked any more, unless items join or leave.")
# What each step is called and what it means for raters; the usual next step comes first.
STEP_WORDS = {
    ("open", DRAFT): (
        N_("Start voting"),
        N_(
            "Raters can vote, from the opening time on if there is one. The answers and the goal "
            "cannot change after that."
        ),
    ),
    ("open", PAUSED): (
        N_("Continue voting"),
        N_("The pages of raters who are waiting continue by themselves."),
    ),
    ("pause", OPEN): (
        N_("Pause"),
        N_(
            "Raters see that there is a short break; their pages continue by themselves when you "
            "continue. No vote is lost."
        ),
    ),
    ("close", DRAFT): (N_("Close"), N_("Raters who come see that voting is over.")),
    ("close", OPEN): (N_("Close"), _OVER),
    ("close", PAUSED): (N_("Close"), _OVER),
    ("reopen", CLOSED): (
        N_("Start voting again"),
        N_("Raters can vote again. All votes so far count, and a verdict stands."),
    ),
    ("retire", CLOSED): (
        N_("Retire"),
        N_(
            "It leaves the start page, and nothing about it can change. Its results, certificates "
            "and files stay, and you can bring it back."
        ),
    ),
    ("delete", DRAFT): (
        N_("Delete the draft"),
        N_(
            "It leaves all lists, and nobody can open it. You can bring it back from the list of "
            "deleted drafts."
        ),
    ),
    ("undelete", DELETED): (N_("Bring it back"), N_("It is a draft again.")),
    ("unretire", RETIRED): (
        N_("Bring back"),
        N_(
            "It is closed again, and can be changed and started again. Raters see that voting is "
            "over."
        ),
    ),
}
STATE_WORDS = {
    DRAFT: N_("This is a draft: nobody can vote yet."),
    OPEN: N_("Raters can vote."),
    PAUSED: N_("Raters see that there is a short break."),
    CLOSED: N_("Voting is over."),
    RETIRED: N_("It is retired: raters see that voting is over."),
    DELETED: N_("This draft is deleted: it is in no list, and nobody else can open it."),
}

_TIMES = settings_at(Place.TIMES)


async def run_page(request: DeskRequest) -> Response:
    """The page from which a contest is run."""
    return await run_view(request)


async def run_view(request: DeskRequest, *, code: int = 200, **given: Any) -> Response:
    """The page, with what was typed and any mistakes."""
    live = request.live
    form = form_of(live.settings, live.name)
    items = live.contest.items - len(live.contest.withdrawn)
    results = await shared(request.site.results.ask(live))
    shown: dict[str, Any] = {
        "steps": steps_of(live.contest.state, decided=live.all_decided),
        "state_words": words_of(live.contest.state, decided=live.all_decided),
        "timing": _timing(live, request.site.worker.clock()),
        "form": form,
        "times": [
            (N_("Starts %(at)s."), live.settings.opens),
            (N_("Closes %(at)s."), live.settings.closes),
        ],
        "link": f"{request.browsers.public_url}/c/{live.name}",
        "embed": live.settings.embed,
        "codes": live.contest.codes if live.settings.door == CODES else None,
        "lanes": results["lanes"],
        "decided_by": await request.site.blocking(
            exclusions_standing, request.site.store, live.name
        ),
        "when": live.settings.results_when,
        "shown": live.shows_results(request.site.worker.clock()),
        "certified": sorted(live.contest.verdicts),
        "files": files_of(live),
        "forecast": query_of(live.settings, items=items),
        "coming": _coming(request),
        "forecast_now": "raters_a_day" in request.http.query_params,
        "problem": "",
    }
    return request.contest_page("run.html", code=code, **shown | given)


def _coming(request: DeskRequest) -> dict[str, str]:
    """How raters come, for a forecast: as it was said when the contest was made, or as usual."""
    usual = {
        "raters_a_day": str(RATERS_A_DAY),
        "votes_a_rater": str(request.live.settings.votes_per_visit or VOTES_A_RATER),
    }
    said = request.http.query_params
    return {name: said.get(name, text)[:20] for name, text in usual.items()}


def steps_of(state: str, *, decided: bool = False) -> list[dict[str, str]]:
    """The steps that may be taken from a state, the usual one first."""
    found = []
    for (step, begins), (label, words) in STEP_WORDS.items():
        if begins == state and step in STEPS and state in STEPS[step][1]:
            told = _DECIDED if decided and step in ("open", "reopen") else words
            found.append({"step": step, "label": _(label), "words": _(told)})
    # With a verdict, closing is the usual next step.
    return sorted(found, key=lambda one: decided and one["step"] != "close")


def words_of(state: str, *, decided: bool = False) -> str:
    """What a state means for raters; a verdict ends the voting of an open contest.

    >>> words_of("open"), words_of("closed", decided=True)
    ('Raters can vote.', 'Voting is over.')
    """
    return _(_DECIDED if decided and state in (OPEN, PAUSED) else STATE_WORDS[state])


def _timing(live: LiveContest, now: int) -> str:
    """A sentence if the times keep an open contest from taking votes, else ""."""
    opens, closes = live.settings.opens, live.settings.closes
    if live.contest.state != OPEN:
        return ""
    if opens is not None and now < opens:
        return _("It is started, but nobody can vote before the time when it begins.")
    if closes is not None and now >= closes:
        return _("It is started, but its closing time has passed: nobody can vote any more.")
    return ""


async def take_step(request: DeskRequest) -> Response:
    """Opens, pauses, closes, reopens, retires or brings back."""
    step, name = request.field("step"), request.live.name
    if step not in STEPS:
        raise InvalidInput(_("There is no such step. Go back and choose one of the buttons."))
    desk = request.desk
    try:
        return await change(
            request,
            lambda epoch: desk.step(name, step, by=request.actor, epoch=epoch),
            then=lambda entry: _after(name, step),
        )
    except NotAllowed as error:
        return await run_view(request, code=409, problem=shown(error))


def _after(name: str, step: str) -> str:
    """Where to go after a step: a deleted draft is in no list."""
    return f"/desk?done={step}" if step == "delete" else f"/desk/contests/{name}/run?done={step}"


async def set_times(request: DeskRequest) -> Response:
    """Sets when a contest opens and closes."""
    typed = {name: in_utc(request.field(name)) for name in TIMES}
    return await _change_fields(request, typed, done="scheduled")


async def set_public(request: DeskRequest) -> Response:
    """Sets when the results are public."""
    word = request.field("results")
    typed = {"results": word if word in VISIBILITIES else AT_END}
    return await _change_fields(request, typed, done="published")


async def _change_fields(request: DeskRequest, typed: dict[str, str], *, done: str) -> Response:
    live, desk = request.live, request.desk
    form = form_of(live.settings, live.name) | typed

    def read() -> Any:
        return read_form(form, items=0, is_there=request.site.has_picture)

    settings = await request.site.blocking(read)
    if isinstance(settings, FormMistakes):
        errors = {field: shown(words) for field, words in settings.items()}
        return await run_view(request, code=422, form=form, errors=errors)
    new = changes_between(live.settings, settings)
    page = f"/desk/contests/{live.name}/run"
    if not new:
        return request.go(page)
    try:
        return await change(
            request,
            lambda epoch: desk.change(live.name, new, by=request.actor, epoch=epoch),
            then=lambda _: f"{page}?done={done}",
            typed={one.key: _(one.label) for one in _TIMES},
        )
    except NotAllowed as error:
        return await run_view(request, code=409, form=form, problem=shown(error))


RUN = "/desk/contests/{contest}/run"
ROUTES = [
    desk_route(RUN, run_page, role=VIEWER),
    desk_route(f"{RUN}/step", post=take_step, role=EDITOR),
    desk_route(f"{RUN}/times", post=set_times, role=EDITOR),
    desk_route(f"{RUN}/public", post=set_public, role=EDITOR),
]
