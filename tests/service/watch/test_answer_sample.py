"""Of very many answers the dashboard keeps those of every second, fourth, eighth … rater."""

import hashlib
import math
import threading
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from plaudit.service.desk.desk import Desk
from plaudit.service.live.loading import load_contest
from plaudit.service.moderation.docket import Moderation
from plaudit.service.watch.answer_columns import AllColumns, AnswerColumns, Answers, Sample
from plaudit.service.watch.answer_figures import STEP, AnswerFigures, answer_figures
from plaudit.service.watch.dashboard import make_dashboard
from plaudit.service.watch.dashboard_updates import DashboardUpdates
from plaudit.service.watch.rater_sample import Extent, RaterSample, first_step, places_of
from plaudit.service.watch.running_forecasts import RunningForecasts
from plaudit.store import open_store
from plaudit.store.log import ANSWERS, Answer, Kind
from plaudit.web.desk.dashboard_pages import SLOW, fragment_of
from support.live_worker import NAME, Clock, create, working
from support.many_raters import START, VALUES, answers_of_many

ITEMS = 300
# Few answers, so that a contest of some thousand is a long one.
MOST = 500


def figures_of(sample: Sample, excluded=(), now=START) -> AnswerFigures:
    return answer_figures(sample, excluded=excluded, values=VALUES, now=now)


def sampled(answers: Answers, step: int) -> Sample:
    there = places_of(answers.rater, step)
    return Sample(Answers._make(column[there] for column in answers), step)


# Figures


@pytest.mark.parametrize(
    ("excluded", "digest"),
    [
        ((), "bd6eaf636149ce7148ddfa42ca0f4556c9469b0c01b215cf4a7e534bcfe32657"),
        ((5, 17, 800), "1c868a13a63622c61294998ddad303eb6e043d0a2357c6484417e8c21994175e"),
    ],
)
def test_figures_of_all_answers_are_what_they_were_before_there_were_samples(excluded, digest):
    found = figures_of(Sample(answers_of_many(3, raters=900), 1), excluded)
    names = ("votes", "raters", "votes_a_minute", "raters_lately", "last_at", "response_ms")
    shown = repr([getattr(found, name) for name in (*names, "charts")])
    assert hashlib.sha256(shown.encode()).hexdigest() == digest


# Beyond so many standard deviations chance goes once in 1.7 million times. A sample is compared in
# about 150 numbers, and there are six: by chance alone this fails with about one in 2,000 choices
# of seeds. They are fixed, and with these nothing fails.
FAR = 5.0


def _spread(numbers, step):
    """The standard deviation of a total that is estimated from every `step`-th of these."""
    return math.sqrt((step - 1) * len(numbers)) * float(np.std(numbers))


def disagreements(answers: Answers, sample: Sample, step: int) -> list[str]:
    """Where the figures of a sample are farther from those of all than chance goes."""
    now = int(answers.at.max())
    wanted, found = (figures_of(one, now=now) for one in (Sample(answers, 1), sample))
    votes = answers.kind == Kind.VOTE
    wrong = []

    def compare(what, one, other, usual):
        if one is None or abs(one - other) > FAR * usual + 1e-4:
            wrong.append(f"{what}: {one} for {other}, {usual} is usual")

    compare("votes", found.votes, wanted.votes, _spread(_votes_each(answers, votes), step))
    # Every step-th of those who came: at most one step is missing.
    compare("raters", found.raters, wanted.raters, step / FAR)
    usual = math.sqrt((step - 1) * wanted.raters_lately)
    compare("lately", found.raters_lately, wanted.raters_lately, usual)
    took = answers.response_ms[votes & (answers.response_ms >= 0)]
    for share, value in zip((0.1, 0.5, 0.9), found.response_ms, strict=True):
        compare("quantile", float(np.mean(took <= value)), share, 0.5 / math.sqrt(took.size / step))
    for chart, other in zip(wanted.charts, found.charts, strict=True):
        rows = {row[0]: row for row in other.rows}
        for row in chart.rows:
            place, usual = _usual(answers, chart, row, rows.get(row[0]), step)
            if place:
                there = rows.get(row[0], [None] * 9)[place]
                compare(f"{chart.name} {row[0]}", there, row[place], usual)
    return wrong + _bands(wanted, found, step)


