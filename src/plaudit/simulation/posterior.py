"""What votes so far say of the items' true frequencies: a prior from all items, draws given each.

Frequencies of items with few votes scatter more than the truth does, and their averages towards
the mean of all scatter less. A draw from the posterior scatters as much as the truth, if the prior
does; so it is draws that simulated races run on.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma, gammaln

# Before the votes say more: items of all kinds.
FIRST_STRENGTH = 3.0
# Each parameter of the prior lies between these: a level that nobody has chosen is not ruled out,
# and items that differ by chance alone are as good as alike.
LEAST, MOST = 1e-3, 1e4


def fit_prior(counts: ArrayLike) -> NDArray[np.float64]:
    """The Dirichlet prior under which these counts of levels, a row an item, are likeliest.

    Which item got how many votes does not matter to that, though a race decides it by the votes.

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
    """Minus the log-likelihood an item of a Dirichlet prior, and its slope in the logarithms."""
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
    # A draw of all zeros needs a prior next to nothing; the prior's mean then stands for it.
    empty = rates.sum(axis=1) <= 0.0
    rates[empty] = prior
    return rates
