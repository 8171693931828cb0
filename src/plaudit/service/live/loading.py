"""Loads a live contest from its log."""

from plaudit.service.contest.replay import load_state
from plaudit.service.live.contest import LiveContest
from plaudit.store.contract import Store


def load_contest(store: Store, name: str) -> LiveContest:
    """A contest with its current state, ready for raters."""
    contest = load_state(store, name)
    return LiveContest(store.contest(name), contest, store.items(name)[: contest.items])
