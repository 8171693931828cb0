"""When a race that stops by `fresh` appoints its leader, and which bet suits it; compiled.

None of this matters for the proof: an item may be appointed at any time, for any past reason.
"""

from typing import Any

from plaudit.compiled import compiled, rarely
from plaudit.race.lead.afresh import level_aimed, suiting_bet
from plaudit.race.readings import mean_of
from plaudit.race.state import BY_MEAN, BY_UPPER, LOWER_SIDE, State
from plaudit.race.tree import best_key

# How many bars are tried, and about what the bets around the best one cost.
BARS = 20
PRICE = 0.7
# Fewer votes say too little about the bet that suits.
FEWEST = 24
# A verdict is possible once no upper bound is above the leader's mean plus epsilon; a leader is
# appointed when that is near, so that fewer of its votes come before.
SOON = 1.5


@rarely(False)
def appoint(state: State) -> bool:
    """Appoints the leader as soon as a verdict is near; whether it did so just now.

    Until then most votes go to others, so that a leader loses little by beginning afresh.
    """
    h, lead = state.header[0], state.rare.lead
    leader = state.seats[0]
    fresh, record = lead.fresh[leader], state.items[leader]
    if h.unsampled > 0 or fresh.rank > 0 or record.votes < FEWEST:
        return False
    if min(1.0, best_key(state.field, BY_UPPER)) >= mean_of(record) + SOON * h.epsilon:
        return False
    lead.book[0].appointed += 1
    fresh.rank = lead.book[0].appointed
    fresh.waits = record.pending
    fresh.bet = _bet_at_best_bar(state, leader)
    return True


@compiled
def _bet_at_best_bar(state: State, leader: int) -> Any:
    """The bet that suits a leader at the bar which it and all others will pass with fewest votes.

    A leader needs votes in proportion to its evidence, over what a vote wins at the bar less
    epsilon. Any other item whose upper bound is above the bar needs them as the square of the
    distance says that its bound has yet to come down.
    """
    h, record = state.header[0], state.items[leader]
    counts, logs = state.levels[leader], state.logs[LOWER_SIDE]
    votes, book = float(record.votes), state.rare.lead.book[0]
    need = level_aimed(book.appointed) + PRICE
    lowest, highest = best_key(state.field, BY_MEAN), mean_of(record) + h.epsilon
    bet, _ = suiting_bet(votes, record.total, counts, logs, max(lowest - h.epsilon, 0.0))
    fewest = 1e300
    for step in range(1, BARS):
        bar = lowest + (highest - lowest) * step / BARS
        foot = max(bar - h.epsilon, 0.0)
        suits, wins = suiting_bet(votes, record.total, counts, logs, foot)
        if wins > 0.0:
            cost = need / wins + _votes_below(state, leader, bar)
            if cost < fewest:
                bet, fewest = suits, cost
    return bet


@compiled
def _votes_below(state: State, leader: int, bar: float) -> float:
    """About how many votes bring all upper bounds but the leader's below a bar."""
    total = 0.0
    for item in range(state.header[0].items):
        record = state.items[item]
        upper = min(1.0, state.field.nodes[BY_UPPER, item].key)
        if item != leader and upper > bar:
            mean = mean_of(record)
            ratio = (upper - mean) / (bar - mean)
            total += record.votes * (ratio * ratio - 1.0)
    return total
