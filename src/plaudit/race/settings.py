"""The settings of a race, checked: what is asked for, and which parts will do it."""

from dataclasses import asdict, dataclass
from typing import Any

from plaudit import bounds
from plaudit.bounds.bound import Bound
from plaudit.bounds.error_budget import ACCOUNTINGS, Budget, split_error
from plaudit.errors import InvalidInput, UnknownName
from plaudit.race.algorithms import (
    ALGORITHMS,
    RULES,
    STOPPINGS,
    TOP_TWO,
    Algorithm,
    Dominance,
    check_tolerance,
    heuristic_dominance,
    lil_ucb_dominance,
)
from plaudit.race.all_good.parts import all_good_algorithm, all_good_budget
from plaudit.race.arguments import check_wanted, is_number
from plaudit.race.goals import ALL_GOOD_GOAL, GOALS, TOP_GOAL
from plaudit.race.lead.parts import APPOINTING, appointing_algorithm, appointing_budget
from plaudit.scale import Scale

DEFAULT_ALGORITHM = "plaudit"
DEFAULT_RESERVE = 1 / 16
# How combinations of parts share delta out, by their stopping; all others as the paper does.
SPLIT_OF = {"last-standing": "per-item", "evidence": "evidence"}
MAX_ITEMS = 2**31 - 2**10


@dataclass(frozen=True)
class Settings:
    """What a race was started with; equal settings and equal votes make equal races."""

    items: int
    delta: float
    top: int
    epsilon: float
    algorithm: str
    bound: str | None
    rule: str | None
    stopping: str | None
    N: int
    seed: int
    scale: Scale | None
    accounting: str
    reserve: float | None
    choosing_delta: float | None
    goal: str = TOP_GOAL
    tolerance: int = 0
    bets: bounds.Bets | None = None

    def __post_init__(self) -> None:
        check_wanted(self, most_items=MAX_ITEMS)
        for kind, given, known in (
            ("algorithm", self.algorithm, ALGORITHMS),
            ("accounting", self.accounting, ACCOUNTINGS),
            ("bound", self.bound, (None, *bounds.NAMES)),
            ("rule", self.rule, (None, *RULES)),
            ("stopping", self.stopping, (None, *STOPPINGS)),
            ("goal", self.goal, GOALS),
        ):
            if given not in tuple(known):
                raise UnknownName(kind, given, filter(None, known))
        if self.reserve is not None and (
            not is_number(self.reserve) or not 0.0 <= self.reserve < 1.0
        ):
            raise InvalidInput(f"reserve must be a share of delta in [0, 1); got {self.reserve!r}.")
        chosen = self.choosing_delta
        if chosen is not None and (not is_number(chosen) or not 0.0 < chosen < 1.0):
            raise InvalidInput(
                f"choosing_delta must be a probability between 0 and 1, or None; got {chosen!r}."
            )

    def as_dict(self) -> dict[str, Any]:
        """The settings as plain values, from which they can be made again."""
        values = asdict(self)
        del values["bets"]
        return values | ({"bets": self.bets.to_record()} if self.bets else {})


@dataclass(frozen=True)
class Method:
    """How a race carries its settings out: algorithm, bound and error budget."""

    algorithm: Algorithm
    bound: Bound
    budget: Budget
    dominance: Dominance | None
    accepts_changes: bool

    @property
    def proven_delta(self) -> float | None:
        """The total error of a verdict; None where the stopping has no proof."""
        if self.algorithm.stopping == "never":
            return None
        return self.dominance.total if self.dominance else self.budget.total


def method_of(settings: Settings) -> Method:
    """The parts of the named algorithm, with those replaced that were given by name."""
    algorithm = _combine(settings)
    if settings.tolerance:
        check_tolerance(algorithm)
    bound = bounds.get(algorithm.bound, N=settings.N, bets=settings.bets)
    dominant = algorithm.stopping == "dominance"
    reserve = settings.reserve
    if reserve is None:
        reserve = 0.0 if dominant or settings.accounting == "paper" else DEFAULT_RESERVE
    if settings.goal == ALL_GOOD_GOAL:
        return Method(algorithm, bound, all_good_budget(settings, reserve), None, reserve > 0.0)
    if algorithm.stopping in APPOINTING:
        return Method(algorithm, bound, appointing_budget(settings), None, False)
    budget = split_error(
        settings.delta,
        items=settings.items,
        top=settings.top,
        split=algorithm.split,
        accounting=settings.accounting,
        reserve=reserve,
    )
    dominance = _dominance(algorithm, settings) if dominant else None
    return Method(algorithm, bound, budget, dominance, reserve > 0.0 and not dominant)


