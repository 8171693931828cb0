"""Votes that already exist: files of them, and the caption contests by name.

`read_votes` takes a caption-contest summary or a file with one vote a row and
gives a `VoteTable`: counts per item, and warnings in plain words. Nothing in a
file is repaired, merged or dropped silently: it is either read, reported in
`VoteTable.warnings`, or refused with a `VoteFileError` that names its line.

`read_rows` keeps who voted: a row a rater, for paired races.

`load_contest` takes the name of a public contest and finds the file itself, in a
folder, in the cache or on the network. `contest_profile` turns a table into a
profile for simulated races.

This room imports `simulation` only where a profile is made, so that reading votes
needs no compiler. It reads and downloads files and writes only to the user's cache.
"""

from typing import TYPE_CHECKING

from plaudit.late import late

if TYPE_CHECKING:
    from plaudit.datasets.bootstrap import contest_profile
    from plaudit.datasets.likeness import contest_shape
    from plaudit.datasets.past_contests import Contest, find_contest, list_contests, load_contest
    from plaudit.datasets.rows import RowTable, read_rows
    from plaudit.datasets.synthetic import synthetic_contest
    from plaudit.datasets.table import VoteTable
    from plaudit.datasets.votes import read_votes

__all__ = [
    "Contest",
    "RowTable",
    "VoteTable",
    "contest_profile",
    "contest_shape",
    "find_contest",
    "list_contests",
    "load_contest",
    "read_rows",
    "read_votes",
    "synthetic_contest",
]

# The service needs none of them.
__getattr__ = late(
    __name__,
    {
        "bootstrap": ["contest_profile"],
        "likeness": ["contest_shape"],
        "past_contests": ["Contest", "find_contest", "list_contests", "load_contest"],
        "rows": ["RowTable", "read_rows"],
        "synthetic": ["synthetic_contest"],
        "table": ["VoteTable"],
        "votes": ["read_votes"],
    },
)
