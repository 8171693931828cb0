"""Past contests: which races are run, how their numbers are read, and what is concluded."""

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from plaudit.datasets import contest_profile, load_contest, synthetic_contest
from plaudit.errors import DataUnavailable, InvalidInput
from plaudit.race import Race
from plaudit.race.algorithms import PUBLISHED
from plaudit.simulation import Profile, SimulatedRace
from plaudit.simulation.seeds import seed_at
from plaudit.studies import contests
from plaudit.studies.contests import STUDY, contest_facts
from plaudit.studies.contests import tables as contest_tables
from plaudit.studies.contests.claims import general_claims
from plaudit.studies.contests.page import _collected_note, _soonest_note
from plaudit.studies.contests.races import Effort, race_parts
from plaudit.studies.contests.rows import algorithm_rows, matrix, say
from plaudit.studies.contests.tables import STAND_IN
from plaudit.studies.output import write_findings
from plaudit.studies.study import Options, StudyPlan
from support.small_contests import easy_counts, write_contest

CONTESTS = Path(__file__).resolve().parents[3] / "shared" / "caption-contests"
needs_contests = pytest.mark.skipif(
    not (CONTESTS / "686.csv").exists(), reason=f"the caption contests are not at {CONTESTS}"
)
WITHOUT_EPSILON = {"lil-ucb", "lil-ucb-heuristic"}


def outcome(plan):
    """The findings of a plan, its results as they come back from the journal."""
    results = [json.loads(json.dumps(STUDY.work(plan.shared, part))) for part in plan.parts]
    return STUDY.conclude(plan, results)


def table_of(findings, name):
    return next(table for table in findings.tables if table.name == name).rows


@pytest.fixture
def small(tmp_path, monkeypatch) -> Path:
    """A folder of three small contests, and short races."""
    monkeypatch.setattr(contests, "FIND_CAP", 3000)
    monkeypatch.setattr(contests, "CERTIFY_CAP", 6000)
    for stem, items in (("600", 12), ("601", 9), ("602", 15)):
        write_contest(tmp_path, stem, easy_counts(items, best="Best | <i>of all</i> " + "x" * 80))
    return tmp_path


def test_a_small_run_from_end_to_end(small, tmp_path):
    options = Options(repetitions=8, data=small)
    plan = STUDY.prepare(options)
    findings = outcome(plan)
    rows = {(row["contest"], row["algorithm"]): row for row in table_of(findings, "algorithms")}
    assert set(rows) == {(c, a) for c in ("600", "601", "602") for a in PUBLISHED}
    assert rows["600", "lil-klucb"]["find_races"] == 8
    assert rows["600", "lil-klucb"]["certify_races"] == 2
    assert rows["600", "lil-klucb"]["certify"] == "measured"
    assert rows["600", "lil-klucb"]["find_votes"] < rows["600", "lil-klucb"]["certify_votes"]
    assert rows["600", "lil-klucb"]["certify_right"] == 2
    for contest in ("600", "601", "602"):
        for algorithm in PUBLISHED:
            row = rows[contest, algorithm]
            assert (row["certify"] == "cannot") == (algorithm in WITHOUT_EPSILON)
            assert "not run" not in (row["find"], row["certify"])
            assert row["find_races"] == 8
            assert row["certify_races"] == (0 if algorithm in WITHOUT_EPSILON else 2)
    out = tmp_path / "out"
    out.mkdir()
    write_findings(STUDY, options, plan, findings, out)
    page = (out / "page.md").read_text("utf-8")
    assert "Best \\| <i>of all</i> xxx" in page
    assert "x" * 40 + "…" not in page
    assert STAND_IN not in page
    assert "cannot" in page
    assert {path.stem for path in out.glob("*.csv")} == {
        "contests", "find", "certify", "algorithms",
    }  # fmt: skip
    assert (out / "figure.svg").stat().st_size > 10_000


