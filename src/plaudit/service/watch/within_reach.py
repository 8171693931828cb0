"""What a crowd of a known size can decide: how close to the true best, for some numbers of winners.

People know how many will vote, how long each has, and how many winners they want. The rest follows
from simulated contests that end when the crowd has given all its votes.
"""

import math
from collections.abc import Callable

import msgspec

from plaudit.scale import Scale

# A vote takes a rater about so long.
SECONDS_A_VOTE = 8
RACES = 5
# No more votes than this are simulated for a row; a larger crowd can do at least as much.
MOST_VOTES = 15_000
# What a careful contest promises, and what a small crowd that trusts itself can.
CAREFUL, SMALL = "careful", "small"
MODES = {CAREFUL: (0.05, 3), SMALL: (0.1, 0)}
# A promise that is looser than this says little; one that is tighter needs no small-crowd mode.
LOOSE, TIGHT = 0.5, 0.2
# Steps that people count in.
NICE = (0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8)


class ReachInput(msgspec.Struct, frozen=True, tag="reach"):
    """What is known: the items, the answers, the people, and the winners that are wanted."""

    items: int
    levels: tuple[float, ...]
    people: int
    votes_each: int
    top: int


class Reach(msgspec.Struct, frozen=True):
    """What is within reach for so many winners: an epsilon that half of the contests certify.

    None if not even that is.
    """

    top: int
    mode: str
    delta: float
    tolerance: int
    epsilon: float | None


class WithinReach(msgspec.Struct, frozen=True):
    """All rows, with the votes that the crowd gives in all."""

    votes: int
    rows: tuple[Reach, ...]


def votes_in(minutes: float, items: int) -> int:
    """How many votes a person gives in so many minutes: at most one for each item.

    >>> votes_in(3, 40), votes_in(30, 40), votes_in(0.01, 40)
    (22, 40, 1)
    """
    return max(1, min(items, int(60 * minutes / SECONDS_A_VOTE)))


def tops_for(top: int, items: int) -> list[int]:
    """The numbers of winners to look at: the wanted one first, then usual ones.

    >>> tops_for(3, 40), tops_for(1, 3)
    ([3, 1, 5], [1])
    """
    most = max(1, items // 2)
    return list(dict.fromkeys(one for one in (top, 1, 3, 5) if one <= max(most, top)))


def within_reach(given: ReachInput, progress: Callable[[float], None]) -> WithinReach:
    """What the crowd can decide."""
    from plaudit.simulation import plan

    scale = Scale(tuple(f"level {n}" for n, _ in enumerate(given.levels)), given.levels)
    votes = given.people * given.votes_each
    wanted = [(top, mode) for top in tops_for(given.top, given.items) for mode in MODES]
    rows: list[Reach] = []
    for place, (top, mode) in enumerate(wanted):
        delta, tolerance = MODES[mode]
        if mode == SMALL and (rows[-1].epsilon or 1.0) <= TIGHT:
            continue

        def note(share: float, place: int = place) -> None:
            progress((place + share) / len(wanted))

        forecast = plan(
            given.items, scale=scale, top=top, epsilon=0.0, delta=delta, tolerance=tolerance,
            votes_per_rater=given.votes_each, races=RACES, max_votes=min(votes, MOST_VOTES),
            threads=1, progress=note,
        )  # fmt: skip
        reached = forecast.curve[-1].epsilon.median if forecast.curve else None
        rows.append(Reach(top, mode, delta, tolerance, nice(reached)))
    progress(1.0)
    return WithinReach(votes, tuple(rows))


def nice(epsilon: float | None) -> float | None:
    """An epsilon that is no smaller, in steps that people count in; None if there is none.

    >>> nice(0.037), nice(0.5), nice(0.9), nice(None)
    (0.05, 0.5, None, None)
    """
    if epsilon is None or not math.isfinite(epsilon):
        return None
    return next((step for step in NICE if step >= epsilon - 1e-9), None)
