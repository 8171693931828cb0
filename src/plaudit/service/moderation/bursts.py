"""Bursts: many raters from one address who begin within a short time of each other.

If the raters of an address were like all others, each would begin at the time of some rater from
elsewhere. So the chance that one of them begins in a given window is the share w of the others
who do, and the number of k raters in the window is binomial. Any of the k may be the first in the
window, so the chance of c or more in one window is at most k · P(Binomial(k - 1, w) ≥ c - 1). A
day on which everybody comes at once is not a burst, nor is a contest whose raters all share one
address.
"""

from typing import NamedTuple

import numpy as np

from plaudit.service.moderation.overdispersion import Whole
from plaudit.service.moderation.vote_table import Votes

WINDOWS_MS = (60_000, 600_000, 3_600_000)
# Fewer raters from one address may be a family.
FEWEST = 5
# Smaller chances are treated as this one.
TINIEST = 1e-300


class Burst(NamedTuple):
    """Raters of one address who began within `minutes`; of `others` elsewhere, `elsewhere` did."""

    raters: tuple[int, ...]
    minutes: int
    began: int
    elsewhere: int
    others: int
    log_p: float


def bursts(votes: Votes, origins: Whole) -> tuple[list[Burst], int]:
    """The rarest window of each address with enough raters, and the number of addresses tested.

    `origins` numbers the addresses by rater; -1 is unknown.
    """
    began = np.full(votes.raters, np.iinfo(np.int64).max)
    np.minimum.at(began, votes.rater, votes.at)
    known = np.flatnonzero((votes.of_raters() > 0) & (origins[: votes.raters] >= 0))
    order = known[np.argsort(origins[known], kind="stable")]
    cuts = np.flatnonzero(np.diff(origins[order])) + 1
    groups = [group for group in np.split(order, cuts) if len(group) >= FEWEST]
    times = np.sort(began[known])
    found = [_rarest(group[np.argsort(began[group])], began, times) for group in groups]
    return [burst for burst in found if burst is not None], len(groups)


def _rarest(group: Whole, began: Whole, everyone: Whole) -> Burst | None:
    """The window of a group with the rarest number of raters; None if there are too few others."""
    from scipy.special import betainc

    others = len(everyone) - len(group)
    own = began[group]
    best: Burst | None = None
    for window in WINDOWS_MS if others >= FEWEST else ():
        inside = np.searchsorted(own, own + window, side="right") - np.arange(len(own))
        within = np.searchsorted(everyone, own + window, side="right")
        elsewhere = within - np.searchsorted(everyone, own, side="left") - inside
        share = np.minimum(1.0, (np.maximum(elsewhere, 0) + 1) / (others + 1))
        # P(Binomial(k - 1, w) ≥ c - 1), by the incomplete beta function.
        chance = betainc(np.maximum(inside - 1, 1), len(own) - inside + 1, share)
        rare = np.log(np.maximum(chance, TINIEST) * len(own) * len(WINDOWS_MS))
        rare = np.where(inside >= FEWEST, rare, 0.0)
        place = int(rare.argmin())
        if rare[place] < (0.0 if best is None else best.log_p):
            end = place + int(inside[place])
            members = tuple(group[place:end].tolist())
            seen = int(own[place]), max(0, int(elsewhere[place])), others
            best = Burst(members, window // 60_000, *seen, float(rare[place]))
    return best