def test_a_certifying_part_is_the_race_of_its_seed(small):
    plan = STUDY.prepare(Options(repetitions=8, data=small, seed=3))
    part = next(
        part
        for part in plan.parts
        if part["address"][1:] == ["601", "certify", "ucb"] and part["first"] == 1
    )
    profile, _ = contest_profile(load_contest("601", data=small))
    seed = seed_at(3, "contests", "601", "certify", "ucb", 1)
    race = SimulatedRace(profile, seed=seed, algorithm="ucb", delta=0.01, epsilon=0.05)
    expected = race.run(max_votes=6000)
    assert STUDY.work(plan.shared, part)["votes"] == expected.votes
    assert part["profile"] == profile.fingerprint


def test_the_votes_have_three_levels_and_races_that_find_have_no_slack(small):
    plan = STUDY.prepare(Options(repetitions=2, data=small))
    assert all(p.values.tolist() == [0.0, 0.5, 1.0] for p in plan.shared.values())
    slack = {(part["address"][2], part["epsilon"]) for part in plan.parts}
    assert slack == {("find", 0.0), ("certify", 0.05)}
    assert {part["delta"] for part in plan.parts} == {0.01}


def test_every_algorithm_runs_on_every_contest_the_longest_first():
    profiles = {
        name: Profile.bernoulli(np.linspace(0.9, 0.1, items))
        for name, items in (("large", 9), ("small", 3))
    }
    parts = race_parts(profiles, Effort(6, 10**6, 4, 2 * 10**6), seed=0)
    races = Counter()
    for part in parts:
        races[tuple(part["address"][1:])] += part["end"] - part["first"]
    expected = {(name, "find", algorithm): 6 for name in profiles for algorithm in PUBLISHED}
    able = [algorithm for algorithm in PUBLISHED if algorithm not in WITHOUT_EPSILON]
    expected |= {(name, "certify", algorithm): 4 for name in profiles for algorithm in able}
    assert races == expected
    finding = [p for p in parts if p["address"][1:] == ["large", "find", "uniform"]]
    assert [(p["first"], p["end"]) for p in finding] == [(0, 4), (4, 6)]
    moving = [part["address"][-1] in ("lucb", "kl-lucb") for part in parts]
    assert moving == sorted(moving, reverse=True)


def test_which_contests_are_run(small):
    every = STUDY.prepare(Options(data=small, repetitions=1))
    assert list(every.shared) == ["600", "601", "602"]
    assert list(STUDY.prepare(Options(data=small, quick=True)).shared) == ["601", "602"]
    named = STUDY.prepare(Options(data=small, quick=True, contests=("600", "Synthetic")))
    assert list(named.shared) == ["600", "synthetic"]
    with pytest.raises(DataUnavailable, match="no contest '558'"):
        STUDY.prepare(Options(data=small, contests=("558",)))


def test_a_number_with_two_files_must_be_told_apart(small):
    for rule in ("LilUCB", "RoundRobin"):
        write_contest(small, f"512_{rule}", easy_counts(5))
    with pytest.raises(InvalidInput, match="Name one of them"):
        STUDY.prepare(Options(data=small, contests=("512",)))
    named = STUDY.prepare(Options(data=small, contests=("512_roundrobin",), repetitions=1))
    assert list(named.shared) == ["512_RoundRobin"]


def test_a_file_that_is_no_contest_is_left_out_and_said_so(small):
    (small / "notes.csv").write_text("a,b\n1,2\n")
    plan = STUDY.prepare(Options(data=small, repetitions=1))
    assert list(plan.shared) == ["600", "601", "602"]
    findings = outcome(plan)
    assert any(note.startswith("Left out: notes.") for note in findings.notes)
    assert not any(STAND_IN in note for note in findings.notes)


