"""The algorithms by name: each a known combination of bound, rule, stopping and split.

A published name stands for the published algorithm and nothing else. Any other
combination is made by giving `Race` its parts.
"""

import math
from dataclasses import dataclass

from plaudit.bounds.kernels import Formula
from plaudit.bounds.lil_ucb import ETA, lil_ucb_constant, lil_ucb_formula
from plaudit.errors import InvalidInput
from plaudit.race import state
from plaudit.race.goals import ALL_GOOD_GOAL

RULES = {
    "pair": state.PAIR,
    "largest-upper": state.LARGEST_UPPER,
    "fewest-votes": state.FEWEST_VOTES,
    "survivors": state.SURVIVORS,
    "balance": state.BALANCE,
    "eb-tc": state.EB_TC,
    "ttucb": state.TTUCB,
    "t3c": state.T3C,
    "lead": state.FRESH_LEAD,
}
# Rules of one leader and its challenger.
TOP_TWO = ("eb-tc", "ttucb", "t3c")
STOPPINGS = {
    "separation": state.SEPARATION,
    "dominance": state.DOMINANCE,
    "last-standing": state.LAST_STANDING,
    "evidence": state.EVIDENCE,
    "never": state.NEVER,
    "lead": state.LEAD,
    "fresh": state.FRESH,
}


@dataclass(frozen=True)
class Algorithm:
    """A combination of parts, and where it was published.

    `choosing` is the error level at which its rule chooses, if it differs from that of judging.
    """

    name: str
    bound: str
    rule: str
    stopping: str
    split: str
    source: str
    choosing: float | None = None


ALGORITHMS = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm(
            "plaudit",
            "betting",
            "balance",
            "separation",
            "uneven",
            "Plaudit's own: a fixed mixture of bets, votes where they narrow most, most of delta "
            "for upper bounds (docs/theory/algorithms/plaudit.md)",
            choosing=0.1,
        ),
        Algorithm(
            "lil-klucb",
            "lil-kl",
            "pair",
            "separation",
            "asymmetric",
            "Mankoff, Nowak and Tánczos (2017), Section 2, with the bound of Theorem 1; "
            "top > 1 by their Remark 1",
        ),
        Algorithm(
            "kl-lucb",
            "kl-lucb",
            "pair",
            "separation",
            "per-item",
            "Kaufmann and Kalyanakrishnan (COLT 2013), with alpha = 1.1 and k1 = 405.5",
        ),
        Algorithm(
            "lucb",
            "hoeffding",
            "pair",
            "separation",
            "per-item",
            "Kalyanakrishnan, Tewari, Auer and Stone (ICML 2012), LUCB1",
        ),
        Algorithm(
            "lucb++",
            "sg2",
            "pair",
            "separation",
            "asymmetric",
            "Simchowitz, Jamieson and Recht (COLT 2017), with the sub-Gaussian bound of "
            "Kaufmann, Cappé and Garivier (2016)",
        ),
        Algorithm(
            "lil-ucb",
            "lil-ucb",
            "largest-upper",
            "dominance",
            "per-item",
            "Jamieson, Malloy, Nowak and Bubeck (COLT 2014), Theorem 2: their epsilon 0.01, "
            "beta 1, and the smallest lambda of the proof",
        ),
        Algorithm(
            "lil-ucb-heuristic",
            "lil-ucb",
            "largest-upper",
            "dominance",
            "per-item",
            "The heuristic of Jamieson et al. (2014), Section 5: epsilon 0, beta 1/2, "
            "lambda 1 + 10/n, delta/5; without a proof",
        ),
        Algorithm(
            "ucb",
            "lil-kl",
            "largest-upper",
            "separation",
            "asymmetric",
            "The sampling of Mankoff, Nowak and Tánczos (2017), Section 5; it finds the best "
            "item soon, and without slack (epsilon 0) certifies it late or never",
        ),
        Algorithm(
            "uniform",
            "lil-kl",
            "fewest-votes",
            "separation",
            "asymmetric",
            "Every item in turn: the baseline",
        ),
        Algorithm(
            "successive-elimination",
            "elimination",
            "survivors",
            "last-standing",
            "per-item",
            "Even-Dar, Mannor and Mansour (JMLR 2006), Algorithm 3, with c = 5",
        ),
        Algorithm(
            "at-lucb",
            "hoeffding",
            "pair",
            "never",
            "per-item",
            "Jun and Nowak (ICML 2016), AT-LUCB with the bound of LUCB1, alpha = 0.99 and "
            "epsilon 0; delta is their delta_1",
        ),
    )
}


