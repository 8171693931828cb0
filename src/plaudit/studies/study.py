"""What a study is: parts that run independently, and conclusions from their results.

A study has three steps. `prepare` turns the options into a plan: settings, what all parts
share, and parts, each a small record with everything that its result depends on, its seed
included. `work` runs one part, anywhere. `conclude` turns all results into findings.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from plaudit.errors import InvalidInput, UnknownName
from plaudit.studies import TITLES

Record = dict[str, Any]
Agreement = Literal["agrees", "agrees in part", "differs", "not tested"]
# By this rule, and no other, a study says whether a claim agrees with what was measured.
RULE = (
    "A claim is tested by one or more checks with fixed limits. All of them hold: it agrees. At "
    "least half of them hold: it agrees in part. Fewer hold: it differs. A promise for all cases "
    "is one check. Where a sentence can be read in two ways, there are checks for both."
)


@dataclass(frozen=True)
class Options:
    """What the user asked for; without `repetitions` a study uses its own number."""

    seed: int = 0
    repetitions: int | None = None
    quick: bool = False
    data: Path | None = None
    contests: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.repetitions is not None and self.repetitions < 1:
            raise InvalidInput(f"repetitions must be at least 1; got {self.repetitions}.")
        if self.seed < 0:
            raise InvalidInput(f"seed must be at least 0; got {self.seed}.")

    def repeat(self, full: int, quick: int) -> int:
        """How many repetitions to run: those asked for, or one of the study's own numbers."""
        return self.repetitions or (quick if self.quick else full)


@dataclass(frozen=True)
class StudyPlan:
    """What will be run. `weights` say how long parts take, relative to each other."""

    settings: Record
    parts: Sequence[Record]
    shared: Any = None
    weights: Sequence[float] | None = None


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, or an aim of ours; what was measured; which checks hold.

    Without a check it is not tested.
    """

    paper: str
    measured: str
    checks: Sequence[bool] = ()

    @property
    def agreement(self) -> Agreement:
        """Whether the claim agrees with what was measured, by `RULE`.

        >>> [Claim("", "", [True, True, held]).agreement for held in (True, False)]
        ['agrees', 'agrees in part']
        >>> Claim("", "", [True, False, False]).agreement
        'differs'
        """
        if not self.checks:
            return "not tested"
        if all(self.checks):
            return "agrees"
        return "agrees in part" if 2 * sum(self.checks) >= len(self.checks) else "differs"


@dataclass(frozen=True)
class StudyTable:
    """Rows with the same keys; `on_page` shows them on the page, not only in the files."""

    name: str
    rows: Sequence[Mapping[str, Any]]
    caption: str = ""
    on_page: bool = True


@dataclass(frozen=True)
class Findings:
    """What a study found; `chart` makes its figure, when it is wanted."""

    claims: Sequence[Claim]
    tables: Sequence[StudyTable]
    chart: Callable[[], Any]
    figure_caption: str
    notes: Sequence[str] = field(default_factory=tuple)


@dataclass(frozen=True)
class Study:
    """One table, figure or claim of the paper, repeated, or a question of our own.

    `claims_heading` says whose claims are measured.
    """

    name: str
    question: str
    prepare: Callable[[Options], StudyPlan]
    work: Callable[[Any, Record], Record]
    conclude: Callable[[StudyPlan, Sequence[Record]], Findings]
    claims_heading: str = "the paper says"

    @property
    def title(self) -> str:
        """The study's title."""
        return TITLES[self.name]


def load_study(name: str) -> Study:
    """The study of that name."""
    if name not in TITLES:
        raise UnknownName("study", name, TITLES)
    study: Study = import_module(f"plaudit.studies.{name.replace('-', '_')}").STUDY
    return study


def blocks(repetitions: int, size: int) -> list[tuple[int, int]]:
    """Repetitions in runs of `size`, as (first, end): the parts that a study is cut into.

    A later run with more repetitions has the same first blocks and finds them done.

    >>> blocks(25, 10)
    [(0, 10), (10, 20), (20, 25)]
    """
    return [(first, min(first + size, repetitions)) for first in range(0, repetitions, size)]
