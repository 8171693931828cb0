"""The pruner: what it bets is fair to the last digit, it prunes what it should, and rarely else."""

import math
from itertools import permutations, product

import numpy as np
import optuna
import pytest
from scipy.stats import binom

from plaudit.adapters.optuna import PlauditPruner, _Look
from plaudit.errors import InvalidInput

optuna.logging.set_verbosity(optuna.logging.ERROR)


def capitals(differences: tuple[float, ...], wanted: float = 0.0) -> list[float]:
    """The logarithm of the capital after each instance, in this order."""
    look, found = _Look({}), []
    for place, worse in enumerate(differences):
        look.bet(worse, len(differences) - place, wanted)
        found.append(look.log_capital)
    return found


TABLES = [
    (1.0, 1.0, 1.0, -1.0, -1.0, -1.0),
    (0.5, 0.5, 0.5, 0.5, -1.0, -1.0),
    (1.0, 0.0, 0.0, 0.0, 0.0, -1.0),
    (0.25, 0.25, 0.25, 0.25, -0.5, -0.5),
]


@pytest.mark.parametrize("table", TABLES)
def test_the_capital_is_a_martingale_where_a_trial_is_as_good(table: tuple[float, ...]) -> None:
    """Over all orders its mean is exactly 1 after every instance."""
    found = np.exp([capitals(order) for order in permutations(table)])
    np.testing.assert_allclose(found.mean(axis=0), 1.0, rtol=1e-12)


def test_the_capital_shrinks_where_a_trial_is_better_and_with_slack() -> None:
    better = (1.0, 0.5, 0.0, -1.0, -1.0)
    means = np.exp([capitals(order) for order in permutations(better)]).mean(axis=0)
    assert (np.diff(means) < 0).all()
    # Better by 0.1 exactly, with that as the slack: fair again.
    found = np.exp([capitals(order, wanted=-0.5) for order in permutations(better)])
    np.testing.assert_allclose(found.mean(axis=0), 1.0, rtol=1e-12)


@pytest.mark.parametrize("eta", [0.5, 0.3])
def test_no_table_of_a_trial_that_is_as_good_is_pruned_too_often(eta: float) -> None:
    """The exact probability, over all orders, for all tables of five differences of three kinds."""
    worst = 0.0
    for table in product((-1.0, 0.5, 1.0), repeat=5):
        if sum(table) > 0 or list(table) != sorted(table):
            continue
        reached = [max(capitals(order)[:-1]) >= -math.log(eta) for order in permutations(table)]
        worst = max(worst, float(np.mean(reached)))
    assert eta / 5 < worst <= eta


def test_what_cannot_be_made_up_for_is_certain() -> None:
    assert capitals((1.0, 1.0, 1.0, 0.0))[2] == math.inf
    assert capitals((1.0, 1.0, 0.0, 0.0))[1] < math.inf
    assert capitals((1.0, 1.0, 1.0, -1.0, -1.0, -1.0))[2] < math.inf


@pytest.mark.statistical
def test_looking_at_every_instance_is_paid_for() -> None:
    """Trials that are exactly as good as the best are pruned with probability at most delta.

    Claim: of 1000 such trials, each given delta = 0.05, at most 65 are pruned: the 99 % point of
    Binomial(1000, 0.05) is 66. False alarms: none if the proof holds with equality nowhere, at most
    1 % otherwise. Power: a test at 0.05 that does not pay for looking prunes some 250 of them.
    """
    random = np.random.default_rng(7)
    table = np.repeat([0.3, -0.3], 50)
    pruned = 0
    for _ in range(1000):
        order = random.permutation(table)
        pruned += max(capitals(tuple(order))[:-1]) >= -math.log(0.05)
    assert pruned <= binom.ppf(0.99, 1000, 0.05)


