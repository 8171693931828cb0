"""How much evidence there is that a leader is better than a rival; compiled.

F(m) is what bets against "the leader's mean is m or less" have made of 1 since it was appointed,
and K(m) what bets against "the rival's mean is m or more" have made of 1 since the race began. J(m)
is the same as K(m) from the votes that no rater gave together with others. The evidence is the
least over m of

    ln(RIVAL K(m + epsilon) + s (LEADER F(m) + BOTH F(m) J(m + epsilon))),

where s = 1/(b (b+1)) is the share of the leader's rank b. It is convex in m, so that its slope has
one root. The race may stop once it is at least ln(1/delta) for every rival.
"""

import math
from typing import Any

from plaudit.bounds.bernoulli import divergence_kernel
from plaudit.bounds.bets import log_capital
from plaudit.compiled import compiled, inlined
from plaudit.race.lead.afresh import share_of
from plaudit.race.lead.product import capital_apart
from plaudit.race.readings import mean_of
from plaudit.race.state import LOWER_SIDE, UPPER_SIDE, State

# How a capital of 1 is shared out: on the rival alone, on the leader alone, on their product.
RIVAL, LEADER, BOTH = 0.3, 0.1, 0.6
# More than the logarithms together can be wrong.
MARGIN = 1e-9
MAX_STEPS = 100
CLOSE_ENOUGH = 1e-12
TINY = 1e-12
MOST = 1e6
# Ratios are whole numbers of this part, so that their sum is exact in any order.
UNIT = 1024


@inlined
def votes_of_leader(state: State, leader: int) -> Any:
    """The votes that count for a leader: those since it was appointed, or all until it is."""
    fresh = state.rare.lead.fresh[leader]
    return fresh.votes if fresh.rank > 0 else state.items[leader].votes


@inlined
def rank_of_leader(state: State, leader: int) -> Any:
    """A leader's rank: the one that it would get next, until it is appointed."""
    lead = state.rare.lead
    return lead.fresh[leader].rank if lead.fresh[leader].rank > 0 else lead.book[0].appointed + 1


@compiled
def leader_capital(state: State, leader: int, m: float) -> Any:
    """ln F(m) of a leader and its slope; before it is appointed, as if all its votes counted."""
    lead, logs = state.rare.lead, state.logs[LOWER_SIDE]
    fresh, record = lead.fresh[leader], state.items[leader]
    if fresh.rank > 0:
        return log_capital(float(fresh.votes), fresh.total, lead.levels[leader], logs, m)
    return log_capital(float(record.votes), record.total, state.levels[leader], logs, m)


@compiled
def evidence_at(state: State, leader: int, rival: int, m: float) -> Any:
    """The evidence at one m, its slope, and the parts of it that the two capitals have."""
    ours, fall = leader_capital(state, leader, m)
    record = state.items[rival]
    rest = max(1.0 - (m + state.header[0].epsilon), 0.0)
    votes, falls = float(record.votes), record.votes - record.total
    logs = state.logs[UPPER_SIDE]
    theirs, rise = log_capital(votes, falls, state.levels[rival], logs, rest)
    joint, joint_rise = theirs, rise
    if state.rare.lead.fresh[rival].apart < record.votes:
        joint, joint_rise = capital_apart(state, rival, rest)
    share = math.log(share_of(rank_of_leader(state, leader)))
    rival_alone = math.log(RIVAL) + theirs
    leader_alone = math.log(LEADER) + share + ours
    both = math.log(BOTH) + share + ours + joint
    most = max(rival_alone, leader_alone, both)
    one, two, three = (
        math.exp(rival_alone - most),
        math.exp(leader_alone - most),
        math.exp(both - most),
    )
    whole = one + two + three
    slope = ((two + three) * fall - one * rise - three * joint_rise) / whole
    return most + math.log(whole), slope, (two + three) / whole, (one + three) / whole


@compiled
def compare(state: State, leader: int, rival: int) -> Any:
    """The evidence for a leader against a rival, and the ratio of what a vote on each adds.

    The root of the slope is between the last two m at which it was negative and positive. Where the
    line between them crosses 0 is the next m; one end that stays has its slope halved, and what is
    left to the lowest point is taken off.
    """
    low, high = 0.0, 1.0 - state.header[0].epsilon
    value, below, own, other = evidence_at(state, leader, rival, low)
    m, slope, width = low, below, 0.0
    if below < 0.0:
        value, above, own, other = evidence_at(state, leader, rival, high)
        m, slope = high, above
        side = 0
        if above > 0.0:
            for _ in range(MAX_STEPS):
                width = high - low
                m = low + width * (below / (below - above))
                value, slope, own, other = evidence_at(state, leader, rival, m)
                if slope < 0.0:
                    width = high - m
                    low, below = m, slope
                    above = 0.5 * above if side < 0 else above
                    side = -1
                else:
                    width = m - low
                    high, above = m, slope
                    below = 0.5 * below if side > 0 else below
                    side = 1
                if abs(slope) * width < CLOSE_ENOUGH:
                    break
    return value - abs(slope) * width, _ratio(state, leader, rival, m, own, other)


@inlined
def _ratio(state: State, leader: int, rival: int, m: float, own: float, other: float) -> float:
    """How many votes on a rival one vote on the leader saves, by the divergences of their means."""
    ours = divergence_kernel(mean_of(state.items[leader]), min(max(m, TINY), 1.0 - TINY))
    bar = min(max(m + state.header[0].epsilon, TINY), 1.0 - TINY)
    theirs = divergence_kernel(mean_of(state.items[rival]), bar)
    return min(own * ours / max(other * theirs, TINY), MOST)
