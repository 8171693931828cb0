"""Figure 2: how soon the best caption of two real contests is found, on bootstrapped votes."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from plaudit.datasets import VoteTable, contest_profile
from plaudit.datasets.catalogue import SYNTHETIC
from plaudit.simulation.profiles import Profile
from plaudit.studies.contests.tables import STAND_IN, best_of, count_copies, load_some, shorten
from plaudit.studies.figure_2.claims import COMPARABLE, MARKED, contest_claims
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
from plaudit.studies.study import Findings, Options, Record, Study, StudyPlan, StudyTable

# The paper's two contests: their files, and votes enough for every bound to reach 95 %.
CONTESTS = {"contest 558": ("558_LilUCB", 350_000), "contest 512": ("512_LilUCB", 70_000)}
SYNTHETIC_HORIZON = 150_000
REPETITIONS, QUICK_REPETITIONS = 250, 6
QUICK_SHARE = 0.4


def prepare(options: Options) -> StudyPlan:
    """Both contests, or the synthetic one for what is missing; three bounds, two samplings."""
    found = load_some([stem for stem, _ in CONTESTS.values()], data=options.data)
    names = {stem: panel for panel, (stem, _) in CONTESTS.items()} | {SYNTHETIC: SYNTHETIC}
    panels, facts = [], {}
    for stem, table in found.tables.items():
        panel = names[stem]
        panels.append(_panel(panel, table, quick=options.quick))
        facts[panel] = _facts(stem, table)
    settings: Record = {
        "rewards": "1 for a vote of at least “somewhat funny”, else 0",
        "contests": facts,
        "missing": found.missing,
    }
    repetitions = options.repeat(REPETITIONS, QUICK_REPETITIONS)
    return plan_finding(
        "figure-2", panels, repetitions=repetitions, seed=options.seed, settings=settings
    )


def _panel(name: str, table: VoteTable, *, quick: bool) -> Panel:
    horizon = CONTESTS[name][1] if name in CONTESTS else SYNTHETIC_HORIZON
    profile, _ = contest_profile(table, binary=True)
    return Panel(name, profile, int(horizon * (QUICK_SHARE if quick else 1.0)))


def _facts(stem: str, table: VoteTable) -> Record:
    profile, rows = contest_profile(table, binary=True)
    best = best_of(profile)
    row = int(rows[best["row"]])
    return {
        "file": stem,
        "items": len(rows),
        "votes_collected": int(table.votes.sum()),
        "best_mean": best["mean"],
        "items_with_it": best["tied"],
        "next_mean": best["next"],
        "votes_on_best": int(table.votes[row]),
        "best_caption": shorten(table.items[row]),
        "its_copies": count_copies(table, row),
    }


def conclude(plan: StudyPlan, results: Sequence[Record]) -> Findings:
    """The two sentences of Section 5 and the two best means against the contests."""
    curves = found_curves(plan, results)
    facts = plan.settings["contests"]
    stands_in = f"{STAND_IN} " if SYNTHETIC in facts else ""
    return Findings(
        claims=contest_claims(curves, facts, plan.settings["repetitions"]),
        tables=[
            StudyTable("contests", [{"panel": panel, **fact} for panel, fact in facts.items()],
                  "The contests, with votes of 0 and 1."),
            *finding_tables(curves),
        ],
        chart=lambda: finding_chart(curves, plan.shared),
        figure_caption=(
            f"{stands_in}The probability that the best caption is among the five with the largest "
            "means so far, with votes drawn from the contest's own. "
            f"{figure_words(plan.settings['repetitions'])}"
        ),
        notes=list(_notes(plan, curves)),
    )  # fmt: skip


def _notes(plan: StudyPlan, curves: Sequence[FoundCurve]) -> Iterator[str]:
    if SYNTHETIC in plan.settings["contests"]:
        yield f"**{STAND_IN}**"
        yield from (f"{name}: {why}" for name, why in plan.settings["missing"].items())
    low, high = COMPARABLE
    yield (
        f"Two bounds do about as well if one needs {low:g} to {high:g} times the votes of the "
        f"other. KL is markedly better if it needs less than {MARKED:g} times. This is checked "
        "with UCB sampling, against SG1 and SG2, at 50, 80, 90 and 95 %, for both ways to rank "
        "equal means: sixteen checks."
    )
    yield from _below_notes(curves, plan.shared)
    yield (
        "Votes on a caption are drawn from the votes that it really got, as if their frequencies "
        "were the truth. Where the best caption has few votes, as in contest 512, its mean is "
        "partly luck: another crowd would choose another caption. Captions with the same text stay "
        "items of their own."
    )


def _below_notes(curves: Sequence[FoundCurve], profiles: Mapping[str, Profile]) -> Iterator[str]:
    for panel, profile in profiles.items():
        if profile.means.min() == np.median(profile.means):
            yield f"{panel}: no caption is below the median, as half of them have the lowest mean."
            continue
        yield from (
            f"{panel}, {row['rule']}: of KL's votes until 95 %, "
            f"{100 * row['KL_votes_below_median']:.0f} % went to captions below the median."
            for row in level_rows(curves)
            if (row["panel"], row["probability"], row["ties"]) == (panel, 0.95, TIES[0])
            and row["KL_votes_below_median"] is not None
        )


STUDY = Study(
    "figure-2",
    "With each of three bounds: how many votes does it take until the best caption of a real "
    "contest is among the five with the largest means so far?",
    prepare,
    work,
    conclude,
)
