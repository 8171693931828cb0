"""Early stops in inspect_ai: real evaluations with its mock model, where it is installed.

`make test` leaves inspect_ai out, and these are skipped; `make adapters` installs it and runs them.
"""

import gc
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="needs plaudit[inspect]: make adapters")

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import Generate, TaskState, solver

from plaudit.adapters.inspect_ai import SharedRace
from plaudit.errors import InvalidInput, UnknownName

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
SAMPLES = 200


@pytest.fixture(autouse=True)
def tidy() -> Iterator[None]:
    """What inspect_ai leaves open is taken away where its warnings are ignored."""
    yield
    gc.collect()


@solver
def nothing() -> Any:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return state

    return solve


@scorer(metrics=[accuracy()])
def by_table(values: dict[int, Any]) -> Any:
    async def score(state: TaskState, target: Any) -> Score:
        value = values[state.sample_id]
        if value is None:
            raise RuntimeError("no answer")
        return Score(value=value)

    return score


def table(share: float, seed: int) -> dict[int, Any]:
    """C on about this share of the samples; easy samples are easy for all."""
    luck, own = random.Random(0), random.Random(seed)
    return {
        n: "C" if 0.7 * luck.random() + 0.3 * own.random() < share else "I" for n in range(SAMPLES)
    }


def run(race: SharedRace, tables: dict[str, dict[int, Any]], folder: Path, **given: Any) -> Any:
    """Evaluates a task for each table; the logs by name."""
    tasks = [
        Task(
            dataset=MemoryDataset([Sample(input=str(n), id=n) for n in range(SAMPLES)]),
            solver=nothing(),
            scorer=by_table(values),
            name=name,
            early_stopping=race.entrant(name),
        )
        for name, values in tables.items()
    ]
    options = {"model": "mockllm/model", "display": "none", "log_dir": str(folder)}
    logs = eval(tasks, **({"max_tasks": len(tasks)} | options | given))
    assert [log.status for log in logs] == ["success"] * len(logs)
    return {log.eval.task: log.results.early_stopping for log in logs}


TABLES = {"good": table(0.9, 1), "fair": table(0.5, 2), "poor": table(0.1, 3)}


@pytest.mark.parametrize("side_by_side", [True, False])
def test_worse_tasks_stop_and_the_best_is_named(tmp_path: Path, side_by_side: bool) -> None:
    """In one after the other the first task runs alone, and the others are stopped by it."""
    race = SharedRace(list(TABLES), delta=0.05)
    stops = run(race, TABLES, tmp_path, max_tasks=3 if side_by_side else 1)
    assert race.verdict().items == ("good",)
    answered = {name: stop.metadata["answered"] for name, stop in stops.items()}
    assert race.verdict().votes == sum(answered.values())
    assert answered["poor"] < SAMPLES / 3
    assert answered["good"] == SAMPLES or side_by_side
    assert stops["poor"].manager == "plaudit"
    assert len(stops["poor"].early_stops) == SAMPLES - answered["poor"]
    reasons = {stop.reason for stop in stops["poor"].early_stops}
    assert reasons <= {"Other tasks are certainly better.", "The race is decided."}
    assert (race.standing("good"), race.standing("poor")) == ("in", "out")


def test_winners_may_run_to_their_end(tmp_path: Path) -> None:
    race = SharedRace(list(TABLES), delta=0.05, finish=True)
    stops = run(race, TABLES, tmp_path)
    assert stops["good"].metadata["answered"] == SAMPLES
    assert stops["poor"].metadata["answered"] < SAMPLES


def test_errors_and_epochs_do_not_hold_it_up(tmp_path: Path) -> None:
    broken = TABLES["good"] | {5: None}
    race = SharedRace(["good", "poor"], delta=0.05, window=20)
    tables = {"good": broken, "poor": TABLES["poor"]}
    stops = run(race, tables, tmp_path, fail_on_error=False, epochs=2, max_samples=4)
    assert race.verdict().items == ("good",)
    assert stops["poor"].metadata["answered"] < SAMPLES


def test_the_order_of_evidence_is_that_of_the_samples() -> None:
    """A later answer that comes first waits; one that never comes is passed over."""
    race = SharedRace(["a", "b"], window=2)
    race.enter([0, 1, 2, 3])
    a, b = race.entrant("a"), race.entrant("b")
    b.scores |= {0: 0.0, 1: 0.0, 2: 0.0, 3: 0.0}
    a.scores[1] = 1.0
    a._answered.append(1)
    race.answered(0)
    assert race._race.raters == 0
    a.scores[2] = 1.0
    a._answered.append(2)
    race.answered(0)
    # Sample 0 is left out, 1 and 2 count, 3 may still come.
    assert race._race.raters == 2
    a.skipped.add(3)
    race.answered(0)
    assert (race._race.raters, race._seen[0, 1]) == (2, 4)


def test_what_does_not_fit_is_said() -> None:
    with pytest.raises(InvalidInput, match="a name of its own"):
        SharedRace(["a", "a"])
    race = SharedRace(["a", "b"])
    with pytest.raises(UnknownName, match="no task"):
        race.entrant("c")
    race.enter([1, 2])
    with pytest.raises(InvalidInput, match="the same samples"):
        race.enter([2, 1])


def sample_score(value: Any) -> Any:
    from inspect_ai.scorer import SampleScore

    return SampleScore(score=Score(value=value))


def test_scores_are_those_of_inspect() -> None:
    race = SharedRace(["a", "b"])
    for value, number in (("C", 1.0), ("I", 0.0), ("P", 0.5), (0.25, 0.25), (True, 1.0)):
        assert race.score_of({"match": sample_score(value)}) == number
    two = {"x": sample_score(1), "y": sample_score(0)}
    assert SharedRace(["a", "b"], scorer="y").score_of(two) == 0.0
    with pytest.raises(InvalidInput, match="several scores"):
        race.score_of(two)
    with pytest.raises(UnknownName):
        SharedRace(["a", "b"], scorer="z").score_of(two)
    with pytest.raises(InvalidInput, match="outside"):
        race.score_of({"x": sample_score(7)})