def _votes_each(answers, there):
    return np.bincount(answers.rater[there], minlength=int(answers.rater.max()) + 1)


def _usual(answers, chart, row, other, step):
    """The place in a row of a chart that is compared, and how far chance usually goes."""
    if chart.name == "pace":
        width = chart.rows[1][0] - chart.rows[0][0]
        inside = (answers.at >= row[0]) & (answers.at < row[0] + width)
        inside &= answers.kind == Kind.VOTE
        return 2, _spread(_votes_each(answers, inside), step)
    if chart.name == "raters":
        # They are numbered as they come, but a first answer may be a skip.
        return 1, step
    if chart.name == "visits":
        return 1, math.sqrt((step - 1) * row[1])
    if chart.name == "times":
        # A rater's times are nearly independent.
        return 1, 1.5 * math.sqrt((step - 1) * max(row[1], 1))
    if other is None or other[2] is None or other[4] < 100 * step:
        return 0, 0.0
    return 1, (other[3] - other[2]) / (2 * 1.96)


def _bands(wanted, found, step):
    """Bands are wider by the root of the step: the sample has so many times fewer raters."""
    wrong = []
    for name in ("scores", "drift"):
        one, other = (
            {
                r[0]: r[3] - r[2]
                for c in figures.charts
                if c.name == name
                for r in c.rows
                if r[2] is not None and r[4] >= 500
            }
            for figures in (wanted, found)
        )
        ratios = [other[begin] / one[begin] for begin in one.keys() & other.keys()]
        if not ratios:
            wrong.append(f"bands of {name}: none at a time that has one")
            continue
        ratio = float(np.median(ratios)) / math.sqrt(step)
        if not 0.8 < ratio < 1.25:
            wrong.append(f"bands of {name}: {ratio}")
    return wrong


@pytest.mark.parametrize("step", [2, 4, 8])
@pytest.mark.parametrize("seed", [1, 2])
def test_figures_of_a_sample_are_those_of_all_but_for_chance(seed, step):
    answers = answers_of_many(seed)
    assert disagreements(answers, sampled(answers, step), step) == []


def test_the_comparison_finds_planted_bugs():
    answers, step = answers_of_many(1), 4
    whole = sampled(answers, step)
    assert len(disagreements(answers, whole._replace(step=1), step)) > 30, "counts as they are"
    early = np.flatnonzero(answers.rater < answers.rater.max() / step)
    first = Sample(Answers._make(column[early] for column in answers), step)
    assert len(disagreements(answers, first, step)) > 30, "the first raters for all"
    torn = Sample(Answers._make(column[::step] for column in answers), step)
    told = disagreements(answers, torn, step)
    assert any(one.startswith("raters:") for one in told), "single answers, of nearly all raters"
    assert any(one.startswith("bands of drift") for one in told), "which makes bands too narrow"


def test_counts_are_the_samples_times_its_step_and_all_else_is_the_samples():
    answers = answers_of_many(6, raters=500)
    once, four = (figures_of(Sample(answers, step)) for step in (1, 4))
    assert (once.step, four.step) == (1, 4)
    for name in ("votes", "raters", "votes_a_minute", "raters_lately"):
        assert 0 < getattr(four, name) == pytest.approx(4 * getattr(once, name))
    assert (four.last_at, four.response_ms) == (once.last_at, once.response_ms)
    counted = {
        "pace": (1, 2), "scores": (4,), "drift": (4,), "raters": (1, 2), "visits": (1,),
        "times": (1,),
    }  # fmt: skip
    for one, other in zip(once.charts, four.charts, strict=True):
        for row, times in zip(one.rows, other.rows, strict=True):
            places = counted[one.name]
            wanted = [4 * cell if k in places else cell for k, cell in enumerate(row)]
            assert list(times) == pytest.approx(wanted, abs=3e-4)


