"""The algorithms that our own studies compare, each under a short name, in one place.

An entrant is a name and the settings of `Race` that make it. To add one, add a line.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

# The one that all others are measured against, and our own.
PAPERS = "lil-klucb"
OURS = "plaudit"


@dataclass(frozen=True)
class Entrant:
    """One algorithm of a study.

    `cost` is about the microseconds of a vote. `patience` is the share of the usual number of
    races that it gets: less where races are long and nothing depends on precise numbers, and 0
    where it is not made to certify. `knows_epsilon` and `knows_top` say whether it has slack and
    can name more than one item; with more than `most_items` it takes too long. An `oracle` knows
    the true means and runs only in simulations. `finds` and `errs` say whether it takes part in
    the races that find, and in the error checks.
    """

    name: str
    settings: dict[str, Any]
    says: str
    cost: float = 0.5
    patience: float = 1.0
    knows_epsilon: bool = True
    knows_top: bool = True
    oracle: bool = False
    most_items: int = 1_000_000
    finds: bool = False
    errs: bool = False


def _ours(**parts: str) -> dict[str, Any]:
    """Parts of the default, stopped by evidence: simulated votes are independent."""
    return {"algorithm": OURS, "stopping": "evidence", **parts}


_ALL = (
    Entrant(PAPERS, {"algorithm": PAPERS}, "the paper's algorithm", finds=True, errs=True),
    Entrant(OURS, {"algorithm": OURS}, "the default", cost=3.0, finds=True, errs=True),
    Entrant("betting", {"bound": "betting", "algorithm": PAPERS}, "its pairs, bound betting",
            cost=2.0, finds=True, errs=True),
    Entrant("beta-mixture", {"bound": "beta-mixture", "algorithm": PAPERS},
            "its pairs, bound Beta mixture", cost=1.0, finds=True, errs=True),
    Entrant("empirical-bernstein", {"bound": "empirical-bernstein", "algorithm": PAPERS},
            "its pairs, bound empirical Bernstein", cost=1.0, errs=True),
    Entrant("kinf", {"bound": "kinf", "algorithm": PAPERS}, "its pairs, bound K_inf", cost=5.0,
            patience=0.5, errs=True),
    Entrant("stitched", {"bound": "stitched", "algorithm": PAPERS}, "its pairs, bound stitched",
            errs=True),
    Entrant("eb-tc", _ours(rule="eb-tc"), "Top-Two rule, stopped by evidence", cost=5.0,
            patience=0.5, knows_top=False, finds=True, errs=True),
    Entrant("ttucb", _ours(rule="ttucb"), "Top-Two rule, stopped by evidence", cost=5.0,
            patience=0.5, knows_top=False, finds=True),
    Entrant("t3c", _ours(rule="t3c"), "Top-Two rule, stopped by evidence", cost=600.0, patience=0.1,
            knows_top=False, finds=True, most_items=2000),
    Entrant("oracle", _ours(), "Track-and-Stop's shares by the true means, stopped by evidence",
            cost=5.0, patience=0.5, knows_top=False, oracle=True),
    Entrant("kl-lucb", {"algorithm": "kl-lucb"}, "by Kaufmann and Kalyanakrishnan", cost=4.0,
            patience=0.25),
    Entrant("lucb++", {"algorithm": "lucb++"}, "by Simchowitz, Jamieson and Recht", patience=0.25,
            errs=True),
    Entrant("lil-ucb", {"algorithm": "lil-ucb"}, "by Jamieson and others", cost=0.3, patience=0.1,
            knows_epsilon=False),
    Entrant("ucb", {"algorithm": "ucb"}, "the sampling of the paper's Section 5, made to find",
            patience=0.1, finds=True),
    Entrant("uniform", {"algorithm": "uniform"}, "every item in turn", cost=0.3, patience=0.1,
            finds=True),
    Entrant("betting, bold", {"bound": "betting", "algorithm": PAPERS, "choosing_delta": 0.1},
            "its pairs, bound betting, chosen at level 0.1", cost=2.0, patience=0.0, finds=True),
    Entrant("at-lucb", {"algorithm": "at-lucb"}, "anytime LUCB, certifies nothing", cost=2.0,
            patience=0.0, finds=True),
)  # fmt: skip

ENTRANTS = {entrant.name: entrant for entrant in _ALL}


def entrants(names: Iterable[str] | None = None) -> list[Entrant]:
    """The entrants of these names, or all, in the order above."""
    wanted = ENTRANTS if names is None else set(names)
    return [entrant for name, entrant in ENTRANTS.items() if name in wanted]
