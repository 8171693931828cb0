"""The outcome of a contest that is over, for readers: who won, who came next, and how sure that is.

Every sentence is a phrase for people who know no statistics. What it says is what the verdict
proves, and no more: places that are not proven are called so.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from plaudit.phrase import Phrase
from plaudit.race.goals import ALL_GOOD_GOAL
from plaudit.words import N_

# How many places are shown; more winners than that are all shown.
PODIUM = 3
# Chances that are named as one in so many.
_LARGEST_ODDS = 10_000


class Place(NamedTuple):
    """An item and its place, from 1; `points` is its mean vote out of 100, None without votes."""

    place: int
    id: str
    text: str
    image: str
    points: int | None
    votes: int
    is_winner: bool


class Outcome(NamedTuple):
    """What a contest came to; `is_decided` if a verdict names the winners.

    `places` has the winners, and others up to the third place. `sure` says how sure it is,
    `order` what the order of the places means, and `claim` the same exactly. `lane` is the
    algorithm whose verdict it is.
    """

    is_decided: bool
    is_ranked: bool
    places: list[Place]
    votes: int
    raters: int
    items: int
    sure: Phrase
    order: Phrase | None
    claim: Phrase
    lane: int

    @property
    def first(self) -> Place:
        """The first place."""
        return self.places[0]

    @property
    def winners(self) -> list[Place]:
        """The items that the verdict names."""
        return [place for place in self.places if place.is_winner]


def outcome_of(results: Mapping[str, Any], *, is_over: bool) -> Outcome | None:
    """The outcome by the results of a contest; None while it goes on, or nobody has voted.

    `is_over`: voting has ended, so that there is something to tell also without a verdict.
    """
    lanes = results["lanes"]
    lane = next((place for place, one in enumerate(lanes) if one["decided"]), 0)
    found = lanes[lane]
    if not (found["decided"] or is_over) or not found["votes"] or not found["leaders"]:
        return None
    named = set(found["winners"]) if found["decided"] else set()
    shown = found["leaders"][: max(PODIUM, len(named))]
    places = [_place(rank, one, named) for rank, one in enumerate(shown, start=1)]
    return Outcome(
        is_decided=found["decided"],
        is_ranked=results["goal"] != ALL_GOOD_GOAL,
        places=places,
        votes=results["votes"],
        raters=results["raters"],
        items=results["items"],
        sure=_sure(results, found) if found["decided"] else Phrase(_NOT_SURE),
        order=_order(results, len(named), len(places)) if found["decided"] else None,
        claim=found["sentence"],
        lane=lane,
    )


_NOT_SURE = N_(
    "Voting ended before the result was certain: these are the favourites so far, by the average "
    "of their votes."
)


def _place(rank: int, leader: Mapping[str, Any], named: set[int]) -> Place:
    mean = leader["mean"]
    return Place(
        rank,
        leader["id"],
        leader["text"],
        leader["image"],
        None if mean is None else int(100.0 * mean + 0.5),
        leader["votes"],
        leader["item"] in named,
    )


def _order(results: Mapping[str, Any], named: int, shown: int) -> Phrase | None:
    """What the order of the places means beyond the verdict."""
    if results["goal"] == ALL_GOOD_GOAL:
        return None
    if named > 1:
        return Phrase(N_("Among the winners the order is by the average of their votes."))
    if shown > named:
        return Phrase(N_("Only the winner is proven. The others are in order of their averages."))
    return None


def _sure(results: Mapping[str, Any], lane: Mapping[str, Any]) -> Phrase:
    """How sure a verdict is, for a reader of a magazine."""
    if lane["delta"] is None:
        return Phrase(N_("Named by a rule that has no proven error."))
    if results["goal"] == ALL_GOOD_GOAL:
        template = N_(
            "This way of deciding errs in at most one of {odds} contests: that a good one is "
            "missing here, or that one of these is far from the best."
        )
    elif not results["epsilon"] and results["top"] == 1:
        template = N_(
            "This way of deciding names a wrong winner in at most one of {odds} contests."
        )
    elif results["top"] == 1:
        template = N_(
            "This way of deciding names a wrong winner in at most one of {odds} contests, where "
            "wrong means that another one is better by more than {points} points out of 100."
        )
    elif not results["epsilon"]:
        template = N_(
            "This way of deciding names a wrong winner in at most one of {odds} contests, all "
            "{top} winners together."
        )
    else:
        template = N_(
            "This way of deciding names a wrong winner in at most one of {odds} contests, all "
            "{top} winners together, where wrong means worse than the {top} best by more than "
            "{points} points out of 100."
        )
    sure = Phrase(
        template,
        odds=odds_of(lane["delta"]),
        points=f"{100 * results['epsilon']:.12g}",
        top=str(results["top"]),
    )
    if not lane["withstands"]:
        return sure
    one = N_("{sure} That holds even if any one voter cheated.")
    many = N_("{sure} That holds even if any {raters} voters cheated.")
    template = one if lane["withstands"] == 1 else many
    return Phrase(template, sure=sure, raters=lane["withstands"])


def odds_of(delta: float) -> int:
    """A chance as one in so many, never better than it is.

    >>> odds_of(0.05), odds_of(0.01), odds_of(0.03), odds_of(1e-9)
    (20, 100, 33, 10000)
    """
    return min(int(1.0 / delta + 1e-9), _LARGEST_ODDS)
