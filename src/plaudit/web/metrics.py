"""The metrics that Prometheus reads.

What every vote counts is added up in plain numbers, on the event loop's thread alone, and told when
Prometheus asks: a counter with a lock takes as long as parsing the vote.
"""

import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry, Counter, Gauge
from prometheus_client.metrics_core import CounterMetricFamily, HistogramMetricFamily, Metric

# Ours alone: the library's own registry names the version of Python.
REGISTRY = CollectorRegistry()


class Tally:
    """A counter: `counts` has a number for each combination of its labels."""

    def __init__(self, name: str, told: str, labels: tuple[str, ...] = ()) -> None:
        self.counts: defaultdict[tuple[str, ...], int] = defaultdict(int)
        self._given = name, told, labels
        self._since = time.time()
        REGISTRY.register(self)

    def collect(self) -> Iterator[Metric]:
        """What it has counted."""
        name, told, labels = self._given
        family = CounterMetricFamily(name, told, labels=labels)
        for values, count in sorted(self.counts.items()):
            family.add_metric(values, count, created=self._since)
        yield family


class Times:
    """How many seconds things took: how many took at most so many, and all together."""

    def __init__(self, name: str, told: str, bounds: tuple[float, ...]) -> None:
        self._given = name, told
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0
        REGISTRY.register(self)

    def add(self, seconds: float) -> None:
        """Counts one."""
        self._counts[bisect_left(self._bounds, seconds)] += 1
        self._sum += seconds

    def collect(self) -> Iterator[Metric]:
        """What it has counted."""
        names = (*map(str, self._bounds), "+Inf")
        so_far = list(zip(names, accumulate(self._counts), strict=True))
        yield HistogramMetricFamily(*self._given, buckets=so_far, sum_value=self._sum)


REQUESTS = Tally("plaudit_requests_total", "Requests by route and status.", ("route", "status"))
SECONDS = Times(
    "plaudit_request_seconds",
    "Time to answer.",
    (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0),
)
ANSWERS = Tally("plaudit_answers_total", "Answers on disk, replays included.", ("kind",))
ITEMS_ASKED = Tally("plaudit_items_asked_total", "Items handed out with a ticket.")
REFUSED = Counter(
    "plaudit_answers_refused_total", "Answers that could not be written.", registry=REGISTRY
)
WAITING = Gauge("plaudit_answers_waiting", "Answers that wait to be written.", registry=REGISTRY)
VOTES = Gauge("plaudit_votes", "Votes that count, by contest.", ["contest"], registry=REGISTRY)
DECIDED = Gauge(
    "plaudit_decided",
    "1 where every race of a contest has its verdict.",
    ["contest"],
    registry=REGISTRY,
)
WORK = Counter(
    "plaudit_work_total",
    "Newcomers who were asked to work, did, or waited.",
    ["what"],
    registry=REGISTRY,
)
