"""Fewer votes than the paper's algorithm, with the same proof: four questions, all entrants."""

from collections.abc import Sequence

from plaudit.studies.contests.tables import Contests, load_some
from plaudit.studies.fewer_votes.cases import (
    CERTIFIED,
    DELTA,
    EPSILON,
    FOUND_BINARY,
    RATERS,
    SHOWN,
    TOP,
    Case,
    certified_cases,
    found_cases,
    no_repeat_cases,
    pick,
)
from plaudit.studies.fewer_votes.cases import NO_REPEAT as RACED_NO_REPEAT
from plaudit.studies.fewer_votes.cells import cell_rows, collect_cells, collect_floors
from plaudit.studies.fewer_votes.claims import (
    certify_claims,
    error_claim,
    find_claim,
    never_worse_claim,
    no_repeat_claim,
)
from plaudit.studies.fewer_votes.found import collect_found, curve_rows, find_rows
from plaudit.studies.fewer_votes.no_repeat_rows import no_repeat_rows
from plaudit.studies.fewer_votes.page import figure, figure_caption, notes, result_tables
from plaudit.studies.fewer_votes.profiles import varied_cases
from plaudit.studies.fewer_votes.races import (
    CERTIFY,
    FIND,
    FULL,
    NAME,
    NO_REPEAT,
    QUICK,
    VARIED,
    Effort,
    certify_parts,
    find_parts,
    no_repeat_parts,
    seconds_of,
    varied_parts,
    work,
)
from plaudit.studies.study import Findings, Options, Record, Study, StudyPlan, StudyTable

# The quick run has few contests a panel, none of them large.
QUICK_CERTIFIED = ("558", "729")
QUICK_FOUND = ("512_LilUCB",)
QUICK_NO_REPEAT = ("512_LilUCB", "729")


def prepare(options: Options) -> StudyPlan:
    """All races of the four panels, the longest parts first."""
    effort = QUICK if options.quick else FULL
    contests = load_some(_wanted(options), data=options.data)
    panels = _panels(contests, effort, quick=options.quick)
    cases = {(kind, case.name): case for kind, found in panels.items() for case in found}
    parts = [
        part | {"seed": options.seed}
        for part in (
            *certify_parts(panels[CERTIFY], effort),
            *find_parts(panels[FIND], effort),
            *no_repeat_parts(panels[NO_REPEAT], effort),
            *varied_parts(panels[VARIED], effort),
        )
    ]
    parts.sort(key=lambda part: seconds_of(part, cases), reverse=True)
    settings: Record = {
        "delta": DELTA, "epsilon": EPSILON, "shown": SHOWN, "top": TOP, "raters": RATERS,
        "effort": effort.record(), "contests": list(contests.tables), "missing": contests.missing,
    }  # fmt: skip
    return StudyPlan(settings, parts, cases, [seconds_of(part, cases) for part in parts])


def _wanted(options: Options) -> list[str]:
    if options.quick:
        return list(dict.fromkeys((*QUICK_CERTIFIED, *QUICK_FOUND, *QUICK_NO_REPEAT)))
    return list(dict.fromkeys((*CERTIFIED, *FOUND_BINARY, *RACED_NO_REPEAT)))


def _panels(contests: Contests, effort: Effort, *, quick: bool) -> dict[str, list[Case]]:
    certified = pick(contests, QUICK_CERTIFIED if quick else CERTIFIED)
    return {
        CERTIFY: certified_cases(certified, effort.items),
        FIND: found_cases(pick(contests, QUICK_FOUND if quick else FOUND_BINARY), certified),
        NO_REPEAT: no_repeat_cases(pick(contests, QUICK_NO_REPEAT if quick else RACED_NO_REPEAT)),
        VARIED: varied_cases(quick=quick),
    }


def conclude(plan: StudyPlan, results: Sequence[Record]) -> Findings:
    """The four questions answered, against what was wanted."""
    cells = collect_cells(plan, results)
    floors = collect_floors(plan, results)
    certified, varied = (cell_rows(cells, kind, floors) for kind in (CERTIFY, VARIED))
    findings = collect_found(plan, results)
    found, curves = find_rows(findings), curve_rows(findings)
    no_repeat = no_repeat_rows(plan, results)
    return Findings(
        claims=[
            *certify_claims(certified),
            find_claim(found),
            no_repeat_claim(no_repeat),
            never_worse_claim(varied),
            error_claim([*certified, *varied, *no_repeat], DELTA),
        ],
        tables=[
            *result_tables(certified, found, no_repeat, varied),
            StudyTable("curves", curves, on_page=False),
        ],
        chart=lambda: figure(certified, curves, varied),
        figure_caption=figure_caption(),
        notes=list(notes(plan.settings)),
    )


STUDY = Study(
    NAME,
    "With the same error: how many votes does the default algorithm need, compared with the "
    "paper's and all others?",
    prepare,
    work,
    conclude,
    claims_heading="wanted",
)
