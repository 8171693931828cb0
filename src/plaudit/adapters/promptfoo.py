"""Result files of promptfoo: what is certain by them, and which calls would decide the rest.

A candidate is a prompt with a provider, a column of promptfoo's table. A test is what candidates
are scored on, and takes the part of a rater: its scores are compared with each other. Tests that
are the same (`--repeat`) count as one, with the mean of their scores. A call that ended in an
error has no score.
"""

import json
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.errors import InvalidInput
from plaudit.race import PairedRace
from plaudit.race.paired.bets import MARGIN, growth_of, log_capitals
from plaudit.race.standing import IN, OUT

__all__ = ["OpenPair", "Results", "read_results"]

# promptfoo's own code for a call that failed, not an assertion.
ERROR = 2
# More tests than this are more than anyone has.
MOST_TESTS = 10**6


@dataclass(frozen=True)
class OpenPair:
    """Two candidates that the tests have not told apart: how many tests they have and may need.

    `needed` is in total, if scores go on as they were; None if they hardly differ.
    """

    first: str
    second: str
    tests: int
    needed: int | None


@dataclass(frozen=True, eq=False)
class Results:
    """The scores of a result file: a row a test, a column a candidate, NaN where there is none."""

    candidates: tuple[str, ...]
    scores: NDArray[np.float64]
    errors: int = 0

    def race(self, **settings: Any) -> PairedRace:
        """A paired race of the candidates; `settings` are those of `PairedRace`.

        Its promise is about tests like these: that they are a random choice of what the prompts
        will meet. It holds however often a growing file is judged.
        """
        return PairedRace.from_rows(self.scores, **settings)

    def to_decide(self, race: PairedRace) -> list[OpenPair]:
        """The pairs that keep a race of these scores from its verdict, the dearest first."""
        if race.verdict():
            return []
        standings, leaders = race.standings(), race.leaders
        rivals = [n for n in range(len(race)) if n not in leaders and standings[n] != OUT]
        pairs = [(i, j) for i in leaders if standings[i] != IN for j in rivals]
        found = [self._pair(race, i, j) for i, j in pairs]
        still = [each for each in found if each.needed is None or each.needed > each.tests]
        return sorted(still, key=lambda each: -(each.needed or MOST_TESTS))

    def _pair(self, race: PairedRace, i: int, j: int) -> OpenPair:
        ahead = self.scores[:, i] - self.scores[:, j]
        ahead = ahead[~np.isnan(ahead)]
        settings = race.settings
        level = settings.level + MARGIN
        needed = _needed(ahead, level, -settings.epsilon)
        return OpenPair(self.candidates[i], self.candidates[j], ahead.size, needed)


def _needed(ahead: NDArray[np.float64], level: float, theta: float) -> int | None:
    """After how many differences such as these the bets reach a level; None if never."""
    if not ahead.size:
        return None
    gained = growth_of(ahead).mean(axis=0)

    def reached(tests: int) -> bool:
        return bool(log_capitals(gained * tests, np.array(tests), theta) >= level)

    high = max(ahead.size, 1)
    while not reached(high):
        high *= 2
        if high > MOST_TESTS:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def read_results(path: str | os.PathLike[str], *, score: str = "score") -> Results:
    """The scores in a file that `promptfoo eval --output results.json` wrote.

    `score` is "score" for promptfoo's own in [0, 1], "pass" for passed or not, or the name of a
    metric. Raises `InvalidInput` for a file of another kind, and for scores outside [0, 1].
    """
    rows = _rows(Path(path))
    columns = sorted({row["promptIdx"] for row in rows})
    if len(columns) < 2:
        raise InvalidInput(
            f"{path} has only one candidate: a comparison needs two prompts or two providers."
        )
    kept = [row for row in rows if row.get("failureReason") != ERROR]
    tests: dict[str, int] = {}
    totals = np.zeros((2, len(rows), len(columns)))
    for row in kept:
        place = tests.setdefault(_test_of(row), len(tests)), columns.index(row["promptIdx"])
        totals[:, *place] += 1.0, _score(row, score)
    counts, sums = totals[:, : len(tests)]
    scores = np.full(counts.shape, math.nan)
    np.divide(sums, counts, out=scores, where=counts > 0)
    return Results(_names(rows, columns), scores, len(rows) - len(kept))


def _rows(path: Path) -> list[dict[str, Any]]:
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
        found = whole["results"]
        rows = found["results"] if isinstance(found, dict) else found
        if rows and all({"promptIdx", "testIdx", "score"} <= row.keys() for row in rows):
            return list(rows)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise InvalidInput(
        f"{path} is no result file of promptfoo with its results. Write one with: promptfoo eval "
        "--output results.json"
    )


def _test_of(row: dict[str, Any]) -> str:
    """What makes two tests the same: their variables and assertions."""
    case = row.get("testCase") or {}
    said = [case.get("vars", row.get("vars")), case.get("assert"), case.get("description")]
    return json.dumps(said, sort_keys=True) if any(said) else str(row["testIdx"])


def _score(row: dict[str, Any], score: str) -> float:
    if score == "pass":
        return float(bool(row.get("success")))
    named = row.get("namedScores") or {}
    if score != "score" and score not in named:
        known = ", ".join(map(repr, ("score", "pass", *named)))
        raise InvalidInput(
            f"Test {row['testIdx']} has no score {score!r}; it has {known}. Name one that all have."
        )
    value = float(row["score"] if score == "score" else named[score])
    if not 0.0 <= value <= 1.0:
        raise InvalidInput(
            f"Test {row['testIdx']} has the score {value}, which is outside [0, 1]. Let assertions "
            'score from 0 to 1, or judge by score="pass".'
        )
    return value


def _names(rows: Iterable[dict[str, Any]], columns: Sequence[int]) -> tuple[str, ...]:
    """What tells candidates apart: the prompt, the provider, or both; and a number if need be."""
    first = {column: next(row for row in rows if row["promptIdx"] == column) for column in columns}
    prompts = [_label(row.get("prompt") or {}, "raw") for row in first.values()]
    providers = [_label(row.get("provider") or {}, "id") for row in first.values()]
    parts = [part for part in (providers, prompts) if len(set(part)) > 1] or [prompts]
    names = [" | ".join(each) for each in zip(*parts, strict=True)]
    return tuple(
        name if names.count(name) == 1 else f"{name} #{column}"
        for name, column in zip(names, columns, strict=True)
    )


def _label(part: Any, otherwise: str) -> str:
    if not isinstance(part, dict):
        return str(part)
    return str(part.get("label") or part.get(otherwise) or "?")
