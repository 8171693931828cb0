"""The contests of a round: one that goes on, and short ones that reach their verdicts in turn."""

import random
import signal
import threading
from contextlib import suppress
from pathlib import Path

from benchmarks.faults import armed
from plaudit.errors import ContestExists, StoreUnavailable
from plaudit.service.contest.settings import DRAFT, ContestSettings, Lane, Level
from plaudit.service.desk.desk import Desk
from plaudit.store import open_store
from plaudit.store.contract import Item

LONG = "long"
LONG_ITEMS, SHORT_ITEMS = 150, 6
SCALE = (Level("Unfunny", 0.0), Level("Somewhat funny", 0.5), Level("Funny", 1.0))
# Short contests for whose verdict a kill waits.
AT_VERDICT_SHARE = 0.6


class Contests(threading.Thread):
    """Makes the next short contest when one is decided, in a store of its own.

    At the verdicts of many of them a signal waits, so that a worker dies there.
    """

    def __init__(self, database: str, folder: Path, seed: int) -> None:
        super().__init__(name="contests", daemon=True)
        self._database, self._folder = database, folder
        self._random = random.Random(f"contests {seed}")
        self._decided = threading.Event()
        self._leaving = False
        self._arming = True
        self.names: list[str] = []
        self._make(LONG, LONG_ITEMS, epsilon=0.01, delta=0.01)
        self._make_short()

    def run(self) -> None:
        """Waits for verdicts."""
        while not self._leaving:
            self._decided.wait()
            while not self._leaving:
                try:
                    self._make_short()
                    break
                except StoreUnavailable:
                    self._decided.clear()
                    self._decided.wait(0.2)
            self._decided.clear()

    def leave(self) -> None:
        """Makes no more contests."""
        self._leaving = True
        self._decided.set()

    def disarm(self) -> None:
        """Lets no more signals wait."""
        self._arming = False
        for point in armed.POINTS:
            (self._folder / point).unlink(missing_ok=True)

    def note_decided(self, contest: str) -> None:
        """Notes that a contest takes no more votes."""
        if contest == self.names[-1]:
            self._decided.set()

    def pick(self, chance: random.Random) -> str:
        """A contest for somebody who comes."""
        return LONG if chance.random() < 0.3 else self.names[-1]

    def latest(self) -> list[str]:
        """The contests worth looking at."""
        return [LONG, *self.names[1:][-2:]]

    def level(self, contest: str, item: int, chance: random.Random) -> int:
        """A vote: in a short contest one item is the best."""
        if contest == LONG:
            return chance.randrange(3)
        best = len(contest) % SHORT_ITEMS
        return 2 if chance.random() < (0.95 if item == best else 0.05) else 0

    def _make_short(self) -> None:
        name = f"short-{len(self.names)}"
        if self._arming and self._random.random() < AT_VERDICT_SHARE:
            point = self._random.choice(armed.VERDICT_POINTS)
            armed.set_point(self._folder, point, signal.SIGKILL)
        self._make(name, SHORT_ITEMS, epsilon=0.2, delta=0.05)

    def _make(self, name: str, items: int, *, epsilon: float, delta: float) -> None:
        settings = ContestSettings(
            title=name, scale=SCALE, lanes=(Lane("plaudit"),), epsilon=epsilon, delta=delta
        )
        texts = [Item(number, f"caption {number}") for number in range(items)]
        store = open_store(self._database)
        desk = Desk(store)
        try:
            with suppress(ContestExists):  # written by an attempt whose answer was lost
                desk.create(name, settings, texts)
            if store.contest(name).state == DRAFT:
                desk.step(name, "open")
        finally:
            store.close()
        self.names.append(name)
