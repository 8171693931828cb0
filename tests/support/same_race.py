"""Whether two races are equal, and stay equal while both get the same votes."""

import io

import numpy as np

from plaudit import Race


def restored(race):
    file = io.BytesIO()
    race.save(file)
    file.seek(0)
    return Race.restore(file)


def intervals(race):
    table = race.intervals()
    return [column.tobytes() for column in (table.votes, table.means, table.lower, table.upper)]


def standing(race):
    """Whether the race may stop, and its gap, without making a verdict stand."""
    return race.engine.stop_and_gap()


def assert_same_from_now_on(one, other, *, steps=80, seed=0):
    """Checks that leaders, intervals, asks and verdict stay equal while both get the same votes."""
    rng = np.random.default_rng(seed)
    for step in range(steps):
        assert one.leaders == other.leaders
        assert intervals(one) == intervals(other)
        assert one.pending == other.pending
        assert standing(one) == standing(other)
        seen = [int(rng.integers(len(one)))]
        items = one.ask(1 + step % 3, exclude=seen)
        assert items == other.ask(1 + step % 3, exclude=seen)
        for item in items:
            vote = float(rng.integers(0, 2))
            one.tell(item, vote)
            other.tell(item, vote)
    assert one.verdict().to_dict() == other.verdict().to_dict()
