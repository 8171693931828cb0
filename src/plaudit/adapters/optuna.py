"""A pruner for Optuna: gives up trials that are worse than the best so far, and pays for looking.

An objective that is a mean over instances (questions, seeds, folds) reports the value of each
instance, as for Optuna's `WilcoxonPruner`: `trial.report(value, step=instance)`. The instances of
a trial come in an order of their own, drawn at random: `pruner.order()`. docs/adapters/optuna.md
has the proof.

Let a trial be compared with the best trial that was complete when it started, d_1, ..., d_N be how
much worse it is on each of the N instances, in its random order, scaled to [-1, 1], and S_s the
sum of the first s. If it is at least as good over all instances, d has a sum of 0 or less, and the
mean of d_s given the ones before is at most c_s = -S_{s-1} / (N - s + 1). So each bet b of a fixed
list multiplies its capital by

    (1 + b d_s) / (1 + b c_s),

which is expected to be 1 or less, and all together ever reach 1/eta with probability at most eta.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.errors import InvalidInput, MissingExtra
from plaudit.race.arguments import check_delta, check_whole, plain
from plaudit.race.paired.bets import LOG_WEIGHTS, MARGIN, SIZES

try:
    from optuna.pruners import BasePruner
    from optuna.study import StudyDirection
    from optuna.trial import FrozenTrial, TrialState
except ImportError:
    raise MissingExtra("Pruners for Optuna", "optuna") from None

__all__ = ["PlauditPruner"]

# More than rounding adds up to in a sum of differences.
ROUNDING = 1e-9


@dataclass
class _Look:
    """A trial while it runs: its rival's values, its own instances so far, and what bets won."""

    rival: dict[int, float]
    steps: dict[int, None] = field(default_factory=dict)
    total: float = 0.0
    logs: NDArray[np.float64] = field(default_factory=LOG_WEIGHTS.copy)

    def bet(self, worse: float, left: int, wanted: float) -> None:
        """One instance more: how much worse it was, how many were left with it, the sum wanted."""
        if self.logs[0] == math.inf:
            return
        expected = (wanted - self.total) / left
        self.logs += np.log1p(SIZES * worse) - np.log1p(SIZES * expected)
        self.total += worse
        if self.total - (left - 1) > wanted + ROUNDING:
            # Not even the best values on all that is left would do.
            self.logs[:] = math.inf

    @property
    def log_capital(self) -> float:
        """The logarithm of what a capital of 1 has become."""
        most = float(self.logs.max())
        if not math.isfinite(most):
            return most
        return most + math.log(float(np.exp(self.logs - most).sum()))


