"""Shares of the grid and error rates: their limits, and what is claimed of them."""

import math
from collections.abc import Sequence

from plaudit.studies.evaluate.ways import DELTA, GRID, OURS, PRUNERS, SLACK
from plaudit.studies.frequency import exact_limits
from plaudit.studies.study import Claim, Record, StudyPlan

SUMMED = ("runs", "share", "squares", "wrong", "off")


def rows_of(plan: StudyPlan, results: Sequence[Record]) -> list[Record]:
    """A row for each benchmark and way."""
    sums: dict[tuple[str, str], Record] = {}
    for part, result in zip(plan.parts, results, strict=True):
        for way, one in result.items():
            total = sums.setdefault((part["name"], way), dict.fromkeys(SUMMED, 0))
            for name in SUMMED:
                total[name] += one[name]
    return [_row(benchmark, way, total) for (benchmark, way), total in sums.items()]


def _row(benchmark: str, way: str, total: Record) -> Record:
    runs, wrong = total["runs"], total["wrong"]
    share = total["share"] / runs
    spread = math.sqrt(max(total["squares"] / runs - share * share, 0.0))
    low, high = exact_limits(wrong, runs)
    return {
        "benchmark": benchmark,
        "way": way,
        "share": share,
        "share_error": spread / math.sqrt(runs),
        "runs": runs,
        "wrong": wrong,
        "error": wrong / runs,
        "error_low": float(low),
        "error_high": float(high),
        "mean_loss": total["off"] / runs,
        "too_often": bool(low > DELTA),
    }


def of_way(rows: Sequence[Record], way: str) -> list[Record]:
    """The rows of one way, a benchmark each."""
    return [row for row in rows if row["way"] == way]


def error_claim(rows: Sequence[Record]) -> Claim:
    """Every error of `evaluate` against delta."""
    own = [row for way in (OURS, SLACK) for row in of_way(rows, way)]
    broken = sum(row["too_often"] for row in own)
    worst = max(own, key=lambda row: row["error"])
    return Claim(
        f"`evaluate` is wrong with probability at most δ = {DELTA:g} on every benchmark",
        f"At most {worst['error']:.4f} ({worst['error_low']:.4f} to {worst['error_high']:.4f}; "
        f"{worst['benchmark']}, {worst['way']}); exact lower limit above δ in {broken} of "
        f"{len(own)} rows.",
        [not broken],
    )


def fewest_claim(rows: Sequence[Record]) -> Claim:
    """Its calls against those of every other way that keeps the error."""
    words, checks = [], []
    for own in of_way(rows, OURS):
        others = [
            row
            for row in rows
            if row["benchmark"] == own["benchmark"]
            and row["way"] not in (OURS, SLACK, GRID)
            and not row["too_often"]
        ]
        next_best = min(others, key=lambda row: row["share"], default=None)
        checks.append(next_best is None or own["share"] < next_best["share"])
        than = f"{next_best['share']:.3f} ({next_best['way']})" if next_best else "none"
        words.append(f"{own['benchmark']}: {own['share']:.3f}, next {than}")
    return Claim(
        "Of all ways that are wrong in at most 5 % of the runs, `evaluate` needs the smallest "
        "share of the grid, on every benchmark",
        "; ".join(words) + ".",
        [all(checks)],
    )


def pruner_claim(rows: Sequence[Record]) -> Claim:
    """What testing again and again costs."""
    own = [row for way in PRUNERS for row in of_way(rows, way)]
    words = "; ".join(
        f"{row['benchmark']}, {row['way']}: {row['error']:.3f} with {row['share']:.3f} of the grid"
        for row in own
    )
    return Claim(
        "A pruner that tests again at every step without paying for it is wrong more often than "
        "its threshold says, on every benchmark",
        words + ".",
        [all(row["error_low"] > PRUNERS[row["way"]] for row in own)],
    )
