"""One side as a process: it reads a line, does what it says, and answers with a line of JSON.

`python -m benchmarks.before_after.side before|after FOLDER`, then `make VOTES`, `begin TASK URL`,
`round`, `end`. A round answers with the seconds of the processor and on the wall.
"""

import gc
import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import plaudit
from benchmarks.before_after.content import make_database
from benchmarks.before_after.task import Task
from benchmarks.before_after.tasks import task_named


class Side:
    """What the lines are about: the names of a side, its folder, and the task under way."""

    def __init__(self, name: str, folder: Path) -> None:
        self._names: Any = import_module(f"benchmarks.before_after.{name}")
        self._folder = folder
        self._task: Task | None = None

    def make(self, votes: str) -> str:
        """Makes the database that tasks copy."""
        make_database(self._names, str(self._folder / "base.db"), int(votes))
        return plaudit.__file__

    def begin(self, task: str, url: str = "") -> str:
        """Makes what the rounds of a task need."""
        self._task = task_named(task)(self._names, self._folder, url)
        # As the service does: what is here now stays.
        gc.freeze()
        return plaudit.__file__

    def round(self) -> list[float]:
        """Acts once."""
        task = self._task
        assert task is not None
        task.turn += 1
        task.prepare()
        gc.collect()
        wall, cpu = time.perf_counter(), task.cpu()
        task.act()
        return [task.cpu() - cpu, time.perf_counter() - wall]

    def end(self) -> None:
        """Lets go of the task."""
        if self._task is not None:
            self._task.close()
            self._task = None
        gc.unfreeze()


def main() -> None:
    """Answers line by line until there are no more."""
    side = Side(sys.argv[1], Path(sys.argv[2]))
    for line in sys.stdin:
        verb, *given = line.split()
        print(json.dumps(getattr(side, verb)(*given)), flush=True)


if __name__ == "__main__":
    main()
