"""Dashboard data: what viewers of a contest see at one moment, as plain values.

It is computed from a snapshot and the columns of answers; pages, charts and files are made of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plaudit.race.standing import OPEN
from plaudit.service.contest.standings import Standings
from plaudit.service.live.snapshot import ContestSnapshot
from plaudit.service.watch.answer_columns import AnswerColumns
from plaudit.service.watch.answer_figures import AnswerFigures, answer_figures
from plaudit.service.watch.chart import BARS, Axis, Chart, Row
from plaudit.service.watch.race_charts import race_charts
from plaudit.service.watch.running_forecasts import RunningForecasts, forecast_chart
from plaudit.simulation.forecast import Forecast
from plaudit.store.contract import Item


@dataclass(frozen=True)
class Dashboard:
    """A contest at one moment.

    `answers` is None while the log is being read; `read` is the share of it that has been. `charts`
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
    items: Sequence[Item]
    flags: NDArray[np.int64]
    votes: int
    raters: int
    excluded: int
    skips: int
    lanes: tuple[Standings, ...]
    shares: tuple[float, ...]
    forecasts: tuple[Forecast | None, ...]
    answers: AnswerFigures | None
    read: float
    charts: dict[str, Chart]


def make_dashboard(
    snapshot: ContestSnapshot, columns: AnswerColumns, forecasts: RunningForecasts, *, now: int
) -> Dashboard:
    """The dashboard of a contest; `columns` have its answers, or some of them.

    Votes and raters are counted by the contest itself, so these totals are of all raters always.
    """
    contest, settings = snapshot.contest, snapshot.settings
    lanes = tuple(snapshot.standings())
    made = tuple(None if one.decided else forecasts.get(snapshot.name, one.lane) for one in lanes)
    is_read = columns.position >= contest.position
    values = settings.race_scale.values
    answers = (
        answer_figures(columns.sample, excluded=contest.excluded, values=values, now=now)
        if is_read
        else None
    )
    flags = np.zeros(len(snapshot.items), dtype=np.int64)
    flags[list(contest.flags)] = list(contest.flags.values())
    charts = [chart for one in lanes for chart in race_charts(snapshot, one)]
    charts += _forecast_charts(lanes, made)
    charts.append(_labels(snapshot))
    if len(lanes) > 1 and not settings.wants_all_good:
        charts.append(_algorithms(lanes))
    charts += answers.charts if answers is not None else ()
    return Dashboard(
        contest=snapshot.name,
        state=contest.state,
        position=contest.position,
        epoch=contest.epoch,
        at=now,
        delta=settings.delta,
        epsilon=settings.epsilon,
        top=settings.top,
        goal=settings.goal,
        items=snapshot.items,
        flags=flags,
        votes=int(contest.counts.sum()),
        raters=contest.raters,
        excluded=len(contest.excluded),
        skips=contest.skips,
        lanes=lanes,
        shares=settings.shares,
        forecasts=made,
        answers=answers,
        read=columns.share(contest.position),
        charts={chart.id: chart for chart in charts},
    )


def _forecast_charts(
    lanes: tuple[Standings, ...], forecasts: tuple[Forecast | None, ...]
) -> list[Chart]:
    return [
        forecast_chart(forecast, one.lane, one.algorithm if len(lanes) > 1 else "")
        for one, forecast in zip(lanes, forecasts, strict=True)
        if forecast is not None and forecast.curve
    ]


def _labels(snapshot: ContestSnapshot) -> Chart:
    counts = snapshot.contest.counts.sum(axis=(0, 1)).tolist()
    whole = max(1, sum(counts))
    rows: list[Row] = [
        (level.label, int(count), round(count / whole, 5), level.value)
        for level, count in zip(snapshot.settings.scale, counts, strict=True)
    ]
    return Chart(
        "labels", BARS, Axis(), Axis(low=0.0), ("answer", "votes", "share", "value"), rows,
    )  # fmt: skip


def _algorithms(lanes: tuple[Standings, ...]) -> Chart:
    rows: list[Row] = [
        (one.algorithm, round(one.gap, 5), one.votes, one.counts[OPEN], str(one.decided))
        for one in lanes
    ]
    return Chart(
        "algorithms", BARS, Axis(), Axis(low=0.0),
        ("algorithm", "epsilon now", "votes", "open items", "decided"), rows,
    )  # fmt: skip
