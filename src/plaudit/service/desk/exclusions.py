"""The exclusions that stand: who decided each, when, on what grounds and of whom."""

from typing import NamedTuple

from plaudit.phrase import Phrase, Raters
from plaudit.service.contest.grounds import DEEDS, ERASED
from plaudit.service.contest.history import history_of
from plaudit.service.desk.trail import steps_of
from plaudit.store.contract import Store
from plaudit.words import N_

# More deeds than any contest has.
_ALL = 1_000_000


class Exclusion(NamedTuple):
    """Raters excluded in one step on the same grounds; `what` says it in words."""

    position: int
    at: int
    who: str
    grounds: str
    raters: tuple[int, ...]

    @property
    def what(self) -> Phrase:
        """What was done."""
        template = DEEDS.get(self.grounds, N_("excluded {raters}"))
        return Phrase(template, raters=Raters(self.raters))


def exclusions_standing(store: Store, name: str) -> list[Exclusion]:
    """The exclusions of raters who are excluded now, latest first; not of those erased by wish."""
    history = history_of(store, name)
    steps = {
        step.position: step for step in steps_of(history, store.deeds(contest=name, limit=_ALL))
    }
    groups: dict[tuple[int, str], list[int]] = {}
    for rater, grounds in sorted(history.contest.grounds.items()):
        if grounds != ERASED:
            groups.setdefault((history.touched["rater", rater], grounds), []).append(rater)
    return [
        Exclusion(position, steps[position].at, steps[position].who, grounds, tuple(raters))
        for (position, grounds), raters in sorted(groups.items(), reverse=True)
    ]
