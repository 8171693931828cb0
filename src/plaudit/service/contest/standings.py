"""How a contest stands: leaders, standings and shortlists, computed here for everyone.

The dashboard, the results page, the API, the command line and the exports all take their order
and their numbers from this module, so that they agree to the last tie.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from plaudit.errors import NotAllowed
from plaudit.phrase import Phrase
from plaudit.race import ALGORITHMS, Race, Shortlists
from plaudit.race.standing import IN, OPEN, OUT, WITHDRAWN
from plaudit.race.verdict import Intervals
from plaudit.service.contest.claims import NEVER, claim_of_lane, despite_overlap
from plaudit.service.contest.events import Exclusions, VerdictReached
from plaudit.service.contest.exclusions import exclusion_words, exclusions_of
from plaudit.service.contest.settings import CLOSED, RETIRED, ContestSettings
from plaudit.service.contest.state import ContestState

STANDINGS = (IN, OPEN, OUT, WITHDRAWN)
ROUNDING = 1e-12


@dataclass(frozen=True)
class Standings:
    """One race of a contest at one moment.

    `delta` and `gap` are the error and the slack of the verdict where there is one, else of now.
    `table` has the intervals that the verdict uses, `standing` what they say of each item.
    `order` has all items, best first, those withdrawn last. `counts` has how many items have each
    standing. `claim` is what is proven, and `certifies` whether the algorithm proves anything.
    `exclusions` is what a verdict owes to excluded raters; None before it. `tolerance` is how many
    dishonest raters a verdict must withstand now, `withstands` how many the one reached does.
    """

    lane: int
    algorithm: str
    votes: int
    decided: bool
    winners: tuple[int, ...]
    delta: float | None
    gap: float
    claim: Phrase
    certifies: bool
    table: Intervals
    standing: NDArray[np.str_]
    order: NDArray[np.int64]
    counts: dict[str, int]
    shortlists: Shortlists | None
    exclusions: Exclusions | None
    tolerance: int
    withstands: int | None

    @property
    def listed(self) -> NDArray[np.int64]:
        """The items that are in the race, best first."""
        return self.order[: self.order.size - self.counts[WITHDRAWN]]

    @property
    def owed(self) -> Phrase | None:
        """What the verdict owes to excluded raters, in a sentence; None where there is nothing."""
        return None if self.exclusions is None else exclusion_words(self.exclusions)

    def mean_of(self, item: int) -> float | None:
        """The mean of an item's votes; None before the first."""
        return float(self.table.means[item]) if self.table.votes[item] else None


def standings_of(
    settings: ContestSettings, contest: ContestState, race: Race, lane: int
) -> Standings:
    """How the race in a lane stands; `settings` are those in force."""
    named = contest.verdicts.get(lane)
    proof = _proof(race, named)
    winners = proof.items if named is not None else ()
    table = race.intervals()
    standing = race.standings(table) if len(race) else np.full(0, OPEN)
    # An item that was named is certainly in, whatever votes came later.
    standing[list(winners)] = IN
    counts = {word: int((standing == word).sum()) for word in STANDINGS}
    algorithm = settings.lanes[lane].algorithm
    said = claim_of_lane(
        settings,
        lane,
        named=len(winners) if named is not None else None,
        delta=proof.delta,
        gap=proof.gap,
        ruled_out=counts[OUT],
        is_over=contest.state in (CLOSED, RETIRED),
        withstands=(race.tolerance if named is None else withstood_by(named)) or 0,
    )
    of_top = named is not None and not settings.wants_all_good
    if of_top and intervals_overlap(table, winners, contest.withdrawn, settings.epsilon):
        said = despite_overlap(said, algorithm)
    return Standings(
        lane=lane,
        algorithm=algorithm,
        votes=race.votes,
        decided=named is not None,
        winners=winners,
        delta=proof.delta,
        gap=proof.gap,
        claim=said,
        certifies=ALGORITHMS[algorithm].stopping != NEVER,
        table=table,
        standing=standing,
        order=_order(table, standing, proof.items),
        counts=counts,
        shortlists=_shortlists(race),
        exclusions=None if named is None else exclusions_of(contest, named),
        tolerance=race.tolerance,
        withstands=None if named is None else withstood_by(named),
    )


def withstood_by(named: VerdictReached) -> int | None:
    """How many dishonest raters a verdict withstands; None if it does not say."""
    return None if named.withstands is UNSET else named.withstands


def intervals_overlap(
    table: Intervals, winners: Collection[int], withdrawn: Collection[int], epsilon: float
) -> bool:
    """Whether another item's interval reaches more than epsilon above a winner's lower end."""
    others = np.ones(table.upper.size, dtype=bool)
    others[[*winners, *withdrawn]] = False
    if not winners or not others.any():
        return False
    gap = table.upper[others].max() - table.lower[list(winners)].min()
    return bool(gap > epsilon + ROUNDING)


class _Proof(NamedTuple):
    """The items that the claim is about, with the error and the slack that are proven."""

    items: tuple[int, ...]
    delta: float | None
    gap: float


def _proof(race: Race, named: VerdictReached | None) -> _Proof:
    """What the log says of a verdict, or what the race says before it.

    A race remembers what it was when it stopped; one made from counts cannot, and late votes
    may have moved its bounds since. The log has it for both.
    """
    if named is not None:
        items, delta, gap = named.winners, named.delta, named.gap
    else:
        verdict = race.verdict()
        items, delta, gap = verdict.items if race.votes else (), verdict.delta, verdict.gap
    return _Proof(items, delta, 1.0 if gap is None else max(0.0, min(1.0, gap)))


def _order(
    table: Intervals, standing: NDArray[np.str_], first: Collection[int]
) -> NDArray[np.int64]:
    """By mean, with `first` before all others and the withdrawn items last; ties by number.

    The items that the claim is about come first wherever items are listed, so that "the leader" is
    the same item on every page also where means are equal.
    """
    keys = np.where(table.votes > 0, np.nan_to_num(table.means), -1.0)
    keys[standing == WITHDRAWN] -= 4.0
    keys[list(first)] += 2.0
    return np.argsort(-keys, kind="stable")


def _shortlists(race: Race) -> Shortlists | None:
    try:
        return race.shortlists() if race.votes and len(race) - len(race.withdrawn) > 1 else None
    except NotAllowed:
        # An algorithm that stops without intervals proves no shortlists.
        return None


def summary_order(
    means: NDArray[np.float64], votes: NDArray[np.int64], withdrawn: Collection[int]
) -> list[int]:
    """The items of a caption-contest summary, best first; ties by votes, then by number.

    A summary pools the votes of all races, so its means are of no race alone. An item without
    votes has the mean 0.

    >>> summary_order(np.array([0.5, 0.0, 0.5, 0.9]), np.array([2, 0, 3, 1]), {3})
    [2, 0, 1]
    """
    order = np.lexsort((np.arange(len(means)), -votes, -means)).tolist()
    return [item for item in order if item not in withdrawn]
