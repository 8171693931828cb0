"""How often dishonest raters make a verdict wrong, with as many as are tolerated and with more."""

from collections.abc import Mapping, Sequence

from plaudit.simulation.attacks import Attack, AttackedRaces
from plaudit.simulation.seeds import seed_at
from plaudit.studies.dishonest.cells import Cell, cells
from plaudit.studies.dishonest.instances import MAIN, TARGETS, Target
from plaudit.studies.dishonest.page import attack_figure, attack_notes, attack_tables
from plaudit.studies.dishonest.rows import (
    attack_rows,
    planted_claim,
    tolerated_claim,
    twice_claim,
    unprotected_claim,
)
from plaudit.studies.study import Findings, Options, Record, Study, StudyPlan, blocks

NAME = "dishonest"
BLOCK = 500
# Microseconds of a vote, and votes of a race beside those that its tolerance takes.
COST, VOTES, VOTES_AN_ITEM = 3.0, 300, 60


def prepare(options: Options) -> StudyPlan:
    """Every attack on every target, and the controls."""
    found = list(cells(options))
    parts = [
        cell.record() | {"seed": options.seed, "first": first, "end": end}
        for cell in found
        for first, end in blocks(cell.races, BLOCK)
    ]
    parts.sort(key=_seconds_of, reverse=True)
    settings: Record = {
        "targets": {target.name: _facts(target) for target in TARGETS},
        "races": {_key(cell): cell.races for cell in found},
    }
    shared = {target.name: target for target in TARGETS}
    return StudyPlan(settings, parts, shared, [_seconds_of(part) for part in parts])


def _key(cell: Cell) -> str:
    return f"{cell.kind}; {cell.target.name}; {cell.attack}; {cell.tolerance}; {cell.raters}"


def _facts(target: Target) -> Record:
    return {
        "means": target.profile.means.round(6).tolist(),
        "delta": target.delta,
        "epsilon": target.epsilon,
        "limit": target.limit,
    }


def _seconds_of(part: Record) -> float:
    (items,) = (len(target.profile) for target in TARGETS if target.name == part["target"])
    votes = VOTES + items * (VOTES_AN_ITEM + 2 * part["raters"])
    return 1e-6 * COST * float(votes * (part["end"] - part["first"]))


def work(shared: Mapping[str, Target], part: Record) -> Record:
    """Runs one block of races."""
    races = AttackedRaces(
        shared[part["target"]].profile,
        delta=part["delta"],
        epsilon=part["epsilon"],
        tolerance=part["tolerance"],
        reserve=0.0,
    )
    address = [part[name] for name in ("target", "kind", "attack", "tolerance", "raters", "first")]
    result = races.block(
        part["end"] - part["first"],
        Attack(**part["plan"]),
        raters=part["raters"],
        seed=seed_at(part["seed"], NAME, *address),
        limit=part["limit"],
    )
    return dict(vars(result))


def conclude(plan: StudyPlan, results: Sequence[Record]) -> Findings:
    """Error rates with exact limits, under every attack and in the controls."""
    rows = attack_rows(plan, results)
    return Findings(
        claims=[
            tolerated_claim(rows),
            planted_claim(rows),
            twice_claim(rows),
            unprotected_claim(rows),
        ],
        tables=attack_tables(rows),
        chart=lambda: attack_figure(rows),
        figure_caption=(
            "The share of verdicts that were wrong, over the δ that was asked for, with exact 95 % "
            f"limits; the line at 1 is the promise. As many dishonest raters as are tolerated; "
            f"{MAIN.name}."
        ),
        notes=list(attack_notes()),
    )


STUDY = Study(
    NAME,
    "How often do dishonest raters make a verdict wrong that withstands as many of them?",
    prepare,
    work,
    conclude,
    claims_heading="wanted",
)
