"""The contests that a study runs on: those asked for, those at hand, or a made-up one."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from plaudit.datasets import VoteTable, list_contests, load_contest
from plaudit.datasets.catalogue import SYNTHETIC
from plaudit.datasets.past_contests import contest_path, data_folder
from plaudit.errors import DataUnavailable
from plaudit.simulation.profiles import Profile

CAPTION_WIDTH = 60
# Equal means from different counts may differ in their last bits.
ROUNDING = 1e-12
STAND_IN = "The made-up contest “synthetic” stands in for what is missing: it is no evidence."

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Contests:
    """Tables by the name of their contest, and why others are not among them."""

    tables: dict[str, VoteTable]
    missing: dict[str, str]

    @property
    def real(self) -> bool:
        """Whether any of them is a real contest."""
        return any(name != SYNTHETIC for name in self.tables)


def load_some(names: Iterable[str], *, data: PathLike | None = None) -> Contests:
    """The contests of these names that can be had, and the synthetic one for the others.

    If a folder is named and wrong, that is still an error.
    """
    if data is not None:
        data_folder(data=data)
    tables, missing = {}, {}
    for name in names:
        try:
            tables[name] = load_contest(name, data=data)
        except DataUnavailable as reason:
            missing[name] = str(reason)
    if missing or not tables:
        tables[SYNTHETIC] = load_contest(SYNTHETIC)
    return Contests(tables, missing)


def load_named(names: Iterable[str], *, data: PathLike | None = None) -> Contests:
    """All the contests of these names, by the stems of their files."""
    tables = {}
    for name in names:
        known = name.strip().casefold() == SYNTHETIC
        stem = SYNTHETIC if known else contest_path(name, data=data).stem
        tables[stem] = load_contest(name, data=data)
    return Contests(tables, {})


def load_present(*, data: PathLike | None = None, newest: int | None = None) -> Contests:
    """The contests in the folder or the cache, or the newest few; else the synthetic one."""
    stems = [contest.stem for contest in list_contests(data=data) if contest.path is not None]
    found = load_some(stems if newest is None else stems[-newest:], data=data)
    if len(found.tables) > 1:
        # A file that is no contest, among others that are, needs nothing in its place.
        found.tables.pop(SYNTHETIC, None)
    return found


def best_of(profile: Profile) -> dict[str, Any]:
    """The best mean of a profile, how many items have it, the next mean, and the first of them.

    >>> best_of(Profile.bernoulli([0.25, 0.5, 0.5, 0.125]))
    {'row': 1, 'mean': 0.5, 'tied': 2, 'next': 0.25}
    """
    means = profile.means
    best = means.max()
    others = means[means < best - ROUNDING]
    return {
        "row": int(np.argmax(means)),
        "mean": float(best),
        "tied": int((means >= best - ROUNDING).sum()),
        "next": float(others.max()) if others.size else None,
    }


def shorten(caption: str, width: int = CAPTION_WIDTH) -> str:
    """A caption on one line of at most so many characters.

    >>> shorten("  No, you\\n grow up. "), shorten("No, you grow up.", 8)
    ('No, you grow up.', 'No, you…')
    """
    line = " ".join(caption.split()) or "(empty)"
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"


def count_copies(table: VoteTable, row: int) -> int:
    """How many other items have the same caption, but for case and outer spaces."""
    captions = [caption.strip().casefold() for caption in table.items]
    return captions.count(captions[row]) - 1
