"""What an answer counts for now, and why not if it does not."""

from typing import NamedTuple

from plaudit.service.contest.grounds import ERASED, grounds_name
from plaudit.service.contest.state import ContestState
from plaudit.store.log import NONE, Entry, Kind

# Why an answer counts for no item. `EXCLUDED` comes with the grounds.
SKIP, FLAG, EXCLUDED, WITHDRAWN, MERGED = "skip", "flag", "excluded", "withdrawn", "merged"


class Counting(NamedTuple):
    """The items in the race that an answer counts for; if there is none, `why`.

    `grounds` says why the rater is excluded, if that is so.
    """

    items: tuple[int, ...] = ()
    why: str = ""
    grounds: str = ""


def counting_of(contest: ContestState, entry: Entry) -> Counting:
    """What becomes of an answer in the contest as it is now."""
    if entry.rater in contest.excluded:
        grounds = contest.grounds[entry.rater]
        if grounds == ERASED:
            return Counting(why=ERASED)
        return Counting(why=EXCLUDED, grounds=grounds_name(grounds))
    if entry.kind != Kind.VOTE:
        return Counting(why=SKIP if entry.kind == Kind.SKIP else FLAG)
    if items := items_of_vote(contest, entry.item, entry.rater, entry.position):
        return Counting(items)
    fed = [pool for pool in contest.pools.sources.get(entry.item, ()) if _is_in(contest, pool)]
    return Counting(why=MERGED if fed else WITHDRAWN)


def items_of_vote(contest: ContestState, item: int, rater: int, position: int) -> tuple[int, ...]:
    """The items in the race that a vote of a rater who is not excluded counts for."""
    pools = contest.pools
    if item not in pools.sources:
        return (item,) if _is_in(contest, item) else ()
    own = [item] if item not in pools and _is_in(contest, item) else []
    fed = (pool for pool in pools.sources[item] if _is_in(contest, pool))
    found = [pool for pool in fed if pools[pool].votes.get(rater, (NONE,))[0] == position]
    return tuple(sorted({*own, *found}))


def _is_in(contest: ContestState, item: int) -> bool:
    return item not in contest.withdrawn
