"""Ways to find the best candidate of a table: each does what it is known for."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from plaudit import FiniteRace
from plaudit.simulation.examples import (
    BENCHMARKS,
    Benchmark,
    run_finite,
    run_hoeffding,
    run_two_looks,
    run_wilcoxon,
)
from plaudit.simulation.examples.wilcoxon import LARGEST_SUM, p_value

SMALL = [
    Benchmark("graded", 6, 70, "normal", 0.5, 0.0, 1.5, 1.0, 10),
    Benchmark("yes or no", 5, 90, "normal", 0.8, 0.5, 1.0, 0.0, 1),
    Benchmark("fine", 7, 60, "tail", 0.5, 1.0, 1.0, 0.7, 100),
]


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda one: one.name)
def test_tables_are_of_the_shape_that_they_are_named_for(benchmark):
    table = benchmark.draw(3)
    assert table.shape == (benchmark.examples, benchmark.candidates)
    words = benchmark.name.replace(",", "").split()
    assert [int(word) for word in words if word.isdigit()] == [*reversed(table.shape)]
    steps = np.round(table * benchmark.levels)
    assert np.array_equal(table, steps / benchmark.levels)
    assert (steps.min(), steps.max()) == (0, benchmark.levels)
    assert np.array_equal(table, benchmark.draw(3))
    assert not np.array_equal(table, benchmark.draw(4))
    # Hard examples are hard for all: candidates agree more than by chance.
    assert np.corrcoef(table[:, :2].T)[0, 1] > 0.1


@pytest.mark.parametrize("epsilon", [0.0, 0.03])
def test_the_simulated_race_is_the_race_of_evaluate(epsilon):
    for benchmark in SMALL:
        for seed in range(5):
            table = benchmark.draw(seed)
            race = FiniteRace(
                benchmark.candidates, examples=benchmark.examples, delta=0.1, epsilon=epsilon
            )
            race._state.order[:] = np.arange(benchmark.candidates)
            race.tell_many(table)
            found = run_finite(table, delta=0.1, epsilon=epsilon)
            assert found.calls == race.votes
            assert found.winner == race.leaders[0]


def test_hoeffding_races_by_definition():
    for benchmark in SMALL:
        table = np.repeat(benchmark.draw(1), 20, axis=0)
        examples, candidates = table.shape
        inside, calls = set(range(candidates)), 0
        for met in range(1, examples + 1):
            calls += len(inside)
            means = table[:met].mean(axis=0)
            reach = math.sqrt(math.log(2 * candidates * examples / 0.05) / (2 * met))
            best = max(means[i] for i in inside)
            inside = {i for i in inside if means[i] + reach >= best - reach}
            if len(inside) == 1:
                break
        found = run_hoeffding(table, delta=0.05)
        best = max(inside, key=lambda i: table[:met, i].sum())
        assert (found.calls, found.winner) == (calls, best)


def test_one_test_after_half_of_the_examples():
    table = np.tile([[1.0, 0.0], [1.0, 0.5], [0.5, 0.5], [1.0, 0.25]], (20, 1))
    assert run_two_looks(table, delta=0.05) == (80, 0)
    close = np.random.default_rng(1).random((80, 2))
    assert run_two_looks(close, delta=1e-9) == (160, int(np.argmax(close.sum(axis=0))))


@pytest.mark.parametrize("levels", [1, 10, 100])
def test_the_p_value_is_scipys(levels):
    rng, chances = np.random.default_rng(levels), np.zeros(LARGEST_SUM + 1)
    for met in (2, 5, 11, 14, 30, 50, 51, 90):
        for _ in range(2):
            differences = rng.integers(-levels, levels + 1, met)
            if met in (14, 30) and levels == 100:
                # All different and none 0: the exact law.
                differences = rng.permutation(np.arange(1, 101))[:met] * rng.choice([-1, 1], met)
            counts = np.zeros((2, levels + 1), np.int64)
            np.add.at(counts, (np.where(differences > 0, 0, 1), abs(differences)), 1)
            theirs = stats.wilcoxon(
                differences.astype(float), alternative="less", zero_method="zsplit"
            ).pvalue
            assert p_value(counts, met, chances) == pytest.approx(theirs, abs=1e-12)


def by_optuna(table, threshold):
    """Calls and winner of a study with Optuna's own pruner, a trial for each candidate."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    calls = 0

    def objective(trial):
        nonlocal calls
        candidate, total = trial.number, 0.0
        for place, score in enumerate(table[:, candidate].tolist()):
            calls += 1
            total += score
            trial.report(score, place)
            if trial.should_prune():
                return total / (place + 1)
        return total / len(table)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = optuna.create_study(
            direction="maximize", pruner=optuna.pruners.WilcoxonPruner(p_threshold=threshold)
        )
        study.optimize(objective, n_trials=table.shape[1])
    return calls, study.best_trial.number


@pytest.mark.slow
def test_the_pruner_is_optunas():
    """Three small tables in whole points: fractions would differ where they are equal."""
    pruned = 0
    for benchmark, threshold in zip(SMALL, (0.1, 0.05, 0.01), strict=True):
        table = replace(benchmark, candidates=3, examples=24, skill_spread=1.5).draw(2)
        found = run_wilcoxon(table, levels=benchmark.levels, threshold=threshold)
        assert found == by_optuna(np.round(table * benchmark.levels), threshold)
        pruned += found.calls < table.size
    assert pruned >= 1
