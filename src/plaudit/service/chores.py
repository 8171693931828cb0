"""A thread with chores: it looks at something again and again, and does what it is given between.

Promises: a chore is done once, in its turn, and is tried again while the store is unavailable; no
error ends the thread; `close` returns when nothing is left to do. It may touch nothing but what
its chores touch, and the log of the service.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable

from plaudit.errors import StoreUnavailable
from plaudit.service.rare_log import rarely

Chore = Callable[[], object]


class ChoreThread:
    """Does its chores, then its looks, every few seconds, or at once when poked.

    `name` is that of the thread, and stands in the lines that tell of errors. `last` are looks
    that are taken once more at the end, after the last chores.
    """

    def __init__(self, name: str, seconds: float, *looks: Chore, last: tuple[Chore, ...] = ()):
        self._name = name
        self._seconds = seconds
        self._looks = looks
        self._last = last
        self._chores: deque[Chore] = deque()
        self._wake = threading.Event()
        self._stopping = False
        self._is_away = False
        self._thread = threading.Thread(target=self._run, name=f"plaudit-{name}", daemon=True)

    def start(self) -> None:
        """Starts, with a first look at once."""
        self._wake.set()
        self._thread.start()

    def close(self) -> None:
        """Does the remaining chores and the last looks, then ends the thread."""
        self._stopping = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def poke(self) -> None:
        """Takes the looks soon. Any thread may call it."""
        self._wake.set()

    def do(self, chore: Chore) -> None:
        """Does a chore soon, after those given before. Any thread may call it."""
        self._chores.append(chore)
        self._wake.set()

    def do_waiting(self) -> None:
        """Does the chores that wait, in the middle of a long look; it raises nothing."""
        self.guarded(self._do_chores)

    def guarded(self, step: Chore) -> None:
        """Takes a step of a look; an error is told in the log, and the next look tries again."""
        try:
            step()
        except StoreUnavailable as error:
            self._is_away = True
            # All such threads of a process share these two lines.
            rarely.say("store away", "The store is away. %s", error)
        except Exception:
            words = "The %s could not do its work."
            kind = f"{self._name} {getattr(step, '__name__', '')}"
            rarely.say(kind, words, self._name, level=logging.ERROR, exc_info=True)
        else:
            if self._is_away:
                rarely.say("store back", "The store is there again.")
            self._is_away = False

    def _run(self) -> None:
        while not self._stopping:
            self._wake.wait(self._seconds)
            self._wake.clear()
            self._turn(self._looks)
        self._turn(self._last)

    def _turn(self, looks: tuple[Chore, ...]) -> None:
        self.do_waiting()
        for look in looks:
            self.guarded(look)

    def _do_chores(self) -> None:
        while self._chores:
            chore = self._chores.popleft()
            try:
                chore()
            except StoreUnavailable:
                self._chores.appendleft(chore)
                raise
