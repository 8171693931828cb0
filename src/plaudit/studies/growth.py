"""How fast a number grows with n: the slope of its logarithm against that of n."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Order:
    """The order n^power (ln n)^logs.

    >>> str(Order(1.0)), str(Order(1.0, 1)), str(Order(1.5))
    ('n', 'n log n', 'n^1.5')
    """

    power: float
    logs: int = 0

    def __call__(self, sizes: ArrayLike) -> NDArray[np.float64]:
        """The order at these n."""
        n = np.asarray(sizes, dtype=np.float64)
        grown: NDArray[np.float64] = n**self.power * np.log(n) ** self.logs
        return grown

    def __str__(self) -> str:
        power = "n" if self.power == 1.0 else f"n^{self.power:g}"
        return power + " log n" * self.logs


def growth_exponent(sizes: ArrayLike, values: ArrayLike) -> float:
    """The least-squares slope of ln values against ln sizes: b for values ~ n^b.

    >>> round(growth_exponent([10, 100, 1000], [2.0, 200.0, 20000.0]), 12)
    2.0
    """
    x, y = np.log(np.asarray(sizes, dtype=np.float64)), np.log(np.asarray(values, np.float64))
    x = x - x.mean()
    return float(x @ y / (x @ x))


def last_decade(sizes: Sequence[int]) -> list[int]:
    """The places of the sizes within a factor 10 of the largest.

    >>> last_decade([10, 30, 100, 300])
    [1, 2, 3]
    """
    return [place for place, n in enumerate(sizes) if 10 * n >= max(sizes)]