def test_without_files_the_made_up_contest_is_run_and_nothing_is_tested(small, monkeypatch):
    monkeypatch.setattr(contest_tables, "list_contests", lambda *, data=None: ())
    monkeypatch.setattr(contest_tables, "load_contest", lambda name, *, data=None: easy(name))
    plan = STUDY.prepare(Options(repetitions=2))
    assert list(plan.shared) == ["synthetic"]
    findings = outcome(plan)
    assert {claim.agreement for claim in findings.claims} == {"not tested"}
    assert findings.figure_caption.startswith(STAND_IN)
    assert STAND_IN in findings.notes[0]


def easy(name):
    assert name == "synthetic"
    return synthetic_contest(8)


def test_the_real_votes_certify_what_a_race_of_them_does(small):
    table = load_contest("600", data=small)
    facts = contest_facts(table)
    verdict = Race.from_votes(table.votes, table.totals, delta=0.01, epsilon=0.05).verdict()
    assert facts["smallest_epsilon"] == pytest.approx(max(0.0, verdict.gap))
    assert facts["votes_collected"] == table.votes.sum()
    assert (facts["best_mean"], facts["binary_mean"]) == (0.8, 0.9)
    many = type(table)(
        table.items, 100 * table.votes, 100 * table.totals, 100 * table.levels, table.scale
    )
    assert contest_facts(many)["smallest_epsilon"] == 0.0


@needs_contests
def test_what_real_contests_certify_of_themselves():
    facts = {
        name: contest_facts(load_contest(name, data=CONTESTS)) for name in ("686", "729", "831")
    }
    smallest = [fact["smallest_epsilon"] for fact in facts.values()]
    assert smallest == pytest.approx([0.0206, 0.0, 0.0588], abs=1e-4)
    assert facts["686"]["best_caption"].startswith("Oh sure, when a MAN does it")
    assert facts["686"]["binary_mean"] == pytest.approx(0.7526, abs=1e-4)


# Numbers


def part_of(kind, algorithm, first, end, cap=100):
    address = ["contests", "c", kind, algorithm]
    return {"address": address, "first": first, "end": end, "cap": cap}


def rows_of(parts, results):
    plan = StudyPlan({}, parts, {"c": None})
    return {row["algorithm"]: row for row in algorithm_rows(plan, results)}


def test_votes_to_find_are_those_of_nine_races_in_ten():
    parts = [part_of("find", "ucb", 0, 4), part_of("find", "ucb", 4, 10)]
    results = [
        {"found": [0, 1, 1, 1], "found_voted": [1, 3, 4, 4], "votes": [40, 80, 160, 320]},
        {"found": [0, 1, 1, 1], "found_voted": [0, 4, 5, 6], "votes": [60, 120, 240, 480]},
    ]
    row = rows_of(parts, results)["ucb"]
    # 1, 7, 9 and 10 of ten at 10, 20, 40 and 80 votes.
    assert row["find_votes"] == pytest.approx(40.0)
    assert row["find_votes_ties_random"] is None
    assert row["find_low"] < 40.0
    assert row["find_high"] is None
    assert (row["find"], row["find_races"]) == ("measured", 10)
    results[0]["found_voted"] = [0, 0, 0, 0]
    row = rows_of(parts, results)["ucb"]
    assert say(row, "find") == "> 100"


def certify_results(*votes):
    return [
        {"stopped": v is not None, "votes": v or 100, "correct": v != 13, "gap": 0.1} for v in votes
    ]


@pytest.mark.parametrize(
    ("votes", "said", "right"),
    [((30, 13, 50), "30", 2), ((30, None, 50), "50", 2), ((None, None, 50), "> 100", 1)],
)
def test_a_race_that_was_cut_needs_more_than_any_other(votes, said, right):
    parts = [part_of("certify", "uniform", k, k + 1) for k in range(3)]
    row = rows_of(parts, certify_results(*votes))["uniform"]
    assert say(row, "certify") == said
    assert row["certify_right"] == right
    assert row["certify_stopped"] == sum(v is not None for v in votes)
    assert row["certify_most"] == (None if None in votes else 50.0)


