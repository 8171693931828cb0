"""Watching a contest at the desk: the board's values, one computation for all, the pages."""

import csv
import io
import math
import re
import threading
from collections import Counter, defaultdict
from dataclasses import replace
from statistics import mean

import numpy as np
import pytest
from starlette.testclient import TestClient

from plaudit.service.accounts.accounts import Accounts
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.accounts.roles import COMMAND_LINE
from plaudit.service.contest.events import VerdictReached
from plaudit.service.contest.settings import Lane
from plaudit.service.desk.desk import Desk
from plaudit.service.live.loading import load_contest
from plaudit.service.watch.answer_columns import AllColumns, AnswerColumns, Sample
from plaudit.service.watch.answer_figures import answer_figures
from plaudit.service.watch.chart import BARS, LINE, Axis, Chart
from plaudit.service.watch.dashboard import make_dashboard
from plaudit.service.watch.dashboard_updates import LEAST_SECONDS, STALE_SECONDS, DashboardUpdates
from plaudit.service.watch.item_table import PAGE, ItemTable, ItemTexts, Query
from plaudit.service.watch.results import make_results
from plaudit.service.watch.running_forecasts import LEAST_SECONDS as FORECAST_SECONDS
from plaudit.service.watch.running_forecasts import RunningForecasts
from plaudit.service.watch.time_bins import MINUTE
from plaudit.store import open_store
from plaudit.store.log import NONE, Answer, Kind
from plaudit.web import browser_sessions as door
from plaudit.web.app import Serving, make_app
from plaudit.web.charts.axes import scale_of
from plaudit.web.charts.drawing import drawn, figure
from plaudit.web.desk.dashboard_pages import SLOW, fragment_of
from plaudit.web.desk.dashboard_words import home_words
from support.live_worker import NAME, START, Clock, create, working

SECRET = "a secret for the tests of the desk"
PASSWORD = "four words put together"
VALUES = (0.0, 0.5, 1.0)
HERE = f"/desk/contests/{NAME}"


def fill(store, *, votes=400, items=12, raters=60, lanes=1, seed=1):
    """Votes over two hours, with skips, flags, unknown times, and clocks that go back a little."""
    random = np.random.default_rng(seed)
    answers, seen = [], set()
    while len(answers) < votes:
        rater, item = int(random.integers(raters)), int(random.integers(items))
        if (rater, item) in seen:
            continue
        seen.add((rater, item))
        kind = int(random.choice([Kind.VOTE, Kind.SKIP, Kind.FLAG], p=[0.9, 0.05, 0.05]))
        level = {
            Kind.VOTE: int(random.binomial(2, min(0.1 + 0.06 * item, 0.9))),
            Kind.SKIP: NONE,
        }.get(kind, 1)
        lane = int(random.integers(-1, lanes)) if lanes > 1 else 0
        at = START + 120 * MINUTE * len(answers) // votes - int(random.integers(0, 3000))
        took = NONE if random.random() < 0.1 else int(random.lognormal(8, 1))
        answers.append(Answer(kind, rater.to_bytes(16, "big"), item, level, lane, at, took))
    for begin in range(0, votes, 150):
        store.append_answers(NAME, answers[begin : begin + 150])


NOW = START + 121 * MINUTE
# Two hours and 360 votes are cut into stretches of this length.
WIDTH = 15 * MINUTE


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """A contest whose rater 3 is excluded and whose item 5 is withdrawn."""
    path = str(tmp_path_factory.mktemp("watch") / "watch.db")
    store = open_store(path)
    create(store, lanes=(Lane("lil-klucb"), Lane("lucb++")), uniform=0.2, top=2)
    fill(store, lanes=2)
    desk = Desk(store, clock=Clock())
    desk.exclude(NAME, next(rater.key.hex() for rater in store.raters(NAME) if rater.number == 3))
    desk.withdraw(NAME, [5])
    yield store
    store.close()


@pytest.fixture(scope="module")
def board(log):
    columns = AnswerColumns()
    columns.read_on(log, NAME)
    return make_dashboard(load_contest(log, NAME).snapshot(), columns, RunningForecasts(), now=NOW)


@pytest.fixture(scope="module")
def votes(log):
    """The votes that count, in plain Python and in the order of time."""
    entries = [entry for entry in log.entries(NAME) if entry.kind == Kind.VOTE and entry.rater != 3]
    return sorted(entries, key=lambda entry: entry.at)


