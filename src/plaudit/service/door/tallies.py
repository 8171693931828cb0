"""Counts that fade, and turns that come one after another; both in the memory of one worker."""

import math

# Beyond this many keys those that count least are forgotten.
MOST_KEYS = 50_000


class Tally:
    """Counts by key that fade: after `fade_ms` a count is worth 1/e of itself.

    >>> tally = Tally(fade_ms=1000)
    >>> tally.add("ann", now=0), tally.add("ann", now=0)
    (None, None)
    >>> tally.of("ann", now=0), round(tally.of("ann", now=1000), 2), tally.of("bob", now=0)
    (2.0, 0.74, 0.0)
    """

    def __init__(self, *, fade_ms: float, most: int = MOST_KEYS) -> None:
        self._fade = fade_ms
        self._most = most
        self._counts: dict[object, tuple[float, int]] = {}

    def of(self, key: object, now: int) -> float:
        """The count of a key at this time."""
        count, at = self._counts.get(key, (0.0, now))
        # A clock that was set back makes nothing fade.
        return count * math.exp(-max(0, now - at) / self._fade)

    def add(self, key: object, now: int) -> None:
        """Counts one more."""
        self._counts[key] = (self.of(key, now) + 1.0, now)
        if len(self._counts) > self._most:
            self._forget(now)

    def _forget(self, now: int) -> None:
        """Forgets the half that counts least."""
        kept = sorted(self._counts, key=lambda key: self.of(key, now))[len(self._counts) // 2 :]
        self._counts = {key: self._counts[key] for key in kept}


class Turns:
    """Lets one pass every `every_ms`, by key; `at_once` may pass together after a pause.

    >>> turns = Turns(every_ms=10, at_once=1)
    >>> turns.wait("ann", now=0), turns.take("ann", now=0), turns.wait("ann", now=3)
    (0, None, 7)
    """

    def __init__(self, *, every_ms: float, at_once: int, most: int = MOST_KEYS) -> None:
        self._every = every_ms
        self._slack = (at_once - 1) * every_ms
        self._most = most
        self._next: dict[object, float] = {}

    def wait(self, key: object, now: int) -> int:
        """How long until the next of a key may pass, in milliseconds."""
        return max(0, math.ceil(self._next.get(key, now) - self._slack - now))

    def take(self, key: object, now: int) -> None:
        """Notes that one passed."""
        self._next[key] = max(self._next.get(key, now), now) + self._every
        if len(self._next) > self._most:
            self._next = {key: then for key, then in self._next.items() if then > now}