def test_excluded_raters_are_left_out_of_a_sample_too():
    answers = answers_of_many(5, raters=400)
    some = sampled(answers, 4)
    out = {7, 8, 203}
    left = ~np.isin(some.answers.rater, [7, 203])
    without = Sample(Answers._make(column[left] for column in some.answers), 4)
    assert figures_of(some, out) == figures_of(without)
    assert figures_of(some, out).votes < figures_of(some).votes


# Columns


def written(store, answers: Answers, begin=0, end=None) -> None:
    """Appends answers to the log, as its raters would."""
    rows = [
        Answer(
            int(kind), int(rater).to_bytes(16, "big"), int(item), int(level), 0, int(at), int(took)
        )
        for at, kind, rater, item, level, _, took in zip(
            *(c[begin:end] for c in answers), strict=True
        )
    ]
    for start in range(0, len(rows), 1_000):
        store.append_answers(NAME, rows[start : start + 1_000])


def plain(store, most: int) -> tuple[list[tuple[int, ...]], int]:
    """What is kept of a log, in plain Python, and the step."""
    entries = [entry for entry in store.entries(NAME, limit=10**6) if entry.kind in ANSWERS]
    step = 1
    while sum(entry.rater % step == step - 1 for entry in entries) > most:
        step *= 2
    return [entry[2:8] for entry in entries if entry.rater % step == step - 1], step


def kept(columns: AnswerColumns) -> tuple[list[tuple[int, ...]], int]:
    a = columns.answers
    order = (a.at, a.rater, a.item, a.level, a.lane, a.response_ms)
    return list(zip(*(column.tolist() for column in order), strict=True)), columns.step


def extent_now(store) -> Extent:
    contest = load_contest(store, NAME).contest
    return Extent(contest.position, contest.raters)


@pytest.fixture(scope="module")
def many():
    """Some 8,500 answers of 400 raters."""
    return answers_of_many(7, raters=400)


@pytest.fixture
def store(tmp_path):
    store = open_store(str(tmp_path / "sample.db"))
    create(store, ITEMS)
    yield store
    store.close()


@pytest.fixture(scope="module")
def log(tmp_path_factory, many):
    """A log that no test changes."""
    store = open_store(str(tmp_path_factory.mktemp("sample") / "log.db"))
    create(store, ITEMS)
    written(store, many)
    yield store
    store.close()


def test_thinning_while_following_is_sampling_from_the_start(store, many):
    columns, steps = AnswerColumns(MOST), []
    for begin in range(0, 4_000, 250):
        written(store, many, begin, begin + 250)
        columns.read_on(store, NAME)
        assert kept(columns) == plain(store, MOST)
        steps.append(columns.step)
    assert (steps[0], steps[-1]) == (1, 8)


def test_what_was_handed_out_stays_when_the_rest_is_thinned(store, many):
    columns = AnswerColumns(MOST)
    written(store, many, 0, MOST)
    columns.read_on(store, NAME)
    before, copy = columns.sample, [column.copy() for column in columns.answers]
    written(store, many, MOST, 3 * MOST)
    columns.read_on(store, NAME)
    assert (before.step, columns.step) == (1, 4)
    assert all((one == other).all() for one, other in zip(before.answers, copy, strict=True))


@pytest.mark.parametrize("most", [300, 500, 700, 1_000, 1_500, 2_000, 3_500])
def test_reading_by_raters_is_reading_all_and_thinning(log, most, monkeypatch):
    monkeypatch.setattr("plaudit.service.watch.rater_sample.PAGE", 100)
    columns = AnswerColumns(most)
    columns.read_on(log, NAME, extent_now(log))
    assert kept(columns) == plain(log, most)
    assert columns.step > 1
    assert columns.position == log.contest(NAME).position


class Counting:
    """A store that counts what is read of the log, and lets others append meanwhile."""

    def __init__(self, store, meanwhile=lambda: None):
        self._store = store
        self._meanwhile = meanwhile
        self.by_position = self.by_rater = 0

    def entries(self, name, *, after, limit):
        found = self._store.entries(name, after=after, limit=limit)
        self.by_position += len(found)
        return found

    def answers_of_several(self, name, raters, *, upto):
        self._meanwhile()
        found = self._store.answers_of_several(name, raters, upto=upto)
        self.by_rater += len(found)
        return found


