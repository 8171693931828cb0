"""Contests of simulated raters in the order of their coming: honest crowds, and early fakes.

Each rater is one visit: what is shown is chosen at its beginning, by a race and by uniform traffic
as in a live contest. The contest ends when the race is decided or all raters came.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from plaudit.race import Race
from plaudit.scale import FUNNY
from plaudit.service.watch.answer_columns import Answers
from plaudit.store.log import NONE, Kind
from support.crowds import START

CUTS = (0.4, 1.6)
ITEMS, RATERS = 200, 1000


@dataclass(frozen=True)
class Crowd:
    """Honest raters: a vote is the item's quality less the rater's sternness, with an error.

    `kind` is taken off all sternness, `differing` is how much raters differ in it. A share `camp`
    has the opposite taste, `strength` times as strong, or with `own_taste` one of its own.
    The first raters are sterner by half of `drift`, the last ones kinder. `seconds` is the usual
    time for an answer; visits have `visit` votes on average, very different ones if `mixed`.
    """

    differing: float = 0.6
    kind: float = 0.0
    camp: float = 0.0
    strength: float = 1.0
    own_taste: bool = False
    drift: float = 0.0
    seconds: float = 3.0
    visit: float = 12.0
    mixed: bool = False
    raters: int = RATERS
    uniform: float = 0.2
    spread: float = 0.7


@dataclass(frozen=True)
class Attack:
    """Fakes among the first `within` raters, who give the lowest label to the `leaders`.

    They push the next item, and skip the others after `camouflage` votes like anybody's, until they
    have `votes` or are shown no more.
    """

    fakes: int = 50
    within: int = 100
    leaders: int = 20
    votes: int = 9
    camouflage: int = 0


class Contest:
    """A contest that raters vote on, one after another."""

    def __init__(self, seed: int, crowd: Crowd, attack: Attack | None = None) -> None:
        self._draw = draw = np.random.default_rng(seed)
        self._crowd, self._attack = crowd, attack
        self.quality = draw.normal(0.3, crowd.spread, ITEMS)
        opposite = self.quality.mean() - crowd.strength * (self.quality - self.quality.mean())
        other = draw.normal(0.3, crowd.spread, ITEMS) if crowd.own_taste else opposite
        self._felt = np.stack([self.quality, other])
        self._camp = (draw.random(crowd.raters) < crowd.camp).astype(int)
        place = np.arange(crowd.raters) / crowd.raters
        self._stern = draw.normal(0.0, crowd.differing, crowd.raters) - crowd.kind
        self._stern += crowd.drift * (0.5 - place)
        self._speed = draw.normal(np.log(1000 * crowd.seconds), 0.35, crowd.raters)
        self.rank = np.empty(ITEMS, dtype=np.int64)
        self.rank[np.argsort(-self._means(), kind="stable")] = np.arange(ITEMS)
        self.fakes = np.zeros(crowd.raters, dtype=bool)
        if attack is not None:
            self.fakes[draw.choice(attack.within, attack.fakes, replace=False)] = True
        self.race = Race(ITEMS, delta=0.05, epsilon=0.02, scale=FUNNY, seed=seed)
        self._rows: list[tuple[Any, ...]] = []

    def _means(self) -> Any:
        """The mean vote of each item, over the crowd."""
        stern = np.random.default_rng(1).normal(0.0, self._crowd.differing, (300, 1))
        felt = self._felt[:, None, :] - stern + self._crowd.kind
        means = sum(0.5 / (1.0 + np.exp(cut - felt)) for cut in CUTS)
        share = self._crowd.camp
        return (1.0 - share) * means[0].mean(axis=0) + share * means[1].mean(axis=0)

    def run(self) -> Answers:
        """All votes, until the race is decided or nobody comes any more."""
        for rater in range(self._crowd.raters):
            if self.race.verdict():
                break
            if self.fakes[rater]:
                self._knock_out(rater)
            else:
                self._visit(rater)
        return self._answers()

    def _visit(self, rater: int) -> None:
        mean = self._crowd.visit
        wanted = self._draw.gamma(1.5, mean / 1.5) if self._crowd.mixed else mean
        items, lanes = self._shown(max(1, self._draw.poisson(wanted)), [])
        self._tell(rater, items, lanes, self._levels(rater, items))

    def _shown(self, count: int, seen: list[int]) -> tuple[Any, Any]:
        """Items of the race and of uniform traffic, and whose they are."""
        drawn = self._draw.binomial(count, self._crowd.uniform)
        barred = np.array(seen, dtype=np.int64)
        asked = self.race.ask(count - drawn, exclude=barred) if count > drawn else []
        free = np.setdiff1d(np.arange(ITEMS), [*seen, *asked])
        other = self._draw.choice(free, min(drawn, len(free)), replace=False)
        items = np.concatenate([np.array(asked, np.int64), other])
        lanes = np.repeat([0, NONE], [len(asked), len(other)])
        order = self._draw.permutation(len(items))
        return items[order], lanes[order]

    def _levels(self, rater: int, items: Any) -> Any:
        felt = self._felt[self._camp[rater], items] - self._stern[rater]
        return np.searchsorted(CUTS, felt + self._draw.logistic(0.0, 1.0, len(items)))

    def _knock_out(self, rater: int) -> None:
        attack, seen, left, spare = self._attack, [], self._attack.votes, self._attack.camouflage
        while left and len(seen) < ITEMS:
            items, lanes = self._shown(min(20, ITEMS - len(seen)), seen)
            if not len(items):
                break
            seen += items.tolist()
            rank = self.rank[items]
            levels = self._levels(rater, items)
            levels[rank < attack.leaders] = 0
            levels[rank == attack.leaders] = 2
            answered = rank <= attack.leaders
            fill = np.flatnonzero(~answered)[:spare]
            spare -= len(fill)
            answered[fill] = True
            answered &= np.cumsum(answered) <= left
            left -= int(answered.sum())
            for item in items[~answered & (lanes == 0)].tolist():
                self.race.forget(item)
            self._tell(rater, items[answered], lanes[answered], levels[answered])

    def _tell(self, rater: int, items: Any, lanes: Any, levels: Any) -> None:
        self.race.tell_many(items, np.array(FUNNY.values)[levels])
        taken = np.exp(self._draw.normal(self._speed[rater], 0.6, len(items)))
        self._rows.append((np.full(len(items), rater), items, levels, lanes, taken))

    def _answers(self) -> Answers:
        rater, item, level, lane, taken = (np.concatenate(c) for c in zip(*self._rows, strict=True))
        return Answers(
            at=START + 60_000 * rater.astype(np.int64) + np.arange(len(rater)),
            kind=np.full(len(rater), Kind.VOTE, dtype=np.int8),
            rater=rater.astype(np.int32),
            item=item.astype(np.int32),
            level=level.astype(np.int16),
            lane=lane.astype(np.int16),
            response_ms=taken.astype(np.int32),
        )
