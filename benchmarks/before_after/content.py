"""The contest that both sides run: the same items and votes for each, made by its own code."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

from plaudit.store import open_store
from plaudit.store.contract import Item
from plaudit.store.log import Answer, Kind

CONTEST = "bench"
# A published algorithm, so that both sides run the same one whatever the default is.
ALGORITHM = "lil-klucb"
SECRET = "a secret for measurements only, not kept"
ITEMS = 1_000
PER_RATER = 100
GROUP = 500


def make_database(side: Any, database: str, votes: int) -> None:
    """An open contest with so many votes in its log, and no snapshot yet."""
    store = open_store(database)
    scale = (
        side.Level("Unfunny", 0.0),
        side.Level("Somewhat funny", 0.5),
        side.Level("Funny", 1.0),
    )
    settings = side.ContestSettings(
        title="Measured", scale=scale, lanes=(side.Lane(ALGORITHM),), epsilon=0.01, delta=0.01,
        seed=0,
    )  # fmt: skip
    items = [Item(number, f"Caption number {number}") for number in range(ITEMS)]
    side.Desk(store).create(CONTEST, settings, items, opened=True)
    for answers in groups(votes, side.now_ms()):
        store.append_answers(CONTEST, answers)
    store.close()


def groups(votes: int, end: int) -> Iterator[Sequence[Answer]]:
    """Votes over the week before; so close to each other that no verdict is near."""
    draw = random.Random(13)
    week = 7 * 86_400_000
    group: list[Answer] = []
    for number in range(votes):
        rater, turn = divmod(number, PER_RATER)
        item = (rater * 7919 + turn * 97) % ITEMS
        level = draw.choices((0, 1, 2), (60 - item % 10, 30, 10 + item % 10))[0]
        key = b"early" + rater.to_bytes(11, "little")
        at = end - week + week * number // votes
        group.append(Answer(Kind.VOTE, key, item, level, 0, at, 300 + 91 * turn, b""))
        if len(group) == GROUP:
            yield group
            group = []
    if group:
        yield group


def new_answers(turn: int, count: int, at: int) -> list[Answer]:
    """Answers that no round before had: ten by each new rater."""
    answers = []
    for number in range(count):
        rater, place = divmod(number, 10)
        key = b"late" + turn.to_bytes(6, "little") + rater.to_bytes(6, "little")
        item = (rater * 7919 + place * 97 + turn) % ITEMS
        answers.append(Answer(Kind.VOTE, key, item, (item + rater) % 3, 0, at, 900, b""))
    return answers
