"""The cost of a rival: how much evidence says that it does not belong in the leader's place.

With N votes of mean p on each and D the Bernoulli divergence,

    W(i, j) = min over m of  N_i D(p_i, m - epsilon) + N_j D(p_j, m),

over the m at which j would be better than i by epsilon; 0 where j is already. Without
epsilon the minimum is at the mean of all votes of both. W grows with the leader's votes and
with its mean. So does `cost_kernel`, which also puts rivals of cost 0 in order, the largest
mean first.
"""

from plaudit.bounds.bernoulli import shifted_divergence
from plaudit.compiled import compiled

MAX_STEPS = 60


@compiled
def cost_kernel(
    lead_votes: float, lead_mean: float, votes: float, mean: float, epsilon: float
) -> float:
    """W(leader, rival); -(1 + mean) for a rival that is better by epsilon already."""
    if mean >= lead_mean + epsilon:
        return -1.0 - mean
    if epsilon > 0.0:
        return _cost_with_slack(lead_votes, lead_mean, votes, mean, epsilon)
    gap, share = lead_mean - mean, votes / (lead_votes + votes)
    down = lead_votes * shifted_divergence(lead_mean, -gap * share)
    return down + votes * shifted_divergence(mean, gap * (1.0 - share))


@compiled
def _cost_with_slack(
    lead_votes: float, lead_mean: float, votes: float, mean: float, epsilon: float
) -> float:
    """The minimum over x = m - epsilon of a convex function: Newton's steps in a bracket."""
    low, high = max(mean - epsilon, 0.0), min(lead_mean, 1.0 - epsilon)
    x = 0.5 * (low + high)
    for _ in range(MAX_STEPS):
        m = x + epsilon
        if not (x > 0.0 and m < 1.0 and low < high):
            break
        slope = lead_votes * (x - lead_mean) / (x * (1.0 - x)) + votes * (m - mean) / (
            m * (1.0 - m)
        )
        bend = lead_votes * _bend(lead_mean, x) + votes * _bend(mean, m)
        if slope > 0.0:
            high = x
        else:
            low = x
        before, x = x, x - slope / bend
        if not low < x < high:
            x = 0.5 * (low + high)
        # At the minimum an error of 1e-9 in x is one of 1e-18 in its value.
        if abs(x - before) <= 1e-9 * min(before, 1.0 - m):
            break
    down = lead_votes * shifted_divergence(lead_mean, x - lead_mean)
    return down + votes * shifted_divergence(mean, x + epsilon - mean)


@compiled
def _bend(mean: float, m: float) -> float:
    """The second derivative of D(mean, m) in m."""
    return mean / (m * m) + (1.0 - mean) / ((1.0 - m) * (1.0 - m))
