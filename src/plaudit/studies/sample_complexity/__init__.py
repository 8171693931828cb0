"""Votes to the verdict of every algorithm, over n and alpha, against theory."""

from collections.abc import Mapping, Sequence
from typing import Any

from plaudit.race.algorithms import PUBLISHED
from plaudit.simulation.profiles import Profile
from plaudit.simulation.runner import SimulatedRace
from plaudit.simulation.seeds import seed_at
from plaudit.studies.sample_complexity.cases import TOTAL_ERROR, Case
from plaudit.studies.sample_complexity.cells import Cells, collect_cells, fit_growth, row_of
from plaudit.studies.sample_complexity.claims import (
    error_claim,
    floor_claim,
    growth_claim,
    inner_claim,
    kl_lucb_claim,
    theorem_claim,
)
from plaudit.studies.sample_complexity.plan import LOW_CAPPED, NAME, OWN, plan_races
from plaudit.studies.sample_complexity.tables import tables_of
from plaudit.studies.study import Findings, Record, Study, StudyPlan

# A difference of growth exponents worth a sentence.
CLEARLY = 0.1


def work(shared: Mapping[str, Profile], part: Record) -> Record:
    """Runs one block of races to their verdicts, or to the cap."""
    _, panel, items, algorithm = part["address"]
    profile = shared[Case(panel, items).key]
    outcomes = [
        SimulatedRace(
            profile,
            seed=seed_at(part["seed"], *part["address"], repetition),
            algorithm=algorithm,
            delta=part["delta"],
            reserve=0.0,
        ).run(max_votes=part["cap"])
        for repetition in range(part["first"], part["end"])
    ]
    return {
        "votes": [outcome.votes for outcome in outcomes],
        "stopped": [outcome.stopped for outcome in outcomes],
        "right": [outcome.correct for outcome in outcomes],
    }


def conclude(plan: StudyPlan, results: Sequence[Record]) -> Findings:
    """The paper's sentences on votes, and all cells beside the floor and the bound."""
    cells = collect_cells(plan, results)
    return Findings(
        claims=[
            theorem_claim(cells),
            error_claim(cells),
            kl_lucb_claim(cells),
            growth_claim(cells, "α = 1", ("lil-ucb", "lucb++")),
            inner_claim(cells),
            floor_claim(cells),
        ],
        tables=tables_of(cells),
        chart=lambda: _chart(cells),
        figure_caption=(
            f"Mean votes to a verdict of total error {TOTAL_ERROR:g}. Dashed: the floor that no "
            "algorithm can pass. Dotted: the paper's bound for lil-KLUCB, with constant 1. Open "
            "triangles: races were given up there, without a verdict."
        ),
        notes=_notes(plan, cells),
    )


def _notes(plan: StudyPlan, cells: Cells) -> list[str]:
    wrong = sum(cell.wrong for cell in cells.values())
    races = sum(cell.races for cell in cells.values())
    caps = plan.settings["caps"]
    others = max(caps.values())
    return [
        f"All algorithms have the same total error, {TOTAL_ERROR:g}: lil-KLUCB then runs exactly "
        "as the paper's at δ = 0.01, whose error is 2δ. No share of it is kept for items that join "
        "or leave. The floor is for the same total error. lil-UCB's heuristic has no proven error.",
        f"A race is given up after {others:,} votes, and after {caps[LOW_CAPPED[0]]:,} by "
        f"{', '.join(LOW_CAPPED)}. Such races count with the votes that they got: the mean is then "
        "a “more than”, and its size is left out of exponents.",
        f"Up to {plan.settings['most_races']} races a cell, fewer where one takes long, by a fixed "
        "rule: see `races` in cells.csv.",
        f"All algorithms together: {wrong} wrong verdicts in {races:,} races. In all profiles but "
        "the last the best item has mean 1 and loses no vote, which makes them rarer than the "
        "bounds allow. How often the bounds themselves fail is in theorem-1.",
        *_slower_note(cells),
        "“ucb”, the sampling of Section 5, is made to find the best item, not to certify it: it "
        "stops asking for a rival long before that rival's bound is low enough for a verdict.",
    ]


def _slower_note(cells: Cells) -> list[str]:
    fit = fit_growth(row_of(cells, "α = 1/2", OWN))
    if fit is None or fit.votes > fit.sum_kl - CLEARLY:
        return []
    return [
        "At these n, and for α < 1, lil-KLUCB's votes grow more slowly than S_KL, as the floor "
        f"does: at α = 1/2 like n^{fit.votes:.2f}, against n^{fit.sum_kl:.2f} and "
        f"n^{fit.floor:.2f}. S_KL is an order for large n, not a forecast."
    ]


def _chart(cells: Cells) -> Any:
    from plaudit.charts.votes import votes_chart

    rows = [
        {
            "panel": c.case.panel,
            "n": c.case.items,
            "name": c.algorithm,
            "votes": c.mean,
            "finished": c.finished,
        }
        for c in cells.values()
    ]
    theory = [
        {"panel": c.case.panel, "n": c.case.items, "floor": c.case.floor, "bound": c.case.bound}
        for c in cells.values()
        if c.algorithm == OWN
    ]
    return votes_chart(rows, theory, names=list(PUBLISHED))


STUDY = Study(
    NAME,
    "How many votes does each algorithm need for its verdict, and how does that grow?",
    plan_races,
    work,
    conclude,
)
