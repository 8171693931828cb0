"""From a log to a live contest: the snapshot, the entries since, and the items."""

from plaudit.service.contest import ContestSettings
from plaudit.service.live import Batch, LiveContest
from plaudit.service.tally import Tally, items_to_read, raters_to_read
from plaudit.store.contract import ContestRecord, Snapshot, Store

PAGE = 20_000
# A snapshot is written once the log has grown by so many entries.
SNAPSHOT_EVERY = 100_000


def empty_tally(record: ContestRecord) -> Tally:
    """The tally of a contest before its first entry."""
    settings = ContestSettings.from_json(record.settings)
    return Tally(
        record.name, record.settings, lanes=len(settings.lanes), levels=len(settings.scale)
    )


def load_tally(store: Store, name: str, *, from_snapshot: bool = True) -> Tally:
    """What the log adds up to now; `from_snapshot=False` reads all of it."""
    record = store.contest(name)
    tally = empty_tally(record)
    snapshot = store.snapshot(name) if from_snapshot else None
    if snapshot is not None:
        tally.from_snapshot(snapshot.body)
    start = tally.position
    # The store has chained what is there: no need to do it again.
    while tally.position < record.position:
        limit = min(PAGE, record.position - tally.position)
        batch = read_batch(store, name, after=tally.position, items_from=None, limit=limit)
        tally.apply(
            batch.entries, batch.answers_of, answers_on=batch.answers_on, digest=record.digest
        )
    if tally.position - start >= SNAPSHOT_EVERY:
        put_snapshot(store, name, tally)
    return tally


def read_batch(
    store: Store, name: str, *, after: int, items_from: int | None, limit: int = PAGE
) -> Batch:
    """A page of entries with all that folding them takes; items from a number on, if wanted."""
    entries = store.entries(name, after=after, limit=limit)
    answers_of = {rater: store.answers_of(name, rater) for rater in raters_to_read(entries)}
    answers_on = {item: store.answers_on(name, [item]) for item in items_to_read(entries)}
    items = [] if items_from is None else store.items(name, first=items_from)
    return Batch(entries, items, answers_of, answers_on)


def put_snapshot(store: Store, name: str, tally: Tally) -> None:
    """Keeps a tally, so that the next start need not read the log up to here."""
    store.put_snapshot(name, Snapshot(tally.position, tally.to_snapshot()))


def load_contest(store: Store, name: str) -> LiveContest:
    """A contest as its log has it now, ready for raters."""
    tally = load_tally(store, name)
    return LiveContest(store.contest(name), tally, store.items(name)[: tally.items])