# Columns


def test_columns_are_the_answers_of_the_log(log, monkeypatch):
    monkeypatch.setattr("plaudit.service.watch.answer_columns.PAGE", 64)
    columns = AnswerColumns()
    columns.read_on(log, NAME)
    entries = [entry for entry in log.entries(NAME) if entry.kind in (1, 2, 3)]
    assert len(columns) == len(entries) == 400
    assert columns.position == log.contest(NAME).position > 400
    for name in ("at", "kind", "rater", "item", "level", "lane", "response_ms"):
        assert getattr(columns, name).tolist() == [getattr(entry, name) for entry in entries]


def test_columns_grow_and_what_was_handed_out_stays(tmp_path, monkeypatch):
    monkeypatch.setattr("plaudit.service.watch.growing_columns._FIRST", 8)
    store = open_store(str(tmp_path / "grow.db"))
    create(store, items=40)
    columns = AnswerColumns()
    fill(store, votes=5, items=40)
    columns.read_on(store, NAME)
    before, kept = columns.answers, columns.at.tolist()
    fill(store, votes=90, items=40, seed=2)
    columns.read_on(store, NAME)
    columns.read_on(store, NAME)
    assert before.at.tolist() == kept
    assert columns.at.tolist() == [e.at for e in store.entries(NAME) if e.kind in (1, 2, 3)]
    store.close()


def test_columns_of_contests_that_nobody_looks_at_go():
    columns = AllColumns(most=2)
    first = columns.of("one")
    assert columns.of("one") is first
    columns.of("two"), columns.of("one"), columns.of("three")
    assert columns.of("one") is first
    columns.stop()
    assert first.stopped


# Values, against slow plain Python


