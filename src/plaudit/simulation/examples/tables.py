"""Tables of scores shaped like real benchmarks: skilled candidates, difficult examples."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]


@dataclass(frozen=True)
class Benchmark:
    """A law of tables. A score rises with skill less difficulty, on the logistic scale.

    `skills` is "normal", or "tail": most candidates are about as good as the best, a few far
    worse. `noise` is what is left of a score when skill and difficulty are known. Scores are
    rounded to `levels` equal steps; with one step an example is solved with the probability that
    the logistic function gives.
    """

    name: str
    candidates: int
    examples: int
    skills: Literal["normal", "tail"]
    skill_spread: float
    mean_skill: float
    difficulty_spread: float
    noise: float
    levels: int

    def draw(self, seed: int) -> Table:
        """A table of its own, a line an example in random order, a column a candidate."""
        rng = np.random.default_rng(seed)
        skill = self._skills(rng)
        difficulty = rng.normal(0.0, self.difficulty_spread, size=(self.examples, 1))
        logits = self.mean_skill + skill - difficulty
        if self.levels == 1:
            return (rng.random(logits.shape) < _logistic(logits)).astype(np.float64)
        logits += rng.normal(0.0, self.noise, size=logits.shape)
        scores: Table = np.round(self.levels * _logistic(logits)) / self.levels
        return scores

    def _skills(self, rng: np.random.Generator) -> Table:
        if self.skills == "normal":
            return rng.normal(0.0, self.skill_spread, size=self.candidates)
        return -rng.gamma(1.0, self.skill_spread, size=self.candidates)

    def record(self) -> dict[str, Any]:
        """Everything that a table depends on, but for the seed."""
        return asdict(self)


def _logistic(logits: Table) -> Table:
    return 1.0 / (1.0 + np.exp(-logits))


BENCHMARKS = (
    Benchmark("40 prompts × 500 examples", 40, 500, "normal", 0.5, 0.0, 1.5, 1.0, 10),
    Benchmark("12 models × 2,000 yes/no", 12, 2000, "normal", 0.5, 1.0, 2.0, 0.0, 1),
    Benchmark("300 configurations × 200", 300, 200, "tail", 0.7, 1.0, 1.0, 0.7, 100),
)
