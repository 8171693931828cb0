"""How `dishonest` is shown: tables, figure and notes."""

from collections.abc import Iterator, Sequence
from typing import Any

from plaudit.studies.dishonest.cells import NO_ATTACK, TOLERATED
from plaudit.studies.dishonest.instances import MAIN
from plaudit.studies.dishonest.rows import of_kind
from plaudit.studies.study import Record, StudyTable

SHOWN = ("races", "wrong", "error", "error_low", "error_high", "tightness", "times_the_votes")
CONTROLS = ("target", "tolerance", "raters", "races", "wrong", "error", "error_low", "error_high")


def attack_tables(rows: Sequence[Record]) -> list[StudyTable]:
    """The attacks on each target, the controls, and all numbers."""
    tolerated = of_kind(rows, TOLERATED)
    tables = []
    for number, target in enumerate(dict.fromkeys(row["target"] for row in tolerated), start=1):
        own = [
            {"attack": row["attack"], "m": row["raters"]} | {name: row[name] for name in SHOWN}
            for row in tolerated
            if row["target"] == target
        ]
        (delta,) = {row["delta"] for row in tolerated if row["target"] == target}
        caption = (
            f"{target}; δ = {delta:g}; m dishonest raters against a tolerance of m. Tightness is "
            "the error over δ; times the votes: against races of the same tolerance without them."
        )
        tables.append(StudyTable(f"target-{number}", own, caption[0].upper() + caption[1:]))
    controls = [
        {"control": row["kind"]} | {name: row[name] for name in CONTROLS}
        for row in rows
        if row["kind"] not in (TOLERATED, NO_ATTACK)
    ]
    return [
        *tables,
        StudyTable("controls", controls, "Controls: here the knock-out must succeed."),
        StudyTable("all", rows, on_page=False),
    ]


def attack_notes() -> Iterator[str]:
    """How to read the numbers, and what the attacks are."""
    yield (
        "Honest votes are drawn from an item's frequencies and asked for by the default algorithm. "
        "Dishonest raters have one vote each on every item, need not be asked, know the true means "
        "and see every vote. The favourite is the best item that must not win: more than ε below "
        "the best. A race that is cut before its verdict counts as not wrong."
    )
    yield (
        "knock-out: votes of 0 on the best item before anyone else votes. knock-out of five: on "
        "the five best. push: votes of 1 on the favourite. knock-out and push: both. sleepers: "
        "honest votes on all other items first, both halfway. late: both when the verdict is near. "
        "adaptive: waits until false votes ruin the best item for good or make a wrong verdict at "
        "once. found by search: the same, a little too soon; the best of fifteen plans and two "
        "steps from it in a short search with other random numbers, ahead of the next within "
        "chance."
    )
    yield (
        "One vote too few: the race leaves out m − 1 votes where m raters are dishonest. The test "
        "of the promise must see it. The eight items were chosen for this, in trials with other "
        "random numbers: of 17 races tried, the knock-out passed δ clearly in 4, all with three "
        "levels and a best item of 0.9 or 0.92. In the others one vote more stayed about δ or "
        "below, so a test on those would not have seen the bug."
    )
    yield (
        "Set after those trials and before the full run: a row breaks the promise if its exact "
        "95 % lower limit is above δ, which chance does in at most 1 of 40 rows whose error is δ "
        "itself. Limits are Clopper and Pearson's."
    )


def attack_figure(rows: Sequence[Record]) -> Any:
    """The attacks on the first target, a line for each."""
    from plaudit.charts.attacks import attack_chart
    from plaudit.charts.theme import themed

    return themed(
        attack_chart([row for row in of_kind(rows, TOLERATED) if row["target"] == MAIN.name])
    )
