"""Benchmarks of the numbers that Plaudit promises: `python -m benchmarks [NAME...] [--json]`.

Each module is one benchmark, with `run(quick)`, which returns a `Report`. Benchmarks are commands,
not tests: seconds depend on the machine, and only the reader can judge a noisy one.
"""

NAMES = (
    "accuracy",
    "tell",
    "inversion",
    "race",
    "default",
    "paired",
    "pruners",
    "floor",
    "figure_1",
    "memory",
    "startup",
    "scaling",
    "scale",
    "votes",
    "service",
    "service_items",
    "service_start",
    "service_workers",
    "ceiling",
    "divided",
    "flood",
    "receipts",
    "dashboard",
    "charts",
    "crowd",
    "door",
    "phone",
    "fishing",
    "before_after",
    "faults",
)
