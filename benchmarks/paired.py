"""The cost of a rater's row in a paired race, against a plain NumPy loop over the same bets.

The plain loop is what one would write first: for every rater the growth of every bet of every
ordered pair, and the capital of each claim after each rater. Both are told the same rows, and
must settle the same claims.
"""

import statistics

import numpy as np

from benchmarks.report import Report
from benchmarks.stopwatch import seconds
from plaudit import PairedRace
from plaudit.race.paired.bets import MARGIN, SIZES, log_capitals
from plaudit.scale import STARS

ITEMS = (5, 20, 100)
DELTA = 0.01


def run(quick: bool = False) -> Report:
    """Measures rows of stars and rows of plain values, for few and for more items."""
    report = Report("paired", "cost of a rater's row in a paired race, everyone rating all")
    for items in ITEMS[:2] if quick else ITEMS:
        rows = _rows(items, raters=60 if items > 50 else 300)
        for name, scale in (("stars", STARS), ("values", None)):
            repeats = 3 if quick else 7
            plain = statistics.median(_plain(rows) for _ in range(3))
            ours = statistics.median(_at_once(rows, scale) for _ in range(repeats))
            pairs = items * (items - 1) // 2
            report.add(f"{name}, {items} items: a pair of a row", ours * 1e9 / pairs, "ns")
            report.add(f"{name}, {items} items: plain NumPy over tell_many", plain / ours, "times")
            one = statistics.median(_one_by_one(rows, scale) for _ in range(repeats))
            report.add(f"{name}, {items} items: tell of one row", one * 1e6, "µs")
    return report


def _rows(items: int, *, raters: int) -> np.ndarray:
    rng = np.random.default_rng(items)
    kind = rng.integers(0, 3, size=(raters, 1))
    levels = np.clip(kind + rng.integers(0, 3, size=(raters, items)), 0, 4)
    levels[:, 0] = np.minimum(levels[:, 0] + 1, 4)
    return levels / 4


def _at_once(rows: np.ndarray, scale: object) -> float:
    """Seconds for a row of a table; claims are judged after every row of it."""
    race = PairedRace(rows.shape[1], delta=DELTA, scale=scale)
    spent = seconds(lambda: race.tell_many(rows)) / len(rows)
    assert np.array_equal(race._by_now().beats, _settled(rows))
    return spent


def _one_by_one(rows: np.ndarray, scale: object) -> float:
    """Seconds for a row that is told as a rater comes."""
    race = PairedRace(rows.shape[1], delta=DELTA, scale=scale)
    told = [dict(enumerate(row)) for row in rows.tolist()]

    def all_rows() -> None:
        for row in told:
            race.tell(row)

    return seconds(all_rows) / len(told)


def _plain(rows: np.ndarray) -> float:
    return seconds(lambda: _settled(rows)) / len(rows)


def _settled(rows: np.ndarray) -> np.ndarray:
    items = rows.shape[1]
    level = np.log((items - 1) / DELTA) + MARGIN
    growth = np.zeros((items, items, SIZES.size))
    settled = np.zeros((items, items), dtype=bool)
    for number, row in enumerate(rows, start=1):
        growth += np.log1p((row[:, None] - row[None, :])[..., None] * SIZES)
        settled |= log_capitals(growth, np.full((items, items), number), 0.0) >= level
    return settled
