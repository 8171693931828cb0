"""Figure 1: how soon the best item is found on means 1 - ((i-1)/n)^alpha."""

from collections.abc import Sequence

from plaudit.simulation.profiles import Profile
from plaudit.studies.finding import (
    TIES,
    FoundCurve,
    Panel,
    figure_words,
    finding_chart,
    finding_tables,
    found_curves,
    level_rows,
    plan_finding,
    work,
)
from plaudit.studies.study import Claim, Findings, Options, Record, Study, StudyPlan

ITEMS = 1000
# Panels by name: the exponent, and votes enough for every bound to reach 95 %.
PANELS = {"α = 1": (1.0, 60_000), "α = 1/2": (0.5, 10_000)}
REPETITIONS, QUICK_REPETITIONS = 250, 20
# Section 5: KL's votes as a share of the others', and the share of votes below the median.
PAPER_SHARE = {"α = 1": 0.20, "α = 1/2": 0.30}
PAPER_BELOW = {"α = 1": 0.15, "α = 1/2": 0.25}
# The paper gives its shares in steps of five points.
CLOSE = 0.05


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
            f"The probability that the best of {ITEMS:,} items is among the five with the largest "
            f"means so far. {figure_words(plan.settings['repetitions'])}"
        ),
        notes=NOTES,
    )


def _shares(curves: Sequence[FoundCurve], panel: str, rule: str, *names: str) -> list[float | None]:
    """Shares at 95 % for both ways to rank equal means, from these columns of the levels."""
    rows = {
        row["ties"]: row
        for row in level_rows(curves)
        if (row["panel"], row["rule"], row["probability"]) == (panel, rule, 0.95)
    }
    return [rows[ties][name] for ties in TIES for name in names]


def _share_claim(curves: Sequence[FoundCurve], panel: str) -> Claim:
    paper = PAPER_SHARE[panel]
    shares = _shares(curves, panel, "UCB sampling", "KL_share_of_SG1", "KL_share_of_SG2")
    pairs = _shares(curves, panel, "LUCB pairs", "KL_share_of_SG1")
    said, in_pairs = _percents(shares), _percents(pairs)
    return Claim(
        f"{panel}: to find the best item, KL needs about {100 * paper:.0f} % of the votes that the "
        "sub-Gaussian bounds need",
        f"To find it with probability 95 %, KL needs {said[0]} of SG1's votes and {said[1]} of "
        f"SG2's where more votes rank first, and {said[2]} and {said[3]} with random ties. With "
        f"LUCB pairs it needs {in_pairs[0]} and {in_pairs[1]} of SG1's.",
        _near(shares, paper),
    )


def _below_claim(curves: Sequence[FoundCurve], panel: str) -> Claim:
    paper = PAPER_BELOW[panel]
    shares = _shares(curves, panel, "UCB sampling", "KL_votes_below_median")
    said = _percents([*shares, *_shares(curves, panel, "LUCB pairs", "KL_votes_below_median")])
    return Claim(
        f"{panel}: about {100 * paper:.0f} % of the votes go to items below the median",
        f"Of KL's votes until it finds the best item with probability 95 %: {said[0]} where more "
        f"votes rank first, {said[1]} with random ties. With LUCB pairs: {said[2]} and {said[3]}.",
        _near(shares, paper),
    )


def _percents(shares: Sequence[float | None]) -> list[str]:
    return ["–" if share is None else f"{100 * share:.0f} %" for share in shares]


def _near(shares: Sequence[float | None], paper: float) -> list[bool]:
    return [abs(share - paper) <= CLOSE for share in shares if share is not None]


NOTES = (
    "The paper's “about 20 %” and “30 %” could mean that KL needs fewer votes by so much, or only "
    "so much of what the sub-Gaussian bounds need. Only the second fits, and only with UCB "
    "sampling.",
    "Ties: in Section 2 the leading item is chosen at random among those with the largest mean; "
    "Section 5 does not say how its five best are chosen among equal means. Early in a race very "
    "many items have only votes of 1, so it matters, most for KL. Both ways are checked. Which "
    "item is asked about next is drawn at random among equals in all races.",
    "A share within 5 points of the paper's counts as the paper's.",
)


STUDY = Study(
    "figure-1",
    "With each of three bounds: how many votes does it take until the best item is among the five "
    "with the largest means so far?",
    prepare,
    work,
    conclude,
)
