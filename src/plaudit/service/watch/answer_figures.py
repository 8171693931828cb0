"""Figures of a contest's answers over time: pace, raters, response times, drift.

They are computed from columns of numbers, on any thread. Votes of excluded raters do not count.

Of a contest with very many answers there is a sample, every `step`-th rater. Counts are then
estimates: those of the sample times `step`. Means, bands and quantiles are those of the sample.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from plaudit.phrase import Phrase, Words
from plaudit.service.watch.answer_columns import Sample
from plaudit.service.watch.chart import BARS, LINE, Axis, Chart, Row
from plaudit.service.watch.time_bins import MINUTE, MOST, edges_of, minutes_in
from plaudit.store.log import Kind
from plaudit.words import N_

# The fact of a chart that says of how many raters it shows one.
STEP = "step"
# The minutes that count as now, for the pace and for the raters who are here.
LATELY_MINUTES = 10
# The normal distribution has 95 % of its mass within so many standard deviations.
_WITHIN = 1.96
_FEWEST, _VOTES_A_STRETCH = 12, 50
_SECONDS = (1, 2, 3, 4, 6, 8, 12, 20, 60)
_VISITS = (1, 2, 5, 10, 20, 50, 100, 200)
_TIME = Axis(is_time=True)


@dataclass(frozen=True)
class AnswerFigures:
    """Figures of the answers, and their charts. Times are in milliseconds.

    They are estimated from every `step`-th rater, and exact where `step` is 1.
    """

    step: int
    votes: int
    raters: int
    votes_a_minute: float
    raters_lately: int
    last_at: int | None
    response_ms: tuple[float, float, float] | None
    charts: tuple[Chart, ...]


class _Votes:
    """The votes that count, in the order of time, cut into stretches."""

    def __init__(
        self, sample: Sample, excluded: Collection[int], values: Sequence[float], now: int
    ) -> None:
        answers, self.step = sample
        counts = answers.kind == Kind.VOTE
        if excluded:
            counts &= ~np.isin(answers.rater, np.fromiter(excluded, np.int32))
        chosen = np.flatnonzero(counts)
        at = answers.at[chosen]
        if (at[1:] < at[:-1]).any():
            # Clocks of several machines differ a little.
            chosen = chosen[np.argsort(at, kind="stable")]
            at = answers.at[chosen]
        self.at = at
        self.rater = answers.rater[chosen]
        self.item = answers.item[chosen]
        self.response_ms = answers.response_ms[chosen]
        self.value = np.asarray(values)[answers.level[chosen]]
        self.now = max(now, int(at[-1]) if at.size else now)
        self.edges = np.zeros(1, dtype=np.int64)
        if at.size:
            # A stretch with few votes would only show chance.
            most = min(MOST, max(_FEWEST, at.size // _VOTES_A_STRETCH))
            self.edges = edges_of(int(at[0]), int(at[-1]), most=most)
        self.cuts = np.searchsorted(at, self.edges)

    @property
    def stretches(self) -> list[tuple[int, slice]]:
        """When each stretch begins, and which votes are in it."""
        pairs = zip(self.edges[:-1].tolist(), self.cuts[:-1], self.cuts[1:], strict=True)
        return [(begin, slice(int(low), int(high))) for begin, low, high in pairs]

    @property
    def minutes_lately(self) -> float:
        """How many of the minutes that count as now had voting; a first minute counts whole."""
        first = int(self.at[0]) if self.at.size else self.now
        return min(LATELY_MINUTES, max(1.0, (self.now - first) / MINUTE))


def answer_figures(
    sample: Sample, *, excluded: Collection[int], values: Sequence[float], now: int
) -> AnswerFigures:
    """The figures at a time; `values` are those of the scale's levels."""
    votes = _Votes(sample, excluded, values, now)
    lately = slice(int(np.searchsorted(votes.at, votes.now - LATELY_MINUTES * MINUTE)), None)
    took = votes.response_ms[votes.response_ms >= 0]
    raters = int(np.count_nonzero(np.bincount(votes.rater))) if votes.at.size else 0
    return AnswerFigures(
        step=votes.step,
        votes=votes.at.size * votes.step,
        raters=raters * votes.step,
        votes_a_minute=votes.at[lately].size * votes.step / votes.minutes_lately,
        raters_lately=int(np.unique(votes.rater[lately]).size) * votes.step,
        last_at=int(votes.at[-1]) if votes.at.size else None,
        response_ms=_middle(took) if took.size else None,
        charts=_charts(votes, took),
    )


def _charts(votes: _Votes, took: NDArray[np.int32]) -> tuple[Chart, ...]:
    charts = (
        _pace(votes),
        _scores(votes),
        _drift(votes),
        _raters(votes),
        _visits(votes),
        _times(votes, took),
    )
    if votes.step == 1:
        return charts
    return tuple(replace(chart, facts={STEP: votes.step}) for chart in charts)


def _middle(took: NDArray[np.int32]) -> tuple[float, float, float]:
    low, median, high = np.quantile(took, (0.1, 0.5, 0.9)).tolist()
    return low, median, high


