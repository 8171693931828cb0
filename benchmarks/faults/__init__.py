"""Faults: a service under load is killed, paused and starved, and its whole history is checked.

`python -m benchmarks faults --engine sqlite --kills 100` runs until 100 faults have happened, or
for `--minutes`. Each round has a database of its own and a history file; `--seed` and `--first`
give a round again. `rounds` plays a round, `plan` says which faults it has, `kinds` lets them
happen, `raters` are the load, `records` is the history, and `checker` judges it.
"""

from typing import Any

from benchmarks.report import Report


def run(quick: bool = False, **options: Any) -> Report:
    """Runs rounds until there were enough faults, or the time is over."""
    # The services import this package too: they need nothing of the run.
    from benchmarks.faults.running import run_rounds

    return run_rounds(quick, **options)
