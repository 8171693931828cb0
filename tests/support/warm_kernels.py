"""Makes the kernels that all test processes share, as `python -m plaudit.compiled` does.

Otherwise every process would wait for them: run it before the tests.
"""

from plaudit.compiled.making import make_all
from plaudit.race import FiniteRace


def warm_finite() -> None:
    """Compiles races on a finite set of examples, and their intervals, which are in no list."""
    race = FiniteRace(2, examples=3)
    race.tell({0: 1.0, 1: 0.0})
    race.verdict()
    race.intervals()


if __name__ == "__main__":
    make_all()
    warm_finite()
