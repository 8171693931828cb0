"""What the public sees of a contest: its leaders with the intervals that the verdict uses."""

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from plaudit.errors import NotAllowed
from plaudit.race import ALGORITHMS, Race
from plaudit.race.standing import IN, OPEN, OUT
from plaudit.service.contest.certificate import claim, claim_good, confidence
from plaudit.service.contest.events import VerdictReached
from plaudit.service.contest.settings import CLOSED, RETIRED
from plaudit.service.live.contest import LiveContest

LEADERS = 100


def make_results(live: LiveContest) -> dict[str, Any]:
    """The results at the contest's position, as plain values."""
    contest, settings = live.contest, live.settings
    counted = int(contest.counts.sum())
    return {
        "contest": live.name,
        "title": settings.title,
        "state": contest.state,
        "position": contest.position,
        "votes": counted,
        "raters": contest.raters,
        "items": contest.items - len(contest.withdrawn),
        "skips": contest.skips,
        "flags": sum(contest.flags.values()),
        "delta": settings.delta,
        "epsilon": settings.epsilon,
        "top": settings.top,
        "goal": settings.goal,
        "lanes": [_lane(live, lane) for lane in range(len(live.races))],
    }


def _lane(live: LiveContest, lane: int) -> dict[str, Any]:
    race, settings = live.races[lane], live.settings
    named = live.contest.verdicts.get(lane)
    delta, gap = certainty(race, named)
    return {
        "algorithm": settings.lanes[lane].algorithm,
        "votes": race.votes,
        "decided": named is not None,
        "delta": delta,
        "gap": gap,
        "winners": list(named.winners) if named else [],
        "sentence": sentence_of(live, lane, gap, delta),
        "leaders": _leaders(live, lane),
        "shortlists": _shortlists(live, lane),
    }


def certainty(race: Race, named: VerdictReached | None) -> tuple[float | None, float]:
    """The error and the slack that a lane certifies: of its verdict in the log, or of now.

    A race remembers what it was when it stopped; one made from counts cannot, and late votes
    may have moved its bounds since. The log has it for both.
    """
    if named is not None:
        delta, gap = named.delta, 1.0 if named.gap is None else named.gap
    else:
        verdict = race.verdict()
        delta, gap = verdict.delta, verdict.gap
    return delta, max(0.0, min(1.0, gap))


def spoken_of(race: Race, named: VerdictReached | None) -> list[int]:
    """The items that the sentence is about: those named, or those who lead once there are votes.

    Among equal means the race's own leaders come first wherever items are listed, so that
    "the leader" is the same item on every page.
    """
    if named is not None:
        return list(named.winners)
    return list(race.verdict().items) if race.votes else []


def sentence_of(live: LiveContest, lane: int, gap: float, delta: float | None) -> str:
    """What a race can promise, in a plain sentence that is true."""
    settings = live.settings
    stopping = ALGORITHMS[settings.lanes[lane].algorithm].stopping
    proven = partial(claim, top=settings.top, of_pairs=stopping in ("separation", "evidence"))
    named = live.contest.verdicts.get(lane)
    if named is not None and settings.wants_all_good and named.delta is not None:
        return claim_good(len(named.winners), epsilon=settings.epsilon, delta=named.delta)
    if named is not None:
        return proven(epsilon=settings.epsilon, delta=named.delta)
    if stopping == "never":
        return "The leaders so far: this contest goes on and certifies nothing."
    over = live.contest.state in (CLOSED, RETIRED)
    yet = "No verdict was reached" if over else "Not yet"
    if settings.wants_all_good:
        return f"{yet}{_ruled_out(live, lane)}"
    slack = math.ceil(100.0 * gap) / 100.0
    if delta is None:
        # Its proof is about the moment when it stops, and about nothing before.
        return f"{yet}: before its verdict this algorithm certifies nothing."
    if slack >= 1.0:
        return f"{yet}: too few votes to say anything for certain."
    return f"{yet}. {proven(epsilon=max(slack, 0.01), delta=delta, leading=True)}"


def _ruled_out(live: LiveContest, lane: int) -> str:
    """What a race for all good items has proven before its verdict: no good item is ever out."""
    out = int((live.races[lane].standings() == OUT).sum())
    if not out:
        return ": too few votes to say anything for certain."
    ruled = "the item ruled out is not" if out == 1 else f"none of the {out:,} items ruled out is"
    sure = f"With at least {confidence(live.settings.delta)} % confidence,"
    return f". {sure} {ruled} within {live.settings.epsilon:.12g} of the best."


def _shortlists(live: LiveContest, lane: int) -> list[dict[str, Any]]:
    """For k = 1, 2, … the item that joins, and the smallest epsilon certified for the first k.

    Only where there is a proof, and where it says something.
    """
    race = live.races[lane]
    left = len(race) - len(race.withdrawn)
    never = ALGORITHMS[live.settings.lanes[lane].algorithm].stopping == "never"
    if never or not race.votes or left < 2:
        return []
    try:
        lists = race.shortlists()
    except NotAllowed:
        return []
    rows = zip(lists.k.tolist(), lists.items.tolist(), lists.epsilon.tolist(), strict=True)
    return [
        {"k": k, "item": item, "text": live.items[item].text, "epsilon": epsilon}
        for k, item, epsilon in rows
        if epsilon < 1.0
    ]


def _leaders(live: LiveContest, lane: int) -> list[dict[str, Any]]:
    """The items of largest mean, best first; before all others those that the sentence is about."""
    race = live.races[lane]
    table = race.intervals()
    places = race.standings() if len(race) else np.full(0, OPEN)
    named = live.contest.verdicts.get(lane)
    first = spoken_of(race, named)
    if named:
        # Named is certainly in, whatever votes came later.
        places[first] = IN
    means = np.where(table.votes > 0, np.nan_to_num(table.means), -1.0)
    means[list(live.contest.withdrawn)] = -2.0
    means[first] += 4.0
    order = np.argsort(-means, kind="stable")[:LEADERS]
    return [
        {
            "item": int(item),
            "text": live.items[item].text,
            "image": live.items[item].image,
            "votes": int(table.votes[item]),
            "mean": float(table.means[item]) if table.votes[item] else None,
            "lower": float(table.lower[item]),
            "upper": float(table.upper[item]),
            "standing": str(places[item]),
        }
        for item in order
        if int(item) not in live.contest.withdrawn
    ]


class ResultsBoard:
    """Results computed once for all who look, and not more often than they cost."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._made: dict[str, tuple[float, dict[str, Any]]] = {}

    def results(self, live: LiveContest) -> dict[str, Any]:
        """The results, at most a moment old; longer where they take long to compute."""
        now = self._clock()
        due, known = self._made.get(live.name, (0.0, None))
        if known is not None and (now < due or known["position"] == live.contest.position):
            return known
        made = make_results(live)
        taken = self._clock() - now
        self._made[live.name] = (self._clock() + max(0.5, 20.0 * taken), made)
        return made
