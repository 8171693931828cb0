"""Votes over the floor: the default, an oracle, leaders appointed, learned bets, differences.

Counts, not seconds: the same on every machine. Contests are looked for as `plaudit data` does, so
PLAUDIT_DATA may name their folder. Weights are learned on four contests and judged on four others.
"""

import math
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.report import Report
from plaudit import Bets, PairedRace, learn
from plaudit.datasets import load_contest
from plaudit.scale import THUMBS
from plaudit.simulation import Profile, SimulatedRace
from plaudit.simulation.oracle import OracleRace
from plaudit.studies.fewer_votes.floor import vote_floor_of

LEARNED_ON = ("512_LilUCB", "553", "653", "831")
JUDGED_ON = ("558", "686", "729", "776")
CONTEST_BAR, POWER_BAR, FEW_BAR = 1.5, 2.6, 2.0
DELTA, EPSILON = 0.01, 0.05
FEW = ((0.7, 0.4), (0.6, 0.4), (0.9, 0.1), (0.75, 0.5, 0.25), (0.6, 0.5, 0.4), (0.7, 0.4, 0.4))


def run(quick: bool = False) -> Report:
    """Measures contests, the paper's two profiles, and two or three items."""
    races = 2 if quick else 16
    report = Report("votes", f"votes to a verdict over the floor, total error {DELTA:g}")
    learned = learn(
        [_contest(name) for name in LEARNED_ON], delta=DELTA, epsilon=EPSILON,
        rounds=2 if quick else 12,
    )  # fmt: skip
    for name in JUDGED_ON:
        _compare(report, name, _contest(name), EPSILON, races, learned, CONTEST_BAR)
    for name, power in (("power 1", 1.0), ("power 1/2", 0.5)):
        profile = Profile.power(1000, power)
        _compare(report, name, profile, 0.0, races, None, POWER_BAR)
    for means in FEW:
        _few(report, means, races)
    report.note(f"Bets were learned on {', '.join(LEARNED_ON)}. ± is twice the standard error.")
    report.note("The oracle knows the means and the best bar; its bounds are the default's.")
    return report


def _contest(name: str) -> Profile:
    table = load_contest(name)
    assert table.levels is not None
    assert table.scale is not None
    return Profile.frequencies(table.levels[table.votes > 0], table.scale.values)


def _compare(
    report: Report,
    name: str,
    profile: Profile,
    epsilon: float,
    races: int,
    learned: Bets | None,
    bar: float,
) -> None:
    """The votes of the default, of an oracle, with leaders appointed and with learned bets."""
    floor = vote_floor_of(profile, DELTA, epsilon=epsilon)
    given: dict[str, Any] = {"delta": DELTA, "epsilon": epsilon, "reserve": 0.0}

    def over(kind: type[SimulatedRace], **more: Any) -> list[float]:
        runs = (kind(profile, seed=1000 + seed, **given, **more) for seed in range(races))
        return [run.run().votes / floor for run in runs]

    plain = over(SimulatedRace)
    report.at_most(f"{name}, the default {_noise(plain)}", statistics.mean(plain), bar, "times")
    known = over(OracleRace)
    report.add(f"{name}, asked by an oracle {_noise(known)}", statistics.mean(known), "times")
    fresh = over(SimulatedRace, stopping="fresh")
    said = f"{name}, begun afresh {_noise(fresh)}"
    if learned is None:
        report.add(said, statistics.mean(fresh), "times")
        # With slack on contests it saves nothing.
        lead = over(SimulatedRace, stopping="lead")
        report.at_most(f"{name}, a fresh lead {_noise(lead)}", statistics.mean(lead), bar, "times")
    else:
        report.at_most(said, statistics.mean(fresh), bar, "times")
        ours = over(SimulatedRace, bets=learned)
        report.at_most(f"{name}, learned bets {_noise(ours)}", statistics.mean(ours), bar, "times")


def _few(report: Report, means: Sequence[float], races: int) -> None:
    """The votes on two or three items, by `Race` and by `PairedRace`."""
    profile = Profile.bernoulli(means)
    floor = vote_floor_of(profile, DELTA)
    name = " and ".join(f"{mean:g}" for mean in means)
    many = 8 * races
    runs = (SimulatedRace(profile, seed=seed, delta=DELTA, reserve=0.0) for seed in range(many))
    plain = [run.run().votes / floor for run in runs]
    report.add(f"{name}, the default {_noise(plain)}", statistics.mean(plain), "times")
    paired = [_paired(means, seed) / floor for seed in range(many)]
    said = f"{name}, by differences {_noise(paired)}"
    report.at_most(said, statistics.mean(paired), FEW_BAR, "times")


def _paired(means: Sequence[float], seed: int) -> int:
    """The votes of a paired race whose raters vote independently."""
    generator, votes = np.random.default_rng(seed), 0
    race = PairedRace(len(means), delta=DELTA, seed=seed, scale=THUMBS)
    while shown := race.ask():
        race.tell({item: float(generator.random() < means[item]) for item in shown})
        votes += len(shown)
    return votes


def _noise(values: Sequence[float]) -> str:
    return f"± {2 * statistics.stdev(values) / math.sqrt(len(values)):.2f}"