class Careless(Counting):
    """A planted bug: it reads past the extent what comes again by position."""

    def answers_of_several(self, name, raters, *, upto):
        return super().answers_of_several(name, raters, upto=10**9)


def appending(store, many, begin):
    """Appends forty answers at a time, each time that somebody calls it."""
    places = iter(range(begin, len(many.at), 40))

    def append():
        place = next(places, None)
        if place is not None:
            written(store, many, place, place + 40)

    return append


@pytest.mark.parametrize(("kind", "is_sound"), [(Counting, True), (Careless, False)])
def test_answers_that_come_meanwhile_are_there_once(store, many, monkeypatch, kind, is_sound):
    monkeypatch.setattr("plaudit.service.watch.rater_sample.PAGE", 100)
    # Raters come back: the answers that come meanwhile are of those who are being read.
    order = np.random.default_rng(1).permutation(len(many.at))
    many = Answers._make(column[order] for column in many)
    written(store, many, 0, 5_000)
    busy = kind(store, appending(store, many, 5_000))
    columns = AnswerColumns(1_200)
    columns.read_on(busy, NAME, extent_now(store))
    assert store.contest(NAME).position > 5_300, "the log grew while it was read"
    assert (kept(columns) == plain(store, 1_200)) is is_sound
    written(store, many, 6_000, 8_000)
    columns.read_on(store, NAME)
    assert (kept(columns) == plain(store, 1_200)) is is_sound


def test_a_long_log_is_not_read_from_its_beginning(log):
    read = Counting(log)
    columns = AnswerColumns(MOST)
    columns.read_on(read, NAME, extent_now(log))
    assert read.by_position == 0
    assert read.by_rater < 2.5 * MOST < len(log.entries(NAME)) / 5
    # And what most contests have is read as ever.
    read = Counting(log)
    AnswerColumns().read_on(read, NAME, extent_now(log))
    assert (read.by_rater, read.by_position) == (0, log.contest(NAME).position)


