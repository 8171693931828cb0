"""A contest at one moment, for other threads to read while votes come in.

The thread that owns a live contest takes the snapshot, in about a millisecond: it copies what
votes and steps change, and shares the rest; of a million items, in about a tenth of a second. Trees
of races are made again by whoever reads them. Dashboard, results, moderation and previews are all
computed from snapshots, away from that thread.
"""

import copy
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from plaudit.race import Race
from plaudit.service.contest.pools import Pools
from plaudit.service.contest.races import race_of
from plaudit.service.contest.settings import ContestSettings
from plaudit.service.contest.standings import Standings, standings_of
from plaudit.service.contest.state import ContestState
from plaudit.store.contract import ContestRecord, Item


class ContestSnapshot:
    """A contest that no longer changes; `settings` are those in force.

    Only one thread may read the races: a race keeps what it has computed.
    """

    def __init__(
        self,
        record: ContestRecord,
        settings: ContestSettings,
        contest: ContestState,
        items: Sequence[Item],
        races: Sequence[Race] | None = None,
    ) -> None:
        self.name = record.name
        self.record = record
        self.settings = settings
        self.contest = contest
        self.items = items
        self._copied = races

    @cached_property
    def races(self) -> list[Race]:
        """The races: copies of the live ones if they were taken, or made from the counts."""
        if self._copied is not None:
            for race in self._copied:
                race.engine.complete()
            return list(self._copied)
        lanes = range(len(self.settings.lanes))
        return [race_of(self.settings, self.contest, lane) for lane in lanes]

    def standings(self) -> list[Standings]:
        """How each race stands."""
        return [
            standings_of(self.settings, self.contest, race, lane)
            for lane, race in enumerate(self.races)
        ]


def copy_of_race(race: Race) -> Race:
    """A copy of a race. Its trees are left to the thread that reads the snapshot."""
    return copy.deepcopy(race, {id(race.engine): race.engine.light_copy()})


def copy_of(contest: ContestState) -> ContestState:
    """A state of its own: containers and arrays are copied, what they hold never changes."""
    copied = copy.copy(contest)
    for name, value in vars(contest).items():
        if isinstance(value, dict | set | list | np.ndarray | Pools):
            setattr(copied, name, value.copy())
    return copied
