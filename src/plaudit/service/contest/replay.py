"""Loads the state of a contest: from its snapshot and the entries since."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import NamedTuple

from plaudit.service.contest.events import AnswersOf, items_to_read, raters_to_read
from plaudit.service.contest.settings import ContestSettings
from plaudit.service.contest.state import ContestState
from plaudit.store.contract import ContestRecord, Item, Snapshot, Store
from plaudit.store.log import Entry

PAGE = 20_000
# A snapshot is written each time the log has grown by this many entries.
SNAPSHOT_EVERY = 100_000


class Batch(NamedTuple):
    """The next entries of a log, and what is needed to fold them.

    `items` are the items that they add, `answers_of` the earlier answers of raters that they
    exclude or readmit, and `answers_on` the earlier answers on items that they merge. `digest` is
    that of the chain after them, if it is known. `looks` is whether verdicts are to be looked for
    now; where another worker of this machine does so, they need not be.
    """

    entries: Sequence[Entry]
    items: Sequence[Item] = ()
    answers_of: AnswersOf = MappingProxyType({})
    answers_on: AnswersOf = MappingProxyType({})
    digest: bytes | None = None
    looks: bool = True


def empty_state(record: ContestRecord) -> ContestState:
    """The state of a contest before its first entry."""
    settings = ContestSettings.from_json(record.settings)
    return ContestState(
        record.name, record.settings, lanes=len(settings.lanes), levels=len(settings.scale)
    )


def load_state(store: Store, name: str, *, from_snapshot: bool = True) -> ContestState:
    """The current state; `from_snapshot=False` reads the whole log."""
    record = store.contest(name)
    contest = empty_state(record)
    snapshot = store.snapshot(name) if from_snapshot else None
    if snapshot is not None:
        contest.from_snapshot(snapshot.body)
    start = contest.position
    # The store has computed the digest of the chain already.
    while contest.position < record.position:
        limit = min(PAGE, record.position - contest.position)
        batch = read_batch(store, name, after=contest.position, items_from=None, limit=limit)
        contest.apply(
            batch.entries, batch.answers_of, answers_on=batch.answers_on, digest=record.digest
        )
    if contest.position - start >= SNAPSHOT_EVERY:
        put_snapshot(store, name, contest)
    return contest


def read_batch(
    store: Store, name: str, *, after: int, items_from: int | None, limit: int = PAGE
) -> Batch:
    """The next entries with what is needed to fold them; new items from a number on, if given."""
    entries = store.entries(name, after=after, limit=limit)
    answers_of = {rater: store.answers_of(name, rater) for rater in raters_to_read(entries)}
    answers_on = {item: store.answers_on(name, [item]) for item in items_to_read(entries)}
    items = [] if items_from is None else store.items(name, first=items_from)
    return Batch(entries, items, answers_of, answers_on)


def put_snapshot(store: Store, name: str, contest: ContestState) -> None:
    """Stores a snapshot of the state, so that the next start need not read the log up to here."""
    store.put_snapshot(name, Snapshot(contest.position, contest.to_snapshot()))
