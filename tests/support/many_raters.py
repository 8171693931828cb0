"""Answers of raters who differ in how much they vote, how sternly and how fast, as columns."""

import numpy as np

from plaudit.service.watch.answer_columns import Answers
from plaudit.store.log import Kind

MINUTE = 60_000
START = 1_700_000_000_000
LATEST = START + 6 * 60 * MINUTE
VALUES = (0.0, 0.5, 1.0)


def answers_of_many(seed: int, *, raters: int = 4_000, items: int = 300) -> Answers:
    """Visits over six hours, in the order of time; raters are numbered as they come."""
    draw = np.random.default_rng(seed)
    each = np.minimum(1 + draw.geometric(1 / 20, raters), items)
    rater = np.repeat(np.arange(raters), each)
    began = np.sort(draw.integers(START, LATEST - 30 * MINUTE, raters))
    took = draw.lognormal(8, 0.8, rater.size).astype(np.int64)
    before = np.cumsum(took) - np.repeat(np.cumsum(took)[np.cumsum(each) - each], each)
    at = np.minimum(began[rater] + before, LATEST)
    item = np.concatenate([draw.choice(items, size, replace=False) for size in each])
    stern = draw.normal(0.0, 0.2, raters)[rater]
    level = draw.binomial(2, np.clip(0.2 + 0.5 * item / items + stern, 0.02, 0.98))
    kind = draw.choice([Kind.VOTE, Kind.SKIP, Kind.FLAG], size=rater.size, p=[0.9, 0.06, 0.04])
    order = np.argsort(at, kind="stable")
    columns = (at, kind, rater, item, level, np.zeros(rater.size), np.where(took % 9, took, -1))
    types = (np.int64, np.int8, np.int32, np.int32, np.int16, np.int16, np.int32)
    pairs = zip(columns, types, strict=True)
    return Answers._make(column[order].astype(kind) for column, kind in pairs)
