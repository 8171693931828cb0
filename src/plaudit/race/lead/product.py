"""What a leader and a rival have won together; compiled."""

from typing import Any

from plaudit.bounds.bets import log_capital
from plaudit.compiled import rarely
from plaudit.race.state import UPPER_SIDE, State


@rarely((0.0, 0.0))
def product_at(state: State, leader: int, rival: int, m: float) -> Any:
    """ln F(m) + ln K(m + epsilon) as `together` has them, and its derivative.

    The table of bets must be that of the leader (`afresh.spread_capital`).
    """
    lead = state.rare.lead
    own = lead.fresh[leader]
    ours, fall = log_capital(float(own.votes), own.total, lead.levels[leader], lead.logs, m)
    rest = max(1.0 - (m + state.header[0].epsilon), 0.0)
    theirs, rise = capital_apart(state, rival, rest)
    return ours + theirs, fall - rise


@rarely((0.0, 0.0))
def capital_apart(state: State, rival: int, rest: float) -> Any:
    """ln J of a rival at 1 - `rest`: from its votes that were not asked for in company.

    Where that is unclear, a vote counts as 1: no mean gets more by it than if it were left out.
    """
    lead = state.rare.lead
    other = lead.fresh[rival]
    votes, falls = float(other.apart + other.worst), other.apart - other.apart_total
    return log_capital(votes, falls, lead.apart[rival], state.logs[UPPER_SIDE], rest)
