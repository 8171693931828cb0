"""A rater's answers in figures: how often each level, how long, and a drawing over time."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from plaudit.scale import Scale
from plaudit.store.log import NONE, Entry, Kind
from plaudit.words import _

WIDTH, HEIGHT, MARGIN = 640, 180, 12
# Times on the drawing's scale, which is logarithmic: a tenth of a second to two minutes.
SHORTEST_MS, LONGEST_MS = 100.0, 120_000.0
MARKS_MS = (100, 1_000, 10_000, 100_000)
DOTS = 1_000


class Dot(NamedTuple):
    """An answer on the drawing: later ones to the right, slower ones higher up."""

    x: float
    y: float
    kind: str


class Figures(NamedTuple):
    """What the page of a rater shows of their answers."""

    levels: list[tuple[str, int]]
    skips: int
    flags: int
    median_ms: float | None
    quickest_ms: int | None
    first: int | None
    last: int | None
    dots: list[Dot]
    marks: list[tuple[float, str]]


def figures_of(answers: Sequence[Entry], scale: Scale) -> Figures:
    """The figures of a rater's answers, in the order of the log."""
    votes = [entry for entry in answers if entry.kind == Kind.VOTE]
    taken = [entry.response_ms for entry in answers if entry.response_ms > NONE]
    return Figures(
        [(label, sum(e.level == n for e in votes)) for n, label in enumerate(scale.labels)],
        sum(entry.kind == Kind.SKIP for entry in answers),
        sum(entry.kind == Kind.FLAG for entry in answers),
        float(np.median(taken)) if taken else None,
        min(taken, default=None),
        answers[0].at if answers else None,
        answers[-1].at if answers else None,
        _dots(answers[-DOTS:], len(scale.labels)),
        [(height(mark), _("%(seconds)s s", seconds=f"{mark / 1000:g}")) for mark in MARKS_MS],
    )


def _dots(answers: Sequence[Entry], levels: int) -> list[Dot]:
    step = (WIDTH - 2 * MARGIN) / max(1, len(answers) - 1)
    return [
        Dot(round(MARGIN + place * step, 1), height(entry.response_ms), _kind(entry, levels))
        for place, entry in enumerate(answers)
        if entry.response_ms > NONE
    ]


def _kind(entry: Entry, levels: int) -> str:
    """How a dot looks: the lowest and the highest level, those between, and no vote."""
    if entry.kind != Kind.VOTE:
        return "none"
    return "low" if entry.level == 0 else "high" if entry.level == levels - 1 else "middle"


def height(milliseconds: float) -> float:
    """Where a time is on the drawing.

    >>> height(100), height(120_000)
    (168.0, 12.0)
    """
    inside = min(LONGEST_MS, max(SHORTEST_MS, milliseconds))
    share = math.log(inside / SHORTEST_MS) / math.log(LONGEST_MS / SHORTEST_MS)
    return round(HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN), 1)
