"""A race on a finite set of examples against its definition in docs/theory/finite.md.

The definition is written in plain Python, and recomputes everything from the rows at each example.
"""

import math

import numpy as np
import pytest

from plaudit import FiniteRace

FRACTIONS = (0.5, 1.0, 2.0)


class ReferenceFinite:
    """The same settings and rows as FiniteRace; `inside`, `named` and `capital` say the same."""

    def __init__(self, items, *, examples, delta, top=1, epsilon=0.0, order=None):
        self.examples, self.top, self.epsilon = examples, top, epsilon
        share = 0.75 if epsilon else 1.0
        self.level = math.log(top / (share * delta))
        self.near_level = math.log(top / (0.25 * delta)) if epsilon else math.inf
        self.order = list(range(items)) if order is None else list(order)
        self.inside = set(range(items))
        self.rows, self.leaders, self.following = [], None, None
        self.next_choice, self.choices, self.ended = 0, 0, False
        # For each item: the capitals of earlier leaders, and bets against the present ones.
        self.carried = {i: [0.0] * 3 for i in range(items)}
        self.stakes = {i: {} for i in range(items)}
        self.near = {i: {} for i in range(items)}
        self.squares = dict.fromkeys(range(items), 0.0)

    def total(self, item):
        # One after the other, as the race does: ties depend on it, and since Python 3.12 `sum` of
        # floats rounds once, at the end.
        total = 0.0
        for row in self.rows:
            total += row[item]
        return total

    def ranked(self):
        return sorted(self.inside, key=lambda i: (-self.total(i), self.order[i]))

    def opponents(self, item):
        if item in self.leaders:
            return [i for i in self.leaders if i != item] + [self.following]
        return list(self.leaders)

    def choose(self):
        known = self.leaders and all(i in self.inside for i in [*self.leaders, self.following])
        if known and len(self.rows) < self.next_choice:
            return
        ranked = self.ranked()
        leaders, following = ranked[: self.top], ranked[self.top]
        changed = self.leaders is None or set(leaders) != set(self.leaders)
        for item in self.inside:
            if changed or (following != self.following and item in self.leaders):
                self.carry(item)
        if changed:
            self.leaders = leaders
            self.choices += 1
            self.near = {i: {} for i in self.near}
        self.following = following
        self.next_choice = max(len(self.rows) + 1, math.ceil(1.15 * len(self.rows)))

    def carry(self, item):
        for place in range(3):
            self.carried[item][place] += self.least(self.stakes[item], place)
        self.stakes[item] = {}

    @staticmethod
    def least(stakes, place):
        return min((logs[place] for logs in stakes.values()), default=0.0)

    def bet(self, stakes, item, other, row, epsilon):
        logs = stakes.setdefault(other, [0.0] * 3)
        rows, left = len(self.rows), self.examples - len(self.rows)
        lead = self.total(other) - self.total(item)
        fair = -(lead + epsilon * self.examples) / left
        if fair < -1 - 1e-9:
            logs[:] = [math.inf] * 3
            return
        mean = lead / (rows + 4)
        edge = mean - fair
        if edge <= 0:
            return
        variance = max((self.squares[item] + 4 * 0.25) / (rows + 4) - mean**2, 0.0)
        kelly = edge / (variance + edge**2)
        for place, fraction in enumerate(FRACTIONS):
            size = min(fraction * kelly, 0.97 / max(1 + fair, 1e-9))
            logs[place] += math.log1p(size * max(row[other] - row[item] - fair, -1 - fair))

    def capital(self, first, stakes):
        logs = [first[place] + self.least(stakes, place) for place in range(3)]
        if math.inf in logs:
            return math.inf
        return math.log(sum(math.exp(x) for x in logs) / 3)

    def tell(self, row):
        self.choose()
        squares = {}
        for item in self.inside:
            opponents = self.opponents(item)
            squares[item] = sum((row[o] - row[item]) ** 2 for o in opponents) / self.top
            for other in opponents:
                self.bet(self.stakes[item], item, other, row, 0.0)
                if self.epsilon and item not in self.leaders:
                    self.bet(self.near[item], item, other, row, self.epsilon)
        for item, more in squares.items():
            self.squares[item] += more
        self.rows.append(row)
        self.judge()

    def judge(self):
        for item in reversed(self.ranked()):
            enough = self.capital(self.carried[item], self.stakes[item]) >= self.level + 1e-6
            if enough and len(self.inside) > self.top:
                self.inside.discard(item)
        used_up = len(self.rows) == self.examples
        self.ended = len(self.inside) == self.top or used_up or self.near_enough()

    def near_enough(self):
        if not self.epsilon or not set(self.leaders) <= self.inside:
            return False
        level = self.near_level + math.log(self.choices * (self.choices + 1)) + 1e-6
        rest = self.inside - set(self.leaders)
        return all(self.capital([0.0] * 3, self.near[i]) >= level for i in rest)

    @property
    def named(self):
        near = self.ended and len(self.inside) > self.top and len(self.rows) < self.examples
        return set(self.leaders) if near else set(self.ranked()[: self.top])


def log_capital(race, item):
    state = race._state
    logs = state.carried[item] + state.stakes[item].min(axis=0)
    return math.log(np.exp(logs).mean())


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
@pytest.mark.parametrize("top", [1, 3])
def test_it_is_the_race_of_the_definition(top, epsilon):
    rng = np.random.default_rng(top)
    ways = set()
    for trial in range(12):
        skill = rng.uniform(0.2, 0.9, size=(7, 1))
        levels = 1 if trial % 2 else 10
        table = np.round(levels * np.clip(skill + rng.normal(0, 0.2, (7, 80)), 0, 1)) / levels
        race = FiniteRace(7, examples=80, delta=0.1, top=top, epsilon=epsilon, seed=trial)
        order = np.random.default_rng(trial).permutation(7)
        plain = ReferenceFinite(
            7, examples=80, delta=0.1, top=top, epsilon=epsilon, order=order.tolist()
        )
        while not race.ended:
            asked = race.ask()
            assert set(asked) == plain.inside
            row = table[:, race.rows]
            race.tell({item: row[item] for item in asked})
            plain.tell(row.tolist())
            for item in plain.inside:
                capital = plain.capital(plain.carried[item], plain.stakes[item])
                if capital < math.inf:
                    assert log_capital(race, item) == pytest.approx(capital, abs=1e-9)
        assert plain.ended
        assert set(race.leaders) == plain.named
        ways.add("all" if race.used_up else "out" if len(plain.inside) == top else "near")
    assert "out" in ways
    assert ("near" in ways) == (epsilon > 0)
