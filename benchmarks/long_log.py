"""A contest with a long log, written at once as an archive that is restored."""

from collections.abc import Callable, Iterator
from itertools import chain as joined
from pathlib import Path

from benchmarks.load import CONTEST, make_contest
from plaudit.store import open_store
from plaudit.store.contract import Archive, Rater
from plaudit.store.log import Entry, chain, first_digest

# The votes after a position; made twice, since there may be more than memory holds.
Votes = Callable[[int], Iterator[Entry]]


def write_long_log(
    database: str, small: Path, votes_after: Votes, *, items: int, votes: int, raters: int
) -> None:
    """Writes a contest with so many votes; `small` becomes a database of it without any."""
    make_contest(str(small), items)
    source = open_store(str(small))
    record, begun = source.contest(CONTEST), source.entries(CONTEST)
    digest = chain(first_digest(CONTEST, record.settings), begun)
    digest = chain(digest, votes_after(len(begun)))
    whole = type(record)(**{**vars(record), "position": len(begun) + votes, "digest": digest})
    known = (Rater(number, number.to_bytes(16, "little")) for number in range(raters))
    store = open_store(database)
    entries = joined(begun, votes_after(len(begun)))
    store.restore(Archive(whole, source.items(CONTEST), known, entries))
    store.close()
    source.close()
