"""Newcomers at an open door: whoever is known comes in, others may have to work first."""

from collections.abc import Sequence

from plaudit.phrase import Phrase
from plaudit.service.contest.settings import OPEN_DOOR, WORK_OFF
from plaudit.service.door.puzzle import PUZZLES
from plaudit.service.door.rater_ids import RaterId
from plaudit.service.door.work import Demand, Newcomer
from plaudit.service.live.contest import LiveContest
from plaudit.web.metrics import WORK
from plaudit.web.problem import Problem
from plaudit.web.site import Site
from plaudit.web.wire.voting import WorkAsked
from plaudit.words import N_

COOKIE_SECONDS = 400 * 24 * 3600


def cookie_name(live: LiveContest) -> str:
    """The name of the cookie that says who a rater of a contest is."""
    return f"plaudit-{live.name}"


def rater_cookie(live: LiveContest, token: str, *, secure: bool) -> str:
    """The cookie by which a browser is a rater; with an empty token, one that ends at once."""
    # A frame on another site gets cookies only if they are partitioned and sent over https.
    framed = "SameSite=None; Partitioned" if secure and live.settings.embed else "SameSite=Lax"
    return (
        f"{cookie_name(live)}={token}; Path=/; Max-Age={COOKIE_SECONDS if token else 0}; "
        f"HttpOnly; {framed}{'; Secure' if secure else ''}"
    )


def new_face(site: Site, live: LiveContest) -> RaterId:
    """A rater whom nobody has seen before."""
    rater = site.worker.signer(live.name).new_rater()
    site.worker.welcome(live, rater)
    return rater


async def let_in(
    site: Site,
    live: LiveContest,
    who: Newcomer,
    rater: RaterId | None,
    *,
    challenge: str = "",
    nonces: Sequence[int] = (),
) -> RaterId:
    """The rater who comes in: the one with the external id, if there is one, or somebody new.

    A `Problem` with the work to be done if that is not enough.
    """
    if rater is not None and live.memories.get(rater.key) is not None:
        return rater
    # Passing another door is work enough.
    mode = live.settings.work if live.settings.door == OPEN_DOOR else WORK_OFF
    found = site.work.judge(who, mode, challenge=challenge, nonces=nonces)
    if isinstance(found, Demand):
        if rater is not None and await _has_answered(site, live, rater):
            return rater
        WORK.labels("asked").inc()
        site.turned_away.count(live.name, "work_required")
        raise work_required(found)
    if found.challenge:
        WORK.labels("done" if nonces else "waited").inc()
        rater = rater or site.worker.signer(live.name).solved_rater(found.challenge)
    if rater is None:
        site.work.count(who)
        return new_face(site, live)
    if live.memories.get(rater.key) is None:
        # Counted before anything is waited for: many at once count as many.
        site.work.count(who)
        await site.memory(live, rater)
    return rater


async def _has_answered(site: Site, live: LiveContest, rater: RaterId) -> bool:
    return await site.blocking(site.store.rater, live.name, rater.key) is not None


def work_required(demand: Demand) -> Problem:
    """What a newcomer must do first."""
    told = Phrase(
        N_(
            "Many raters come from this network, or to this contest. Solve the puzzles of the "
            "challenge, or wait {seconds} seconds, and send it again with what you found."
        ),
        seconds=-(-demand.wait_ms // 1000),
    )
    work = WorkAsked(demand.challenge, PUZZLES, demand.bits, demand.wait_ms)
    return Problem(428, "work_required", told, work=work)
