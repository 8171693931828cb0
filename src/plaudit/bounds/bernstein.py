"""How far an empirical variance lets a mean lie from that of its votes; compiled.

With t votes of mean p, W the sum of their squared distances from p, sizes lam_k = 2^(-1-k/2),
psi_k = -ln(1 - lam_k) - lam_k and the shares 1/((k+1)(k+2)) of delta, a distance d is excluded
where, for some k = 0, 1, ...,

    lam_k t d - psi_k (W + t d^2) > ln((k+1)(k+2)/delta).

For d up to 1 the left side rises with d, so each k has one root, in closed form.
docs/theory/bounds/empirical-bernstein.md has the proof.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.compiled import compiled, inlined

# The last size is 2^-64: no number of votes needs a smaller one.
SIZES = 2.0 ** (-1.0 - np.arange(127) / 2.0)
LOG_SHARES = np.log(np.arange(1.0, 128.0) * np.arange(2.0, 129.0))
# Eight units in the last place, more than what is computed here can be wrong.
SHADE = 2.0**-49


def _psi() -> NDArray[np.float64]:
    """-ln(1 - lam) - lam for each size, by its series: no digits lost where lam is small."""
    total = np.zeros_like(SIZES)
    for power in range(60, 1, -1):
        total = (total + 1.0 / power) * SIZES
    return total * SIZES


PSI = _psi()


@compiled
def bernstein_distance(level: float, votes: float, squares: float) -> float:
    """The smallest distance that is excluded, rounded upward; 1 where none is.

    `squares` is W, `level` is ln(1/delta).
    """
    best = 1.0
    for k in range(SIZES.size):
        size, psi = SIZES[k], PSI[k]
        needed = level + LOG_SHARES[k]
        # Out of reach even without variance, and the sizes to come do worse still.
        if needed >= best * size * votes:
            break
        excess = (needed + psi * squares) / votes * (1.0 + SHADE)
        inside = size * size - 4.0 * psi * excess
        if inside > 0.0:
            best = min(best, 2.0 * excess / (size + math.sqrt(inside)))
    return best


@inlined
def squares_of(mean: float, share: float, counts: Any, values: Any) -> float:
    """W of `share` times the votes at each level."""
    total = 0.0
    for level in range(counts.size):
        apart = values[level] - mean
        total += counts[level] * (apart * apart)
    return share * total
