"""The state of a race: arrays that the compiled functions read and write.

Everything that decides (keys, leaders, intervals) is a function of the votes counted
here, so two states with the same votes are the same race, in whatever order they came.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.bets import gains
from plaudit.compiled import Kept
from plaudit.race.lead.book import Lead, make_lead
from plaudit.race.top_two.twins import Twins, make_twins
from plaudit.race.tree import Forest, plant

# Which item comes next.
PAIR, LARGEST_UPPER, FEWEST_VOTES, SURVIVORS, BALANCE = 0, 1, 2, 3, 4
# The Top-Two rules, which the folder `top_two` carries out.
EB_TC, TTUCB, T3C = 32, 33, 34
# The rule that goes with the stopping LEAD, of one leader and its rivals too: the folder `lead`.
FRESH_LEAD = 35
FIRST_OF_TWO, LAST_OF_TWO = EB_TC, FRESH_LEAD
# How many trees of costs each keeps.
TREES_OF_TWO = {EB_TC: 1, TTUCB: 2}
# When the race may name its winners.
SEPARATION, DOMINANCE, LAST_STANDING, EVIDENCE, NEVER = 0, 1, 2, 3, 4
# After NEVER come those that rare kernels judge.
LEAD, FRESH = 5, 6
# The same for another goal than the best `top`: see the folder `all_good`.
ALL_GOOD = 16
# No rater has seen anything.
NONE_BLOCKED = np.zeros(0, dtype=np.uint8)
# An item competes, is out for good, or needs no more votes (SURVIVORS only).
ACTIVE, WITHDRAWN, SETTLED = 0, 1, 2

# Trees over all items: those outside the leading set by mean and by upper bound, and
# whatever the rule compares.
# NumPy's integers: for Python's, numba would compile a copy of each function per tree.
BY_MEAN, BY_UPPER, BY_CHOICE = (np.int64(tree) for tree in range(3))
# Trees over the places of the leading set: the weakest by mean, and by lower bound.
WEAKEST_MEAN, WEAKEST_LOWER = (np.int64(tree) for tree in range(2))
# Trees over all items in a race for all good ones: every item by mean and by both bounds;
# those inside, the last by mean and by lower bound; those outside, by what the rule compares.
TOP_MEAN, BEST_LOWER, BEST_UPPER, LAST_MEAN, LAST_LOWER, OUT_CHOICE = (
    np.int64(tree) for tree in range(6)
)

# How many items one call of `ask` finds.
PLACES = 64

# Rows of `trim`.
ORDER, KEPT = (np.int64(row) for row in range(2))
# Sides of `logs`.
UPPER_SIDE, LOWER_SIDE = (np.int64(side) for side in range(2))

# One integer type for all indices: numba compiles a function anew for each other type.
ITEM = np.dtype(
    [
        ("votes", np.int64),
        ("total", np.float64),
        ("lower_level", np.float64),
        ("pending", np.int64),
        ("place", np.int64),
        ("status", np.int64),
        ("pull", np.int64),
        ("led", np.int64),
    ],
    align=True,
)

HEADER = np.dtype(
    [
        ("seed", np.int64),
        ("top", np.int64),
        ("epsilon", np.float64),
        ("tolerance", np.int64),
        ("rule", np.int64),
        ("stopping", np.int64),
        ("shape", np.int64),
        ("growth", np.int64),
        ("factor", np.float64),
        ("scale", np.float64),
        ("weight", np.float64),
        ("uses_time", np.bool_),
        ("upper_level", np.float64),
        ("choice_level", np.float64),
        ("choice_stretch", np.float64),
        ("dominance", np.float64),
        ("keeps_choice", np.bool_),
        ("own_choice_level", np.bool_),
        ("items", np.int64),
        ("initial", np.int64),
        ("votes", np.int64),
        ("most_votes", np.int64),
        ("unsampled", np.int64),
        ("turn", np.int64),
        ("round", np.int64),
        ("behind", np.int64),
        ("standing", np.int64),
        ("dominant", np.int64),
        ("horizon", np.float64),
        ("span", np.float64),
        ("looks", np.int64),
        ("balance", np.int64),
        ("log_odds", np.float64),
        ("open_epsilon", np.float64),
        ("open_item", np.int64),
        ("open_item_votes", np.int64),
        ("open_rival", np.int64),
        ("open_rival_votes", np.int64),
        ("open_item_gain", np.float64),
        ("open_rival_gain", np.float64),
        ("open_shortfall", np.float64),
        ("pending", np.int64),
        ("stage", np.int64),
    ],
    align=True,
)

# What the keys of the Top-Two rules were made with; made anew with them, and never saved.
WATCH = np.dtype(
    [
        ("low_votes", np.float64),
        ("low_mean", np.float64),
        ("slack", np.float64),
        ("looks", np.int64),
        ("bonus", np.float64),
        ("span", np.float64),
        ("index_looks", np.int64),
    ],
    align=True,
)


class Rare(NamedTuple):
    """What the rare rules need, which `seating` decides on; what a race does not use is empty.

    `duel`, `twins` and `watch` serve the Top-Two rules. `camp` and `step_levels` (the levels of
    upper bounds that fewer and fewer items share) serve the goal of all good items. `lead` serves
    the stoppings LEAD and FRESH.
    """

    camp: Forest
    step_levels: NDArray[np.float64]
    duel: Forest
    twins: Twins
    watch: NDArray[Any]
    lead: Lead


class _Parts(NamedTuple):
    header: NDArray[Any]
    items: NDArray[Any]
    levels: NDArray[np.int32]
    values: NDArray[np.float64]
    standing: NDArray[np.int64]
    scratch: NDArray[np.int64]
    seats: NDArray[np.int64]
    chosen: NDArray[np.int64]
    field: Forest
    leaders: Forest
    logs: NDArray[np.float64]
    trim: NDArray[np.int32]
    blocked: NDArray[np.uint8]
    found: NDArray[np.int64]
    rare: Any


class State(Kept, _Parts):
    """All of a race: one header, a record for each item, level counts, and the two forests.

    `logs` is what a vote at each level does for each bet, on both sides, and the bets' weights;
    betting reads it.
    `standing` lists the items that SURVIVORS still asks for; it is empty under other rules.
    `scratch` is where a search notes the keys that it must put back, `seats` the items at
    the places of the leading set, `chosen` those that a race without a verdict recommends.
    `trim` has the levels from lowest to highest, and room for the votes of an item that are left
    at each level without those of dishonest raters (`ORDER` and `KEPT`).
    `blocked` marks the items that an ask must not give, and is all 0 between asks; `found` has the
    items that it gives, up to `PLACES`.
    `rare` is `Rare` where the race needs it and empty otherwise: both have kernels of their own.
    """


def make_state(
    capacity: int,
    top: int,
    rule: int,
    values: NDArray[np.float64],
    rare: Any = (),
    logs: NDArray[np.float64] | None = None,
) -> State:
    """An empty state with room for `capacity` items; `values` are the scale's, or none.

    `logs` are the `gains` of these values, unless they are the usual ones.
    """
    items = np.zeros(capacity, dtype=ITEM)
    items["place"] = -1
    levels = np.zeros((capacity, values.size), dtype=np.int32)
    standing = np.zeros(capacity if rule == SURVIVORS else 0, dtype=np.int64)
    return State(
        np.zeros(1, dtype=HEADER),
        items,
        levels,
        values,
        standing,
        np.zeros(capacity, dtype=np.int64),
        np.full(top, -1, dtype=np.int64),
        np.full(top, -1, dtype=np.int64),
        plant(3, capacity),
        plant(2, top),
        gains(values) if logs is None else logs,
        np.stack([np.argsort(values), np.zeros(values.size)]).astype(np.int32),
        np.zeros(capacity, dtype=np.uint8),
        np.zeros(PLACES, dtype=np.int64),
        rare,
    )


def make_rare(
    capacity: int,
    rule: int,
    step_levels: NDArray[np.float64],
    levels: int = 0,
    *,
    appoints: bool = False,
) -> Rare:
    """What the rare rules need, empty; `levels` is how many the scale has.

    `appoints` is for a stopping whose leaders are appointed.
    """
    watch = np.zeros(1, dtype=WATCH)
    watch["slack"], watch["span"] = 0.25, 2.0**-10
    return Rare(
        plant(6, capacity if step_levels.size else 0),
        step_levels,
        plant(TREES_OF_TWO.get(rule, 0), capacity),
        make_twins(capacity if rule in TREES_OF_TWO else 0),
        watch,
        make_lead(capacity if appoints else 0, levels),
    )
