"""What Figure 2 of the paper says, against the curves of both contests."""

from collections.abc import Callable, Sequence
from statistics import median

import numpy as np

from plaudit.studies.finding import TIES, FoundCurve, level_rows
from plaudit.studies.study import Claim, Record

# The best means that the paper gives.
PAPER_MEANS = {"contest 558": 0.536, "contest 512": 0.8}
# KL's votes as a share of the others': what counts as comparable, what as a marked gain.
COMPARABLE, MARKED = (0.8, 1.25), 0.8
# With fewer races a curve the shares are noise.
FEWEST_RACES = 50
EXACT = 1e-12


def contest_claims(curves: Sequence[FoundCurve], facts: Record, races: int) -> list[Claim]:
    """The two best means and the two sentences of Section 5; `facts` are of contests at hand."""
    return [
        *(_mean_claim(panel, facts) for panel in PAPER_MEANS),
        _comparable_claim(curves, facts, races),
        _marked_claim(curves, facts, races),
    ]


def _mean_claim(panel: str, facts: Record) -> Claim:
    mean = PAPER_MEANS[panel]
    paper = f"{panel}: the best mean is {mean:g}"
    if panel not in facts:
        return _untested(paper, panel)
    fact = facts[panel]
    tied = fact["items_with_it"]
    return Claim(
        paper,
        f"{fact['best_mean']:.6g}, from {fact['votes_on_best']:,} votes. "
        f"{'One caption has it' if tied == 1 else f'{tied} captions have it'}; "
        f"the next has {fact['next_mean']:.3g}.",
        [abs(fact["best_mean"] - mean) < EXACT],
    )


def _comparable_claim(curves: Sequence[FoundCurve], facts: Record, races: int) -> Claim:
    panel, (low, high) = "contest 558", COMPARABLE
    paper = f"{panel}: the three bounds do about as well as each other"
    return _shares_claim(paper, panel, curves, facts, races, lambda share: low <= share <= high)


def _marked_claim(curves: Sequence[FoundCurve], facts: Record, races: int) -> Claim:
    panel = "contest 512"
    paper = f"{panel}: KL is markedly better"
    return _shares_claim(paper, panel, curves, facts, races, lambda share: share < MARKED)


def _shares_claim(
    paper: str,
    panel: str,
    curves: Sequence[FoundCurve],
    facts: Record,
    races: int,
    holds: Callable[[float], bool],
) -> Claim:
    if panel not in facts:
        return _untested(paper, panel)
    shares = {ties: _shares(curves, panel, "UCB sampling", ties) for ties in TIES}
    pairs = _shares(curves, panel, "LUCB pairs", TIES[0])
    few = f" {races} races a curve are too few to tell." if races < FEWEST_RACES else ""
    return Claim(
        paper,
        f"KL's votes as a share of SG1's and SG2's, over all levels: {_span(shares[TIES[0]])} "
        f"where more votes rank first, {_span(shares[TIES[1]])} with random ties. "
        f"{_lead(curves, panel)} With LUCB pairs: {_span(pairs)}.{few}",
        [] if few else [holds(share) for ties in TIES for share in shares[ties]],
    )


def _untested(paper: str, panel: str) -> Claim:
    return Claim(paper, f"The votes of {panel} are not at hand; see the notes.")


def _shares(curves: Sequence[FoundCurve], panel: str, rule: str, ties: str) -> list[float]:
    """KL's share of both others' votes at every level that both reach."""
    rows = [
        row
        for row in level_rows(curves)
        if (row["panel"], row["rule"], row["ties"]) == (panel, rule, ties)
    ]
    found = [row[f"KL_share_of_{bound}"] for row in rows for bound in ("SG1", "SG2")]
    return [share for share in found if share is not None]


def _span(shares: Sequence[float]) -> str:
    if not shares:
        return "–"
    low, middle, high = (100 * share for share in (min(shares), median(shares), max(shares)))
    return f"{low:.0f} to {high:.0f} % (median {middle:.0f} %)"


def _lead(curves: Sequence[FoundCurve], panel: str) -> str:
    """How far KL's curve is above the better of the others at most, and below it."""
    found = {
        curve.bound: curve
        for curve in curves
        if (curve.panel, curve.rule, curve.ties) == (panel, "UCB sampling", TIES[0])
    }
    if not found:
        return ""
    votes = found["KL"].votes
    others = [np.interp(votes, found[name].votes, found[name].share) for name in ("SG1", "SG2")]
    lead = 100 * (found["KL"].share - np.maximum(*others))
    above, below = max(lead.max(), 0.0), abs(min(lead.min(), 0.0))
    return (
        f"At equal votes KL's probability is up to {above:.0f} points above the better of them "
        f"(at {votes[lead.argmax()]:,.0f} votes) and up to {below:.0f} points below."
    )
