"""How `error-rates` is shown: tables, figure and notes."""

from collections.abc import Iterator, Sequence
from typing import Any

from plaudit.studies.entrants import OURS
from plaudit.studies.error_rates.rows import summary_rows
from plaudit.studies.study import Record, StudyTable

SHOWN = ("instance", "attack", "delta", "races", "cut", "wrong", "error", "error_low",
         "error_high", "tightness")  # fmt: skip


def error_tables(rows: Sequence[Record]) -> list[StudyTable]:
    """All entrants in brief, ours on every instance, and all numbers."""
    own = [
        {name: row[name] for name in SHOWN} | {"attack": row["attack"] or None}
        for row in rows
        if row["algorithm"] == OURS
    ]
    return [
        StudyTable("summary", summary_rows(rows),
              "All races of each algorithm: the error with exact 95 % limits, the δ promised on "
              "average, and their ratio, over all races and on the tightest instance. “Too often”: "
              "instances whose error is above δ beyond chance."),
        StudyTable("instances", own,
                   f"{OURS}, instance by instance; tightness is the error over δ."),
        StudyTable("all", rows, on_page=False),
    ]  # fmt: skip


def error_notes(settings: Record) -> Iterator[str]:
    """How to read the numbers."""
    yield (
        "A race that is cut before its verdict counts as not wrong; how many were is shown. Limits "
        "are Clopper and Pearson's. With several right answers (ties, slack, several items wanted) "
        "a verdict is wrong if it names an item more than ε below the last place."
    )
    yield (
        "Attacks choose votes instead of the algorithm, and know the true means. leader: always "
        "the item that leads. streak: the item whose votes mislead most, in the hope of more. "
        "cherry-picking: leaves what misleads as it is and draws on the others until they mislead, "
        "too. One vote in ten goes to an item at random. The stopping is the algorithm's own."
    )
    ours, others, attacks = (settings[f"races_of_{who}"] for who in ("ours", "others", "attacks"))
    yield (
        f"{ours:,} races an instance by {OURS}, {others:,} by each other algorithm, {attacks:,} "
        "under each attack."
    )
    yield "Set before the run: an error of at least a tenth of δ somewhere counts as tight."


def error_figure(rows: Sequence[Record]) -> Any:
    """Ours, a line for each instance."""
    from plaudit.charts.error_rates import error_chart
    from plaudit.charts.theme import themed

    return themed(error_chart([row for row in rows if row["algorithm"] == OURS]))
