"""What a verdict owes to excluded raters: who they are, why, and whether it stands without that.

The block of a certificate says it, the verdict's event keeps the gist, and `verify` computes it
again. docs/theory/crowds.md has the proof.
"""

from collections.abc import Collection
from typing import Any

import numpy as np
from msgspec import UNSET

from plaudit.phrase import Phrase
from plaudit.race import Race
from plaudit.race.tolerance.excluded import same_without
from plaudit.service.contest.events import Exclusions, VerdictReached
from plaudit.service.contest.grounds import ERASED, grounds_name
from plaudit.service.contest.state import ContestState
from plaudit.words import many


def exclusions_block(
    contest: ContestState, race: Race, lane: int, winners: Collection[int]
) -> dict[str, Any]:
    """The block of a certificate, as plain values.

    `grounds` lists the raters by grounds, and `votes` has the votes of those excluded by their
    votes: for each item that has any, how many at each level.
    """
    aside = contest.race_aside(lane)
    voted = np.flatnonzero(aside.any(axis=1)).tolist()
    return {
        "raters": number_excluded(contest),
        "by_votes": len(contest.by_votes),
        "same": same_without(race, winners, aside),
        "grounds": raters_by_grounds(contest),
        "votes": {str(item): aside[item].tolist() for item in voted},
    }


def raters_by_grounds(contest: ContestState) -> dict[str, list[int]]:
    """The excluded raters by the grounds on which they are; those erased at their wish too."""
    found: dict[str, list[int]] = {}
    for rater in sorted(contest.excluded):
        found.setdefault(grounds_name(contest.grounds[rater]), []).append(rater)
    return found


def number_excluded(contest: ContestState) -> int:
    """How many raters somebody excluded; whoever asked to be erased is not one of them."""
    return sum(grounds != ERASED for grounds in contest.grounds.values())


def exclusions_of(contest: ContestState, verdict: VerdictReached) -> Exclusions:
    """What a verdict that stands owes to exclusions.

    Verdicts of earlier editions do not say. No rater was excluded or readmitted since, so who is
    excluded is known; whether they matter is not, and nothing is claimed.
    """
    if verdict.exclusions is not UNSET:
        return verdict.exclusions
    by_votes = len(contest.by_votes)
    return Exclusions(number_excluded(contest), by_votes, same=not by_votes)


def exclusion_words(found: Exclusions) -> Phrase | None:
    """What a verdict owes to exclusions, in a sentence; None where nobody was excluded.

    >>> print(exclusion_words(Exclusions(12, 12, same=True)))
    The same with or without the 12 excluded raters.
    >>> print(exclusion_words(Exclusions(12, 8, same=False)))
    Rests on excluding 12 raters (8 because of how they voted).
    """
    raters, by_votes = found.raters, found.by_votes
    if not raters:
        return None
    if not by_votes:
        told = many(
            "One rater was excluded, not because of how they voted.",
            "{raters} raters were excluded, none because of how they voted.",
            raters,
        )
    elif found.same and raters == by_votes:
        told = many(
            "The same with or without the excluded rater.",
            "The same with or without the {raters} excluded raters.",
            raters,
        )
    elif found.same:
        told = many(
            "The same with or without the rater excluded because of how they voted ({by_votes} of "
            "{raters} excluded).",
            "The same with or without the raters excluded because of how they voted ({by_votes} of "
            "{raters} excluded).",
            by_votes,
        )
    elif raters == by_votes:
        told = many(
            "Rests on excluding one rater because of how they voted.",
            "Rests on excluding {raters} raters because of how they voted.",
            raters,
        )
    else:
        told = many(
            "Rests on excluding {raters} rater ({by_votes} because of how they voted).",
            "Rests on excluding {raters} raters ({by_votes} because of how they voted).",
            raters,
        )
    return Phrase(told, raters=raters, by_votes=by_votes)
