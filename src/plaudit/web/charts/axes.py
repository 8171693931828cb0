"""Axes: where ticks stand, what they say, and where a value is drawn."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from plaudit.service.watch.chart import Axis

_HOUR, DAY = 3_600_000, 86_400_000
# Steps between ticks of time that people count in.
_TIME_STEPS = (
    *(60_000 * minutes for minutes in (1, 2, 5, 10, 15, 30)),
    *(_HOUR * hours for hours in (1, 2, 3, 6, 12)),
    *(DAY * days for days in (1, 2, 5, 10, 30, 60, 120, 365)),
)


class Scale(NamedTuple):
    """A range of values, drawn from `begin` to `end`, with its ticks."""

    low: float
    high: float
    begin: float
    end: float
    is_log: bool
    ticks: list[tuple[float, str]]

    def place(self, value: float) -> float:
        """Where a value is drawn, rounded to a tenth."""
        low, high = self.low, self.high
        if self.is_log:
            low, high, value = math.log(low), math.log(high), math.log(max(value, self.low))
        share = (value - low) / (high - low)
        return round(self.begin + min(1.0, max(0.0, share)) * (self.end - self.begin), 1)


def scale_of(axis: Axis, values: Sequence[float], begin: float, end: float, most: int) -> Scale:
    """The scale of an axis that has all these values, with about `most` ticks."""
    known = [*values, *(given for given in (axis.low, axis.high) if given is not None)] or [0.0]
    low, high = min(known), max(known)
    if axis.is_log:
        low, high = max(low, 1.0), max(high, low * 10.0, 10.0)
        return Scale(low, high, begin, end, True, log_ticks(low, high))
    if high <= low:
        high = low + (60_000.0 if axis.is_time else 1.0)
    if axis.is_time:
        # Where nothing is known there is no time to name.
        ticks = time_ticks(low, high, most) if low else []
        return Scale(low, high, begin, end, False, ticks)
    step = nice_step((high - low) / most)
    if axis.is_whole:
        step = max(1.0, step)
    # Ends that were asked for stay; others go on to the next tick.
    if axis.low is None or low < axis.low:
        low = math.floor(low / step + 1e-9) * step
    if axis.high is None or high > axis.high:
        high = math.ceil(high / step - 1e-9) * step
    return Scale(low, high, begin, end, False, number_ticks(low, high, step))


def nice_step(least: float) -> float:
    """1, 2 or 5 times a power of ten, and not less than `least`.

    >>> nice_step(0.013), nice_step(3.0), nice_step(50.0)
    (0.02, 5.0, 50.0)
    """
    power = 10.0 ** math.floor(math.log10(least))
    return next(
        float(f"{step * power:.6g}") for step in (1, 2, 5, 10) if step * power >= least * 0.999999
    )


def number_ticks(low: float, high: float, step: float) -> list[tuple[float, str]]:
    """Ticks at the multiples of a step.

    >>> number_ticks(0.0, 1.0, 0.5)
    [(0.0, '0'), (0.5, '0.5'), (1.0, '1')]
    """
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    ticks = [round(place * step, digits + 2) for place in range(first, last + 1)]
    return [(tick, short(tick, digits)) for tick in ticks]


def log_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Ticks at the powers of ten.

    >>> log_ticks(1.0, 2_000.0)
    [(1.0, '1'), (10.0, '10'), (100.0, '100'), (1000.0, '1k')]
    """
    first = math.ceil(math.log10(low) - 1e-9)
    last = math.floor(math.log10(high) + 1e-9)
    return [(10.0**power, short(10.0**power)) for power in range(first, last + 1)]


def time_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Ticks at round times, as hours and minutes or as days.

    >>> time_ticks(1_700_000_000_000, 1_700_007_200_000, 4)
    [(1700001000000.0, '22:30'), (1700002800000.0, '23:00'), (1700004600000.0, '23:30'), \
(1700006400000.0, '15 Nov')]
    """
    step = next((step for step in _TIME_STEPS if (high - low) / step <= most), _TIME_STEPS[-1])
    first = math.ceil(low / step)
    ticks = [float(place * step) for place in range(first, math.floor(high / step) + 1)]
    return [(tick, _clock(tick)) for tick in ticks]


def _clock(at: float) -> str:
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return f"{moment.day} {moment:%b}" if at % DAY == 0 else f"{moment:%H:%M}"


def short(number: float, digits: int = 0) -> str:
    """A number in few characters.

    >>> short(0.25, 2), short(0.5, 2), short(1500), short(2_000_000), short(-0.05, 2)
    ('0.25', '0.5', '1.5k', '2M', '−0.05')
    """
    size = abs(number)
    for unit, sign in ((1_000_000, "M"), (1_000, "k")):
        if size >= unit:
            text = f"{size / unit:.3g}{sign}"
            break
    else:
        text = f"{size:.{digits}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"−{text}" if number < 0 else text
