"""Rate limits: a number of requests a second, minute or hour."""

import re
import time
from collections.abc import Callable

from plaudit.errors import InvalidInput

_SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0}


class Rate:
    """Counts requests in windows of a fixed length; an empty text sets no limit.

    Every vote passes here, so it must cost next to nothing: one dictionary, emptied at the end of
    each window.

    >>> rate = Rate("2/minute", clock=lambda: 0.0)
    >>> [rate.allows("ann"), rate.allows("ann"), rate.allows("ann"), rate.allows("bob")]
    [True, True, False, True]
    """

    def __init__(self, text: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        match = re.fullmatch(r"\s*([1-9]\d{0,8})\s*/\s*(second|minute|hour)\s*", text or "1/hour")
        if match is None:
            raise InvalidInput(
                f"{text!r} is not a rate: write a number and second, minute or hour, such as "
                "'600/minute', or leave it empty for no limit."
            )
        self._most = int(match[1]) if text else 0
        self._seconds = _SECONDS[match[2]]
        self._clock = clock
        self._ends = 0.0
        self._counts: dict[object, int] = {}

    def is_spent(self, who: object) -> bool:
        """Whether the limit is reached in this window; counts nothing."""
        return self._most > 0 and self._clock() < self._ends and self._count(who) >= self._most

    def _count(self, who: object) -> int:
        return self._counts.get(who, 0)

    def allows(self, who: object) -> bool:
        """Counts a request; returns whether it is within the limit."""
        if not self._most:
            return True
        now = self._clock()
        if now >= self._ends:
            self._counts.clear()
            self._ends = now + self._seconds
        count = self._count(who) + 1
        self._counts[who] = count
        return count <= self._most
