"""How often an anytime bound is ever crossed: the experiment behind Theorems 1 and 2.

For votes on equally spaced levels the probability is computed exactly, vote by vote, up to
a million votes; for other laws walks are simulated. Each side is taken by itself, as the
theorems state it.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from plaudit import bounds
from plaudit.simulation.crossing_exact import exact_crossing
from plaudit.simulation.crossing_walks import simulate_crossing
from plaudit.simulation.laws import Part, VoteLaw
from plaudit.studies.frequency import exact_limits
from plaudit.studies.study import Claim, Options, Record, StudyPlan, StudyTable, blocks

BINARY, THREE_LEVELS = "0 and 1", "three levels"
# Three-level votes of real contests have 0.62 of the variance that 0 and 1 would give.
VARIANCE_SHARE = 0.62
# The bounds are crossed most often at means near delta/100.
BINARY_MEANS = (0.0001, 0.001, 0.01, 0.1, 0.3, 0.5, 0.9, 0.99)
THREE_LEVEL_MEANS = (0.1, 0.5, 0.9)
OTHER_LAWS: dict[str, VoteLaw] = {
    "0.3 or 0.9": VoteLaw.levels([0.3, 0.9], [0.5, 0.5]),
    "eleven even levels": VoteLaw.levels([k / 10 for k in range(11)], [1 / 11] * 11),
    "uniform": VoteLaw.uniform(),
    "Beta(1, 9)": VoteLaw.beta(1, 9),
    "Beta(3, 1)": VoteLaw.beta(3, 1),
    "half 0, half uniform": VoteLaw(
        "half 0, half uniform", (Part(0.5, 0.0, 0.0), Part(0.5, 0.0, 1.0))
    ),
}
DELTAS = (0.1, 0.05, 0.01)
RESOLUTION = 8
OTHER_RESOLUTIONS = (1, 2, 64)
HORIZON, QUICK_HORIZON = 1_000_000, 10_000
LONG_HORIZON, LONG_MEAN = 10_000_000, 0.01
WALKS, QUICK_WALKS = 1000, 100
BLOCK = 100
POINTS_A_DECADE = 4


def law_of(name: str, mean: float) -> VoteLaw:
    """The law of that name; the first two kinds have any mean."""
    if name == BINARY:
        return VoteLaw.bernoulli(mean)
    if name == THREE_LEVELS:
        middle = 4 * (1 - VARIANCE_SHARE) * mean * (1 - mean)
        top = mean - middle / 2
        return VoteLaw.levels([0.0, 0.5, 1.0], [1 - middle - top, middle, top])
    return OTHER_LAWS[name]


def plan_crossings(study: str, bound: str, options: Options) -> StudyPlan:
    """Every law, mean, side and delta; for 0 and 1 at mean 1/2 also other N and a longer time."""
    horizon = QUICK_HORIZON if options.quick else HORIZON
    walks = options.repeat(WALKS, QUICK_WALKS)
    cases = _cases(horizon, quick=options.quick)
    cases += [
        _case(name, law.mean, RESOLUTION, horizon) | {"first": first, "end": end}
        for name, law in OTHER_LAWS.items()
        if law.lattice is None
        for first, end in blocks(walks, BLOCK)
    ]
    parts: list[Record] = [
        {"study": study, "bound": bound, "seed": options.seed, **case, "delta": delta, "side": side}
        for case in cases
        for delta in DELTAS
        for side in ("upper", "lower")
    ]
    settings = {"bound": bound, "horizon": horizon, "walks": walks, "deltas": list(DELTAS)}
    return StudyPlan(settings, parts, weights=[_weight(part) for part in parts])


def _cases(horizon: int, *, quick: bool) -> list[Record]:
    """The cases whose probability is computed exactly."""
    cases = [
        _case(law, mean, RESOLUTION, horizon)
        for law, means in ((BINARY, BINARY_MEANS), (THREE_LEVELS, THREE_LEVEL_MEANS))
        for mean in (means[1::2] if quick else means)
    ]
    cases += [
        _case(name, law.mean, RESOLUTION, horizon)
        for name, law in OTHER_LAWS.items()
        if law.lattice is not None
    ]
    cases += [_case(BINARY, 0.5, resolution, horizon) for resolution in OTHER_RESOLUTIONS]
    if not quick:
        cases.append(_case(BINARY, LONG_MEAN, RESOLUTION, LONG_HORIZON))
    return cases


def _case(law: str, mean: float, resolution: int, horizon: int) -> Record:
    return {"law": law, "mean": mean, "N": resolution, "horizon": horizon}


def _weight(part: Record) -> float:
    """About how many nanoseconds a part takes."""
    horizon = float(part["horizon"])
    if "first" in part:
        return 2.5 * horizon * int(part["end"] - part["first"])
    lattice = law_of(part["law"], part["mean"]).lattice
    levels = len(lattice.chances) if lattice else 2
    mean = float(part["mean"])
    spread = math.sqrt(mean * (1 - mean))
    return horizon * (200 + (levels - 1) * levels * spread * math.sqrt(horizon))


def work(shared: Any, part: Record) -> Record:
    """The probability of a crossing by each checkpoint, or how many walks had crossed."""
    law = law_of(part["law"], part["mean"])
    bound = bounds.get(part["bound"], N=part["N"])
    times = checkpoints(part["horizon"])
    if "first" not in part:
        found = exact_crossing(
            bound, law, part["delta"], side=part["side"], horizon=part["horizon"], checkpoints=times
        )
        return {"probability": found.probability.tolist(), "lost": float(found.lost[-1])}
    walks = range(part["first"], part["end"])
    first = simulate_crossing(
        bound, law, part["delta"], side=part["side"], horizon=part["horizon"], walks=walks,
        seed=part["seed"],
    )  # fmt: skip
    return {"crossed": [int(((first > 0) & (first <= time)).sum()) for time in times]}


def checkpoints(horizon: int) -> list[int]:
    """Times in equal ratios from 1 to the horizon.

    >>> checkpoints(100)
    [1, 2, 3, 6, 10, 18, 32, 56, 100]
    """
    decades = np.log10(horizon)
    times = np.round(np.logspace(0, decades, round(POINTS_A_DECADE * decades) + 1))
    return [int(time) for time in np.unique(times)]


def crossing_rows(plan: StudyPlan, results: Sequence[Record]) -> list[dict[str, Any]]:
    """A row for each case and checkpoint, with exact limits where walks were simulated."""
    rows: list[dict[str, Any]] = []
    crossed: dict[tuple[Any, ...], np.ndarray[Any, np.dtype[np.int64]]] = {}
    for part, result in zip(plan.parts, results, strict=True):
        case = {name: part[name] for name in ("law", "mean", "N", "delta", "side", "horizon")}
        if "probability" in result:
            limits = np.array(result["probability"])
            rows += _rows(case, "exact", limits, limits, limits + result["lost"])
        else:
            key = tuple(case.items())
            crossed[key] = crossed.get(key, 0) + np.array(result["crossed"])
    walks = plan.settings["walks"]
    for key, hits in crossed.items():
        low, high = exact_limits(hits, walks)
        rows += _rows(dict(key), f"{walks:,} walks", hits / walks, low, high)
    return rows


def _rows(case: Record, method: str, probability: Any, low: Any, high: Any) -> list[dict[str, Any]]:
    return [
        case
        | {
            "method": method,
            "votes": time,
            "probability": float(probability[k]),
            "low": float(low[k]),
            "high": float(high[k]),
            "share_of_delta": float(probability[k]) / case["delta"],
        }
        for k, time in enumerate(checkpoints(case["horizon"]))
    ]


def at_horizon(rows: Sequence[Record]) -> list[dict[str, Any]]:
    """The rows of the last checkpoints."""
    return [dict(row) for row in rows if row["votes"] == row["horizon"]]


def guarantee_claim(rows: Sequence[Record], theorem: str) -> Claim:
    """The theorem's promise against every case."""
    last = at_horizon(rows)
    exact = [row for row in last if row["method"] == "exact"]
    walked = [row for row in last if row["method"] != "exact"]
    worst = max(exact, key=lambda row: row["high"] / row["delta"])
    simulated = max(walked, key=lambda row: row["probability"] / row["delta"])
    walks = (
        f"it is at most {simulated['share_of_delta']:.2g} δ"
        if simulated["probability"] > 0
        else "no walk crossed it"
    )
    # A simulated share above delta may be chance; its lower limit above delta is not.
    broken = [row for row in exact if row["probability"] > row["delta"]]
    broken += [row for row in walked if row["low"] > row["delta"]]
    return Claim(
        f"{theorem}: whatever the law and the mean are, the probability that the bound is ever "
        "crossed is at most δ, on either side",
        f"In {len(exact)} cases computed exactly, the probability of a crossing within "
        f"{worst['horizon']:,} votes is at most {worst['share_of_delta']:.2g} δ (votes of "
        f"{worst['law']}, mean {worst['mean']:g}, N = {worst['N']}, δ = {worst['delta']:g}, "
        f"{worst['side']} side). In {len(walked)} simulated cases {walks}.",
        [not broken],
    )


