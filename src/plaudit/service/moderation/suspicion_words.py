"""The tests of single raters, each with the words and numbers that say why it names one."""

from collections.abc import Callable

import numpy as np

from plaudit.scale import Scale
from plaudit.service.moderation.agreement import agreement
from plaudit.service.moderation.bursts import Burst
from plaudit.service.moderation.overdispersion import Floats, Whole
from plaudit.service.moderation.preference import halves, taste
from plaudit.service.moderation.same_answer import sameness
from plaudit.service.moderation.too_fast import haste
from plaudit.service.moderation.vote_table import Votes

Words = Callable[[int], str]
Finder = Callable[[Votes, Whole, Scale], tuple[Floats, Words]]


def _fast(votes: Votes, tested: Whole, scale: Scale) -> tuple[Floats, Words]:
    found = haste(votes, tested)

    def words(rater: int) -> str:
        return (
            f"Answered {found.quick[rater]} of {found.timed[rater]} in under "
            f"{seconds(found.limit_ms)}; others take {seconds(found.usual_ms)}, "
            f"this one {seconds(found.own_ms[rater])}."
        )

    return found.log_p, words


def _same(votes: Votes, tested: Whole, scale: Scale) -> tuple[Floats, Words]:
    found = sameness(votes, tested)
    number = votes.of_raters()

    def words(rater: int) -> str:
        return (
            f"Answered “{scale.labels[found.level[rater]]}” {found.times[rater]} of "
            f"{int(number[rater])} times; on the same items others do so "
            f"{percent(found.usual[rater])} of the time."
        )

    return found.log_p, words


def _far(votes: Votes, tested: Whole, scale: Scale) -> tuple[Floats, Words]:
    found = agreement(votes, tested)

    def words(rater: int) -> str:
        return (
            f"Others gave the same answer {percent(found.own[rater])} of the time; among the "
            f"others, on the same items, it is {percent(found.expected[rater])}."
        )

    return found.log_p, words


def _against(votes: Votes, tested: Whole, scale: Scale) -> tuple[Floats, Words]:
    found = taste(votes, tested, np.array(scale.values))

    def words(rater: int) -> str:
        own, usual = halves(votes, found, rater)
        return (
            f"On the items that others like more they gave {own[0]:.2f} on average, on the rest "
            f"{own[1]:.2f}; others gave {usual[0]:.2f} and {usual[1]:.2f}."
        )

    return found.log_p, words


FAST = "too fast"
FINDERS: dict[str, Finder] = {
    FAST: _fast,
    "same answer": _same,
    "far from everyone": _far,
    "against everyone": _against,
}


def burst_words(burst: Burst) -> str:
    """Why the raters of a burst are named."""
    minutes = {1: "a minute", 60: "an hour"}.get(burst.minutes, f"{burst.minutes} minutes")
    return (
        f"{len(burst.raters)} raters from one address began within {minutes}; of the "
        f"{burst.others} raters from elsewhere {burst.elsewhere} did."
    )


def seconds(milliseconds: float) -> str:
    """A time in words.

    >>> seconds(412.3), seconds(3_100.0), seconds(42_000.0)
    ('0.41 s', '3.1 s', '42 s')
    """
    passed = milliseconds / 1000.0
    digits = 2 if passed < 1.0 else 1 if passed < 10.0 else 0
    return f"{passed:.{digits}f} s"


def percent(share: float) -> str:
    """A share in words.

    >>> percent(0.347), percent(0.004)
    ('35 %', '0.4 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.01 else f"{100 * share:.1f} %"
