"""The ranking before and after a step on raters: a preview, which changes nothing.

The step is folded into a copy of the contest, as the log would be. That takes the raters' own
answers, not the log. The races are made from the counts, as at a start of the service.
"""

from typing import Any, NamedTuple

from plaudit.service.contest.certificate import make_certificate, verdict_in
from plaudit.service.contest.events import AnswersOf, ContestEvent, Past
from plaudit.service.contest.state import ContestState
from plaudit.service.live.snapshot import ContestSnapshot, copy_of
from plaudit.service.watch.results import make_results

TOP = 10


class Row(NamedTuple):
    """An item's place before and after; None where it is not among the first hundred."""

    item: int
    text: str
    image: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class Change(NamedTuple):
    """What a step does to one race: results of the lane, and the leaders of either side."""

    before: dict[str, Any]
    after: dict[str, Any]
    rows: list[Row]

    @property
    def moved(self) -> int:
        """How many of the leaders change places."""
        return sum(_rank(row.before) != _rank(row.after) for row in self.rows)


def compare(seen: ContestSnapshot, event: ContestEvent, answers_of: AnswersOf) -> list[Change]:
    """What an event that excludes or readmits raters would do to each race."""
    before = results_of(seen, seen.contest)
    after = results_of(seen, after_step(seen.contest, event, answers_of))
    return [_change(*pair) for pair in zip(before["lanes"], after["lanes"], strict=True)]


def after_step(contest: ContestState, event: ContestEvent, answers_of: AnswersOf) -> ContestState:
    """The state that the log would add up to after the event."""
    imagined = copy_of(contest)
    imagined.take(event, Past(contest.position + 1, answers_of, {}))
    return imagined


def results_of(seen: ContestSnapshot, contest: ContestState) -> dict[str, Any]:
    """The results of a state of the contest, with the verdicts that its races would reach at once.

    The races are made from the counts.
    """
    imagined = ContestSnapshot(seen.record, seen.settings, copy_of(contest), seen.items)
    for lane, race in enumerate(imagined.races):
        if lane not in contest.verdicts and (verdict := race.verdict()):
            body = make_certificate(
                seen.name, seen.settings, contest, race, lane=lane, verdict=verdict
            )
            imagined.contest.verdicts[lane] = verdict_in(body)
    return make_results(imagined)


def _change(before: dict[str, Any], after: dict[str, Any]) -> Change:
    sides = [_ranked(before), _ranked(after)]
    first = [item for side in reversed(sides) for item in list(side)[:TOP]]
    rows = []
    for item in dict.fromkeys(first):
        old, new = sides[0].get(item), sides[1].get(item)
        told = new or old or {}
        rows.append(Row(item, told["text"], told["image"], old, new))
    return Change(before, after, sorted(rows, key=lambda row: _rank(row.after)))


def _ranked(lane: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """The leaders of a lane by item, each with its rank; items without a vote have none."""
    voted = [row for row in lane["leaders"] if row["votes"]]
    return {row["item"]: row | {"rank": place} for place, row in enumerate(voted, 1)}


def _rank(side: dict[str, Any] | None) -> int:
    return int(side["rank"]) if side is not None else 2**31