def _combine(settings: Settings) -> Algorithm:
    if settings.goal == ALL_GOOD_GOAL:
        return all_good_algorithm(settings)
    named = ALGORITHMS[settings.algorithm]
    parts = (settings.bound, settings.rule, settings.stopping)
    if parts == (None, None, None):
        return named
    bound = settings.bound or named.bound
    rule, stopping = settings.rule or named.rule, settings.stopping or named.stopping
    if settings.rule == "lead" or settings.stopping in APPOINTING:
        return appointing_algorithm(settings, bound, named.choosing)
    # A part that was not named is replaced where it does not go with one that was.
    if settings.rule is None and rule == "balance" and bounds.get(bound).uses_time:
        rule = "pair"
    if (stopping == "last-standing") != (rule == "survivors"):
        raise InvalidInput(
            f"The rule {rule!r} and the stopping {stopping!r} do not go together: 'survivors' "
            "and 'last-standing' need each other."
        )
    never = ALGORITHMS["at-lucb"]
    wanted = (bound, rule, stopping)
    if stopping == "never" and wanted != (never.bound, never.rule, never.stopping):
        raise InvalidInput(
            "The stopping 'never' belongs to at-lucb, whose stages need the bound 'hoeffding' and "
            f"the rule 'pair'; got {wanted[0]!r} and {rule!r}. Use algorithm='at-lucb'."
        )
    if rule in TOP_TWO and settings.top != 1:
        raise InvalidInput(
            f"The rule {rule!r} has one leader and its challenger: it needs top=1, got "
            f"top={settings.top}. Use 'pair' for more."
        )
    if stopping == "dominance" and (rule, bound) != ("largest-upper", "lil-ucb"):
        raise InvalidInput(
            "The stopping 'dominance' is proven only with the rule 'largest-upper' and the bound "
            f"'lil-ucb'; got {rule!r} and {bound!r}. Use 'separation' with other parts."
        )
    if stopping == "evidence" and bound != "betting":
        raise InvalidInput(
            "The stopping 'evidence' multiplies what bets have won: it needs the bound 'betting', "
            f"got {bound!r}. Use 'separation' with other bounds."
        )
    if rule == "balance" and bounds.get(bound).uses_time:
        raise InvalidInput(
            "The rule 'balance' needs a bound that moves with an item's own votes alone; "
            f"{bound!r} moves with the race's time. Use 'pair'."
        )
    split = SPLIT_OF.get(stopping, "asymmetric")
    # The default's own split goes with its bound and stopping, whatever the rule.
    if named.split == "uneven" and (bound, stopping) == (named.bound, named.stopping):
        split = named.split
    choosing = named.choosing if rule == "balance" else None
    return Algorithm(
        f"{bound}/{rule}/{stopping}", bound, rule, stopping, split, "parts of your own", choosing
    )


def _dominance(algorithm: Algorithm, settings: Settings) -> Dominance:
    if settings.top != 1 or settings.epsilon != 0.0:
        raise InvalidInput(
            f"{algorithm.name} names one item without slack: it needs top=1 and epsilon=0, got "
            f"top={settings.top} and epsilon={settings.epsilon:g}. Use lil-klucb or lucb++."
        )
    if settings.choosing_delta is not None:
        raise InvalidInput(
            f"{algorithm.name} is proven for its own choice of items: leave choosing_delta out."
        )
    if algorithm.name == "lil-ucb-heuristic":
        return heuristic_dominance(settings.delta, items=settings.items)
    return lil_ucb_dominance(settings.delta, accounting=settings.accounting)
