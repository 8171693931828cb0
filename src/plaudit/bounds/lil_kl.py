"""The paper's anytime bounds from the Bernoulli divergence: Theorems 1 and 2.

With t votes of mean p, peeling resolution N = 2^l and one-sided error delta,

    f_t = ln(kappa log2(2t) / delta) / t,
    kappa = delta^(1/(N+1)) C^(N/(N+1)),
    C = sum_{t=1..N} [l > 0] log2(2t)^(-(N+1)/N) + N zeta((N+1)/N, l+1),

zeta being Hurwitz's. Theorem 1 (`lil-kl`) excludes m where D((N p + m)/(N+1), m) > f_t;
Theorem 2 (`lil-kl-2`) where D(p, m) > c f_t, c = (N+1)/(N - ln(N+1)). kappa contains
delta, so every error level has its own: ln(kappa/delta) = (ln C + ln(1/delta)) N/(N+1).

B. Mankoff, R. Nowak, E. Tánczos (2017), "A KL-LUCB Bandit Algorithm for Large-Scale
Crowdsourcing".
"""

import math

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.bound import Bound
from plaudit.bounds.kernels import DIVERGENCE, LIL_BINARY, Formula
from plaudit.errors import InvalidInput

MAX_N = 2**20


def lil_kl(N: int = 8) -> Bound:
    """The bound of Theorem 1.

    >>> bound = lil_kl()
    >>> round(bound.lower(0.3, 50, 0.01), 6), round(bound.upper(0.3, 50, 0.01), 6)
    (0.071023, 0.643459)
    """
    weight = check_n(N) / (N + 1)
    return Bound("lil-kl", Formula(DIVERGENCE, LIL_BINARY, 1.0, 1.0, weight), LilLevel(N))


def lil_kl_2(N: int = 8) -> Bound:
    """The bound of Theorem 2: a plain divergence with a larger constant."""
    return Bound(
        "lil-kl-2", Formula(DIVERGENCE, LIL_BINARY, 1.0, theorem_2_constant(N), 1.0), LilLevel(N)
    )


class LilLevel:
    """ln(kappa/delta) as a function of delta, for one N."""

    def __init__(self, N: int) -> None:
        self.N = check_n(N)
        self.log_total = math.log(peeling_total(N))

    def __call__(self, delta: NDArray[np.float64]) -> NDArray[np.float64]:
        """ln(kappa/delta)."""
        levels: NDArray[np.float64] = (self.log_total - np.log(delta)) * self.N / (self.N + 1)
        return levels


def kappa(N: int, delta: float) -> float:
    """The constant kappa(N) of Theorem 1 at error level delta.

    >>> round(kappa(8, 0.01), 6)
    22.049407
    """
    return math.exp(float(LilLevel(N)(np.array(delta)))) * delta


def peeling_total(N: int) -> float:
    """C, the sum in kappa: the price of all times, resolved N-fold in every octave."""
    from scipy.special import zeta

    N = check_n(N)
    power = (N + 1) / N
    octave = N.bit_length() - 1
    early = 0.0
    # One after the other: `sum` rounds in another way since Python 3.12.
    for t in range(1, N + 1 if octave else 1):
        early += math.log2(2 * t) ** -power
    return early + N * float(zeta(power, octave + 1))


def theorem_2_constant(N: int) -> float:
    """c(N) = (N+1)/(N - ln(N+1)) of Theorem 2.

    >>> round(theorem_2_constant(8), 6)
    1.550982
    """
    return (check_n(N) + 1) / (N - math.log(N + 1))


def check_n(N: int) -> int:
    """N, or an error where it is not a power of two."""
    if isinstance(N, bool) or not isinstance(N, int | np.integer) or not 1 <= N <= MAX_N:
        raise InvalidInput(f"N must be a power of two from 1 to {MAX_N}; got {N!r}. 8 is usual.")
    if N & (N - 1):
        below = 1 << (int(N).bit_length() - 1)
        raise InvalidInput(f"N must be a power of two; got {N}. The nearest: {below}, {2 * below}.")
    return int(N)
