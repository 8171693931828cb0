"""Files of votes that already exist: what they say, and what a person should know about them.

`read_votes` takes a caption-contest summary or a file with one vote a row and
gives a `VoteTable`: counts per item, and warnings in plain words. Nothing in a
file is repaired, merged or dropped silently: it is either read, reported in
`VoteTable.warnings`, or refused with a `VoteFileError` that names its line.
"""

from plaudit.datasets.table import VoteTable
from plaudit.datasets.votes import read_votes

__all__ = ["VoteTable", "read_votes"]
