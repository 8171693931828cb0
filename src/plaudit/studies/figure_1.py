"""Figure 1: how soon the best item is found on means 1 - ((i-1)/n)^alpha."""

from collections.abc import Sequence

from plaudit.simulation.profiles import Profile
from plaudit.studies.finding import (
    TIES,
    FoundCurve,
    Panel,
    finding_chart,
    finding_tables,
    found_curves,
    level_rows,
    plan_finding,
    work,
)
from plaudit.studies.study import Agreement, Claim, Findings, Options, Record, Study, StudyPlan

ITEMS = 1000
# Panels by name: the exponent, and votes enough for every bound to reach 95 %.
PANELS = {"α = 1": (1.0, 60_000), "α = 1/2": (0.5, 10_000)}
REPETITIONS, QUICK_REPETITIONS = 250, 20
# Section 5: KL's votes as a share of the others', and the share of votes below the median.
PAPER_SHARE = {"α = 1": 0.20, "α = 1/2": 0.30}
PAPER_BELOW = {"α = 1": 0.15, "α = 1/2": 0.25}
# The paper gives its shares in steps of five points.
CLOSE, NEAR = 0.05, 0.10


def prepare(options: Options) -> StudyPlan:
    """Both panels, three bounds, both ways to sample."""
    panels = [
        Panel(name, Profile.power(ITEMS, exponent), horizon)
        for name, (exponent, horizon) in PANELS.items()
    ]
    repetitions = options.repeat(REPETITIONS, QUICK_REPETITIONS)
    settings: Record = {"items": ITEMS}
    return plan_finding(
        "figure-1", panels, repetitions=repetitions, seed=options.seed, settings=settings
    )


def conclude(plan: StudyPlan, results: Sequence[Record]) -> Findings:
    """The two sentences of Section 5 against the curves."""
    curves = found_curves(plan, results)
    return Findings(
        claims=[
            *(_share_claim(curves, panel) for panel in PANELS),
            *(_below_claim(curves, panel) for panel in PANELS),
        ],
        tables=finding_tables(curves),
        chart=lambda: finding_chart(curves, plan.shared),
        figure_caption=(
            f"Probability that the best of {ITEMS:,} items is among the five empirically best, "
            f"{plan.settings['repetitions']} races a curve, exact 95 % bands point by point; equal "
            "means are ranked with the more voted first. Above: the means."
        ),
        notes=_notes(),
    )


def _row(curves: Sequence[FoundCurve], panel: str, rule: str, ties: str) -> Record:
    return next(
        row
        for row in level_rows(curves)
        if (row["panel"], row["rule"], row["ties"]) == (panel, rule, ties)
        and row["probability"] == 0.95
    )


def _share_claim(curves: Sequence[FoundCurve], panel: str) -> Claim:
    shares = [
        _row(curves, panel, "UCB sampling", ties)[f"KL_share_of_{bound}"]
        for ties in TIES
        for bound in ("SG1", "SG2")
    ]
    pairs = _row(curves, panel, "LUCB pairs", TIES[0])["KL_share_of_SG1"]
    texts = ["–" if share is None else f"{100 * share:.0f} %" for share in (*shares, pairs)]
    return Claim(
        f"{panel}: KL finds the best item with about {100 * PAPER_SHARE[panel]:.0f} % of the votes",
        f"To 95 %: {texts[0]} of SG1's votes and {texts[1]} of SG2's; with ties in random order "
        f"{texts[2]} and {texts[3]}. With LUCB pairs {texts[4]} of SG1's.",
        _agreement(shares[0], PAPER_SHARE[panel]),
    )


def _below_claim(curves: Sequence[FoundCurve], panel: str) -> Claim:
    below = _row(curves, panel, "UCB sampling", TIES[0])["KL_votes_below_median"]
    pairs = _row(curves, panel, "LUCB pairs", TIES[0])["KL_votes_below_median"]
    texts = ["–" if share is None else f"{100 * share:.0f} %" for share in (below, pairs)]
    return Claim(
        f"{panel}: about {100 * PAPER_BELOW[panel]:.0f} % of the votes go below the median",
        f"{texts[0]} of KL's votes up to where it finds the best item with probability 95 % "
        f"({texts[1]} with LUCB pairs).",
        _agreement(below, PAPER_BELOW[panel]),
    )


def _agreement(measured: float | None, paper: float) -> Agreement:
    if measured is None:
        return "not tested"
    distance = abs(measured - paper)
    if distance <= CLOSE:
        return "agrees"
    return "agrees in part" if distance <= NEAR else "differs"


def _notes() -> list[str]:
    return [
        "The paper's “about 20 %” and “30 %” could mean fewer by so much, or so much of what the "
        "sub-Gaussian bounds need. Only the latter fits, under UCB sampling.",
        "The paper does not say how equal empirical means are ranked. Early in a race very many "
        "items have only votes of 1, so it matters, most for KL: the table has both. "
        "Ranking the more voted first comes closer to the paper and is drawn in the figure.",
        "A share within 5 points of the paper's counts as agreeing, within 10 as agreeing in part.",
    ]


STUDY = Study(
    "figure-1",
    "How many votes do three bounds need until the best item is among the five empirically best?",
    prepare,
    work,
    conclude,
)