def test_votes_a_minute(board, votes):
    chart = board.charts["pace"]
    counts = Counter(entry.at // WIDTH for entry in votes)
    wanted = {key * WIDTH: count for key, count in counts.items()}
    assert {row[0]: row[2] for row in chart.rows if row[2]} == wanted
    for begin, rate, count in chart.rows:
        minutes = (min(begin + WIDTH, NOW) - begin) / MINUTE
        assert rate == pytest.approx(count / minutes, abs=1e-4)
    late = [entry for entry in votes if entry.at >= NOW - 10 * MINUTE]
    assert board.answers.votes_a_minute == len(late) / 10
    assert board.answers.raters_lately == len({entry.rater for entry in late})
    assert board.answers.votes == len(votes) == board.votes


def test_the_pace_of_the_first_minute(log):
    columns = AnswerColumns()
    columns.read_on(log, NAME)
    few = columns.answers._replace(**{k: v[:7] for k, v in columns.answers._asdict().items()})
    first = few._replace(at=np.full(7, START), kind=np.full(7, Kind.VOTE))
    for seconds, pace in ((0, 7), (20, 7), (60, 7), (120, 3.5), (600, 0.7), (601, 0.0)):
        at = START + seconds * 1000
        found = answer_figures(Sample(first, 1), excluded=(), values=VALUES, now=at)
        assert found.votes_a_minute == pytest.approx(pace)
        (chart,) = (one for one in found.charts if one.id == "pace")
        assert chart.rows[0][2] == 7


def _reference_means(votes, numbers):
    groups = defaultdict(list)
    for entry, number in zip(votes, numbers, strict=True):
        if number is not None:
            groups[entry.at // WIDTH * WIDTH].append((entry.rater, number))
    rows = {}
    for begin, pairs in groups.items():
        middle = mean(number for _, number in pairs)
        sums = defaultdict(float)
        for rater, number in pairs:
            sums[rater] += number - middle
        squares = sum(value**2 for value in sums.values())
        error = math.sqrt(squares * len(sums) / (len(sums) - 1)) / len(pairs)
        rows[begin] = (middle, middle - 1.96 * error, middle + 1.96 * error, len(pairs))
    return rows


def test_mean_score_and_drift(board, votes):
    plain = [VALUES[entry.level] for entry in votes]
    beyond = []
    for place, entry in enumerate(votes):
        others = [
            VALUES[other.level]
            for number, other in enumerate(votes)
            if other.item == entry.item and number != place
        ]
        beyond.append(VALUES[entry.level] - mean(others) if others else None)
    for name, numbers in (("scores", plain), ("drift", beyond)):
        wanted = _reference_means(votes, numbers)
        rows = [row for row in board.charts[name].rows if row[4]]
        assert [row[0] for row in rows] == sorted(wanted)
        for row in rows:
            middle, low, high, count = wanted[row[0]]
            if name == "scores":
                low, high = max(low, 0.0), min(high, 1.0)
            assert row[1:] == pytest.approx((middle, low, high, count), abs=2e-5)


def test_drift_shows_a_crowd_that_changes_and_not_a_choice_of_better_items():
    random = np.random.default_rng(4)
    from plaudit.service.watch.answer_columns import Answers

    def drift(late_bonus):
        count = 4000
        at = START + np.arange(count) * 2000
        # Better items are shown later.
        item = np.where(
            np.arange(count) < 2000, random.integers(0, 20, count), random.integers(10, 30, count)
        )
        chance = 0.1 + 0.025 * item + late_bonus * (np.arange(count) >= 2000)
        level = random.binomial(2, np.minimum(chance, 1.0))
        columns = Answers(
            at, np.full(count, 1), random.integers(0, 300, count), item, level,
            np.zeros(count, int), np.full(count, -1),
        )  # fmt: skip
        figures = answer_figures(Sample(columns, 1), excluded=(), values=VALUES, now=int(at[-1]))
        charts = {chart.id: chart for chart in figures.charts}
        rows = charts["drift"].rows
        half = len(rows) // 2
        scores = [row[1] for row in charts["scores"].rows]
        return mean(row[1] for row in rows[half:]), mean(scores[half:]) - mean(scores[:half])

    steady, rise = drift(0.0)
    assert abs(steady) < 0.02
    assert rise > 0.15
    assert drift(0.3)[0] > 0.05


def test_raters_and_their_votes(board, votes):
    first = {}
    for entry in votes:
        first.setdefault(entry.rater, entry.at)
    rows = board.charts["raters"].rows
    for begin, so_far, new in rows:
        assert so_far == sum(at < begin + WIDTH for at in first.values())
        assert new == sum(begin <= at < begin + WIDTH for at in first.values())
    assert rows[-1][1] == board.answers.raters == len(first)
    each = Counter(Counter(entry.rater for entry in votes).values())
    visits = dict(board.charts["visits"].rows)
    assert visits["5–9"] == sum(each[number] for number in range(5, 10))
    assert visits["10–19"] == sum(each[number] for number in range(10, 20))
    assert sum(visits.values()) == len(first)


def test_response_times(board, votes):
    took = sorted(entry.response_ms for entry in votes if entry.response_ms >= 0)
    chart = {str(label): count for label, count in board.charts["times"].rows}
    assert chart["under 1 s"] == sum(ms < 1000 for ms in took)
    assert chart["2–3 s"] == sum(2000 <= ms < 3000 for ms in took)
    assert chart["60 s or more"] == sum(ms >= 60_000 for ms in took)
    assert sum(chart.values()) == len(took) < len(votes)
    assert board.answers.response_ms[1] == pytest.approx(np.median(took))


def test_leaders_are_those_of_the_results_and_of_the_verdict(board, log):
    live = load_contest(log, NAME)
    for view, lane in zip(board.lanes, make_results(live.snapshot())["lanes"], strict=True):
        assert view.claim == lane["sentence"]
        assert (view.votes, view.gap, view.delta) == (lane["votes"], lane["gap"], lane["delta"])
        suffix = f"-{view.lane + 1}" if view.lane else ""
        rows = board.charts[f"leaders{suffix}"].rows
        assert [row[6] for row in rows] == [leader["id"] for leader in lane["leaders"]]
        for row, leader in zip(rows, lane["leaders"], strict=True):
            shown = [leader[name] for name in ("mean", "lower", "upper")]
            assert row[1:4] == pytest.approx(shown, abs=1e-5)
            assert (row[0], row[4], row[5]) == (
                leader["text"], leader["standing"], leader["votes"],
            )  # fmt: skip


@pytest.mark.parametrize("voted", [False, True])
def test_equal_means_have_the_same_order_on_every_page(tmp_path, voted):
    store = open_store(str(tmp_path / "equal.db"))
    create(store, seed=5)
    items = len(load_contest(store, NAME).items)
    if voted:
        rater = bytes(16)
        store.append_answers(
            NAME, [Answer(Kind.VOTE, rater, item, 2, 0, START, NONE) for item in range(items)]
        )
    live = load_contest(store, NAME)
    leaders = [leader["item"] for leader in make_results(live.snapshot())["lanes"][0]["leaders"]]
    columns = AnswerColumns()
    columns.read_on(store, NAME)
    board = make_dashboard(live.snapshot(), columns, RunningForecasts(), now=NOW)
    assert board.lanes[0].order.tolist() == leaders
    first = live.races[0].verdict().items[0]
    assert first, "the first item leads by chance: choose another seed"
    assert leaders[0] == (first if voted else 0)
    store.close()


def test_standings_shortlists_answers_and_flags(board, log):
    live = load_contest(log, NAME)
    race, view = live.races[1], board.lanes[1]
    assert view.counts == {word: Counter(race.standings().tolist())[word] for word in view.counts}
    assert view.counts["withdrawn"] == 1
    lists = race.shortlists()
    assert [row[1] for row in board.charts["epsilons-2"].rows] == pytest.approx(
        lists.epsilon.tolist(), abs=1e-5
    )
    assert [row[2] for row in board.charts["epsilons-2"].rows] == [
        f"i{item + 1}" for item in lists.items.tolist()
    ]
    labels = live.contest.counts.sum(axis=(0, 1)).tolist()
    assert [row[1] for row in board.charts["labels"].rows] == labels
    assert board.flags.tolist() == [live.contest.flags.get(item, 0) for item in range(12)]
    assert [row[0] for row in board.charts["algorithms"].rows] == ["lil-klucb", "lucb++"]
    ranks = board.charts["ranks"].rows
    assert ranks[-1][2] == 11
    there = board.lanes[0].order[:11]
    assert ranks[0][1] == board.lanes[0].table.votes[there[0]]
    assert sum(row[1] * (row[2] - row[0] + 1) for row in ranks) == pytest.approx(
        board.lanes[0].table.votes[there].sum(), abs=0.1
    )
    assert sum(row[2] for row in board.charts["means"].rows) == 11


def test_a_verdict_stands_whatever_votes_came_later(log):
    still = load_contest(log, NAME).snapshot()
    still.contest.verdicts[0] = VerdictReached(
        lane=0, judged_at=9, winners=(0, 1), delta=0.05, epsilon=0.1, top=2, votes=9, gap=0.09
    )
    board = make_dashboard(still, AnswerColumns(), RunningForecasts(), now=NOW)
    view = board.lanes[0]
    assert (view.decided, view.winners, view.gap) == (True, (0, 1), 0.09)
    assert set(view.order[:2].tolist()) == {0, 1}
    assert view.standing[[0, 1]].tolist() == ["in", "in"]
    body = fragment_of(board).body.decode()
    assert body.count("in, named in the verdict") == 2
    assert 'class="verdict decided">With at least 95 % confidence' in body


def test_an_empty_contest_has_a_board(tmp_path):
    store = open_store(str(tmp_path / "empty.db"))
    create(store)
    columns = AnswerColumns()
    columns.read_on(store, NAME)
    board = make_dashboard(
        load_contest(store, NAME).snapshot(), columns, RunningForecasts(), now=NOW
    )
    body = fragment_of(board).body.decode()
    assert "A forecast comes with the first votes." in body
    assert "Charts appear with the first votes." in body
    assert "sure-title" not in body
    for chart in board.charts.values():
        assert "1 Jan" not in figure(chart)
        list(chart.csv())
    store.close()


def test_the_board_of_a_contest_for_all_good_items(tmp_path):
    store = open_store(str(tmp_path / "good.db"))
    lanes = (Lane("plaudit"), Lane("lil-klucb"))
    create(store, 4, goal="all-good", epsilon=0.2, lanes=lanes)
    voted = [
        Answer(Kind.VOTE, rater.to_bytes(16, "big"), item, 2 if item < 2 else 0, -1, NOW, 900)
        for rater in range(200)
        for item in range(4)
    ]
    store.append_answers(NAME, voted)
    columns = AnswerColumns()
    columns.read_on(store, NAME)
    still = load_contest(store, NAME).snapshot()
    board = make_dashboard(still, columns, RunningForecasts(), now=NOW)
    assert board.lanes[0].standing.tolist() == ["in", "in", "out", "out"]
    body = fragment_of(board).body.decode()
    assert "certainly no more than 0.4 below the best" in body
    assert "certainly not within 0.2 of the best" in body
    assert "There is no forecast for a contest that looks for all good items." in body
    assert "At most below, now" not in body
    assert "algorithms" not in board.charts
    told = "none of the 2 items ruled out is within 0.2 of the best"
    assert told in str(board.lanes[0].claim)
    store.close()


def test_equals_and_votes_that_do_not_count(tmp_path):
    store = open_store(str(tmp_path / "equals.db"))
    create(store, 4, seed=1)
    voted = [
        Answer(Kind.VOTE, rater.to_bytes(16, "big"), item, 2 if rater < 5 else 0, 0, NOW, 900)
        for rater in range(8)
        for item in range(4)
    ]
    store.append_answers(NAME, voted)
    Desk(store, clock=Clock()).withdraw(NAME, [3])
    columns = AnswerColumns()
    columns.read_on(store, NAME)
    live = load_contest(store, NAME)
    board = make_dashboard(live.snapshot(), columns, RunningForecasts(), now=NOW)
    # The desk and the public page name the same first, which need not be the one that came first.
    order = [leader["item"] for leader in make_results(live.snapshot())["lanes"][0]["leaders"]]
    assert board.lanes[0].order.tolist() == [*order, 3]
    assert order[0] == live.races[0].verdict().items[0] != 0
    body = fragment_of(board).body.decode()
    assert "24 of 32 votes count" in body
    assert "Votes on withdrawn items do not count" in body
    # 0.625, rounded as a browser does.
    assert body.count('mean-value">0.63<') == 3
    store.close()


# Files and drawings


def read_csv(chunks):
    text = b"".join(chunks).decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text)))


