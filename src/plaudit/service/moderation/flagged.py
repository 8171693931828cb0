"""Items that raters flagged, with how often and why."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from plaudit.service.contest.settings import REASONS
from plaudit.service.moderation.reviewed import Reviewed, flags_of
from plaudit.service.watch.answer_columns import Answers
from plaudit.store.log import Kind


class Flagged(NamedTuple):
    """An item with its flags that nobody has reviewed yet; `seen` are the older ones."""

    item: int
    flags: int
    reasons: tuple[tuple[str, int], ...]
    seen: int


def flagged(
    answers: Answers,
    *,
    events: Sequence[int],
    known: Reviewed,
    excluded: set[int],
    withdrawn: set[int],
) -> list[Flagged]:
    """The items in the race that were flagged, most flags first, without those of excluded raters.

    `events` are the positions of events in the log. All other entries are answers, so these
    positions say which answers came before a review.
    """
    places = np.flatnonzero(answers.kind == Kind.FLAG)
    fresh: dict[int, Counter[str]] = {}
    seen: Counter[int] = Counter()
    until: dict[int, int] = {}
    for place in places.tolist():
        item, rater = int(answers.item[place]), int(answers.rater[place])
        if item in withdrawn or rater in excluded:
            continue
        if item not in until:
            until[item] = answers_until(known.until(flags_of(item)), events)
        if place < until[item]:
            seen[item] += 1
        else:
            fresh.setdefault(item, Counter())[_reason(int(answers.level[place]))] += 1
    items = sorted(fresh.keys() | seen.keys())
    found = [_flagged(item, fresh.get(item, Counter()), seen[item]) for item in items]
    return sorted(found, key=lambda one: (-one.flags, one.item))


def answers_until(position: int, events: Sequence[int]) -> int:
    """How many answers a log has up to a position.

    >>> answers_until(5, [1, 2, 4, 9])
    2
    """
    return position - int(np.searchsorted(events, position, side="right"))


def _flagged(item: int, reasons: Counter[str], seen: int) -> Flagged:
    return Flagged(item, reasons.total(), tuple(reasons.most_common()), seen)


def _reason(level: int) -> str:
    return REASONS[level] if 0 <= level < len(REASONS) else REASONS[-1]
