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
            f"Mean votes to a verdict with total error {TOTAL_ERROR:g}. Dashed: the floor, below "
            "which no algorithm can be. Dotted: the paper's bound for lil-KLUCB, with constant 1. "
            "Open triangles: some races were given up without a verdict."
        ),
        notes=_notes(plan, cells),
    )


def _notes(plan: StudyPlan, cells: Cells) -> list[str]:
    wrong = sum(cell.wrong for cell in cells.values())
    races = sum(cell.races for cell in cells.values())
    caps = plan.settings["caps"]
    others = max(caps.values())
    return [
        f"All algorithms and the floor have the same total error, {TOTAL_ERROR:g}. lil-KLUCB then "
        "runs exactly as the paper's at δ = 0.01, whose error is 2δ. No share of the error is kept "
        "for items that join or leave. lil-UCB's heuristic has no proven error.",
        f"A race is given up after {others:,} votes; those of {', '.join(LOW_CAPPED)} after "
        f"{caps[LOW_CAPPED[0]]:,}. Such a race counts with the votes that it got. The mean is then "
        "a “more than”, and exponents leave out that number of items.",
        f"Up to {plan.settings['most_races']} races a cell. There are fewer where a race takes "
        "long, by a fixed rule: see `races` in cells.csv.",
        "Checks: a ratio that grows at most like n^0.1 counts as constant; exponents may differ by "
        "0.2; two algorithms need about as many votes if neither needs twice the other's.",
        f"All algorithms together: {wrong} wrong verdicts in {races:,} races. In all profiles but "
        "the last the best item has mean 1 and never gets a vote of 0, so wrong verdicts are rarer "
        "than the bounds allow. The study theorem-1 shows how often the bounds themselves fail.",
        *_slower_note(cells),
        "“ucb” is the sampling of Section 5. It is made to find the best item, not to certify it: "
        "it stops asking about a rival long before that rival's bound is low enough for a verdict.",
        "The proof of this theorem has two slips, put right here. Lemma “stop” needs f(δε) to be "
        "at least the larger of f(δ) and f(ε); the paper writes min for max. And P(δ_i < γ) is the "
        "probability that for some t the bound U_i(f_t(γ)) is below μ_i; the paper has the event "
        "the other way round (in Section 4 and in the appendix, there with ε for γ).",
    ]


def _slower_note(cells: Cells) -> list[str]:
    fit = fit_growth(row_of(cells, "α = 1/2", OWN))
    if fit is None or fit.votes > fit.sum_kl - CLEARLY:
        return []
    return [
        "At these n, and for α < 1, lil-KLUCB's votes grow more slowly than S_KL, and so does the "
        f"floor: at α = 1/2 the votes grow like n^{fit.votes:.2f}, S_KL like n^{fit.sum_kl:.2f} "
        f"and the floor like n^{fit.floor:.2f}. S_KL is an order for large n, not a forecast."
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