class PlauditPruner(BasePruner):  # type: ignore[misc]
    """Prunes a trial once it is certainly worse than the best trial before it.

    With probability at least 1 - delta no trial of the whole study is pruned that would have been
    at least as good as the best trial that was complete when it started, by its mean over all
    instances; with `epsilon`, none that would have been better than it by epsilon or more. This
    holds however often it is looked at, for any sampler, and for any law of the values.

    `instances` is how many there are; they are numbered from 0, and a step is the number of one.
    Values lie in `bounds`. Each trial takes the instances in an order drawn afresh: `order()`.

    Without `trials`, trial n (from 0) gets delta / ((n + 1) (n + 2)), whose sum is at most delta
    for any number of trials. With `trials` each of so many gets the same share, and later ones are
    not pruned. With `split=False` each trial gets all of delta: then each alone is safe, and if
    the sampler does not look at results (a grid, random search) the best of all trials survives
    with probability 1 - delta.

    >>> import optuna
    >>> optuna.logging.set_verbosity(optuna.logging.ERROR)
    >>> pruner = PlauditPruner(200, delta=0.05, seed=1)
    >>> def objective(trial):
    ...     wrong, steps = trial.suggest_categorical("wrong", [0.1, 0.9]), pruner.order()
    ...     for step in steps:
    ...         trial.report(float(step % 10 < 10 * wrong), int(step))
    ...         if trial.should_prune():
    ...             raise optuna.TrialPruned
    ...     return wrong
    >>> sampler = optuna.samplers.GridSampler({"wrong": [0.1, 0.9]}, seed=1)
    >>> study = optuna.create_study(pruner=pruner, sampler=sampler)
    >>> study.optimize(objective)
    >>> study.best_params
    {'wrong': 0.1}
    """

    def __init__(
        self,
        instances: int,
        *,
        delta: float = 0.05,
        bounds: tuple[float, float] = (0.0, 1.0),
        epsilon: float = 0.0,
        trials: int | None = None,
        split: bool = True,
        seed: int | None = None,
    ) -> None:
        low, high = (float(plain(end)) for end in bounds)
        if not -math.inf < low < high < math.inf:
            raise InvalidInput(
                f"The bounds must be two finite numbers, the smaller first; got {bounds!r}. Give "
                "the least and the largest value that an instance can have."
            )
        check_whole("instances", plain(instances), 1, None)
        check_delta(plain(delta))
        if trials is not None:
            check_whole("trials", plain(trials), 1, None)
        if not 0.0 <= epsilon <= high - low:
            raise InvalidInput(
                f"epsilon must lie between 0 and {high - low:g}, the range of values; got "
                f"{epsilon!r}."
            )
        self._instances, self._delta, self._trials = int(instances), float(delta), trials
        self._low, self._range, self._epsilon = low, high - low, float(epsilon)
        self._split = split
        self._random = np.random.default_rng(seed)
        self._looks: dict[tuple[str, int], _Look | None] = {}

    def order(self) -> NDArray[np.int64]:
        """The instances in a random order, for one trial."""
        return self._random.permutation(self._instances)

    def level(self, number: int) -> float:
        """The logarithm of the capital that prunes the trial with this number."""
        if not self._split:
            return -math.log(self._delta)
        if self._trials is None:
            return math.log((number + 1) * (number + 2) / self._delta)
        return math.log(self._trials / self._delta) if number < self._trials else math.inf

    def prune(self, study: Any, trial: FrozenTrial) -> bool:
        """Whether the trial is certainly worse than the best that was complete when it started."""
        place = (study.study_name, trial.number)
        if place not in self._looks:
            rival = self._rival(study, trial)
            self._looks[place] = None if rival is None else _Look(rival)
        look = self._looks[place]
        if look is None:
            return False
        sign = 1.0 if study.direction == StudyDirection.MINIMIZE else -1.0
        for step in self._new_steps(look, trial):
            worse = sign * (self._value(trial, step) - look.rival[step]) / self._range
            wanted = -self._epsilon / self._range * self._instances
            look.bet(worse, self._instances - len(look.steps), wanted)
            look.steps[step] = None
        complete = len(look.steps) == self._instances
        certain = look.log_capital >= self.level(trial.number) + MARGIN
        if certain or complete:
            self._looks[place] = None
        return certain and not complete

    def _new_steps(self, look: _Look, trial: FrozenTrial) -> list[int]:
        """The steps since the last look; those that came together in a random order.

        A storage may sort them, and a sorted order is none that was drawn at random.
        """
        steps = [step for step in trial.intermediate_values if step not in look.steps]
        for step in steps:
            if not 0 <= step < self._instances:
                raise InvalidInput(
                    f"Step {step} is no instance: there are {self._instances}, numbered from 0. "
                    "Report each value with the number of its instance."
                )
        return [int(step) for step in self._random.permutation(steps)]

    def _value(self, trial: FrozenTrial, step: int) -> float:
        value = float(trial.intermediate_values[step])
        if not self._low <= value <= self._low + self._range:
            raise InvalidInput(
                f"Instance {step} of trial {trial.number} has the value {value}, which is outside "
                f"[{self._low:g}, {self._low + self._range:g}]. Give the pruner bounds that all "
                "values keep to."
            )
        return value

    def _rival(self, study: Any, trial: FrozenTrial) -> dict[int, float] | None:
        """The values of the best trial that had all instances when this one started."""
        found: list[dict[int, float]] = [
            each.intermediate_values
            for each in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
            if self._was_complete(each, trial)
        ]
        if not found:
            return None
        best = min if study.direction == StudyDirection.MINIMIZE else max
        return best(found, key=lambda values: sum(values.values()))

    def _was_complete(self, earlier: FrozenTrial, trial: FrozenTrial) -> bool:
        if earlier.datetime_complete is None or trial.datetime_start is None:
            return False
        return (
            earlier.datetime_complete <= trial.datetime_start
            and len(earlier.intermediate_values) == self._instances
        )
