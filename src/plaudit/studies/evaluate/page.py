"""How `evaluate` is shown: tables, figure and notes."""

from collections.abc import Iterator, Sequence
from typing import Any

from plaudit.studies.evaluate.ways import DELTA, EPSILON
from plaudit.studies.study import Record, StudyTable

SHOWN = ("way", "share", "runs", "wrong", "error", "error_low", "error_high", "mean_loss")


def share_tables(rows: Sequence[Record]) -> list[StudyTable]:
    """A table for each benchmark, and all numbers."""
    tables = []
    for number, benchmark in enumerate(dict.fromkeys(row["benchmark"] for row in rows), start=1):
        own = [{name: row[name] for name in SHOWN} for row in rows if row["benchmark"] == benchmark]
        caption = (
            f"{benchmark}. Share: calls over those of the full grid. Mean loss: by how much the "
            "winner's mean over all examples is below the best's."
        )
        tables.append(StudyTable(f"benchmark-{number}", own, caption))
    return [*tables, StudyTable("all", rows, on_page=False)]


def share_chart(rows: Sequence[Record]) -> Any:
    """Calls against errors, a panel a benchmark."""
    from plaudit.charts.calls import calls_chart
    from plaudit.charts.theme import themed

    return themed(calls_chart(rows, delta=DELTA))


def share_notes() -> Iterator[str]:
    """How tables are drawn, and what each way does."""
    yield (
        "A run draws a table of scores of its own: candidates have a skill, examples a difficulty, "
        "and the score rises with their difference, on the logistic scale, with some chance. "
        "Prompts: skills are normal with deviation 0.5, difficulties 1.5, chance 1, points from 0 "
        "to 10. Models: 0.5 and 2, solved or not. Configurations: skills are below the best by an "
        "exponential of mean 0.7, difficulties 1, chance 0.7, scores in hundredths. All ways get "
        "the same tables, with examples in the same random order. An error is a winner that is "
        "not the best of the full grid (ties are no errors)."
    )
    yield (
        f"evaluate: the race of `plaudit.evaluate`, δ = {DELTA:g}, one call at a time; with "
        f"epsilon, a winner within {EPSILON:g} of the best is no error. Hoeffding race: Maron and "
        "Moore, 1994. Uniform, one test: everyone on half of the examples, then a paired t-test of "
        "the leader against each other at δ/(n−1), with the correction for a finite set; the rest "
        "of the grid where it is not passed. WilcoxonPruner: Optuna's rule, candidates one after "
        "another in random order of skill, at its default threshold of 0.1, at 0.05 and at 0.01; "
        "written anew for so many runs, and the same as Optuna's own on tables that the tests draw."
    )
    yield (
        "Set before the full run: a row breaks the promise if its exact 95 % lower limit is above "
        "δ. Limits are Clopper and Pearson's."
    )
