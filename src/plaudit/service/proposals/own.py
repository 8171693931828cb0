"""What a rater reads about the own proposals."""

from typing import NamedTuple

from plaudit.phrase import Phrase, item_id
from plaudit.service.contest.proposals import (
    REFUSALS,
    REFUSED,
    TAKEN,
    WAITING,
    WITHDRAWN,
    Proposal,
)
from plaudit.service.contest.state import ContestState
from plaudit.words import N_

SENTENCES = {
    WAITING: N_("It waits to be looked at."),
    TAKEN: N_("It is in the contest, as item {id}."),
    REFUSED: N_("It was not taken. {reason}"),
    WITHDRAWN: N_("It was in the contest, and was taken out again."),
}


class Own(NamedTuple):
    """A proposal with its number, what it is now, and a sentence that says so."""

    position: int
    proposal: Proposal
    standing: str
    sentence: Phrase


def own_proposals(contest: ContestState, rater: int) -> list[Own]:
    """The proposals of a rater, by number, oldest first."""
    found = []
    for position, one in contest.proposals_of(rater).items():
        standing = contest.standing_of(one)
        reason = Phrase(REFUSALS.get(one.reason, REFUSALS["other"]))
        sentence = Phrase(SENTENCES[standing], id=item_id(one.item), reason=reason)
        found.append(Own(position, one, standing, sentence))
    return found
