"""The list of a visit: which items, in which order, and how long it counts as pending.

A list is drawn once, from what is known when the visit begins. Neither the votes of the visit nor
anything else that comes later changes it: this is what the proof for real crowds needs
(docs/theory/crowds.md).
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from plaudit.race import Race
from plaudit.service.contest.settings import UNIFORM, ContestSettings
from plaudit.service.live.rater_memory import Memory

# A list counts as pending until the rater was not heard from for this long. It stays the list.
PENDING_MS = 120_000
# Items of a list where visits have no end, and the most that any list has.
USUAL = 20
MOST_LISTED = 100
# Visits without an end get a whole list once this many votes have come for each one on its way.
VOTES_PER_PENDING = 10


class Place(NamedTuple):
    """A place on a list: the item, and the lane whose race asked for it."""

    item: int
    lane: int


def list_length(races: Sequence[Race], *, votes: int, wanted: int, room: int | None) -> int:
    """How many items the list of a visit gets: all that the visit has room for.

    A visit without an end (`room` is None) has no whole, so its list may be short: only what is
    `wanted` now, while so much is on its way that a long list would be drawn in ignorance. `votes`
    are those that all races have.
    """
    if room is not None:
        return min(room, MOST_LISTED)
    most_pending = votes // VOTES_PER_PENDING - USUAL
    # Counting what is pending takes a look at every item.
    known = most_pending >= 0 and sum(race.pending for race in races) <= most_pending
    return max(wanted, USUAL) if known else wanted


class Lanes:
    """Draws the lane of each place by the lanes' shares, and fills the places lane by lane."""

    def __init__(self, settings: ContestSettings) -> None:
        whole = sum(lane.share for lane in settings.lanes)
        shares = [lane.share / whole * (1.0 - settings.uniform) for lane in settings.lanes]
        self._bounds = np.cumsum(shares)
        self._all = (*range(len(shares)), UNIFORM) if settings.uniform else (*range(len(shares)),)

    def fill(
        self,
        count: int,
        *,
        random: np.random.Generator,
        ask: Callable[[int, int, list[int]], list[int]],
        whole: bool = False,
    ) -> list[Place]:
        """A list of up to `count` places.

        `ask(lane, count, taken)` gives items of a lane without those taken. What a lane lacks comes
        from the others, at the end of the list. A `whole` list then takes items by chance, so that
        it is short only where the rater has seen everything.
        """
        if len(self._all) == 1:
            (lane,) = self._all
            taken = ask(lane, count, [])
            places = [Place(item, lane) for item in taken]
        else:
            places, taken = self._drawn(count, random, ask)
        if len(places) == count:
            return places
        for lane in (*self._all, UNIFORM) if whole else self._all:
            if len(places) < count:
                items = ask(lane, count - len(places), taken)
                taken += items
                places += [Place(item, lane) for item in items]
        return places

    def _drawn(
        self,
        count: int,
        random: np.random.Generator,
        ask: Callable[[int, int, list[int]], list[int]],
    ) -> tuple[list[Place], list[int]]:
        """The places of a list whose lanes are drawn, as far as their lanes have items."""
        lanes = self._draw(count, random)
        taken: list[int] = []
        found: dict[int, deque[int]] = {}
        # Uniform traffic comes first: what it draws must not depend on what the races want.
        for lane in sorted(dict.fromkeys(lanes), key=lambda lane: lane != UNIFORM):
            items = ask(lane, lanes.count(lane), taken)
            taken += items
            found[lane] = deque(items)
        return [Place(found[lane].popleft(), lane) for lane in lanes if found[lane]], taken

    def _draw(self, count: int, random: np.random.Generator) -> list[int]:
        """The lane of each place."""
        drawn = np.searchsorted(self._bounds, random.random(count), side="right")
        return [self._all[min(place, len(self._all) - 1)] for place in drawn.tolist()]


class Pending:
    """The lists that count as pending in the races; first those whose raters were silent longest.

    Each answer of the visit renews the whole list. Whoever leaves holds up nobody for longer than
    `PENDING_MS`, and keeps the list.
    """

    def __init__(self) -> None:
        self._lists: OrderedDict[Memory, tuple[int, list[Place]]] = OrderedDict()

    def add(self, rater: Memory, places: list[Place], now: int) -> None:
        """Notes a list that was drawn."""
        known = self._lists.pop(rater, None)
        self._lists[rater] = (now, _unanswered(rater, known[1]) + places if known else places)

    def renew(self, rater: Memory, now: int) -> None:
        """Notes that a rater was heard from."""
        if rater in self._lists:
            self._lists[rater] = (now, self._lists[rater][1])
            self._lists.move_to_end(rater)

    def overdue(self, now: int) -> list[Place]:
        """The places to stop waiting for: those of raters who have been silent for too long."""
        found: list[Place] = []
        while self._lists:
            rater, (heard, places) = next(iter(self._lists.items()))
            # The clock may have been put back: nobody is waited for until it has caught up.
            if abs(now - heard) < PENDING_MS:
                break
            del self._lists[rater]
            found += _unanswered(rater, places)
        return found

    def clear(self) -> None:
        """Waits for nothing more, since the races were built anew."""
        self._lists.clear()


def _unanswered(rater: Memory, places: list[Place]) -> list[Place]:
    return [place for place in places if place.item not in rater.answers]