# Parts that have no proof, or no end, if raters are dishonest (docs/theory/tolerance.md).
WITHOUT_TOLERANCE = {
    "dominance": "it stops without bounds that dishonest votes could be left out of",
    "never": "it certifies nothing",
    "evidence": "what it multiplies is fair for honest votes only",
    "lead": "what it multiplies is fair for honest votes only",
    "fresh": "what it multiplies is fair for honest votes only",
    "empirical-bernstein": "a vote left out may narrow it",
} | dict.fromkeys(TOP_TWO, "it asks no more about items that look beaten, whoever beat them")


def intolerant(algorithm: Algorithm) -> tuple[str, str] | None:
    """The part of an algorithm that cannot withstand dishonest raters, and why; None if all can."""
    for part in (algorithm.stopping, algorithm.bound, algorithm.rule):
        if part in WITHOUT_TOLERANCE:
            return part, WITHOUT_TOLERANCE[part]
    if not trims(algorithm):
        return algorithm.bound, "for all good items its width need not shrink from vote to vote"
    return None


def trims(algorithm: Algorithm) -> bool:
    """Whether a bound without an item's lowest votes holds whichever of them were false."""
    moves = algorithm.split == ALL_GOOD_GOAL and algorithm.bound in ("hoeffding", "kl-lucb")
    return algorithm.bound not in WITHOUT_TOLERANCE and not moves


def check_tolerance(algorithm: Algorithm) -> None:
    """Raises `InvalidInput`, which says why, if an algorithm cannot withstand dishonest raters."""
    if (found := intolerant(algorithm)) is not None:
        part, why = found
        raise InvalidInput(
            f"A tolerance does not go with {part!r}: {why}. Use plaudit, lil-klucb or uniform, or "
            "leave the tolerance out."
        )


# The published ones that may end a race: what the studies of the paper compare.
PUBLISHED = tuple(name for name in ALGORITHMS if name not in ("plaudit", "at-lucb"))


@dataclass(frozen=True)
class Dominance:
    """lil'UCB's own numbers: it stops when an item has lambda times the others' votes.

    It samples the largest mean + (1+beta) radius, the radius at level ln(1/omega), and
    errs with probability at most `total`; None where there is no proof.
    """

    formula: Formula
    level: float
    stretch: float
    ratio: float
    total: float | None


def lil_ucb_dominance(delta: float, *, accounting: str) -> Dominance:
    """lil'UCB as its Theorem 2 has it, eta = 0.01 and beta = 1.

    Its error is 4 sqrt(c omega) + 4 c omega. For a total of delta, omega is
    (sqrt(1+delta) - 1)^2 / (4c); `accounting="paper"` takes omega = delta as it stands.
    The theorem asks for omega < ln(1+eta)/(e c): a total below 0.2567. There is no proven
    error beyond.
    """
    constant = lil_ucb_constant(ETA)
    limit = math.log1p(ETA) / (math.e * constant)
    root = (math.sqrt(1.0 + delta) - 1.0) / 2.0
    omega = root**2 / constant if accounting == "total" else delta
    total = (delta if accounting == "total" else error_of_omega(delta)) if omega < limit else None
    beta = 1.0
    square = ((2.0 + beta) / beta) ** 2
    ratio = square * (1.0 + math.log(2.0 * math.log(square / omega)) / math.log(1.0 / omega))
    return Dominance(lil_ucb_formula(ETA), math.log(1.0 / omega), 1.0 + beta, ratio, total)


def error_of_omega(omega: float) -> float:
    """4 sqrt(c omega) + 4 c omega, at most 1: the error of lil'UCB run at omega."""
    mass = lil_ucb_constant(ETA) * omega
    return min(1.0, 4.0 * math.sqrt(mass) + 4.0 * mass)


def heuristic_dominance(delta: float, *, items: int) -> Dominance:
    """lil'UCB's heuristic: eta = 0, beta = 1/2, lambda = 1 + 10/n, omega = delta/5."""
    formula = lil_ucb_formula(0.0)
    return Dominance(formula, math.log(5.0 / delta), 1.5, 1.0 + 10.0 / items, None)