def _pace(votes: _Votes) -> Chart:
    lengths = minutes_in(votes.edges, votes.now).tolist()
    counts = [(begin, (part.stop - part.start) * votes.step) for begin, part in votes.stretches]
    rows: list[Row] = [
        (begin, round(count / max(length, 1.0), 4), count)
        for (begin, count), length in zip(counts, lengths, strict=True)
        # A stretch that has just begun would jump about; but a first one is all there is.
        if length >= 1.0 or len(lengths) == 1
    ]
    return Chart(
        "pace", LINE, _TIME, Axis(low=0.0), ("from", "votes a minute", "votes"), rows,
    )  # fmt: skip


def _scores(votes: _Votes) -> Chart:
    rows = [_within(_mean_row(votes, part, begin, votes.value)) for begin, part in votes.stretches]
    return Chart(
        "scores", LINE, _TIME, Axis(low=0.0, high=1.0), _MEAN_HEADER, rows, has_band=True,
    )  # fmt: skip


def _drift(votes: _Votes) -> Chart:
    beyond, known = _beyond(votes)
    rows = [_mean_row(votes, part, begin, beyond, known) for begin, part in votes.stretches]
    return Chart(
        "drift", LINE, _TIME, Axis(low=-0.1, high=0.1), _MEAN_HEADER, rows, has_band=True,
    )  # fmt: skip


def _within(row: Row) -> Row:
    """A row whose band does not leave the scale."""
    begin, middle, low, high, count = row
    ends = [None if end is None else min(1.0, max(0.0, float(end))) for end in (low, high)]
    return (begin, middle, *ends, count)


_MEAN_HEADER = ("from", "mean", "low", "high", "votes")


def _beyond(votes: _Votes) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Each vote less the mean of the other votes on its item, and where there are others."""
    if not votes.at.size:
        return np.zeros(0), np.zeros(0, dtype=bool)
    counts, totals = np.bincount(votes.item), np.bincount(votes.item, weights=votes.value)
    own = counts[votes.item]
    known = own > 1
    return (own * votes.value - totals[votes.item]) / np.maximum(own - 1, 1), known


def _mean_row(
    votes: _Votes,
    part: slice,
    begin: int,
    numbers: NDArray[np.float64],
    known: NDArray[np.bool_] | None = None,
) -> Row:
    """The mean of a stretch and the band around it.

    Votes of one rater depend on each other, so the band is computed from sums by rater.
    """
    chosen, raters = numbers[part], votes.rater[part]
    if known is not None:
        chosen, raters = chosen[known[part]], raters[known[part]]
    if not chosen.size:
        return (begin, None, None, None, 0)
    mean, count = float(chosen.mean()), chosen.size * votes.step
    _, places = np.unique(raters, return_inverse=True)
    sums = np.bincount(places, weights=chosen - mean)
    if sums.size < 2:
        return (begin, round(mean, 5), None, None, count)
    error = float(np.sqrt((sums**2).sum() * sums.size / (sums.size - 1))) / chosen.size
    low, high = mean - _WITHIN * error, mean + _WITHIN * error
    return (begin, round(mean, 5), round(low, 5), round(high, 5), count)


def _raters(votes: _Votes) -> Chart:
    first = np.full(int(votes.rater.max()) + 1 if votes.at.size else 0, -1, dtype=np.int64)
    # The last of several assignments stays: the earliest vote.
    first[votes.rater[::-1]] = votes.at[::-1]
    arrivals = np.sort(first[first >= 0])
    so_far = np.searchsorted(arrivals, votes.edges) * votes.step
    rows: list[Row] = [
        (int(begin), int(after), int(after - before))
        for begin, before, after in zip(votes.edges[:-1], so_far[:-1], so_far[1:], strict=True)
    ]
    return Chart(
        "raters", LINE, _TIME, Axis(low=0.0, is_whole=True),
        ("from", "raters so far", "new raters"), rows,
    )  # fmt: skip


def _visits(votes: _Votes) -> Chart:
    each = np.bincount(votes.rater) if votes.at.size else np.zeros(0, dtype=np.int64)
    places = np.searchsorted(_VISITS, each[each > 0], side="right") - 1
    counts = np.bincount(places, minlength=len(_VISITS)) * votes.step
    ends = (*_VISITS[1:], None)
    rows: list[Row] = [
        (_span(begin, end), int(count))
        for begin, end, count in zip(_VISITS, ends, counts, strict=True)
    ]
    return Chart(
        "visits", BARS, Axis(), Axis(low=0.0), ("votes", "raters"), rows,
    )  # fmt: skip


def _span(begin: int, end: int | None) -> Words:
    if end is None:
        return Phrase(N_("{least} or more"), least=begin)
    return str(begin) if end == begin + 1 else f"{begin}–{end - 1}"


def _times(votes: _Votes, took: NDArray[np.int32]) -> Chart:
    places = np.searchsorted(_SECONDS, took / 1000, side="right")
    counts = np.bincount(places, minlength=len(_SECONDS) + 1) * votes.step
    labels: list[Words] = [Phrase(N_("under {most} s"), most=_SECONDS[0])]
    labels += [f"{low}–{high} s" for low, high in pairwise(_SECONDS)]
    labels.append(Phrase(N_("{least} s or more"), least=_SECONDS[-1]))
    return Chart(
        "times", BARS, Axis(), Axis(low=0.0), ("time", "votes"),
        list(zip(labels, counts.tolist(), strict=True)),
    )  # fmt: skip
