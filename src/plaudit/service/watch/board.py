"""What the watchers of a contest see, computed once for all of them.

The owner's thread only makes a copy (`stilled`); another thread computes, from that copy and the
columns of answers. A board is plain values: pages, charts and files are made from it.
"""

import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plaudit.service.live.contest import LiveContest
from plaudit.service.watch.answer_columns import AnswerColumns
from plaudit.service.watch.answer_figures import AnswerFigures, answer_figures
from plaudit.service.watch.chart import BARS, Axis, Chart, Row
from plaudit.service.watch.forecasts import Forecasts, forecast_chart
from plaudit.service.watch.lane_view import LaneView, lane_view
from plaudit.simulation.forecast import Forecast
from plaudit.store.contract import Item


@dataclass(frozen=True)
class Board:
    """A contest at one moment.

    `answers` is None while the log is being read; `read` is the share of it that was. `charts`
    has every chart by its id.
    """

    contest: str
    state: str
    position: int
    epoch: int
    at: int
    delta: float
    epsilon: float
    top: int
    goal: str
    items: list[Item]
    flags: NDArray[np.int64]
    votes: int
    raters: int
    excluded: int
    skips: int
    lanes: tuple[LaneView, ...]
    shares: tuple[float, ...]
    forecasts: tuple[Forecast | None, ...]
    answers: AnswerFigures | None
    read: float
    charts: dict[str, Chart]


def stilled(live: LiveContest) -> LiveContest:
    """A copy of a contest that stays as it is, to look at on another thread.

    Made on the owner's thread, in a few milliseconds. Only contest, races and items are its own;
    nobody may be asked, and nothing folded, by it.
    """
    still = copy.copy(live)
    still.contest = copy.deepcopy(live.contest)
    still.races = copy.deepcopy(live.races)
    still.items = live.items[: live.contest.items]
    return still


def make_board(
    still: LiveContest, columns: AnswerColumns, forecasts: Forecasts, *, now: int
) -> Board:
    """The board of a contest that stands still; its columns have been read as far as they are."""
    contest, settings = still.contest, still.settings
    lanes = tuple(lane_view(still, lane) for lane in range(len(still.races)))
    made = tuple(None if view.decided else forecasts.get(still.name, view.lane) for view in lanes)
    is_read = columns.position >= contest.position
    values = settings.race_scale.values
    answers = (
        answer_figures(columns.answers, excluded=contest.excluded, values=values, now=now)
        if is_read
        else None
    )
    flags = np.zeros(len(still.items), dtype=np.int64)
    flags[list(contest.flags)] = list(contest.flags.values())
    charts = [chart for view in lanes for chart in view.charts]
    charts += _forecast_charts(lanes, made)
    charts.append(_labels(still))
    if len(lanes) > 1 and not settings.wants_all_good:
        charts.append(_algorithms(lanes))
    charts += answers.charts if answers is not None else ()
    return Board(
        contest=still.name,
        state=contest.state,
        position=contest.position,
        epoch=contest.epoch,
        at=now,
        delta=settings.delta,
        epsilon=settings.epsilon,
        top=settings.top,
        goal=settings.goal,
        items=still.items,
        flags=flags,
        votes=int(contest.counts.sum()),
        raters=contest.raters,
        excluded=len(contest.excluded),
        skips=contest.skips,
        lanes=lanes,
        shares=settings.shares,
        forecasts=made,
        answers=answers,
        read=1.0 if is_read else columns.position / max(contest.position, 1),
        charts={chart.id: chart for chart in charts},
    )


def _forecast_charts(
    lanes: tuple[LaneView, ...], forecasts: tuple[Forecast | None, ...]
) -> list[Chart]:
    return [
        forecast_chart(
            forecast,
            f"-{view.lane + 1}" if view.lane else "",
            f"{view.algorithm}: " if len(lanes) > 1 else "",
        )
        for view, forecast in zip(lanes, forecasts, strict=True)
        if forecast is not None and forecast.curve
    ]


def _labels(still: LiveContest) -> Chart:
    counts = still.contest.counts.sum(axis=(0, 1)).tolist()
    whole = max(1, sum(counts))
    rows: list[Row] = [
        (level.label, int(count), round(count / whole, 5), level.value)
        for level, count in zip(still.settings.scale, counts, strict=True)
    ]
    return Chart(
        "labels", BARS, "Answers", "How often raters chose each answer.",
        Axis("answer"), Axis("votes", low=0.0), ("answer", "votes", "share", "value"), rows,
    )  # fmt: skip


def _algorithms(lanes: tuple[LaneView, ...]) -> Chart:
    rows: list[Row] = [
        (view.algorithm, round(view.gap, 5), view.votes, view.counts["open"], str(view.decided))
        for view in lanes
    ]
    return Chart(
        "algorithms", BARS, "Slack of each algorithm",
        "The slack (epsilon) that each algorithm could promise now: less is better.",
        Axis("algorithm"), Axis("slack (epsilon)", low=0.0),
        ("algorithm", "epsilon now", "votes", "open items", "decided"), rows,
    )  # fmt: skip
