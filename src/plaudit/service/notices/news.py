"""What is new in a contest since it was last told: a function of the log, the clock and the mark.

Verdicts and steps come from the events, so that none is missed, however long nobody looked. Times
of opening and closing pass without an event. Flags, suspicions and silence are compared with what
was told of them.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from plaudit.phrase import item_id
from plaudit.service.contest.events import StateChanged, VerdictReached, read_event
from plaudit.service.contest.settings import CLOSED as CLOSED_STATE
from plaudit.service.contest.settings import DRAFT, OPEN, RETIRED, ContestSettings
from plaudit.service.live.snapshot import ContestSnapshot
from plaudit.service.moderation.suspicion import Suspicions
from plaudit.service.notices.kinds import (
    CLOSED,
    FLAGGED,
    OPENED,
    PROPOSED,
    STUCK,
    SUSPICIOUS,
    VERDICT,
)
from plaudit.store.log import Entry

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
# Flags of a contest are told once in a while, together.
FLAG_PAUSE = 5 * MINUTE
MOST_ITEMS, LONGEST_TEXT = 20, 500
# What raters meet: before voting, while it goes on, after it.
BEFORE, DURING, AFTER = "before", "during", "after"


class Told(msgspec.Struct, frozen=True):
    """What was told of a contest: events, what raters meet, flags by item, suspects, silence.

    `quiet` is the position at which the contest was told to be stuck. `proposed` is whether those
    in charge know that proposals wait.
    """

    epoch: int
    phase: str
    flags: dict[int, int] = {}
    flagged_at: int = 0
    suspects: tuple[int, ...] = ()
    quiet: int = 0
    proposed: bool = False


class Notice(NamedTuple):
    """Something to tell: its kind, when it happened, and its facts."""

    kind: str
    at: int
    facts: dict[str, Any]


class Sight(NamedTuple):
    """A contest at a moment: snapshot, new events, the time of the last entry, suspects if any."""

    seen: ContestSnapshot
    events: Sequence[Entry]
    last_at: int
    suspicions: Suspicions | None = None


def phase_of(settings: ContestSettings, state: str, at: int, before: str) -> str:
    """What raters meet at a time; a pause changes nothing."""
    opens, closes = settings.opens, settings.closes
    if state in (CLOSED_STATE, RETIRED) or (state == OPEN and closes is not None and at >= closes):
        return AFTER
    if state == DRAFT or (state == OPEN and opens is not None and at < opens):
        return BEFORE
    return DURING if state == OPEN else before


def news(sight: Sight, told: Told, now: int) -> tuple[list[Notice], Told]:
    """The notices that are due, and what has been told with them."""
    notices, phase = list(_events(sight, told)), told.phase
    steps = [(read_event(entry), entry.at) for entry in sight.events]
    changes = [(event.state, at) for event, at in steps if isinstance(event, StateChanged)]
    for state, at in [*changes, (sight.seen.contest.state, now)]:
        phase, before = phase_of(sight.seen.settings, state, at, phase), phase
        if phase != before and phase in (DURING, AFTER):
            notices.append(_turned(sight, phase, at))
    flags, flagged_at = _flags(sight, told, now, notices)
    return notices, Told(
        epoch=told.epoch + len(sight.events),
        phase=phase,
        flags=flags,
        flagged_at=flagged_at,
        suspects=_suspects(sight, told, now, notices),
        quiet=_quiet(sight, told, phase, now, notices),
        proposed=_proposed(sight, told, now, notices),
    )


def _events(sight: Sight, told: Told) -> Iterator[Notice]:
    """The verdicts among the new events."""
    for entry in sight.events:
        event = read_event(entry)
        if isinstance(event, VerdictReached):
            lane = sight.seen.settings.lanes[event.lane]
            facts = {
                "position": entry.position,
                "algorithm": lane.algorithm,
                "winners": [_item(sight, number) for number in event.winners],
                "votes": event.votes,
                "delta": event.delta,
                "epsilon": event.epsilon,
                "top": event.top,
            }
            yield Notice(VERDICT, entry.at, facts)


def _turned(sight: Sight, phase: str, at: int) -> Notice:
    contest = sight.seen.contest
    votes = int(contest.counts.sum())
    if phase == DURING:
        items = contest.items - len(contest.withdrawn)
        return Notice(OPENED, at, {"items": items, "closes": sight.seen.settings.closes})
    decided = len(contest.verdicts) == len(sight.seen.settings.lanes)
    return Notice(CLOSED, at, {"votes": votes, "raters": contest.raters, "decided": decided})


def _flags(sight: Sight, told: Told, now: int, notices: list[Notice]) -> tuple[dict[int, int], int]:
    """Tells of items that are flagged for the first time, and again when flags have doubled."""
    contest = sight.seen.contest
    there = {item: n for item, n in contest.flags.items() if item not in contest.withdrawn}
    due = {item: n for item, n in there.items() if n >= 2 * told.flags.get(item, 0.5)}
    if not due or now - told.flagged_at < FLAG_PAUSE:
        return told.flags, told.flagged_at
    most = sorted(due, key=lambda item: (-due[item], item))[:MOST_ITEMS]
    items = [_item(sight, item) | {"flags": due[item]} for item in most]
    notices.append(Notice(FLAGGED, now, {"items": items, "flagged": len(due)}))
    return told.flags | due, now


def _proposed(sight: Sight, told: Told, now: int, notices: list[Notice]) -> bool:
    """Tells once that proposals wait, and again only after all of them were decided."""
    contest = sight.seen.contest
    waiting = contest.proposals_waiting
    if waiting and not told.proposed:
        texts = [contest.proposals[one].text[:LONGEST_TEXT] for one in waiting[:MOST_ITEMS]]
        notices.append(Notice(PROPOSED, now, {"waiting": len(waiting), "texts": texts}))
    return bool(waiting)


def _suspects(sight: Sight, told: Told, now: int, notices: list[Notice]) -> tuple[int, ...]:
    """Tells of raters who were not suspicious before."""
    if sight.suspicions is None:
        return told.suspects
    named = sight.suspicions.suspects
    known = set(told.suspects)
    new = [one for one in named if one.rater not in known]
    if new:
        tests: dict[str, int] = {}
        for one in new:
            tests[one.reasons[0].test] = tests.get(one.reasons[0].test, 0) + 1
        facts = {"raters": len(named), "new": len(new), "tests": tests}
        notices.append(Notice(SUSPICIOUS, now, facts))
    return tuple(sorted(known | {one.rater for one in new}))


def _quiet(sight: Sight, told: Told, phase: str, now: int, notices: list[Notice]) -> int:
    """Tells once of each silence that is too long."""
    contest, settings = sight.seen.contest, sight.seen.settings
    since = max(sight.last_at, settings.opens or 0)
    waits = phase == DURING and contest.state == OPEN
    decided = len(contest.verdicts) == len(settings.lanes)
    if not waits or decided or now - since < patience(settings, since):
        return told.quiet
    if told.quiet != contest.position:
        facts = {"since": since, "quiet_ms": now - since, "votes": int(contest.counts.sum())}
        notices.append(Notice(STUCK, now, facts))
    return contest.position


def patience(settings: ContestSettings, since: int) -> int:
    """How long a silence is too long: a day, or a quarter of what was left, at least an hour."""
    if settings.closes is None:
        return DAY
    return min(DAY, max(HOUR, (settings.closes - since) // 4))


def _item(sight: Sight, number: int) -> dict[str, Any]:
    text = sight.seen.items[number].text if number < len(sight.seen.items) else ""
    return {"item": number, "id": item_id(number), "text": text[:LONGEST_TEXT]}
