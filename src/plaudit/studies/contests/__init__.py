"""Past contests: for each algorithm, votes to find the best caption and to certify it."""

from collections.abc import Sequence

from plaudit.datasets import VoteTable, contest_profile
from plaudit.race import Race
from plaudit.studies.contests.claims import general_claims
from plaudit.studies.contests.page import (
    contest_caption,
    contest_chart,
    contest_notes,
    contest_tables,
)
from plaudit.studies.contests.races import (
    DELTA,
    EPSILON,
    NAME,
    SHOWN,
    Effort,
    race_parts,
    seconds_of,
    work,
)
from plaudit.studies.contests.rows import algorithm_rows
from plaudit.studies.contests.tables import Contests, best_of, load_named, load_present, shorten
from plaudit.studies.study import Findings, Options, Record, Study, StudyPlan

REPETITIONS, QUICK_REPETITIONS, QUICK_CONTESTS = 20, 4, 2
FIND_CAP, QUICK_FIND_CAP = 1_000_000, 300_000
# The largest contests collected a little more.
CERTIFY_CAP, QUICK_CERTIFY_CAP = 2_000_000, 1_000_000
# Certifying takes about the same number of votes in every race; a quarter of the races will do.
FIND_RACES_FOR_ONE = 4


def prepare(options: Options) -> StudyPlan:
    """The contests that were named, or all at hand; every algorithm on each."""
    contests = _contests(options)
    profiles = {name: contest_profile(table)[0] for name, table in contests.tables.items()}
    effort = _effort(options)
    parts = race_parts(profiles, effort, options.seed)
    settings: Record = {
        "delta": DELTA,
        "epsilon": EPSILON,
        "shown": SHOWN,
        "votes": "0, 1/2 and 1, drawn from the contest's own",
        "repetitions": effort.find_races,
        "certifying_races": effort.certify_races,
        "find_cap": effort.find_cap,
        "certify_cap": effort.certify_cap,
        "contests": {name: contest_facts(table) for name, table in contests.tables.items()},
        "missing": contests.missing,
    }
    return StudyPlan(settings, parts, profiles, [seconds_of(part) for part in parts])


def _contests(options: Options) -> Contests:
    if options.contests:
        return load_named(options.contests, data=options.data)
    return load_present(data=options.data, newest=QUICK_CONTESTS if options.quick else None)


def _effort(options: Options) -> Effort:
    races = options.repeat(REPETITIONS, QUICK_REPETITIONS)
    return Effort(
        find_races=races,
        find_cap=QUICK_FIND_CAP if options.quick else FIND_CAP,
        certify_races=max(1, races // FIND_RACES_FOR_ONE),
        certify_cap=QUICK_CERTIFY_CAP if options.quick else CERTIFY_CAP,
    )


def contest_facts(table: VoteTable) -> Record:
    """What a contest collected, its winner, and what its own votes certify."""
    profile, rows = contest_profile(table)
    best = best_of(profile)
    row = int(rows[best["row"]])
    race = Race.from_votes(
        table.votes, table.totals, algorithm="lil-klucb", delta=DELTA, epsilon=EPSILON
    )
    return {
        "items": len(table.items),
        "votes_collected": int(table.votes.sum()),
        "best_mean": best["mean"],
        "items_with_it": best["tied"],
        "next_mean": best["next"],
        "binary_mean": best_of(contest_profile(table, binary=True)[0])["mean"],
        "votes_on_best": int(table.votes[row]),
        "smallest_epsilon": max(0.0, race.verdict().gap),
        "best_caption": shorten(table.items[row]),
    }


def conclude(plan: StudyPlan, results: Sequence[Record]) -> Findings:
    """What each algorithm needed, beside what each contest collected and can certify."""
    rows = algorithm_rows(plan, results)
    facts = plan.settings["contests"]
    return Findings(
        claims=general_claims(rows, facts),
        tables=contest_tables(rows, plan.settings),
        chart=lambda: contest_chart(rows, facts),
        figure_caption=contest_caption(plan.settings),
        notes=list(contest_notes(rows, plan.settings)),
    )


STUDY = Study(
    NAME,
    "How many votes does each algorithm need to find the best caption of a contest, and how many "
    "to certify it within epsilon?",
    prepare,
    work,
    conclude,
)
