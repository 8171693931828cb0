"""What Prometheus reads of plain counts is what its own counters would say."""

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from plaudit.web import metrics
from plaudit.web.metrics import Tally, Times

BOUNDS = (0.1, 1.0, 2.5)


def lines_of(registry: CollectorRegistry) -> list[str]:
    """All lines of some figures but those that say since when they count."""
    text = generate_latest(registry).decode()
    return [line for line in text.splitlines() if "_created" not in line]


def test_counts_and_times_are_told_as_the_library_tells_them(monkeypatch):
    theirs, ours = CollectorRegistry(), CollectorRegistry()
    monkeypatch.setattr(metrics, "REGISTRY", ours)
    named = ("route", "status")
    counter = Counter("asked_total", "What was asked.", named, registry=theirs)
    tally = Tally("asked_total", "What was asked.", named)
    histogram = Histogram("took_seconds", "How long.", buckets=BOUNDS, registry=theirs)
    times = Times("took_seconds", "How long.", BOUNDS)
    for route, status in (("/a", "200"), ("/a", "404"), ("/a", "200"), ('/"b"', "200")):
        counter.labels(route, status).inc()
        tally.counts[route, status] += 1
    for seconds in (0.0, 0.1, 0.25, 1.0, 2.0, 99.0):
        histogram.observe(seconds)
        times.add(seconds)
    assert sorted(lines_of(ours)) == sorted(lines_of(theirs))