def test_columns_that_fell_far_behind_begin_afresh(store, many):
    columns = AnswerColumns(MOST)
    written(store, many, 0, 1_500)
    columns.read_on(store, NAME)
    written(store, many, 1_500, 1_500 + MOST // 2)
    read = Counting(store)
    columns.read_on(read, NAME, extent_now(store))
    assert read.by_rater == 0
    written(store, many, 1_500 + MOST // 2, 8_000)
    columns.read_on(read, NAME, extent_now(store))
    assert read.by_rater
    assert read.by_position == MOST // 2
    assert kept(columns) == plain(store, MOST)


def test_reading_that_is_stopped_or_fails_leaves_nothing_half_read(log, monkeypatch):
    monkeypatch.setattr("plaudit.service.watch.rater_sample.PAGE", 100)
    columns, shares = AnswerColumns(MOST), []

    def fail():
        shares.append(columns.share(9_000))
        if len(shares) == 3:
            raise OSError

    def stop():
        columns.stopped = True

    for meanwhile in (fail, stop):
        try:
            columns.read_on(Counting(log, meanwhile), NAME, extent_now(log))
        except OSError:
            assert meanwhile is fail
        assert (columns.position, len(columns)) == (0, 0)
    assert 0.0 < shares[1] < shares[2] < 1.0
    columns.stopped = False
    columns.read_on(log, NAME, extent_now(log))
    assert kept(columns) == plain(log, MOST)


def test_the_first_step_is_no_larger_than_needed():
    assert [first_step(answers, 100) for answers in (0, 100, 125, 126, 250, 251)] == [
        1, 1, 1, 2, 2, 4,
    ]  # fmt: skip
    assert first_step(744_000_000, 2_000_000) == 512
    sample = RaterSample(Extent(126, 3), Answers._fields, 100)
    assert (sample.step, sample.share) == (2, pytest.approx(1 / 3))


# Moderation


def test_moderation_sees_all_answers(log):
    everything = [entry for entry in log.entries(NAME, limit=10**6) if entry.kind in ANSWERS]
    for most, shares in ((10**6, True), (MOST, False)):
        columns = AllColumns(most_answers=most)
        seen = load_contest(log, NAME).snapshot(races=False)
        answers, _ = Moderation(log, columns).examined(seen)
        assert answers.at.tolist() == [entry.at for entry in everything]
        assert answers.rater.tolist() == [entry.rater for entry in everything]
        assert np.shares_memory(answers.at, columns.of(NAME).answers.at) is shares
        columns.stop()
        assert all(one.stopped for one in columns._complete.values())
        assert len(columns._complete) == (0 if shares else 1)


# The page


def board_of(store, most):
    snapshot = load_contest(store, NAME).snapshot()
    columns = AnswerColumns(most)
    columns.read_on(store, NAME)
    return make_dashboard(snapshot, columns, RunningForecasts(), now=START)


def test_the_page_says_which_figures_are_estimates(log):
    exact, some = board_of(log, 10**6), board_of(log, MOST)
    assert (some.votes, some.raters) == (exact.votes, exact.raters), "counted by the contest"
    assert some.answers.step == 16
    body = fragment_of(some).body.decode()
    # Each chart says it, in the page and to screen readers.
    assert body.count("Estimated from one rater in 16.") == 2 * len(SLOW)
    assert body.count("of the last vote are estimated from one rater in 16.") == 1
    assert {name for name, chart in some.charts.items() if STEP in chart.facts} == set(SLOW)
    assert "stimated from" not in fragment_of(exact).body.decode()
    assert not any(STEP in chart.facts for chart in exact.charts.values())
    silent = replace(
        some, charts={n: replace(c, facts={}) for n, c in some.charts.items() if n in SLOW}
    )
    assert "Estimated" not in fragment_of(silent).body.decode(), "a planted bug is seen"


@contextmanager
def watching(path):
    """A worker on a contest with few votes at once, and its dashboards."""
    forecasts = RunningForecasts()
    forecasts.close()
    with working(path, Clock()) as worker:
        updates = DashboardUpdates(
            worker.store, clock=worker.worker.clock, render=fragment_of, forecasts=forecasts,
            timer=iter(range(0, 10**9, 1_000)).__next__, most_answers=MOST,
        )  # fmt: skip
        yield worker, updates
        updates.close()


def test_a_service_starts_with_a_sample_of_a_long_log(tmp_path, many, monkeypatch):
    monkeypatch.setattr("plaudit.service.watch.dashboard_updates.READ_AT_ONCE", 100)
    path = str(tmp_path / "long.db")
    store = open_store(path)
    create(store, ITEMS)
    written(store, many, 0, 8_000)
    first = next(iter(store.raters(NAME, first=15)))
    Desk(store, clock=Clock()).exclude(NAME, first.key.hex())
    with watching(path) as (worker, updates):
        read = updates._store = Counting(worker.store)
        held = threading.Event()
        updates._reader.submit(held.wait, 30)
        assert updates.ask(worker.live).result(30).dashboard.answers is None
        held.set()
        updates._reader.submit(int).result(30)
        board = updates.ask(worker.live).result(30).dashboard
        columns = updates.columns.of(NAME)
        assert kept(columns) == plain(store, MOST)
        raters = set(columns.answers.rater.tolist())
        assert 15 in raters
        assert board.answers.raters == (len(raters) - 1) * columns.step
        assert (read.by_position, read.by_rater < 2.5 * MOST) == (0, True)
        # As many new entries as there are items are read at once.
        written(store, many, 8_000, 8_000 + ITEMS)
        assert updates.ask(worker.settled()).result(30).dashboard.answers is not None
        assert kept(columns) == plain(store, MOST)
    store.close()


def test_more_new_entries_than_an_update_may_read_are_read_aside(tmp_path, many, monkeypatch):
    monkeypatch.setattr("plaudit.service.watch.dashboard_updates.READ_AT_ONCE", 100)
    path = str(tmp_path / "aside.db")
    store = open_store(path)
    create(store, ITEMS)
    with watching(path) as (worker, updates):
        assert updates.ask(worker.live).result(30).dashboard.answers is not None
        held = threading.Event()
        updates._reader.submit(held.wait, 30)
        written(store, many, 0, ITEMS + 1)
        assert updates.ask(worker.settled()).result(30).dashboard.answers is None
        held.set()
    store.close()
