"""Lines of the log that may come a thousand times a second: one in a while, with a count."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

log = logging.getLogger("plaudit")
PAUSE_SECONDS = 30.0
# Kinds of lines that are remembered; the oldest is forgotten first.
MOST_KINDS = 256


class RareLog:
    """Writes the first line of a kind at once, then at most one every half minute.

    A later line says how many were left out before it. Any thread may call it.
    """

    def __init__(
        self, pause: float = PAUSE_SECONDS, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._pause = pause
        self._clock = clock
        self._lock = threading.Lock()
        # By kind: when its last line was written, and how many were left out since.
        self._known: dict[str, tuple[float, int]] = {}

    def say(
        self, kind: str, words: str, *given: object, level: int = logging.WARNING, **named: Any
    ) -> None:
        """Writes a line, or counts it; `words` and what follows are as for `logging`."""
        left_out = self._due(kind)
        if left_out is None:
            return
        more = f" ({left_out:,} more like this since the last such line)" if left_out else ""
        log.log(level, words + more, *given, **named)

    def _due(self, kind: str) -> int | None:
        """How many lines were left out, if one is due; None if this one is left out too."""
        now = self._clock()
        with self._lock:
            written, left_out = self._known.pop(kind, (-self._pause, 0))
            due = now - written >= self._pause
            self._known[kind] = (now, 0) if due else (written, left_out + 1)
            while len(self._known) > MOST_KINDS:
                del self._known[next(iter(self._known))]
        return left_out if due else None


# What all parts of a process share.
rarely = RareLog()
