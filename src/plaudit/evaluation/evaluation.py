"""What an evaluation found: winners, intervals, and how many calls it took and saved."""

from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any

from plaudit.race.display.frames import frame_of
from plaudit.race.verdict import plain_value

# So many candidates are printed; all of them are in `rows`.
MOST_PRINTED = 10
LONGEST_NAME = 32


@dataclass(frozen=True)
class Row:
    """One candidate: where it stands, examples met, mean, and the interval of its mean over all."""

    candidate: str
    standing: str
    examples: int
    mean: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Evaluation:
    """The winners on the whole set of examples; true once they are decided.

    With probability at least 1 - delta no candidate that is not named is better by more than
    `epsilon`, on the mean over all examples, than one that is. `certain` says that everyone met
    all examples, so that nothing is left to chance. Where somebody pressed Ctrl-C (`interrupted`),
    the budget ran out (`out_of_budget`) or a call failed, `decided` is false, and `winners` are
    those who lead.

    `rows` has all candidates in the order in which they were given. With probability 1 - delta all
    their intervals are right, whenever they are read. Means are in the units of the scores.

    `calls` were made now, `cached` scores were found in the cache, and `full` is the number of
    calls of the full grid.
    """

    winners: tuple[str, ...]
    decided: bool
    certain: bool
    interrupted: bool
    out_of_budget: bool
    delta: float
    epsilon: float
    top: int
    examples: int
    calls: int
    cached: int
    full: int
    rows: tuple[Row, ...] = field(repr=False)

    def __bool__(self) -> bool:
        return self.decided

    @property
    def winner(self) -> str:
        """The first of the winners."""
        return self.winners[0]

    @property
    def saved(self) -> int:
        """Calls of the full grid that were not needed."""
        return self.full - self.calls - self.cached

    def __str__(self) -> str:
        return "\n".join([self._claim(), self._cost(), *self._table()])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def _claim(self) -> str:
        names = ", ".join(_short(name) for name in self.winners)
        if not self.decided:
            left = sum(row.standing == "open" for row in self.rows)
            return (
                f"{self._why()}, and nothing is decided: {names} leads, {left} candidates are open."
            )
        best = "the best" if self.top == 1 else f"the best {self.top}"
        slack = f", up to {self.epsilon:g}" if self.epsilon else ""
        sure = "certainly" if self.certain else f"with {100 * (1 - self.delta):.6g} % confidence"
        return (
            f"{names}: {sure} {best} of {len(self.rows)} on all {self.examples:,} examples{slack}."
        )

    def _why(self) -> str:
        if self.interrupted:
            return "Stopped by Ctrl-C"
        return "The budget is used up" if self.out_of_budget else "A call failed"

    def _cost(self) -> str:
        found = f" and {self.cached:,} scores from the cache" if self.cached else ""
        spent = f"{self.calls:,} calls{found}; the full grid has {self.full:,}"
        if not self.decided:
            return f"{spent}."
        return f"{spent}: {self.saved:,} saved ({100 * self.saved / self.full:.0f} %)."

    def ranked(self) -> list[Row]:
        """All candidates: winners first, then those that are open, then by mean."""
        places = {name: place for place, name in enumerate(self.winners)}
        order = {"in": 0, "open": 1, "out": 2}

        def place(row: Row) -> tuple[float, ...]:
            mean = -row.mean if row.examples else 1.0
            return places.get(row.candidate, len(places)), order[row.standing], mean

        return sorted(self.rows, key=place)

    def _table(self) -> list[str]:
        shown = self.ranked()[:MOST_PRINTED]
        width = max(len(_short(row.candidate)) for row in shown)
        lines = [
            f"  {_short(row.candidate):<{width}}  {row.mean:.4f} in [{row.lower:.4f}, "
            f"{row.upper:.4f}]  {row.examples:,} examples  {row.standing}"
            for row in shown
        ]
        left = len(self.rows) - len(shown)
        return [*lines, f"  … and {left:,} more"] if left else lines

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, ready for JSON; a mean is None before the first example."""
        facts = asdict(self) | {"winners": list(self.winners), "saved": self.saved}
        facts["rows"] = [{k: plain_value(v) for k, v in asdict(row).items()} for row in self.rows]
        return facts

    def to_frame(self) -> Any:
        """A row a candidate: a frame of pandas or polars if one is installed, else columns."""
        names = list(Row.__dataclass_fields__)
        return frame_of({name: [getattr(row, name) for row in self.rows] for name in names})


def _short(name: str) -> str:
    line = " ".join(name.split())
    return line if len(line) <= LONGEST_NAME else line[: LONGEST_NAME - 1] + "…"
