"""The tests of single raters, and the sentences that say why raters are named."""

from collections.abc import Callable

import numpy as np

from plaudit.phrase import Phrase
from plaudit.scale import Scale
from plaudit.service.moderation.agreement import agreement
from plaudit.service.moderation.bursts import Burst
from plaudit.service.moderation.knock_out import KnockOut
from plaudit.service.moderation.overdispersion import Floats, Whole
from plaudit.service.moderation.preference import halves, preference
from plaudit.service.moderation.same_answer import same_answer
from plaudit.service.moderation.too_fast import too_fast
from plaudit.service.moderation.vote_table import Votes
from plaudit.words import N_

# Says why a rater is named, by the rater's number.
Words = Callable[[int], Phrase]
Finder = Callable[[Votes, Whole, Scale], tuple[Floats, Words]]


def _fast(votes: Votes, tested: Whole, scale: Scale) -> tuple[Floats, Words]:
    found = too_fast(votes, tested)

    def words(rater: int) -> Phrase:
        return Phrase(
            N_(
                "Answered {quick} of {timed} in under {limit}; others take {usual}, this one {own}."
            ),
            quick=str(found.quick[rater]),
            timed=str(found.timed[rater]),
            limit=seconds(found.limit_ms),
            usual=seconds(found.usual_ms),
            own=seconds(found.own_ms[rater]),
        )

    return found.log_p, words


def _same(votes: Votes, tested: Whole, scale: Scale) -> tuple[Floats, Words]:
    found = same_answer(votes, tested)
    number = votes.of_raters()

    def words(rater: int) -> Phrase:
        return Phrase(
            N_(
                "Answered “{label}” {times} of {votes} times; on the same items others do so "
                "{usual} of the time."
            ),
            label=scale.labels[found.level[rater]],
            times=str(found.times[rater]),
            votes=str(int(number[rater])),
            usual=percent(found.usual[rater]),
        )

    return found.log_p, words


def _far(votes: Votes, tested: Whole, scale: Scale) -> tuple[Floats, Words]:
    found = agreement(votes, tested)

    def words(rater: int) -> Phrase:
        return Phrase(
            N_(
                "Others gave the same answer {own} of the time; among the others, on the same "
                "items, it is {expected}."
            ),
            own=percent(found.own[rater]),
            expected=percent(found.expected[rater]),
        )

    return found.log_p, words


def _against(votes: Votes, tested: Whole, scale: Scale) -> tuple[Floats, Words]:
    found = preference(votes, tested, np.array(scale.values))

    def words(rater: int) -> Phrase:
        own, usual = halves(votes, found, rater)
        return Phrase(
            N_(
                "On the items that others like more they gave {own_more} on average, on the rest "
                "{own_rest}; others gave {more} and {rest}."
            ),
            own_more=f"{own[0]:.2f}",
            own_rest=f"{own[1]:.2f}",
            more=f"{usual[0]:.2f}",
            rest=f"{usual[1]:.2f}",
        )

    return found.log_p, words


FAST = "too fast"
FINDERS: dict[str, Finder] = {
    FAST: _fast,
    "same answer": _same,
    "far from everyone": _far,
    "against everyone": _against,
}


def burst_words(burst: Burst) -> Phrase:
    """Why the raters of a burst are named."""
    facts = {
        "raters": str(len(burst.raters)),
        "minutes": str(burst.minutes),
        "others": str(burst.others),
        "elsewhere": str(burst.elsewhere),
    }
    return Phrase(_BURSTS.get(burst.minutes, _BURST), **facts)


_BURST = N_(
    "{raters} raters from one address began within {minutes} minutes; of the {others} raters from "
    "elsewhere {elsewhere} did."
)
_BURSTS = {
    1: N_(
        "{raters} raters from one address began within a minute; of the {others} raters from "
        "elsewhere {elsewhere} did."
    ),
    60: N_(
        "{raters} raters from one address began within an hour; of the {others} raters from "
        "elsewhere {elsewhere} did."
    ),
}


def knock_out_words(found: KnockOut, rater: int) -> Phrase:
    """Why a rater is named who came early and voted down what later raters prefer."""
    votes = int(found.judged.votes[rater])
    return Phrase(
        N_(
            "Came among the first {block}. Voted low on {low} of {votes} items that later raters "
            "prefer; later raters do so {usual} of the time. Of the {furthest} who do so most "
            "among the first {both}, {inside} came among the first {block}."
        ),
        block=str(found.block),
        low=str(found.judged.low[rater]),
        votes=str(votes),
        usual=percent(float(found.judged.expected[rater]) / max(1, votes)),
        furthest=str(found.furthest),
        both=str(2 * found.block),
        inside=str(found.inside),
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
