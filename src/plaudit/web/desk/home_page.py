"""The list of contests at the desk, by state: how far each is, and what waits for somebody."""

from collections.abc import Mapping

from starlette.responses import Response

from plaudit.service.accounts.roles import EDITOR, VIEWER, may
from plaudit.service.contest.settings import CLOSED, DELETED, DRAFT, OPEN, PAUSED, RETIRED
from plaudit.service.live.contest import LiveContest
from plaudit.service.moderation.reviewed import flags_of, reviewed
from plaudit.store.contract import Store
from plaudit.web.desk.dashboard_pages import updates_of
from plaudit.web.desk.dashboard_words import home_words, lasting, way_to_verdict
from plaudit.web.desk.requests.request import HOME, DeskRequest
from plaudit.web.desk.requests.route import desk_route
from plaudit.web.desk.requests.said import STATE_NAMES
from plaudit.web.public.pages import DECIDED, ENDED, SCHEDULED, contest_card
from plaudit.words import N_, _

GROUPS = (
    ("live", N_("Live"), (OPEN, PAUSED, DECIDED, SCHEDULED)),
    ("drafts", N_("Drafts"), (DRAFT,)),
    ("closed", N_("Closed"), (CLOSED, ENDED)),
    ("retired", N_("Retired"), (RETIRED,)),
    ("deleted", N_("Deleted drafts"), (DELETED,)),
)
# Contests whose forecasts are made since somebody looks at the list.
MOST_FORECAST = 8


async def home(request: DeskRequest) -> Response:
    """All contests, drafts too, by their state."""
    now, updates, contests = request.browsers.clock(), updates_of(request), request.site.worker.all
    running = [live for live in contests if live.contest.state == OPEN and not live.all_decided]
    for live in running[:MOST_FORECAST]:
        # Nobody waits for it: whoever comes back sees it.
        updates.ask(live)
    flags = {live.name: {*live.contest.flags} - live.contest.withdrawn for live in contests}
    waiting = await request.site.blocking(_unreviewed, request.site.store, flags)
    shown = [
        contest_card(live, now)
        | {
            "told": home_words(updates.latest(live.name)),
            "way": way_to_verdict(updates.latest(live.name), decided=live.all_decided),
            "times": _times(live, now),
            "left": _left(live, now),
            "flagged": waiting[live.name],
            "proposed": len(live.contest.proposals_waiting),
        }
        for live in contests
    ]
    for card in shown:
        card["state_words"] = _(STATE_NAMES[card["state"]])
    groups = [
        (word, _(title), [one for one in shown if one["state"] in states])
        for word, title, states in GROUPS
    ]
    edits = may(request.who.account.role, EDITOR)
    return request.page("home.html", groups=[one for one in groups if one[2]], edits=edits)


def _unreviewed(store: Store, flags: Mapping[str, set[int]]) -> dict[str, int]:
    """How many flagged items of each contest nobody has reviewed."""
    found = {}
    for name, items in flags.items():
        known = reviewed(store, name) if items else None
        found[name] = sum(known is None or not known.until(flags_of(item)) for item in items)
    return found


def _left(live: LiveContest, now: int) -> str:
    """How long raters can still vote, in words; "" where no end is set, or it is over."""
    closes = live.settings.closes
    if closes is None or closes <= now or live.contest.state in (CLOSED, RETIRED):
        return ""
    return _("%(time)s left", time=lasting((closes - now) / 60_000))


def _times(live: LiveContest, now: int) -> list[tuple[str, int]]:
    """The times that matter for a contest in this state, each with its text."""
    opens, closes = live.settings.opens, live.settings.closes
    if live.contest.state in (CLOSED, RETIRED):
        return []
    coming = opens is not None and opens > now
    times = [(N_("starts %(at)s"), opens)] if coming and opens is not None else []
    if closes is not None:
        times.append((N_("closes %(at)s") if closes > now else N_("closed %(at)s"), closes))
    return times


ROUTES = [desk_route(HOME, home, role=VIEWER)]
