"""What the races of `fewer-votes` are run on: profiles and contests, with what is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plaudit.datasets import VoteTable, contest_profile
from plaudit.datasets.catalogue import SYNTHETIC
from plaudit.simulation.profiles import Profile
from plaudit.studies.contests.tables import Contests

DELTA, EPSILON = 0.01, 0.05
SHOWN, LEVEL = 5, 0.9
TOP, RATERS = 10, 10_000
# Which contests the method was chosen on; it is judged on all others.
CHOSEN_ON = ("α = 1", "α = 1/2", "558", "686")
CERTIFIED = ("558", "686", "729", "776")
FOUND_BINARY = ("558", "512_LilUCB")
# Every summary at hand; the second file of contest 512 holds too few votes to draw from.
NO_REPEAT = ("512_LilUCB", "553", "558", "653", "686", "729", "776", "831")
CHOSEN, JUDGED = "chosen on", "judged on"


@dataclass(frozen=True)
class Case:
    """A profile, and what is asked of it; `guess` is about the votes of lil-KLUCB."""

    name: str
    profile: Profile
    guess: float
    epsilon: float = 0.0
    top: int = 1

    @property
    def role(self) -> str:
        """Whether the method was chosen on this case or is judged on it."""
        return CHOSEN if self.name in CHOSEN_ON else JUDGED


def short_name(stem: str) -> str:
    """A contest's number, where its file is the one of the studies.

    >>> short_name("558_LilUCB"), short_name("686"), short_name("synthetic")
    ('558', '686', 'synthetic')
    """
    return stem.partition("_")[0]


def certified_cases(contests: Mapping[str, VoteTable], items: int) -> list[Case]:
    """The first panel: the paper's two profiles, and contests with slack."""
    synthetic = [
        Case("α = 1", Profile.power(items, 1.0), 160.0 * items),
        Case("α = 1/2", Profile.power(items, 0.5), 14.0 * items),
    ]
    return synthetic + [
        Case(short_name(name), contest_profile(table)[0], 100.0 * len(table.items), EPSILON)
        for name, table in contests.items()
    ]


def found_cases(
    binary: Mapping[str, VoteTable], three_level: Mapping[str, VoteTable]
) -> list[Case]:
    """The second panel: contests with votes of 0 and 1 as in the paper, and of three levels."""
    cases = [
        Case(f"{short_name(name)}, binary", contest_profile(table, binary=True)[0],
             50.0 * len(table.items))
        for name, table in binary.items()
    ]  # fmt: skip
    return cases + [
        Case(f"{short_name(name)}, 3 levels", contest_profile(table)[0], 50.0 * len(table.items))
        for name, table in three_level.items()
    ]


def no_repeat_cases(contests: Mapping[str, VoteTable]) -> list[Case]:
    """The third panel: each contest with the number of votes that it collected."""
    return [
        Case(short_name(name), contest_profile(table)[0], float(table.votes.sum()), EPSILON, TOP)
        for name, table in contests.items()
    ]


def pick(contests: Contests, names: Sequence[str]) -> dict[str, VoteTable]:
    """The tables of these contests that are at hand; the synthetic one where none is."""
    found = {name: contests.tables[name] for name in names if name in contests.tables}
    return found or {SYNTHETIC: contests.tables[SYNTHETIC]}