def test_the_csv_has_what_the_chart_shows(board):
    assert set(SLOW) < board.charts.keys()
    for chart in board.charts.values():
        header, *rows = read_csv(chart.csv())
        assert tuple(header) == chart.header
        assert len(rows) == len(chart.rows)
        for told, row in zip(rows, chart.rows, strict=True):
            skipped = 1 if chart.x.is_time else 0
            wanted = ["" if value is None else str(value) for value in row[skipped:]]
            assert told[skipped:] == wanted
    assert read_csv(board.charts["pace"].csv())[1][0].endswith(":00Z")


def test_texts_in_a_file_are_no_formulas():
    chart = Chart("x", BARS, Axis(), Axis(), ("a", "b"), [("=1+1", 2)])
    assert read_csv(chart.csv())[1] == ["'=1+1", "2"]


def test_a_line_is_drawn_where_its_values_are():
    rows = [(0, 0.0), (5, 1.0), (6, None), (10, 0.5)]
    words = {"title": "A <b> title", "about": "What & why"}
    chart = Chart("x", LINE, Axis("x"), Axis("y"), ("x", "y"), rows, **words)
    text = str(drawn(chart))
    path = re.search(r'class="line" d="([^"]+)"', text)[1]
    (_, x0, y0), (_, x1, y1), (way, x2, y2) = re.findall(r"([ML])([\d.]+) ([\d.]+)", path)
    assert float(x1) - float(x0) == pytest.approx(float(x2) - float(x1), abs=0.2)
    assert float(y0) - float(y2) == pytest.approx(float(y2) - float(y1), abs=0.2)
    assert way == "M", "a gap stays a gap"
    assert text.count('class="dot"') == 1, "a point alone is a dot"
    assert "A &lt;b&gt; title" in text
    assert "<style" not in text
    assert "<style>" in figure(chart)
    assert "var(" not in figure(chart), "programs that print know no names of colours"


