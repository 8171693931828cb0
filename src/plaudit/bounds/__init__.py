"""Confidence bounds for the mean of votes: pure mathematics, one module for each family.

`get(name)` gives a bound, with `upper` and `lower` for numbers and arrays alike; `in_order(name)`
one for values in the order in which they came, drawn without replacement or differences. Every
bound holds at all times at once, and is rounded outward. This room imports only `compiled` and
`errors`; it reads no clock, no file and no random number.
"""

from collections.abc import Callable

from plaudit.bounds.bernoulli import (
    chernoff_information,
    divergence,
    inverse_lower,
    inverse_upper,
)
from plaudit.bounds.beta_mixture import beta_mixture
from plaudit.bounds.betting import betting
from plaudit.bounds.bound import Bound
from plaudit.bounds.empirical_bernstein import empirical_bernstein
from plaudit.bounds.in_order import ORDERED_NAMES, OrderedBound, in_order
from plaudit.bounds.kinf import kinf
from plaudit.bounds.kl_lucb import kl_lucb
from plaudit.bounds.learned import Bets
from plaudit.bounds.lil_kl import check_n, lil_kl, lil_kl_2
from plaudit.bounds.lil_ucb import lil_ucb
from plaudit.bounds.stitched import stitched
from plaudit.bounds.sub_gaussian import elimination, hoeffding, sg1, sg2
from plaudit.errors import InvalidInput, UnknownName

__all__ = [
    "NAMES",
    "ORDERED_NAMES",
    "Bets",
    "Bound",
    "OrderedBound",
    "chernoff_information",
    "divergence",
    "get",
    "in_order",
    "inverse_lower",
    "inverse_upper",
]

_WITH_N: dict[str, Callable[[int], Bound]] = {"lil-kl": lil_kl, "lil-kl-2": lil_kl_2, "sg1": sg1}
_WITHOUT_N: dict[str, Callable[[], Bound]] = {
    "sg2": sg2,
    "kl-lucb": kl_lucb,
    "lil-ucb": lil_ucb,
    "hoeffding": hoeffding,
    "elimination": elimination,
    "beta-mixture": beta_mixture,
    "betting": betting,
    "kinf": kinf,
    "empirical-bernstein": empirical_bernstein,
    "stitched": stitched,
}
NAMES = (*_WITH_N, *_WITHOUT_N)


def get(name: str, *, N: int = 8, bets: Bets | None = None) -> Bound:
    """The bound of that name; N, a power of two, matters to `lil-kl`, `lil-kl-2` and `sg1`.

    `bets` are learned weights for `betting`, and for no other bound.

    >>> get("lil-kl", N=8).name
    'lil-kl'
    """
    N = check_n(N)
    if bets is not None:
        return _with_bets(name, bets)
    if name in _WITH_N:
        return _WITH_N[name](N)
    if name in _WITHOUT_N:
        return _WITHOUT_N[name]()
    raise UnknownName("bound", name, NAMES)


def _with_bets(name: str, bets: Bets) -> Bound:
    if not isinstance(bets, Bets):
        raise InvalidInput(f"bets must be plaudit.Bets or None; got {bets!r:.80}.")
    if name != "betting":
        raise InvalidInput(
            f"bets are weights of the bound 'betting'; the bound here is {name!r}. Leave the bets "
            "out, or use an algorithm that bets, such as plaudit."
        )
    return betting(bets)
