"""A thread that goes its rounds: chores that were left for it, then its own steps, again and again.

The follower, the notary and the courier of a worker are such threads. What an error in a step means
is for its owner to say (`guard`).
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence

from plaudit.errors import StoreUnavailable

Step = Callable[[], None]


class Rounds:
    """Goes round every so many seconds, or at once when woken.

    `guard` runs a step and takes care of what it raises. `last` are the steps that are taken once
    more at the end, after the chores that remain.
    """

    def __init__(
        self,
        name: str,
        seconds: float,
        steps: Sequence[Step],
        *,
        guard: Callable[[Step], None],
        last: Sequence[Step] = (),
    ) -> None:
        self._seconds = seconds
        self._steps = steps
        self._guard = guard
        self._last = last
        self._chores: deque[Step] = deque()
        self._wake = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begins."""
        self._thread.start()

    def close(self) -> None:
        """Does the remaining chores and the last steps, then stops."""
        self._stopping = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def wake(self) -> None:
        """Goes round soon."""
        self._wake.set()

    def do(self, chore: Step) -> None:
        """Runs a chore on this thread soon; repeats it while the store is unavailable."""
        self._chores.append(chore)
        self._wake.set()

    def do_chores(self) -> None:
        """Runs the chores that wait, on this thread; one that met no store stays the first."""
        while self._chores:
            chore = self._chores.popleft()
            try:
                chore()
            except StoreUnavailable:
                self._chores.appendleft(chore)
                raise

    def _run(self) -> None:
        while not self._stopping:
            self._wake.wait(self._seconds)
            self._wake.clear()
            for step in (self.do_chores, *self._steps):
                self._guard(step)
        for step in (self.do_chores, *self._last):
            self._guard(step)
