"""What the votes so far say about the true frequencies of items: a prior, and draws given votes.

The frequencies of items with few votes scatter more than the truth, and averages with the mean of
all items scatter less. Draws from the posterior scatter as much as the truth does, if the prior is
right; so simulated races run on draws.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

# The prior before the first vote: items of all kinds.
FIRST_STRENGTH = 3.0
# Each parameter of the prior lies between these. So a level that nobody has chosen is not ruled
# out, and items that differ only by chance count as nearly equal.
LEAST, MOST = 1e-3, 1e4


def fit_prior(counts: ArrayLike) -> NDArray[np.float64]:
    """The Dirichlet prior that makes these counts most likely: a row for each item.

    This holds although a race decides by the votes how many votes each item gets.

    >>> generator = np.random.default_rng(1)
    >>> rates = generator.dirichlet([8.0, 2.0], size=4000)
    >>> fit_prior(generator.multinomial(50, rates)).round()
    array([8., 2.])
    """
    from scipy.optimize import minimize

    table = np.asarray(counts, dtype=np.float64)
    rows, often = np.unique(table[table.sum(axis=1) > 0], axis=0, return_counts=True)
    if not len(rows):
        return np.full(table.shape[1], FIRST_STRENGTH / table.shape[1])
    shares = (often @ rows + 0.5) / (often @ rows + 0.5).sum()
    found = minimize(
        _surprise,
        np.log(np.clip(FIRST_STRENGTH * shares, LEAST, MOST)),
        args=(rows, often.astype(np.float64)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(math.log(LEAST), math.log(MOST))] * table.shape[1],
    )
    prior: NDArray[np.float64] = np.exp(found.x)
    return prior


def _surprise(
    logs: NDArray[np.float64], rows: NDArray[np.float64], often: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """Minus the log-likelihood per item of a Dirichlet prior, and its slope in the logarithms."""
    from scipy.special import digamma, gammaln

    alpha = np.exp(logs)
    strength, totals = alpha.sum(), rows.sum(axis=1)
    spent = gammaln(totals + strength) - gammaln(strength)
    gained = (gammaln(rows + alpha) - gammaln(alpha)).sum(axis=1)
    rising = often @ (digamma(rows + alpha) - digamma(alpha))
    falling = often @ (digamma(totals + strength) - digamma(strength))
    items = often.sum()
    return float(often @ (spent - gained) / items), alpha * (falling - rising) / items


def draw_frequencies(
    counts: NDArray[np.float64], prior: NDArray[np.float64], generator: np.random.Generator
) -> NDArray[np.float64]:
    """Frequencies of the levels that each item may truly have, drawn given its votes."""
    rates = generator.standard_gamma(counts + prior)
    # With a tiny prior a draw may be all zeros; the prior's mean replaces it.
    empty = rates.sum(axis=1) <= 0.0
    rates[empty] = prior
    return rates
