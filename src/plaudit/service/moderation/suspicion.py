"""Suspicious raters: named with a reason, the surest first.

Six tests, each with its own chance of being wrong: `too_fast`, `same_answer`, `agreement`,
`preference`, `bursts` and `knock_out`. Bonferroni's correction limits the chance of naming an
honest rater: a rarity counts only after it is multiplied by the number of raters (or addresses)
tested, and divided by the test's share of the chance that is allowed. So if all raters were honest,
and differed from each other as the middle of the crowd does, a list that is looked at once would be
empty 99 times in 100. `knock_out` tests the crowd as a whole and then names several: if some are
fakes, a tenth of those whom it names may be honest.

Raters who are named are left out and the others are tested again, since cheats hide in a crowd
that they widen. If nobody is named at first, there is no second round. Who is too fast is found
without reading a single vote, and so is who is left out for it: whoever excludes for speed alone
must not choose by votes (docs/live/moderation.md).
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from plaudit.phrase import Phrase
from plaudit.scale import Scale
from plaudit.service.moderation.bursts import Burst, bursts
from plaudit.service.moderation.knock_out import knock_out
from plaudit.service.moderation.overdispersion import Floats, Whole
from plaudit.service.moderation.suspicion_words import (
    FAST,
    FINDERS,
    burst_words,
    knock_out_words,
)
from plaudit.service.moderation.vote_table import Votes, votes_of
from plaudit.service.watch.answer_columns import Answers

# The chance that an honest crowd has anyone named, and the part of it that early knock-outs may
# use: little, for an attack that works is rarer by far. The other tests share the rest.
FALSE_ALARM, EARLY_PART, OTHERS = 0.01, 0.02, 5
PART = (1.0 - EARLY_PART) / OTHERS
# Votes that a rater needs, and raters who have them, before anything is said.
LEAST_VOTES, LEAST_RATERS = 10, 20
BURST, EARLY = "burst", "early knock-out"
_ROUNDS = 5


class Reason(NamedTuple):
    """Why a rater is named; `chance` is the corrected chance that an honest rater would be."""

    test: str
    words: Phrase
    chance: float


class Suspect(NamedTuple):
    """A rater with the reasons to review them, the strongest first."""

    rater: int
    votes: int
    reasons: tuple[Reason, ...]


class Suspicions(NamedTuple):
    """The raters named, the surest first; bursts, whose raters belong together; raters tested."""

    suspects: list[Suspect]
    bursts: list[tuple[Burst, Reason]]
    tested: int

    def of(self, rater: int) -> Suspect | None:
        """What is said of one rater."""
        return next((one for one in self.suspects if one.rater == rater), None)


Reasons = dict[int, list[Reason]]


def examine(answers: Answers, *, origins: Whole, excluded: set[int], scale: Scale) -> Suspicions:
    """What the tests say of all raters who count; a second or two for a million votes."""
    votes = votes_of(answers, excluded=excluded, levels=len(scale.labels))
    number = votes.of_raters()
    enough = int((number >= LEAST_VOTES).sum())
    reasons: Reasons = {}
    left = not_fast = votes
    for _ in range(_ROUNDS):
        fast = _test(not_fast, scale, enough, (FAST,))
        other = _test(left, scale, enough, [test for test in FINDERS if test != FAST])
        for rater, found in (*fast.items(), *other.items()):
            reasons.setdefault(rater, []).extend(found)
        if not fast and not other:
            break
        not_fast, left = not_fast.excluding(list(fast)), left.excluding([*fast, *other])
    groups = _note_bursts(votes, origins, reasons)
    _note_knock_out(votes, scale, reasons)
    suspects = [
        Suspect(rater, int(number[rater]), tuple(sorted(found, key=lambda reason: reason.chance)))
        for rater, found in reasons.items()
    ]
    suspects.sort(key=lambda one: (one.reasons[0].chance, one.rater))
    return Suspicions(suspects, groups, enough)


def _test(votes: Votes, scale: Scale, number: int, tests: Iterable[str]) -> Reasons:
    """The raters whom these tests name, with their reasons; `number` raters have enough votes."""
    tested = np.flatnonzero(votes.of_raters() >= LEAST_VOTES)
    found: Reasons = {}
    if len(tested) < LEAST_RATERS:
        return found
    for test in tests:
        log_p, words = FINDERS[test](votes, tested, scale)
        for place, chance in _named(log_p, number):
            rater = int(tested[place])
            found.setdefault(rater, []).append(Reason(test, words(rater), chance))
    return found


def _named(log_p: Floats, number: int, part: float = PART) -> list[tuple[int, float]]:
    """The places whose corrected rarity is small enough, with it."""
    corrected = log_p + math.log(max(1, number) / part)
    places = np.flatnonzero(corrected <= math.log(FALSE_ALARM))
    return [(int(place), math.exp(float(corrected[place]))) for place in places]


def _note_bursts(votes: Votes, origins: Whole, reasons: Reasons) -> list[tuple[Burst, Reason]]:
    found, addresses = bursts(votes, origins)
    named = []
    for place, chance in _named(np.array([one.log_p for one in found]), addresses):
        reason = Reason(BURST, burst_words(found[place]), chance)
        named.append((found[place], reason))
        for rater in found[place].raters:
            reasons.setdefault(rater, []).append(reason)
    return sorted(named, key=lambda pair: pair[1].chance)


def _note_knock_out(votes: Votes, scale: Scale, reasons: Reasons) -> None:
    found = knock_out(votes, np.array(scale.values))
    if found is None:
        return
    for _, chance in _named(np.array([found.log_p]), 1, EARLY_PART):
        for rater in found.named:
            reason = Reason(EARLY, knock_out_words(found, rater), chance)
            reasons.setdefault(rater, []).append(reason)