def study_of(
    pruner: PlauditPruner, tables: np.ndarray, *, direction: str = "maximize", **given: object
) -> optuna.Study:
    """A study in which trial n has the values of row n of the tables."""

    def objective(trial: optuna.Trial) -> float:
        row = tables[trial.number]
        for step in pruner.order():
            trial.report(float(row[step]), int(step))
            if trial.should_prune():
                raise optuna.TrialPruned
        return float(row.mean())

    study = optuna.create_study(pruner=pruner, direction=direction, **given)
    study.optimize(objective, n_trials=len(tables))
    return study


def lengths(study: optuna.Study) -> list[int]:
    return [len(trial.intermediate_values) for trial in study.trials]


def tables(*means: float, instances: int = 300) -> np.ndarray:
    """Values of 0 and 1 with these means, on instances of which some are hard for all."""
    hard = np.random.default_rng(3).permutation(instances)
    rows = [hard < round(mean * instances) for mean in means]
    return np.array(rows, dtype=float)


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_worse_trials_are_pruned_and_better_ones_are_not(direction: str) -> None:
    rows = tables(0.5, 0.2, 0.6, 0.3, 0.7)
    rows = rows if direction == "maximize" else 1.0 - rows
    study = study_of(PlauditPruner(300, seed=1), rows, direction=direction)
    names = [trial.state.name for trial in study.trials]
    assert names == ["COMPLETE", "PRUNED", "COMPLETE", "PRUNED", "COMPLETE"]
    assert max(lengths(study)[1], lengths(study)[3]) < 100
    assert study.best_trial.number == 4


def test_pairs_are_what_makes_it_quick() -> None:
    """On the same instances a difference of 0.1 shows soon, though values vary much more."""
    study = study_of(PlauditPruner(1000, seed=1), tables(0.5, 0.4, instances=1000))
    assert lengths(study)[1] < 200


def test_a_storage_on_disk_will_do(tmp_path: object) -> None:
    """It gives steps back in an order of its own."""
    storage = f"sqlite:///{tmp_path}/study.db"
    pruner = PlauditPruner(15, seed=1, split=False)
    study = study_of(pruner, tables(1.0, 0.0, instances=15), storage=storage)
    assert [trial.state.name for trial in study.trials] == ["COMPLETE", "PRUNED"]


def test_delta_is_shared_by_all_trials() -> None:
    shares = [math.exp(-PlauditPruner(5, delta=0.1).level(n)) for n in range(10_000)]
    assert 0.0999 < sum(shares) < 0.1
    ten = PlauditPruner(5, delta=0.1, trials=10)
    assert sum(math.exp(-ten.level(n)) for n in range(50)) == pytest.approx(0.1)
    assert math.exp(-PlauditPruner(5, delta=0.1, split=False).level(7)) == pytest.approx(0.1)


def test_slack_prunes_what_is_better_by_little() -> None:
    rows = tables(0.5, 0.5, 0.55)
    assert lengths(study_of(PlauditPruner(300, seed=1, split=False), rows)) == [300, 300, 300]
    slack = PlauditPruner(300, epsilon=0.2, seed=1, split=False)
    assert max(lengths(study_of(slack, rows))[1:]) < 300


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"bounds": (1, 0)}, "the smaller first"),
        ({"delta": 0.95}, "delta"),
        ({"instances": 0}, "instances"),
        ({"trials": 0}, "trials"),
        ({"epsilon": 2.0}, "epsilon"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        PlauditPruner(**({"instances": 10} | given))  # type: ignore[arg-type]


def test_values_and_steps_that_cannot_be_are_named() -> None:
    with pytest.raises(InvalidInput, match="the value 3"):
        study_of(PlauditPruner(4, seed=1), np.array([[0.0] * 4, [3.0] * 4]))
    rows = np.array([[0.0] * 4, [0.0] * 4])

    def objective(trial: optuna.Trial) -> float:
        for step in range(trial.number, trial.number + 4):
            trial.report(rows[0, 0], step)
            trial.should_prune()
        return 0.0

    study = optuna.create_study(pruner=PlauditPruner(4))
    with pytest.raises(InvalidInput, match="Step 4 is no instance"):
        study.optimize(objective, n_trials=2)
