"""What became of one answer: whether it counts now, and why not."""

from typing import NamedTuple

from plaudit.phrase import Phrase
from plaudit.service.contest.state import ContestState
from plaudit.store.log import NONE, Entry, Kind
from plaudit.words import N_

# Why an answer does not count, as programs read it, and as people do.
WHY = {
    "skip": N_("It is a skip, which counts for no item."),
    "flag": N_("It is a flag, which counts for no item."),
    "erased": N_("It does not count: its rater was erased."),
    "excluded": N_("It does not count: its rater was excluded."),
    "withdrawn": N_("It does not count now: its item was withdrawn."),
    "merged": N_("It does not count: its item was merged with others, and an earlier vote of the "
                 "same rater on one of them does."),
}  # fmt: skip


class Fate(NamedTuple):
    """Whether an answer counts; `why` is "" if it does, else a key of `WHY`."""

    counts: bool
    why: str = ""

    @property
    def words(self) -> Phrase:
        """Why it does not count, in a sentence; empty if it does."""
        return Phrase(WHY.get(self.why, ""))


def fate_of(contest: ContestState, entry: Entry) -> Fate:
    """What became of an answer in a contest that has folded it."""
    if entry.rater in contest.erased:
        return Fate(False, "erased")
    if entry.rater in contest.excluded:
        return Fate(False, "excluded")
    if entry.kind != Kind.VOTE:
        return Fate(False, "skip" if entry.kind == Kind.SKIP else "flag")
    if counted_items(contest, entry):
        return Fate(True)
    return Fate(False, "merged" if _stands_in(contest, entry.item) else "withdrawn")


def counted_items(contest: ContestState, vote: Entry) -> list[int]:
    """The items in the race that a vote counts for, if its rater is not excluded."""
    pools, gone = contest.pools, contest.withdrawn
    own = [vote.item] if vote.item not in pools and vote.item not in gone else []
    found = [
        pool
        for pool in pools.sources.get(vote.item, ())
        if pool not in gone and pools[pool].votes.get(vote.rater, (NONE,))[0] == vote.position
    ]
    return sorted({*own, *found})


def _stands_in(contest: ContestState, item: int) -> bool:
    """Whether an item in the race stands for this one."""
    return any(pool not in contest.withdrawn for pool in contest.pools.sources.get(item, ()))
