"""How soon the best item is found: the experiment behind Figures 1 and 2 of the paper.

Section 5 runs "the same UCB algorithm" with three bounds and asks how often the best item
is among the five with the largest empirical means. Plaudit runs that sampling, one item a
step, and beside it the pairs of Section 2.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.simulation.curves import Curve, follow_races
from plaudit.simulation.profiles import Profile
from plaudit.simulation.seeds import seed_at
from plaudit.studies.frequency import exact_limits
from plaudit.studies.study import Record, StudyPlan, StudyTable, blocks

BOUNDS = {"KL": "lil-kl", "SG1": "sg1", "SG2": "sg2"}
RULES = {"UCB sampling": "largest-upper", "LUCB pairs": "pair"}
TIES = ("more votes first", "random")
# Section 5's settings, and at how many vote counts a race is looked at.
GRID_POINTS = 240
FIXED = {"delta": 0.01, "N": 8, "shown": 5, "grid_points": GRID_POINTS}
LEVELS = (0.5, 0.8, 0.9, 0.95)
BLOCK = 10


@dataclass(frozen=True)
class Panel:
    """One profile of the figure, and how many votes its races get."""

    name: str
    profile: Profile
    horizon: int


@dataclass(frozen=True)
class FoundCurve:
    """The share of races that had found the best item, at each vote count of the grid."""

    panel: str
    rule: str
    bound: str
    ties: str
    votes: NDArray[np.float64]
    share: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    below_median: NDArray[np.float64]


def plan_finding(
    study: str, panels: Sequence[Panel], *, repetitions: int, seed: int, settings: Record
) -> StudyPlan:
    """Races of every panel, bound and rule, in blocks of repetitions."""
    parts: list[Record] = [
        {
            "address": [study, panel.name, rule, bound],
            "seed": seed,
            "first": first,
            "end": end,
            "horizon": panel.horizon,
            "profile": panel.profile.fingerprint,
            **FIXED,
        }
        for panel in panels
        for rule in RULES
        for bound in BOUNDS
        for first, end in blocks(repetitions, BLOCK)
    ]
    settings = settings | {
        "repetitions": repetitions,
        **FIXED,
        "horizons": {panel.name: panel.horizon for panel in panels},
    }
    shared = {panel.name: panel.profile for panel in panels}
    weights = [float(part["horizon"]) * (part["end"] - part["first"]) for part in parts]
    return StudyPlan(settings, parts, shared, weights)


def work(shared: Mapping[str, Profile], part: Record) -> Record:
    """Runs one block of races and gives their summed curve."""
    _, panel, rule, bound = part["address"]
    profile = shared[panel]
    curve = follow_races(
        profile,
        [seed_at(part["seed"], *part["address"], k) for k in range(part["first"], part["end"])],
        vote_grid(len(profile), part["horizon"], points=part["grid_points"]),
        shown=part["shown"],
        bound=BOUNDS[bound],
        rule=RULES[rule],
        accounting="paper",
        delta=part["delta"],
        N=part["N"],
    )
    return {
        "found": curve.found.tolist(),
        "found_voted": curve.found_voted.tolist(),
        "votes": curve.votes.tolist(),
        "below": curve.below.tolist(),
    }


def vote_grid(items: int, horizon: int, *, points: int = GRID_POINTS) -> NDArray[np.int64]:
    """Vote counts in equal ratios, from one vote an item to the horizon."""
    grid = np.round(np.geomspace(items, max(horizon, items + 1), points))
    return np.unique(grid.astype(np.int64))


def found_curves(plan: StudyPlan, results: Sequence[Record]) -> list[FoundCurve]:
    """The curves of all panels, rules and bounds, for both ways to rank ties."""
    sums: dict[tuple[str, ...], Curve] = {}
    for part, result in zip(plan.parts, results, strict=True):
        key = tuple(part["address"][1:])
        block = Curve(
            *(np.array(result[name]) for name in ("found", "found_voted", "votes", "below"))
        )
        sums[key] = _add(sums[key], block) if key in sums else block
    races = plan.settings["repetitions"]
    return [_found_curve(key, curve, ties, races) for key, curve in sums.items() for ties in TIES]


def _add(one: Curve, other: Curve) -> Curve:
    return Curve(
        one.found + other.found,
        one.found_voted + other.found_voted,
        one.votes + other.votes,
        one.below + other.below,
    )


def _found_curve(key: tuple[str, ...], curve: Curve, ties: str, races: int) -> FoundCurve:
    panel, rule, bound = key
    found = curve.found if ties == "random" else curve.found_voted
    low, high = exact_limits(found, races)
    share = found / races
    below = curve.below / curve.votes
    return FoundCurve(panel, rule, bound, ties, curve.votes / races, share, low, high, below)


def votes_to(votes: NDArray[np.float64], share: NDArray[np.float64], level: float) -> float | None:
    """The votes at which a curve first reaches a level, between grid points; None if never.

    >>> votes_to(np.array([10.0, 20.0]), np.array([0.4, 0.6]), 0.5)
    15.0
    """
    reached = np.flatnonzero(share >= level)
    if reached.size == 0:
        return None
    k = int(reached[0])
    if k == 0:
        return float(votes[0])
    part = (level - share[k - 1]) / (share[k] - share[k - 1])
    return float(votes[k - 1] + part * (votes[k] - votes[k - 1]))


def level_rows(curves: Sequence[FoundCurve]) -> list[dict[str, Any]]:
    """Votes to reach each level by each bound, and KL's as a share of the others'."""
    found = {(c.panel, c.rule, c.ties, c.bound): c for c in curves}
    return [
        _level_row(panel, rule, ties, level, {b: found[panel, rule, ties, b] for b in BOUNDS})
        for panel, rule, ties in dict.fromkeys((c.panel, c.rule, c.ties) for c in curves)
        for level in LEVELS
    ]


def _level_row(
    panel: str, rule: str, ties: str, level: float, curves: Mapping[str, FoundCurve]
) -> dict[str, Any]:
    votes = {bound: votes_to(curve.votes, curve.share, level) for bound, curve in curves.items()}
    kl = curves["KL"]
    row: dict[str, Any] = {"panel": panel, "rule": rule, "ties": ties, "probability": level}
    row |= {f"{bound}_votes": votes[bound] for bound in BOUNDS}
    row["KL_votes_low"] = votes_to(kl.votes, kl.high, level)
    row["KL_votes_high"] = votes_to(kl.votes, kl.low, level)
    for bound in ("SG1", "SG2"):
        row[f"KL_share_of_{bound}"] = _ratio(votes["KL"], votes[bound])
    below = np.interp(votes["KL"], kl.votes, kl.below_median) if votes["KL"] else None
    row["KL_votes_below_median"] = None if below is None else float(below)
    return row


def _ratio(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole is not None else None


def figure_words(races: int) -> str:
    """What the curves of both figures are."""
    return (
        f"{races} races a curve, with exact 95 % limits at each point. Solid: equal means are "
        "ranked with more votes first. Dashed: at random. Above: the true means."
    )


def curve_rows(curves: Sequence[FoundCurve]) -> Iterator[dict[str, Any]]:
    """All points of all curves, for the CSV file."""
    for c in curves:
        columns = zip(c.votes, c.share, c.low, c.high, c.below_median, strict=True)
        for votes, share, low, high, below in columns:
            yield {
                "panel": c.panel, "rule": c.rule, "bound": c.bound, "ties": c.ties,
                "votes": float(votes), "share": float(share), "low": float(low),
                "high": float(high), "below_median": float(below),
            }  # fmt: skip


def finding_tables(curves: Sequence[FoundCurve]) -> list[StudyTable]:
    """The tables of both figures: what the page shows, all levels, all curves."""
    rows = level_rows(curves)
    shown = ("panel", "rule", "ties", "probability", "KL_votes", "SG1_votes", "SG2_votes",
             "KL_share_of_SG1", "KL_share_of_SG2", "KL_votes_below_median")  # fmt: skip
    brief = [
        {name: row[name] for name in shown} for row in rows if row["probability"] in (0.5, 0.95)
    ]
    return [
        StudyTable(
            "summary",
            brief,
            "Votes until the best item is, with this probability, among the five with the largest "
            "means so far; and the share of KL's votes until then on items below the median.",
        ),
        StudyTable("levels", rows, on_page=False),
        StudyTable("curves", list(curve_rows(curves)), on_page=False),
    ]


def finding_chart(curves: Sequence[FoundCurve], profiles: Mapping[str, Profile]) -> Any:
    """Profiles above, then a row of panels for each rule; dashed, with random ties."""
    import altair as alt

    from plaudit.charts.curves import curve_panel, profile_strip
    from plaudit.charts.theme import BOUND_COLOURS, themed

    columns = []
    for place, (name, profile) in enumerate(profiles.items()):
        panels = []
        for rule in RULES:
            voted, random = (
                [
                    {**row, "name": row["bound"]}
                    for row in curve_rows(curves)
                    if (row["panel"], row["rule"], row["ties"]) == (name, rule, ties)
                ]
                for ties in TIES
            )
            panels.append(
                curve_panel(
                    voted,
                    dashed=random,
                    title=rule,
                    names=list(BOUNDS),
                    own=BOUND_COLOURS,
                    legend=place == 0 and rule == "LUCB pairs",
                )
            )
        strip = profile_strip(profile.means).properties(title=name)
        columns.append(alt.vconcat(strip, *panels))
    return themed(alt.hconcat(*columns).resolve_legend(color="independent"))
