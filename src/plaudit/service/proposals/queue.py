"""The list of proposals for those who decide about them."""

from typing import NamedTuple

from plaudit.service.contest.history import History
from plaudit.service.contest.proposals import WAITING
from plaudit.service.proposals.proposing import NearText, Proposing
from plaudit.store.contract import Store
from plaudit.store.log import NONE

# More than a contest may have.
MOST_COMPARED = 10_000


class Queued(NamedTuple):
    """A proposal with what an editor should know about it.

    `position` is its number, `excluded` whether its rater is excluded. `item_text` is what its item
    says, if it became one; an editor may have changed it. `near` are items like a waiting one.
    """

    position: int
    at: int
    rater: int
    excluded: bool
    text: str
    standing: str
    item: int
    item_text: str
    reason: str
    note: str
    near: list[NearText]


def queue_of(
    store: Store,
    proposing: Proposing,
    history: History,
    *,
    waiting: bool = False,
    compared: int = MOST_COMPARED,
) -> list[Queued]:
    """The proposals of a contest, oldest first; only those that wait, if so wanted.

    The first of those that wait are `compared` with the items.
    """
    contest = history.contest
    texts = [item.text for item in store.items(history.record.name)]
    times = {logged.position: logged.at for logged in history.events}
    found = []
    for position, one in contest.proposals.items():
        standing = contest.standing_of(one)
        waits = standing == WAITING
        if waiting and not waits:
            continue
        queued = Queued(
            position,
            times[position],
            one.rater,
            one.rater in contest.excluded,
            one.text,
            standing,
            one.item,
            "" if one.item == NONE else texts[one.item],
            one.reason,
            one.note,
            proposing.near_items(history, one.text) if waits and compared > 0 else [],
        )
        compared -= waits
        found.append(queued)
    return found