def crossing_tables(rows: Sequence[Record]) -> list[StudyTable]:
    """What the page shows, at one delta, and all numbers."""
    shown = ("law", "mean", "N", "side", "votes", "method", "probability", "low", "high")
    brief = [
        {name: row[name] for name in shown} for row in at_horizon(rows) if row["delta"] == DELTAS[0]
    ]
    caption = (
        f"The probability that the bound is crossed by the last vote, at δ = {DELTAS[0]:g}. Low "
        "and high are 95 % limits where walks were simulated."
    )
    return [
        StudyTable("horizon", brief, caption),
        StudyTable("crossings", list(rows), on_page=False),
    ]


def crossing_caption(theorem: str) -> str:
    """What the figure shows."""
    return (
        f"The probability that {theorem}'s bound is crossed, as a share of the promised δ. Above: "
        "for votes of 0 and 1, as the votes come, computed exactly. Below: for every law, by the "
        "last vote. Simulated laws have exact 95 % limits, which begin at the left end where no "
        "walk crossed. Shares below 10⁻⁶ are not drawn. The right end is the promise."
    )


def crossing_figure(rows: Sequence[Record]) -> Callable[[], Any]:
    """The figure of both theorems."""

    def draw() -> Any:
        from plaudit.charts.crossings import crossing_chart

        curves = [row for row in rows if row["law"] == BINARY and row["N"] == RESOLUTION]
        return crossing_chart(curves, [row for row in at_horizon(rows) if row["N"] == RESOLUTION])

    return draw
