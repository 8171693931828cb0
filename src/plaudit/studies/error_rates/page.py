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
              "All races of each algorithm: the error with exact 95 % limits, the promised δ on "
              "average, and the error over δ (tightness), over all races and on the instance where "
              "it is largest. “Too often”: instances whose error is above δ beyond chance."),
        StudyTable("instances", own,
                   f"{OURS} on each instance; tightness is the error over δ."),
        StudyTable("all", rows, on_page=False),
    ]  # fmt: skip


def error_notes(settings: Record) -> Iterator[str]:
    """How to read the numbers."""
    yield (
        "A race that is given up before its verdict (“cut”) counts as not wrong. Limits are "
        "Clopper and Pearson's. Where several answers are right (equal means, ε above 0, several "
        "items wanted), a verdict is wrong if it names an item more than ε below the last place."
    )
    yield (
        "An attack chooses the items to ask about in place of the algorithm, and knows the true "
        "means. leader: always the item that leads. streak: the item whose votes mislead most, in "
        "the hope of more of them. cherry-picking: asks no more about an item that misleads, and "
        "asks about the others until they mislead too. One vote in ten goes to an item at random. "
        "The algorithm itself decides when to stop."
    )
    ours, others, attacks = (settings[f"races_of_{who}"] for who in ("ours", "others", "attacks"))
    yield (
        f"On each instance: {ours:,} races by {OURS}, {others:,} by each other algorithm, and "
        f"{attacks:,} under each attack."
    )
    yield "Check: the promise is tight if the error is at least a tenth of δ on some instance."


def error_figure(rows: Sequence[Record]) -> Any:
    """Ours, a line for each instance."""
    from plaudit.charts.error_rates import error_chart
    from plaudit.charts.theme import themed

    return themed(error_chart([row for row in rows if row["algorithm"] == OURS]))
