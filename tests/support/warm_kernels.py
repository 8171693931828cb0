"""Compiles the kernels that all test processes share, usual and rare ones side by side.

Otherwise every process would compile them for itself: run it before the tests.
"""

import multiprocessing

from plaudit.race import FiniteRace, PairedRace, Race
from plaudit.scale import THUMBS
from plaudit.service.contest.races import warm_up
from plaudit.simulation import Profile, SimulatedRace


def warm_simulated(**settings: object) -> None:
    """Compiles a whole race, simulated and asked for."""
    SimulatedRace(Profile.bernoulli([0.9, 0.1, 0.1]), delta=0.5, **settings).run(max_votes=20)
    race = Race(3, delta=0.5, **settings)
    race.tell(race.ask(1)[0], 1.0)
    race.tell_many([0, 1, 2], [1.0, 0.0, 0.0])
    race.verdict()


def warm_usual() -> None:
    """Compiles what most races call."""
    warm_up()
    warm_simulated()


def warm_rare() -> None:
    """Compiles the same with the rules that few races have."""
    warm_simulated(rule="t3c", bound="beta-mixture")


def warm_paired() -> None:
    """Compiles paired races, with differences counted and added up."""
    for scale in (THUMBS, None):
        race = PairedRace(2, scale=scale)
        race.tell({0: 1.0, 1: 0.0})
        race.verdict()
        race.difference(0, 1)
        PairedRace.from_rows([[1.0, 0.0]], scale=scale)


def warm_finite() -> None:
    """Compiles races on a finite set of examples, and their intervals."""
    race = FiniteRace(2, examples=3)
    race.tell({0: 1.0, 1: 0.0})
    race.verdict()
    race.intervals()


def warm_few() -> None:
    """Compiles the races of few items."""
    warm_paired()
    warm_finite()


if __name__ == "__main__":
    processes = [multiprocessing.Process(target=warm) for warm in (warm_usual, warm_rare, warm_few)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
