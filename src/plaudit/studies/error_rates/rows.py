"""Error rates against delta: exact limits, tightness, and what is claimed of them."""

from collections.abc import Iterable, Sequence
from typing import Any

from plaudit.studies.entrants import OURS
from plaudit.studies.frequency import exact_limits
from plaudit.studies.study import Claim, Record, StudyPlan

# An error of so much of delta on some instance is tight enough.
TIGHT = 0.1


def error_rows(plan: StudyPlan, results: Sequence[Record]) -> list[Record]:
    """A row for each entrant, instance and attack."""
    sums: dict[tuple[str, str, str], dict[str, int]] = {}
    deltas: dict[str, float] = {}
    for part, result in zip(plan.parts, results, strict=True):
        _, instance, algorithm, attack = part["address"]
        deltas[instance] = part["delta"]
        total = sums.setdefault((algorithm, instance, attack), dict.fromkeys(result, 0))
        for name, number in result.items():
            total[name] += number
    rows = [_row(*key, deltas[key[1]], total) for key, total in sums.items()]
    places = {name: place for place, name in enumerate(plan.shared)}
    return sorted(rows, key=lambda row: (row["algorithm"] != OURS, row["algorithm"],
                                         row["attack"] != "", places[row["instance"]]))  # fmt: skip


def _row(algorithm: str, instance: str, attack: str, delta: float, total: Record) -> Record:
    low, high = exact_limits(total["wrong"], total["races"])
    return {
        "algorithm": algorithm,
        "instance": instance,
        "attack": attack,
        "delta": delta,
        "races": total["races"],
        "cut": total["cut"],
        "wrong": total["wrong"],
        "error": total["wrong"] / total["races"],
        "error_low": float(low),
        "error_high": float(high),
        "tightness": total["wrong"] / total["races"] / delta,
        "mean_votes": total["votes"] / total["races"],
        "too_often": bool(low > delta),
    }


def summary_rows(rows: Iterable[Record]) -> list[Record]:
    """A row for each entrant: all its races together, and its worst instance.

    Instances have different deltas: the promise for all races together is their mean.
    """
    groups: dict[tuple[str, str], list[Record]] = {}
    for row in rows:
        kind = "attacks" if row["attack"] else "its own rule"
        groups.setdefault((row["algorithm"], kind), []).append(row)
    return [_summary(*key, found) for key, found in groups.items()]


def _summary(algorithm: str, kind: str, rows: Sequence[Record]) -> Record:
    races = sum(row["races"] for row in rows)
    wrong = sum(row["wrong"] for row in rows)
    promised = sum(row["races"] * row["delta"] for row in rows) / races
    worst = max(rows, key=lambda row: row["tightness"])
    low, high = exact_limits(wrong, races)
    return {
        "algorithm": algorithm,
        "votes asked by": kind,
        "races": races,
        "cut": sum(row["cut"] for row in rows),
        "wrong": wrong,
        "error": wrong / races,
        "error_low": float(low),
        "error_high": float(high),
        "promised": promised,
        "tightness": wrong / races / promised,
        "tightest": worst["tightness"],
        "on": worst["instance"],
        "too often": sum(row["too_often"] for row in rows),
    }


def error_claim(rows: Sequence[Record]) -> Claim:
    """The error of every instance against its delta, by an exact test."""
    own = [row for row in rows if not row["attack"]]
    return Claim(
        "A verdict is wrong with probability at most δ, on every instance and with every algorithm",
        f"{_told(own, OURS)} {_told(own)}",
        _kept(own),
    )


def attack_claim(rows: Sequence[Record]) -> Claim:
    """The same where votes are asked for by someone who wants a wrong verdict."""
    attacked = [row for row in rows if row["attack"]]
    return Claim(
        "So it is whoever chooses the items to ask about, even someone who knows the truth and "
        "wants a wrong verdict",
        f"{_told(attacked, OURS)} {_told(attacked)}",
        _kept(attacked),
    )


def tightness_claim(rows: Sequence[Record]) -> Claim:
    """How much of delta is used: a proof that gives too much away costs votes."""
    own = [row for row in rows if row["algorithm"] == OURS]
    worst = max(own, key=lambda row: row["tightness"])
    return Claim(
        "The promised error is not much larger than the real one",
        f"The largest real one is {worst['tightness']:.2f} δ ({worst['instance']}"
        f"{', attacked: ' + worst['attack'] if worst['attack'] else ''}).",
        [worst["tightness"] >= TIGHT],
    )


def _told(rows: Sequence[Any], algorithm: str | None = None) -> str:
    own = [row for row in rows if algorithm in (None, row["algorithm"])]
    broken = sum(row["too_often"] for row in own)
    races, wrong = (sum(row[name] for row in own) for name in ("races", "wrong"))
    most = max((row["tightness"] for row in own), default=0.0)
    return (
        f"{algorithm or 'All'}: {wrong:,} of {races:,} races wrong, at most {most:.2f} δ on any "
        f"instance. The exact lower limit is above δ on {broken} of {len(own)} instances."
    )


def _kept(rows: Sequence[Record]) -> list[bool]:
    return [not any(row["too_often"] for row in rows)]
