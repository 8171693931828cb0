"""Crowds for the tests of suspicion: honest raters who differ, and cheats of every kind."""

from typing import Any

import numpy as np

from plaudit.service.watch.answer_columns import Answers
from plaudit.store.log import Kind

MINUTE = 60_000
START = 1_700_000_000_000


def honest(
    seed: int,
    *,
    raters: int = 200,
    votes: int = 40,
    items: int = 300,
    stern: float = 0.6,
    quick: float = 0.35,
    cuts: tuple[float, ...] = (0.4, 1.6),
    days: float = 3.0,
) -> dict[str, Any]:
    """Votes of honest raters, who differ in sternness and speed.

    The quality of the item, minus the rater's sternness, plus a logistic error falls between two
    cuts, which give the level. Times are log-normal around the rater's own speed; visits begin at
    random times within the days.
    """
    draw = np.random.default_rng(seed)
    number = draw.poisson(votes, raters) + 1
    rater = np.repeat(np.arange(raters), number)
    quality = qualities(items)
    # Good items are seen more often, as in a race.
    weight = np.exp(quality)
    item = draw.choice(items, len(rater), p=weight / weight.sum())
    _, first = np.unique(rater * items + item, return_index=True)
    first.sort()
    rater, item = rater[first], item[first]
    felt = quality[item] - draw.normal(0.0, stern, raters)[rater] + draw.logistic(0, 1, len(rater))
    level = np.searchsorted(cuts, felt)
    speed = draw.normal(np.log(3000), quick, raters)
    taken = np.exp(draw.normal(speed[rater], 0.6)).astype(np.int64) + 250
    began = START + (draw.random(raters) * days * 86_400_000).astype(np.int64)
    crowd = {"rater": rater, "item": item, "level": level, "response_ms": taken}
    return crowd | {"at": _when(rater, taken, began)}


def qualities(items: int) -> Any:
    """How funny each item is: the same items for all crowds."""
    return np.random.default_rng(items).normal(0.0, 0.7, items)


def _when(rater: Any, taken: Any, began: Any) -> Any:
    passed = np.cumsum(taken + 500)
    start = np.searchsorted(rater, np.arange(len(began)))
    start = np.minimum(start, len(rater) - 1)
    return began[rater] + passed - passed[start][rater]


def joined(crowd: dict[str, Any], *others: dict[str, Any]) -> Answers:
    """Several crowds as one: raters are numbered consecutively, votes are in the order of time."""
    parts, known = [], 0
    for one in (crowd, *others):
        parts.append(one | {"rater": one["rater"] + known})
        known += int(one["rater"].max()) + 1
    columns = {name: np.concatenate([part[name] for part in parts]) for name in crowd}
    order = np.argsort(columns["at"], kind="stable")
    columns = {name: column[order] for name, column in columns.items()}
    size = len(order)
    return Answers(
        at=columns["at"].astype(np.int64),
        kind=np.full(size, Kind.VOTE, dtype=np.int8),
        rater=columns["rater"].astype(np.int32),
        item=columns["item"].astype(np.int32),
        level=columns["level"].astype(np.int16),
        lane=np.zeros(size, dtype=np.int16),
        response_ms=columns["response_ms"].astype(np.int32),
    )


def cheats(seed: int, kind: str, *, raters: int = 5, votes: int = 50, **given: Any) -> Any:
    """Raters who cheat in one way and are like the others in everything else."""
    crowd = honest(seed, raters=raters, votes=votes, **given)
    draw = np.random.default_rng([seed, 7])
    size = len(crowd["rater"])
    if kind == "fast":
        crowd["response_ms"] = draw.integers(260, 450, size)
    elif kind == "same":
        crowd["level"] = np.full(size, 2)
    elif kind == "against":
        quality = qualities(given.get("items", 300))[crowd["item"]]
        crowd["level"] = np.where(quality < 0.0, 2, 0)
    elif kind == "random":
        crowd["level"] = draw.integers(0, 3, size)
    elif kind == "burst":
        began = START + draw.integers(0, 8 * MINUTE, raters)
        crowd["at"] = _when(crowd["rater"], crowd["response_ms"], began)
    return crowd
