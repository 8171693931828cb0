"""Error rates under attack: exact limits, and what is claimed of them."""

from collections.abc import Iterable, Sequence

from plaudit.studies.dishonest.cells import (
    FOUR,
    NO_ATTACK,
    ONE_TOO_FEW,
    TOLERATED,
    TWICE,
    UNPROTECTED,
)
from plaudit.studies.frequency import exact_limits
from plaudit.studies.study import Claim, Record, StudyPlan

# A knock-out by twice as many raters succeeds often: beyond chance above delta by any number of
# them, and in so large a share of the races by as many or more.
OFTEN, MANY = 0.5, 3
COUNTED = ("races", "wrong", "cut", "votes", "false_votes")
KEY = ("kind", "target", "attack", "tolerance", "raters", "delta")


def attack_rows(plan: StudyPlan, results: Sequence[Record]) -> list[Record]:
    """A row for each cell, in the order of the plan's targets and numbers of raters."""
    sums: dict[tuple[object, ...], dict[str, int]] = {}
    for part, result in zip(plan.parts, results, strict=True):
        total = sums.setdefault(tuple(part[name] for name in KEY), dict.fromkeys(COUNTED, 0))
        for name in COUNTED:
            total[name] += result[name]
    rows = [_row(dict(zip(KEY, key, strict=True)), total) for key, total in sums.items()]
    usual = {
        (row["target"], row["tolerance"]): row["mean_votes"]
        for row in rows
        if row["kind"] == NO_ATTACK
    }
    for row in rows:
        base = usual.get((row["target"], row["tolerance"]))
        row["times_the_votes"] = row["mean_votes"] / base if base else None
    kinds = (TOLERATED, NO_ATTACK, ONE_TOO_FEW, TWICE, UNPROTECTED)
    places = list(plan.shared)
    return sorted(rows, key=lambda row: (kinds.index(row["kind"]), places.index(row["target"]),
                                         row["raters"], row["tolerance"]))  # fmt: skip


def _row(key: Record, total: Record) -> Record:
    races, wrong, delta = total["races"], total["wrong"], key["delta"]
    low, high = exact_limits(wrong, races)
    return key | {
        "races": races,
        "cut": total["cut"],
        "wrong": wrong,
        "error": wrong / races,
        "error_low": float(low),
        "error_high": float(high),
        "tightness": wrong / races / delta,
        "mean_votes": total["votes"] / races,
        "mean_false_votes": total["false_votes"] / races,
        "too_often": bool(low > delta),
    }


def of_kind(rows: Iterable[Record], kind: str) -> list[Record]:
    """The rows of one kind."""
    return [row for row in rows if row["kind"] == kind]


def tolerated_claim(rows: Sequence[Record]) -> Claim:
    """With as many dishonest raters as are tolerated: every error against its delta."""
    own = of_kind(rows, TOLERATED)
    races, wrong = (sum(row[name] for row in own) for name in ("races", "wrong"))
    worst = max(own, key=lambda row: row["tightness"])
    broken = sum(row["too_often"] for row in own)
    return Claim(
        "With at most m dishonest raters no attack makes a verdict that withstands m wrong with "
        "probability above δ",
        f"{wrong:,} wrong in {races:,} races; at most {worst['tightness']:.2f} δ "
        f"({worst['attack']}, m = {worst['raters']}, {worst['target']}); exact lower limit above "
        f"δ in {broken} of {len(own)} rows.",
        [not broken],
    )


def planted_claim(rows: Sequence[Record]) -> Claim:
    """The same test must see a race that leaves out one vote too few."""
    own = of_kind(rows, ONE_TOO_FEW)
    return Claim(
        "The test can fail: where one vote too few is left out, it sees an error above δ, for "
        "every m",
        _errors(own),
        _promise(bool(row["too_often"]) for row in own),
    )


def twice_claim(rows: Sequence[Record]) -> Claim:
    """Twice as many raters as are tolerated succeed."""
    own = of_kind(rows, TWICE)
    return Claim(
        "With 2m dishonest raters the knock-out of the best item succeeds often: beyond chance "
        f"above δ for every m, in at least half of the races for m ≥ {MANY}",
        _errors(own),
        _promise(
            bool(row["too_often"] and (row["tolerance"] < MANY or row["error_low"] >= OFTEN))
            for row in own
        ),
    )


def unprotected_claim(rows: Sequence[Record]) -> Claim:
    """What the tolerance is for."""
    own = of_kind(rows, UNPROTECTED)
    return Claim(
        f"Without a tolerance, {FOUR} dishonest raters make most verdicts wrong in a contest of "
        "200 items",
        _errors(own),
        _promise(bool(row["error_low"] >= OFTEN) for row in own),
    )


def _promise(held: Iterable[bool]) -> list[bool]:
    """A promise for all cases is one check; none where there are no cases."""
    cases = list(held)
    return [all(cases)] if cases else []


def _errors(rows: Iterable[Record]) -> str:
    return "; ".join(
        f"tolerance {row['tolerance']}, {row['raters']} dishonest: {row['error']:.3g} "
        f"({row['error_low']:.3g} to {row['error_high']:.3g})"
        for row in rows
    )
