"""Who may propose an item to a contest now, and how many more."""

from plaudit.errors import ProposalRefused
from plaudit.phrase import Phrase
from plaudit.service.contest.proposals import OFF
from plaudit.service.contest.settings import OPEN, ContestSettings
from plaudit.service.contest.state import ContestState
from plaudit.words import N_, many


def proposals_left(contest: ContestState, settings: ContestSettings, rater: int) -> int:
    """How many proposals a rater, by number, may still send, as far as the limits go."""
    if settings.proposals == OFF:
        return 0
    own = settings.proposals_each - len(contest.proposals_of(rater))
    return max(0, min(own, settings.proposals_in_all - contest.proposals_counted))


def check_proposer(contest: ContestState, rater: int, now: int) -> None:
    """Raises `ProposalRefused` if a contest takes no proposal of a rater at this time."""
    settings = contest.settings
    if settings.proposals == OFF:
        raise ProposalRefused("proposals_off", Phrase(N_("This contest takes no suggestions.")))
    opens, closes = settings.opens, settings.closes
    shut = (opens is not None and now < opens) or (closes is not None and now >= closes)
    if contest.state != OPEN or shut:
        text = N_("The contest is not open, so it takes no suggestions now.")
        raise ProposalRefused("not_open", Phrase(text))
    if contest.verdicts:
        text = N_("The contest is decided, so it takes no more suggestions.")
        raise ProposalRefused("decided", Phrase(text))
    if proposals_left(contest, settings, rater):
        return
    most = settings.proposals_each
    if len(contest.proposals_of(rater)) < most:
        text = N_("The contest has as many suggestions as it takes. Thank you all the same.")
        raise ProposalRefused("proposals_full", Phrase(text))
    told = many(
        "Each rater may suggest {most} item, and you have.",
        "Each rater may suggest {most} items, and you have.",
        most,
    )
    raise ProposalRefused("proposals_used_up", Phrase(told, most=most))
