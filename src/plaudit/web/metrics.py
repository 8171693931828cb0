"""The metrics that Prometheus reads."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

# Ours alone: the library's own registry names the version of Python.
REGISTRY = CollectorRegistry()

REQUESTS = Counter(
    "plaudit_requests_total",
    "Requests by route and status.",
    ["route", "status"],
    registry=REGISTRY,
)
SECONDS = Histogram(
    "plaudit_request_seconds",
    "Time to answer.",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0),
    registry=REGISTRY,
)
ANSWERS = Counter(
    "plaudit_answers_total", "Answers on disk, replays included.", ["kind"], registry=REGISTRY
)
REFUSED = Counter(
    "plaudit_answers_refused_total", "Answers that could not be written.", registry=REGISTRY
)
ITEMS_ASKED = Counter(
    "plaudit_items_asked_total", "Items handed out with a ticket.", registry=REGISTRY
)
WAITING = Gauge("plaudit_answers_waiting", "Answers that wait to be written.", registry=REGISTRY)
VOTES = Gauge("plaudit_votes", "Votes that count, by contest.", ["contest"], registry=REGISTRY)
DECIDED = Gauge(
    "plaudit_decided",
    "1 where every race of a contest has its verdict.",
    ["contest"],
    registry=REGISTRY,
)
