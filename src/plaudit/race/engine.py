"""The engine of a race: its compiled state, with what can be read from it and done to it.

`Race` checks what its callers give and remembers its verdict; everything else happens here.
Simulations run on the engine of a race without asking and telling vote by vote. They read it
by the names below and hand `Engine.state` to compiled functions, and to nothing else.
"""

import copy
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaudit.race import asking, index, judge, saving
from plaudit.race.all_good.camps import descend
from plaudit.race.goals import ALL_GOOD_GOAL
from plaudit.race.membership import Membership
from plaudit.race.seating import grow, place_leaders, prepare, seat_by_seed, set_levels
from plaudit.race.settings import Method, Settings
from plaudit.race.state import ACTIVE, NEVER, PLACES, SURVIVORS, WITHDRAWN, State
from plaudit.race.tolerance.withstanding import largest_tolerance
from plaudit.race.tree import plant
from plaudit.race.verdict import Intervals

_ask = asking.ask.taking("bi")
_look = judge.look.taking("")


class Engine:
    """The compiled state of one race, and the method by which it runs.

    `size` is the number of items, those added and those withdrawn included. Where `asked` is
    False nobody calls `ask`: the engine then spares the trees that only `ask` reads, as long as
    the rule can do without them.
    """

    def __init__(self, settings: Settings, method: Method, *, asked: bool = True) -> None:
        self.settings = settings
        self.method = method
        self.size = settings.items
        self.membership = Membership(settings.items)
        self.state: State = prepare(settings, method, keeps_choice=asked)

    @property
    def header(self) -> Any:
        """The record with all that is not of one item; `state.HEADER` lists its fields."""
        return self.state.header[0]

    @property
    def records(self) -> NDArray[Any]:
        """A record for each item; `state.ITEM` lists its fields."""
        return self.state.items[: self.size]

    @property
    def level_counts(self) -> NDArray[np.int32]:
        """The votes at each level of the scale, one row for each item."""
        return self.state.levels[: self.size]

    @property
    def votes(self) -> int:
        """Votes told so far, on items that are not withdrawn."""
        return int(self.state.header[0]["votes"])

    @property
    def most_votes(self) -> int:
        """The votes of the item that has most of them."""
        return int(self.header["most_votes"])

    @property
    def all_sampled(self) -> bool:
        """Whether every item has a vote."""
        return int(self.header["unsampled"]) == 0

    @property
    def epsilon(self) -> float:
        """The slack that the stopping rule allows; a simulation may ask it about others."""
        return float(self.header["epsilon"])

    @epsilon.setter
    def epsilon(self, epsilon: float) -> None:
        self.header["epsilon"] = epsilon

    @property
    def is_all_good(self) -> bool:
        """Whether the race looks for all good items."""
        return self.settings.goal == ALL_GOOD_GOAL

    @property
    def withdrawn(self) -> NDArray[np.bool_]:
        """Which items are out for good."""
        out: NDArray[np.bool_] = self.records["status"] == WITHDRAWN
        return out

    @property
    def leaders(self) -> tuple[int, ...]:
        """The items that lead, best first; `Race.leaders` says which those are."""
        state, h = self.state, self.header
        waits = h["stopping"] == NEVER and h["stage"] > 0
        seats = state.chosen if waits else state.seats
        if self.is_all_good:
            seats = np.flatnonzero(self.records["place"] >= 0)
        elif seats.size == 1:
            return (int(seats[0]),)
        records = state.items[seats]
        means = records["total"] / np.maximum(records["votes"], 1)
        return tuple(int(item) for item in seats[np.lexsort((seats, -means))])

    @property
    def named(self) -> tuple[int, ...]:
        """The items that a verdict would name now: the dominant one, or those that lead."""
        dominant = int(self.header["dominant"])
        return (dominant,) if dominant >= 0 else self.leaders

    def stop_and_gap(self) -> tuple[bool, float]:
        """Whether the race may stop, and the gap between its leading set and the rest."""
        stop, gap, _, _ = _look(self.state)()
        return stop, gap

    def look(self) -> tuple[bool, float, int, tuple[int, ...]]:
        """The same, the votes so far, and the items that a verdict would name now."""
        stop, gap, votes, named = _look(self.state)()
        return stop, gap, votes, (named,) if named >= 0 else self.named

    def withstands(self, items: tuple[int, ...], *, least: int) -> int | None:
        """The largest tolerance that certifies these items; `least` is one that does, or -1."""
        named = np.zeros(self.state.items.size, dtype=np.bool_)
        named[list(items)] = True
        found = largest_tolerance(self.state, named, least=least)
        return found if found >= 0 else None

    def tolerate(self, settings: Settings) -> None:
        """Takes over settings with another tolerance."""
        self.settings = settings
        self.header["tolerance"] = settings.tolerance
        self.restart()

    def intervals(self, items: NDArray[np.int64]) -> Intervals:
        """Votes, means and judging bounds of these items, in their order."""
        records = self.state.items[items]
        lower, upper = np.empty(items.size), np.empty(items.size)
        judge.fill_intervals(self.state, items, lower, upper)
        votes = records["votes"]
        with np.errstate(invalid="ignore"):
            means = np.where(votes > 0, records["total"] / np.maximum(votes, 1), math.nan)
        return Intervals(votes, means, lower, upper)

    def ask(self, count: int, barred: NDArray[np.int64], *, distinct: bool) -> list[int]:
        """Up to `count` items to show, none of those barred; pending from now on."""
        state, items = self.state, list[int]()
        find, blocked = _ask(state), state.blocked
        left = min(count, self.size) if distinct else count
        if barred.size:
            blocked[barred] = 1
        while left > 0:
            # Whoever is asked for one item alone is a rater of one vote: no list ends like that.
            asked = PLACES - 1 if left == PLACES + 1 else min(left, PLACES)
            found = find(distinct, asked)
            items += state.found[:found].tolist()
            left = left - found if found == asked else 0
        if barred.size:
            blocked[barred] = 0
        if distinct:
            for item in items:
                blocked[item] = 0
        return items

    def is_pending(self, item: int) -> bool:
        """Whether a vote on this item was asked for and neither told nor forgotten."""
        return bool(self.state.items["pending"][item] > 0)

    def make_room(self, items: int) -> None:
        """Makes room for this many items in all."""
        self.state = grow(self.state, items)
        self.size = items

    def add(self, count: int) -> range:
        """Lets new items join; the numbers that they get."""
        joined = range(self.size, self.size + count)
        self.make_room(joined.stop)
        self.header["items"] = joined.stop
        self.header["unsampled"] += count
        self.membership = self.membership.with_joined(joined)
        self.share_error_anew()
        return joined

    def put_out(self, gone: NDArray[np.bool_]) -> None:
        """Withdraws these items, and no others; `share_error_anew` is due afterwards."""
        self.records["status"] = np.where(gone, WITHDRAWN, ACTIVE)
        saving.count_all(self.state, self.size)

    def recount(self, votes: ArrayLike, totals: ArrayLike, levels: ArrayLike | None) -> None:
        """Takes these counts in place of all votes told so far."""
        saving.load_counts(self.state, self.size, votes, totals, levels)
        self.restart()

    def share_error_anew(self) -> None:
        """Gives all bounds their levels after items came, went or were merged."""
        set_levels(self.state, self.method, self.membership)
        self.restart()

    def restart(self) -> None:
        """Finds the leading set and all keys from the counts alone."""
        state, h = self.state, self.header
        h["stage"] = 0
        state.items["status"][state.items["status"] != WITHDRAWN] = ACTIVE
        place_leaders(state)
        if self.is_all_good:
            set_levels(state, self.method, self.membership)
        index.rebuild(state)
        if self.is_all_good:
            descend(state)
        if h["stopping"] == NEVER:
            judge.settle_stage(state)
        if h["rule"] == SURVIVORS:
            judge.open_round(state)
            if h["unsampled"] == 0:
                judge.end_round(state)

    def reseed(self, seed: int) -> None:
        """Gives a race without votes another seed for its ties."""
        seat_by_seed(self.state, seed)

    def load(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Takes over what `saving.read` found in a file."""
        self.make_room(len(arrays["items"]))
        saving.put(self.state, arrays)
        index.rebuild(self.state)

    def light_copy(self) -> "Engine":
        """A copy without the trees over all items, unless the rules are rare.

        These take most of the time of a copy. `complete` makes them, on any thread, before
        anything is read.
        """
        copied, state = copy.copy(self), self.state
        if not state.rare:
            state = state._replace(
                scratch=np.zeros(0, np.int64), field=plant(len(state.field.nodes), 0)
            )
        copied.state = copy.deepcopy(state)
        return copied

    def complete(self) -> None:
        """Makes what a light copy lacks."""
        room = self.state.items.size
        if self.state.scratch.size < room:
            trees = plant(len(self.state.field.nodes), room)
            self.state = self.state._replace(scratch=np.zeros(room, np.int64), field=trees)
            index.rebuild(self.state)

    def arrays(self) -> Iterator[NDArray[Any]]:
        """All arrays of the state; a copy of them put back is the race as it was."""
        return _arrays_of(self.state)


def _arrays_of(parts: Any) -> Iterator[NDArray[Any]]:
    for part in parts:
        if isinstance(part, tuple):
            yield from _arrays_of(part)
        elif isinstance(part, np.ndarray):
            yield part