@pytest.mark.parametrize(
    ("axis", "values", "labels"),
    [
        (Axis("y", low=0.0), [3.0, 17.0], ["0", "5", "10", "15", "20"]),
        (Axis("y", low=0.0, high=1.0), [0.3], ["0", "0.5", "1"]),
        (Axis("y", low=-0.1, high=0.1), [0.01, 0.27], ["−0.1", "0", "0.1", "0.2", "0.3"]),
        (Axis("x", is_log=True), [1, 10_000], ["1", "10", "100", "1k", "10k"]),
        (Axis("x"), [1_000_000, 3_000_000], ["1M", "1.5M", "2M", "2.5M", "3M"]),
        (Axis("x"), [], ["0", "0.5", "1"]),
        (Axis("items", low=0.0, is_whole=True), [2.0], ["0", "1", "2"]),
        (Axis("k", low=1.0, high=3.0, is_whole=True), [1.0, 3.0], ["1", "2", "3"]),
        (Axis("items", low=0.0, is_whole=True), [17.0], ["0", "5", "10", "15", "20"]),
    ],
)
def test_ticks_are_round_numbers(axis, values, labels):
    assert [words for _, words in scale_of(axis, values, 0, 100, 4).ticks] == labels


def test_nothing_personal_is_in_what_all_see(board, log):
    body = fragment_of(board).body.decode()
    assert "form_token" not in body
    assert "<form" not in body
    for rater in log.raters(NAME):
        assert rater.key is None or rater.key.hex() not in body
    assert body.count("data-part=") == len(set(re.findall(r'data-part="([^"]+)"', body)))


