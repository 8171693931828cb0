"""Which algorithm keeps delta for which crowd, what it costs, and whether differences pay."""

from collections.abc import Sequence

from plaudit.studies.crowds.claims import (
    attack_claim,
    contest_pair_claim,
    default_claim,
    list_claim,
    pair_claim,
    products_claim,
    published_claim,
    tolerance_claim,
)
from plaudit.studies.crowds.page import figure, notes, tables
from plaudit.studies.crowds.races import FULL, NAME, QUICK, parts_of, seconds_of, work
from plaudit.studies.crowds.rows import (
    cells_of,
    contest_pair_rows,
    error_rows,
    list_rows,
    pair_rows,
    vote_rows,
)
from plaudit.studies.study import Findings, Options, Record, Study, StudyPlan


def prepare(options: Options) -> StudyPlan:
    """Every algorithm on every crowd, lists of both kinds, and differences."""
    effort = QUICK if options.quick else FULL
    parts = [part | {"seed": options.seed} for part in parts_of(effort, options.repetitions)]
    parts.sort(key=seconds_of, reverse=True)
    settings: Record = dict(vars(effort)) | {"repetitions": options.repetitions}
    return StudyPlan(settings, parts, None, [seconds_of(part) for part in parts])


def conclude(plan: StudyPlan, results: Sequence[Record]) -> Findings:
    """Errors and votes of each crowd, what lists cost, and whether differences pay."""
    cells = cells_of(plan, results)
    errors, votes = error_rows(cells), vote_rows(cells)
    lists, few, many = list_rows(cells), pair_rows(cells), contest_pair_rows(cells)
    return Findings(
        claims=[
            default_claim(errors),
            published_claim(errors),
            products_claim(errors),
            attack_claim(errors),
            tolerance_claim(errors),
            list_claim(lists),
            pair_claim(few),
            contest_pair_claim(many),
        ],
        tables=tables(errors, votes, lists, few, many),
        chart=lambda: figure(errors),
        figure_caption=(
            "The share of wrong verdicts over the δ that was asked for, with exact 95 % limits, on "
            "two items and on six; the line at 1 is the promise."
        ),
        notes=list(notes(plan.settings)),
    )


STUDY = Study(
    NAME,
    "Which algorithm keeps its promise for which crowd, and what does it cost?",
    prepare,
    work,
    conclude,
    claims_heading="wanted",
)
