"""`plaudit.evaluate`: which candidate is best on a set of examples, with few calls of a judge.

`run` has the two ways in, for plain functions and for coroutines. `session` decides without any
input or output what is called next and what answers mean; `threads` and `tasks` make the calls,
`cache` keeps the answers in a file, `progress` shows how far it is, `interrupts` hears Ctrl-C,
`evaluation` is what comes back. The race itself, and its proof, are in `race.finite`. This room may
use the rooms from `race` down; it calls what it is given, and touches no file but the cache.
"""

from plaudit.evaluation.evaluation import Evaluation, Row
from plaudit.evaluation.run import evaluate, evaluate_async

__all__ = ["Evaluation", "Row", "evaluate", "evaluate_async"]