# The table of items


def table_of(board):
    return ItemTable(board, ItemTexts(board.items))


@pytest.mark.parametrize("column", ["place", "number", "text", "votes", "mean", "lower", "flags"])
@pytest.mark.parametrize("descending", [False, True])
def test_items_sort_by_any_column(board, column, descending):
    rows = table_of(board).page(Query(sort=column, descending=descending)).rows
    keys = [row[column] for row in rows if row["standing"] != "withdrawn"]
    assert len(rows) == 12
    assert keys == sorted(keys, reverse=descending)
    assert [row["number"] for row in rows if row["standing"] == "withdrawn"] == [5]


def test_items_are_found_by_text_number_and_standing(board):
    table = table_of(board)
    assert {row["number"] for row in table.page(Query(text="CAPTION 1")).rows} == {1, 10, 11}
    assert [row["number"] for row in table.page(Query(text="#7")).rows] == [6]
    assert [row["number"] for row in table.page(Query(text="#1 caption")).rows] == [0]
    assert [row["number"] for row in table.page(Query(standing="withdrawn")).rows] == [5]
    assert table.page(Query(text="zebra")).total == 0
    opened = table.page(Query(standing="open", lane=1)).rows
    assert len(opened) == board.lanes[1].counts["open"]
    places = [row["place"] for row in table.page(Query()).rows]
    assert places == [*range(1, 12), None]


def test_items_come_in_pages(tmp_path):
    store = open_store(str(tmp_path / "many.db"))
    create(store, items=2 * PAGE + 7)
    board = make_dashboard(
        load_contest(store, NAME).snapshot(), AnswerColumns(), RunningForecasts(), now=NOW
    )
    table = table_of(board)
    numbers = [row["number"] for page in (1, 2, 3) for row in table.page(Query(page=page)).rows]
    assert sorted(numbers) == list(range(2 * PAGE + 7))
    assert table.page(Query(page=99)).page == 3
    assert table.page(Query(page=0)).page == 1
    assert len(read_csv(table.csv(Query()))) == 2 * PAGE + 8
    store.close()


# One computation for all


class Timer:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def watched(tmp_path):
    """A worker's contest, its dashboards without forecasts, and the timer that they follow."""
    path = str(tmp_path / "watched.db")
    store = open_store(path)
    create(store)
    fill(store, votes=60)
    store.close()
    timer = Timer()
    with working(path, Clock()) as worker:
        forecasts = RunningForecasts()
        forecasts.close()
        dashboards = DashboardUpdates(
            worker.store, clock=worker.worker.clock, render=fragment_of, forecasts=forecasts,
            timer=timer,
        )  # fmt: skip
        yield worker, dashboards, timer
        dashboards.close()


def vote(worker):
    worker.vote_once(worker.new_rater(), lambda item: 2)
    return worker.settled()


def test_many_viewers_are_one_computation(watched):
    worker, dashboards, timer = watched
    looks = [dashboards.ask(worker.live) for _ in range(100)]
    first = looks[0].result(30)
    assert all(look.result(30) is first for look in looks)
    for _ in range(100):
        assert dashboards.ask(worker.live).result(30).rendered.etag == first.rendered.etag
    assert dashboards.computed == 1
    live = vote(worker)
    # Too soon: the last one is good for a moment.
    assert dashboards.ask(live).result(30) is first
    timer.now += 100 * LEAST_SECONDS
    looks = [dashboards.ask(live) for _ in range(100)]
    assert {look.result(30).dashboard.votes for look in looks} == {first.dashboard.votes + 1}
    assert dashboards.computed == 2
    timer.now += 100 * LEAST_SECONDS
    dashboards.ask(live).result(30)
    assert dashboards.computed == 2, "nothing new, nothing to compute"


