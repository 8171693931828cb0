"""Kernels that Python runs while machine code is made: the same bits, or nothing has changed."""

import math
import os
import struct
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plaudit import FiniteRace, PairedRace, Race, bounds
from plaudit.compiled import compiled, meanwhile
from plaudit.compiled.fingerprint import cache_folder
from plaudit.compiled.kernel import Kernel
from plaudit.race import asking, engine, judge
from plaudit.race import race as races
from plaudit.race.algorithms import ALGORITHMS, RULES
from plaudit.scale import FUNNY
from support.warm_kernels import PLACE_KERNELS

VALUES = (0.0, 0.5, 1.0)
# Not the bound that needs the logarithms of factorials: it is left to machine code.
IN_PYTHON = sorted(set(bounds.NAMES) - {"beta-mixture"})


def copied(part: Any) -> Any:
    if isinstance(part, tuple):
        parts = map(copied, part)
        return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)
    return part.copy() if isinstance(part, np.ndarray) else part


def bits_of(part: Any) -> Any:
    """All bits of an answer, or of arguments; but not what lies between the parts of a record."""
    if isinstance(part, tuple):
        return list(map(bits_of, part))
    if isinstance(part, np.ndarray):
        return [part[name].tobytes() for name in part.dtype.names or ()] or part.tobytes()
    return type(part), struct.pack("d", part) if isinstance(part, float) else part


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every call of a kernel is made twice, by both ways; the names of those called."""
    by_machine, called = Kernel.__call__, list[str]()

    def both(kernel: Any, *given: Any) -> Any:
        other = copied(given)
        answer = by_machine(kernel, *given)
        assert bits_of(meanwhile.answer(kernel, other)) == bits_of(answer), kernel.name
        assert bits_of(other) == bits_of(given), kernel.name
        called.append(kernel.name)
        return answer

    monkeypatch.setattr(meanwhile, "SECONDS", math.inf)
    monkeypatch.setattr(Kernel, "__call__", both)
    monkeypatch.setattr(races, "_tell", lambda state: partial(both, judge.tell, state))
    monkeypatch.setattr(engine, "_ask", lambda state: partial(both, asking.ask, state))
    monkeypatch.setattr(engine, "_look", lambda state: partial(both, judge.look, state))
    return called


SETTINGS: list[dict[str, Any]] = [
    *({"algorithm": name} for name in ALGORITHMS),
    *({"algorithm": name, "scale": FUNNY} for name in ALGORITHMS),
    *({"rule": rule, "scale": FUNNY} for rule in sorted(set(RULES) - {"survivors", "lead"})),
    {"stopping": "lead", "scale": FUNNY},
    {"stopping": "fresh", "scale": FUNNY, "choosing_delta": 0.05},
    *({"bound": name, "top": 2, "scale": FUNNY} for name in IN_PYTHON),
    {"scale": FUNNY, "top": 2, "epsilon": 0.1, "tolerance": 1},
    {"algorithm": "kl-lucb", "top": 2, "tolerance": 1},
    {"goal": "all-good", "epsilon": 0.2},
    {"stopping": "evidence", "top": 2},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda given: "-".join(map(str, given.items())))
def test_a_race_is_the_same_bit_by_bit(settings: Any, compared: list[str]) -> None:
    random = np.random.default_rng(5)
    race = Race(6, delta=0.2, seed=3, **settings)
    for _ in range(25):
        for item in race.ask(2):
            vote = VALUES[min(2, int(random.random() * (2.0 + item / 5.0)))]
            race.tell(item, vote)
        race.verdict()
    assert race.votes > 20
    race.intervals()
    assert {"plaudit.race.judge:tell", "plaudit.race.judge:look"} < set(compared)


@pytest.mark.parametrize("scale", [FUNNY, None])
def test_an_appointed_leader_is_the_same_bit_by_bit(scale: Any, compared: list[str]) -> None:
    random = np.random.default_rng(5)
    race = Race(3, delta=0.2, epsilon=0.2, seed=3, stopping="fresh", scale=scale)
    items = np.repeat([0, 1, 2], 30)
    # As if it had asked for these.
    race.engine.records["pending"] = 30
    race.engine.header["pending"] = items.size
    race.tell_many(items, np.where(random.random(90) < 0.5 + 0.1 * items, 1.0, 0.0))
    fresh = race.engine.state.rare.lead.fresh
    assert fresh["rank"].max() > 0
    for _ in range(20):
        for item in race.ask(2):
            race.tell(item, float(random.random() < 0.3 + 0.1 * item))
    race.intervals(), race.verdict()
    assert (fresh["votes"] * fresh["rank"]).max() >= 10
    assert {"plaudit.race.judge:tell_all", "plaudit.race.judge:tell"} < set(compared)


def test_other_races_and_bounds_are_the_same_bit_by_bit(compared: list[str]) -> None:
    random = np.random.default_rng(5)
    for scale in (None, FUNNY):
        paired, finite = PairedRace(3, scale=scale), FiniteRace(3, examples=90, scale=scale)
        for _ in range(20):
            row = {item: float(random.choice(VALUES[item:])) for item in range(3)}
            paired.tell(row)
            finite.tell(row)
        paired.difference(0, 1), paired.verdict(), finite.intervals(), finite.verdict()
    means = np.linspace(0.0, 1.0, 9)
    for bound in map(bounds.get, IN_PYTHON):
        bound.upper(means[:, None], [0, 1, 7, 10**6], 1e-3), bound.lower(means, 12, 0.3)
    assert len(set(compared)) >= 10


@compiled
def spoil(numbers: Any, last: float) -> float:
    """Writes, and then does what Python refuses."""
    numbers[0] = 7.0
    return math.log(last) + numbers[1]


@compiled
def factorial(numbers: Any, last: float) -> float:
    """Asks for a function that Python computes otherwise than machine code."""
    numbers[0] = 7.0
    return math.lgamma(last)


@compiled
def repeat(numbers: Any, last: float) -> float:
    """Never ends."""
    while True:
        numbers[0] += spoil(numbers, last)


def test_where_python_cannot_answer_nothing_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meanwhile, "_spent", 0.0)
    monkeypatch.setattr(meanwhile, "SECONDS", 0.05)
    numbers = np.ones(2)
    assert meanwhile.answer(spoil, (numbers, 1.0)) == 1.0
    assert numbers.tolist() == [7.0, 1.0]
    numbers[:] = 1.0
    for kernel, last in ((spoil, 0.0), (factorial, 2.5), (repeat, 1.0)):
        with pytest.raises(meanwhile.Unanswered):
            meanwhile.answer(kernel, (numbers, last))
        assert numbers.tolist() == [1.0, 1.0]
    # The time is over, for all.
    assert not meanwhile.may_answer()
    with pytest.raises(meanwhile.Unanswered):
        meanwhile.answer(spoil, (numbers, 1.0))


def interrupt() -> float:
    """Somebody presses Ctrl+C."""
    raise KeyboardInterrupt


@compiled
def interrupted(numbers: Any) -> float:
    """Writes, and is interrupted."""
    numbers[0] = 7.0
    return interrupt()


def test_an_interruption_leaves_no_half_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meanwhile, "_spent", 0.0)
    numbers = np.ones(2)
    with pytest.raises(KeyboardInterrupt):
        meanwhile.answer(interrupted, (numbers,))
    assert numbers.tolist() == [1.0, 1.0]


# A first race of an installation: its votes before and after the machine code is there.
FIRST = """
import sys, threading
from pathlib import Path
from plaudit.compiled import building, making, meanwhile
made, kept, gate = map(Path, sys.argv[1:4])
meanwhile.SECONDS = 1e9
building.cache_folder = lambda: kept
making.BUILDER = (sys.executable, "-c", sys.argv[4], str(made), str(gate))
from plaudit import Race

def vote(race, times):
    for _ in range(times):
        for item in race.ask(2):
            race.tell(item, float(item == 2))
        race.verdict()

first = Race(5, delta=1e-9, seed=1)
vote(first, 10)
assert not building._loaded and not list(kept.glob("*.kernels"))
gate.touch()
for maker in making._started.values():
    maker.wait()
vote(first, 10)
assert len(building._loaded) == 2
second = Race(5, delta=1e-9, seed=1)
vote(second, 20)
mine, others = ([part.tolist() for part in race.engine.arrays()] for race in (first, second))
assert mine == others and first.votes == 40
assert "numba" not in sys.modules
"""


def test_a_race_goes_on_with_machine_code_once_it_is_there(tmp_path: Path) -> None:
    kept = tmp_path / "kernels"
    kept.mkdir()
    given = [cache_folder(), kept, tmp_path / "gate", PLACE_KERNELS]
    path = os.pathsep.join(filter(None, sys.path))
    subprocess.run(
        [sys.executable, "-c", FIRST, *map(str, given)],
        env=os.environ | {"PYTHONPATH": path},
        check=True,
        timeout=60,
    )
