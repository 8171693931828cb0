"""A task: each round is prepared, which is not measured, and then acts once.

Tasks know Plaudit by the names of a side, `before` or `after`, alone.
"""

import shutil
import time
from pathlib import Path
from typing import Any

VOTES_A_ROUND = 500
# So many votes are on their way at once: one group of the writer's.
AT_ONCE = 20
ASKS_A_RATER = 5
RATERS_A_ROUND = 100


class Task:
    """A task in this process; `folder` has the side's database and takes its copies."""

    def __init__(self, side: Any, folder: Path, url: str) -> None:
        self.side, self.folder, self.url = side, folder, url
        self.turn = 0
        self.begin()

    def begin(self) -> None:
        """Makes what all rounds need."""

    def prepare(self) -> None:
        """Makes what the next round needs."""

    def act(self) -> None:
        """Does what is measured."""

    def cpu(self) -> float:
        """Seconds of the processor so far."""
        return time.process_time()

    def close(self) -> None:
        """Lets go of everything."""

    def copied(self) -> str:
        """A copy of the side's database, as it was made."""
        copy = self.folder / f"copy-{type(self).__name__}.db"
        for old in self.folder.glob(copy.name + "*"):
            old.unlink()
        shutil.copy(self.folder / "base.db", copy)
        return str(copy)
