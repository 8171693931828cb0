"""Votes told to a race that counts answers to its own asks alone."""


def answer(race, item, vote):
    """Tells a vote, and sees to it that the race has asked for one."""
    if not race.engine.is_pending(item):
        race.engine.records["pending"][item] += 1
        race.engine.header["pending"] += 1
    race.tell(item, vote)