def test_who_watches_gets_the_last_board_while_the_next_is_made(watched):
    worker, dashboards, timer = watched
    first = dashboards.ask(worker.live).result(30)
    held = threading.Event()
    dashboards._shared._threads.submit(held.wait, 30)
    live = vote(worker)
    timer.now += STALE_SECONDS / 2
    assert dashboards.ask(live).result(0) is first
    timer.now += STALE_SECONDS
    waiting = dashboards.ask(live)
    assert not waiting.done()
    held.set()
    assert waiting.result(30).dashboard.votes == first.dashboard.votes + 1


def test_a_copy_that_stands_still_does_not_hear_of_votes(watched):
    worker, _, _ = watched
    still = worker.live.snapshot()
    before = still.races[0].votes, int(still.contest.counts.sum()), still.contest.position
    live = vote(worker)
    assert (still.races[0].votes, int(still.contest.counts.sum()), still.contest.position) == before
    assert live.races[0].votes == before[0] + 1
    assert still.races[0].votes == load_contest(worker.store, NAME).races[0].votes - 1


def test_a_long_log_is_read_aside(watched, monkeypatch):
    monkeypatch.setattr("plaudit.service.watch.dashboard_updates.READ_AT_ONCE", 10)
    worker, dashboards, timer = watched
    held = threading.Event()
    dashboards._reader.submit(held.wait, 30)
    first = dashboards.ask(worker.live).result(30)
    assert first.dashboard.answers is None
    assert "Reading the votes… 0 %" in first.rendered.body.decode()
    assert first.dashboard.lanes[0].votes == 53
    held.set()
    dashboards._reader.submit(int).result(30)
    timer.now += 100 * LEAST_SECONDS
    second = dashboards.ask(worker.live).result(30)
    assert second.dashboard.answers.votes == second.dashboard.votes
    assert "Reading the votes" not in second.rendered.body.decode()


def test_a_failed_board_is_tried_again(watched):
    worker, dashboards, _ = watched
    sound, dashboards._render = dashboards._render, lambda board: 1 / 0
    with pytest.raises(ZeroDivisionError):
        dashboards.ask(worker.live).result(30)
    dashboards._render = sound
    assert dashboards.ask(worker.live).result(30).dashboard.votes


def test_forecasts_are_rare_and_end_with_the_service(log):
    timer = Timer()
    forecasts = RunningForecasts(timer)
    still = load_contest(log, NAME).snapshot()

    def consider(race, epoch=1):
        forecasts.consider(NAME, 0, race, epoch=epoch)
        forecasts._shared._threads.submit(int).result(60)
        return forecasts.count

    assert consider(still.races[0]) == 1
    made = forecasts.get(NAME, 0)
    assert made.start == still.races[0].votes
    assert consider(still.races[0]) == 1
    timer.now += 2 * FORECAST_SECONDS
    assert consider(still.races[0]) == 1, "no new votes"
    assert consider(still.races[0], epoch=2) == 2, "items came or went"
    assert consider(still.races[0], epoch=3) == 2, "too soon"
    board = make_dashboard(still, AnswerColumns(), forecasts, now=NOW)
    assert "more votes" in fragment_of(board).body.decode() or made.verdict.votes.median is None
    assert board.charts["forecast"].rows[0][0] >= made.start
    words = home_words(replace(board, state="open"))
    assert words == "" if made.verdict.votes.median is None else words.startswith("About ")
    assert home_words(None) == home_words(replace(board, state="closed")) == ""
    forecasts.close()
    timer.now += 10_000
    forecasts.consider(NAME, 0, still.races[0], epoch=9)
    assert forecasts.count == 2


# Pages


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setattr(door, "Passwords", lambda: Passwords(time_cost=1, memory_kib=8))
    path = str(tmp_path_factory.mktemp("pages") / "desk.db")
    store = open_store(path)
    create(store, lanes=(Lane("lil-klucb"), Lane("lucb++")), title="Who <wins>?")
    fill(store, lanes=2)
    Desk(store, clock=Clock()).withdraw(NAME, [5])
    token = Accounts(store, Passwords(time_cost=1, memory_kib=8)).invite(COMMAND_LINE, "viewer")
    with TestClient(
        make_app(Serving(path, SECRET, hosts=("testserver",))), follow_redirects=False
    ) as client:
        form = client.get(f"/desk/welcome/{token}").text
        fields = {"name": "Vic", "password": PASSWORD, "again": PASSWORD}
        fields["form_token"] = re.search(r'name="form_token" value="([0-9a-f]+)"', form)[1]
        client.post(f"/desk/welcome/{token}", data=fields)
        yield client
    store.close()
    patch.undo()


