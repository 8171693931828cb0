"""On what grounds a rater would be excluded, by the tests that name them."""

from collections.abc import Iterable

from plaudit.service.contest.grounds import ADDRESS, SPEED, VOTES
from plaudit.service.moderation.suspicion import BURST, Suspect, Suspicions
from plaudit.service.moderation.suspicion_words import FAST

# The tests that read no vote; of several reasons these come first, since they would do alone.
_WITHOUT_VOTES = {FAST: SPEED, BURST: ADDRESS}


def grounds_of(suspect: Suspect | None) -> str:
    """The grounds that the tests give: without a look at votes if one of them needs none."""
    tests = {reason.test for reason in suspect.reasons} if suspect else set()
    return next((grounds for test, grounds in _WITHOUT_VOTES.items() if test in tests), VOTES)


def grounds_of_each(found: Suspicions, raters: Iterable[int]) -> tuple[str, ...]:
    """The same for each of several raters, in order."""
    known = {one.rater: one for one in found.suspects}
    return tuple(grounds_of(known.get(rater)) for rater in raters)
