"""What the study runs: every attack with as many raters as are tolerated, and controls."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from plaudit.simulation.attacks import ATTACKS, Attack
from plaudit.studies.dishonest.instances import LARGE, MAIN, TARGETS, Target
from plaudit.studies.study import Options, Record

RACES, QUICK_RACES = 10_000, 100
# As a share of these.
CONTROL_SHARE = 0.2
FEWEST_RACES = 20
KNOCK_OUT = "knock-out"
FOUR = 4

# As many dishonest raters as are tolerated, or none; then the controls, in which they must succeed.
TOLERATED, NO_ATTACK = "tolerated", "no attack"
ONE_TOO_FEW, TWICE, UNPROTECTED = "one vote too few", "twice as many", "no tolerance"


@dataclass(frozen=True)
class Cell:
    """Races of one kind: on which target, under which attack, and how many raters carry it out."""

    kind: str
    target: Target
    attack: str
    tolerance: int
    raters: int
    races: int

    @property
    def plan(self) -> Attack:
        """The attack."""
        return ATTACKS[self.attack]

    def record(self) -> Record:
        """Everything that the result depends on, but for the seed and the place in the block."""
        target = self.target
        return {
            "kind": self.kind,
            "target": target.name,
            "profile": target.profile.fingerprint,
            "delta": target.delta,
            "epsilon": target.epsilon,
            "limit": target.limit,
            "attack": self.attack,
            "plan": asdict(self.plan),
            "tolerance": self.tolerance,
            "raters": self.raters,
        }


def cells(options: Options) -> Iterator[Cell]:
    """All cells of a run."""
    races = options.repeat(RACES, QUICK_RACES)

    def share(part: float) -> int:
        return max(min(races, FEWEST_RACES), round(part * races))

    for target in TARGETS:
        for number in target.numbers:
            most = share(target.share)
            yield Cell(NO_ATTACK, target, KNOCK_OUT, number, 0, share(CONTROL_SHARE * target.share))
            for attack in ATTACKS:
                yield Cell(TOLERATED, target, attack, number, number, most)
    most = share(CONTROL_SHARE)
    for number in MAIN.numbers:
        yield Cell(ONE_TOO_FEW, MAIN, KNOCK_OUT, number - 1, number, most)
        yield Cell(TWICE, MAIN, KNOCK_OUT, number, 2 * number, most)
    yield Cell(UNPROTECTED, LARGE, KNOCK_OUT, 0, FOUR, share(CONTROL_SHARE * LARGE.share))