def test_nothing_is_left_out_silently():
    rows = rows_of([part_of("certify", "uniform", 0, 1)], certify_results(30))
    (line,) = matrix(list(rows.values()), "certify")
    assert list(line) == ["contest", *PUBLISHED]
    assert {name for name, text in line.items() if text == "cannot"} == WITHOUT_EPSILON
    assert line["lil-klucb"] == "not run"


# Claims


def made_rows(ours, kl_lucb, lucb_plus):
    """Rows of contests a, b, ...: votes to certify; inf where cut at 100, None where not run."""
    rows = []
    for k in range(len(ours)):
        for name, votes in (("lil-klucb", ours), ("kl-lucb", kl_lucb), ("lucb++", lucb_plus)):
            state = "not run" if votes[k] is None else "measured"
            state = "more than" if votes[k] == math.inf else state
            number = votes[k] if state == "measured" else None
            rows.append({"contest": "abcd"[k], "algorithm": name, "certify": state,
                         "certify_votes": number, "certify_cap": 100})  # fmt: skip
    return rows


def facts_of(*means):
    return {"abcd"[k]: {"binary_mean": mean} for k, mean in enumerate(means)}


@pytest.mark.parametrize(
    ("means", "agreement"),
    [
        ((0.5, 0.6, 0.85, 0.9), "agrees"),
        ((0.49, 0.6, 0.85, 0.9), "differs"),
        ((0.49, 0.4, 0.86, 0.7), "differs"),
    ],
)
def test_the_best_means_are_usually_in_the_papers_span(means, agreement):
    claim = general_claims([], facts_of(*means))[0]
    assert claim.agreement == agreement
    assert ("d 0.9" in claim.measured) == (means[3] == 0.9)


def test_fewer_votes_than_the_others():
    rows = made_rows([20, 20, math.inf], [40, math.inf, 50], [10, 40, 50])
    _, against_kl, against_sg = general_claims(rows, facts_of(0.5, 0.5, 0.5))
    assert against_kl.agreement == "agrees"
    assert "a 50 %, b at most 20 %." in against_kl.measured
    assert against_sg.agreement == "agrees"
    assert "a 200 %, b 50 %." in against_sg.measured
    rows = made_rows([20, 60], [40, 50], [10, 40])
    _, against_kl, against_sg = general_claims(rows, facts_of(0.5, 0.5))
    assert (against_kl.agreement, against_sg.agreement) == ("agrees in part", "differs")


def test_where_nothing_was_run_nothing_is_tested():
    rows = made_rows([20], [None], [30])
    assert general_claims(rows, facts_of(0.5))[1].agreement == "not tested"
    made_up = [row | {"contest": "synthetic"} for row in made_rows([20], [40], [30])]
    claims = general_claims(made_up, {"synthetic": {"binary_mean": 0.5}})
    assert {claim.agreement for claim in claims} == {"not tested"}


# Notes


def test_who_certifies_soonest():
    rows = made_rows([40, 40, math.inf], [20, 50, 10], [None, 60, 5])
    (note,) = _soonest_note(rows)
    assert note.startswith("kl-lucb needs the fewest votes to certify on 1 of 2 contests")
    assert note.endswith("Its median share of lil-klucb's votes is 88 %.")
    assert list(_soonest_note(made_rows([math.inf], [20], [10]))) == []


def test_votes_enough_and_votes_well_spread():
    facts = {
        name: {"votes_collected": votes, "smallest_epsilon": smallest}
        for name, votes, smallest in (("a", 40, 0.2), ("b", 39, 0.049), ("c", 10**9, 0.05))
    }
    (note,) = _collected_note(made_rows([40, 40, math.inf], [1, 1, 1], [1, 1, 1]), facts)
    assert note.startswith("Of 3 contests, 1 collected as many votes as lil-klucb needs")
    assert note.endswith("1 can be certified so.")
