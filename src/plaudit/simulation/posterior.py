"""What votes so far say of the items' true frequencies: a prior from all items, draws given each.

Frequencies of items with few votes scatter more than the truth does, and their averages towards
the mean of all scatter less. A draw from the posterior scatters as much as the truth, if the prior
does; so it is draws that simulated races run on.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma

STEPS = 200
TOLERANCE = 1e-4
# Before the votes say more: items of all kinds.
FIRST_STRENGTH = 3.0
MOST_STRENGTH = 1e4


def fit_prior(counts: ArrayLike) -> NDArray[np.float64]:
    """The Dirichlet prior under which these counts of levels, a row an item, are likeliest.

    Found by the fixed point of Minka (2000). Where items differ no more than votes do by chance,
    there is no largest likelihood, and the prior ends up strong: all items alike.

    >>> generator = np.random.default_rng(1)
    >>> rates = generator.dirichlet([8.0, 2.0], size=4000)
    >>> fit_prior(generator.multinomial(50, rates)).round()
    array([8., 2.])
    """
    table = np.asarray(counts, dtype=np.float64)
    rows, often = np.unique(table[table.sum(axis=1) > 0], axis=0, return_counts=True)
    alpha: NDArray[np.float64] = np.full(table.shape[1], FIRST_STRENGTH / table.shape[1])
    if not len(rows):
        return alpha
    totals, start = rows.sum(axis=1), 0.5 / table.shape[1]
    # No level is ruled out because nobody has chosen it yet.
    alpha = FIRST_STRENGTH * (often @ rows + start) / (often @ totals + 0.5)
    for _ in range(STEPS):
        strength = alpha.sum()
        gained = often @ (digamma(rows + alpha) - digamma(alpha)) + start / len(table)
        spent = often @ (digamma(totals + strength) - digamma(strength))
        before, alpha = alpha, alpha * gained / spent
        moved = np.abs(alpha - before).max() / strength
        if moved < TOLERANCE or alpha.sum() > MOST_STRENGTH:
            break
    return alpha


def draw_frequencies(
    counts: NDArray[np.float64], prior: NDArray[np.float64], generator: np.random.Generator
) -> NDArray[np.float64]:
    """Frequencies of the levels that each item may truly have, drawn given its votes."""
    rates = generator.standard_gamma(counts + prior)
    # A draw of all zeros needs a prior next to nothing; the prior's mean then stands for it.
    empty = rates.sum(axis=1) <= 0.0
    rates[empty] = prior
    return rates