def test_a_viewer_sees_the_dashboard_and_strangers_do_not(site):
    page = site.get(HERE)
    assert page.status_code == 200
    assert "Who &lt;wins&gt;?" in page.text
    assert "caption 11" in page.text
    stranger = TestClient(site.app, follow_redirects=False)
    paths = ("", "/board", "/items", "/items.csv", "/charts/pace.svg", "/charts/pace.csv")
    for path in paths:
        assert stranger.get(HERE + path).status_code == 303, path
        assert site.get(HERE + path).status_code == 200, path
        assert site.get(f"/desk/contests/nothing{path}").status_code == 404, path


def test_polls_are_answered_from_what_was_rendered(site):
    first = site.get(f"{HERE}/board")
    again = site.get(f"{HERE}/board", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = site.get(f"{HERE}/board", headers={"if-none-match": '"another"'})
    assert other.content == first.content
    assert first.text.strip() in site.get(HERE).text
    for name in ("Vic", "form_token", "plaudit_desk"):
        assert name not in first.text


def test_every_chart_has_a_figure_and_a_csv(site):
    body = site.get(f"{HERE}/board").text
    links = set(re.findall(rf'href="({HERE}/charts/[^"]+)"', body))
    assert len(links) >= 2 * 15
    for link in links:
        got = site.get(link)
        assert got.status_code == 200, link
        if link.endswith(".svg"):
            assert got.headers["content-type"] == "image/svg+xml"
            assert "sandbox" in got.headers["content-security-policy"]
            assert got.text.startswith("<svg xmlns")
        else:
            assert got.headers["content-disposition"].startswith("attachment")
            assert len(read_csv([got.content])) > 1, link
    assert site.get(f"{HERE}/charts/nothing.svg").status_code == 404


def numbers_in(page):
    return [int(number) - 1 for number in re.findall(rf'{HERE}/items/i(\d+)"', page.text)]


def test_the_table_of_items_over_http(site):
    assert sorted(numbers_in(site.get(f"{HERE}/items"))) == list(range(12))
    assert set(numbers_in(site.get(f"{HERE}/items?text=caption+1"))) == {1, 10, 11}
    assert numbers_in(site.get(f"{HERE}/items?standing=withdrawn")) == [5]
    down = numbers_in(site.get(f"{HERE}/items?sort=number&order=down&part=table"))
    assert down == list(range(11, -1, -1))
    part = site.get(f"{HERE}/items?part=table&text=%3Cb%3E").text
    assert "<html" not in part
    assert "No items found" in part
    odd = "sort=nothing&order=x&page=99999999999&lane=77&standing=zzz&text=%00%00"
    assert sorted(numbers_in(site.get(f"{HERE}/items?{odd}"))) == list(range(12))
    typed = site.get(f"{HERE}/items?text=%22%3E%3Cscript%3E").text
    assert "<script>" not in typed
    assert "&lt;script&gt;" in typed
    rows = read_csv([site.get(f"{HERE}/items.csv?text=caption+1&sort=number").content])
    assert [row[1] for row in rows[1:]] == ["i2", "i11", "i12"]
    assert "Add items" not in typed


def test_headings_turn_the_order_around(site):
    def heading(query, name):
        text = site.get(f"{HERE}/items?{query}").text
        return re.search(rf'id="by-{name}" href="{HERE}/items([^"]*)"', text)[1]

    assert heading("", "votes") == "?sort=votes"
    assert heading("sort=votes", "votes") == "?sort=votes&amp;order=up"
    assert heading("sort=votes&order=up", "votes") == "?sort=votes&amp;order=down"
    assert heading("text=a&sort=votes&page=3", "mean") == "?text=a&amp;sort=mean"
    assert heading("sort=votes&order=up", "mean") == "?sort=mean"
    assert heading("", "place") == "?order=down"


def test_the_list_of_contests_leads_to_the_dashboard(site):
    site.get(HERE)
    page = site.get("/desk").text
    assert f'href="{HERE}"' in page
    assert re.findall(r'id="group-(\w+)"', page) == ["live"]
