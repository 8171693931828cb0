"""Small contests, answers and checks for the tests of the suite."""

from collections.abc import Callable

from plaudit.proof.digests import MARK_BYTES, SALT_BYTES
from plaudit.store.contract import OPEN, ContestRecord, Item, Rater, Store
from plaudit.store.log import ANSWERS, NONE, Answer, Entry, Event, Kind, chain, first_digest

Reopen = Callable[[], Store]

NAME = "elephant"
SETTINGS = '{"title": "What is the elephant saying?"}'
ITEMS = (
    Item(0, "I never forget."),
    Item(1, "Who moved my trunk?", "ab" * 32),
    Item(2, "Tusk, tusk."),
)
START = Event(Kind.STATE, 1_000, '{"to": "open"}')


def key_of(rater: int) -> bytes:
    """The key of a made-up rater."""
    return rater.to_bytes(16, "big")


def vote(rater: int, item: int, level: int = 1, *, at: int = 2_000) -> Answer:
    """A vote of a made-up rater."""
    return Answer(Kind.VOTE, key_of(rater), item, level, 0, at, 800)


def opened(store: Store, name: str = NAME, *, state: str = OPEN) -> ContestRecord:
    """A new contest with three items."""
    return store.create(name, SETTINGS, state=state, items=ITEMS, event=START)


def raters_of(store: Store, name: str = NAME) -> list[Rater]:
    """The raters without their salts, which are random."""
    found = list(store.raters(name))
    for rater in found:
        assert len(rater.salt) == (MARK_BYTES if rater.key is None else SALT_BYTES)
    return [rater._replace(salt=b"") for rater in found]


def all_entries(store: Store, name: str = NAME) -> list[Entry]:
    """The whole log, read page by page."""
    found: list[Entry] = []
    while page := store.entries(name, after=len(found), limit=997):
        found += page
    return found


def check_log(store: Store, name: str = NAME) -> list[Entry]:
    """The whole log, checked: no gaps, each answer once, and the digest right."""
    entries = all_entries(store, name)
    record = store.contest(name)
    events = [entry for entry in entries if entry.kind not in ANSWERS]
    answers = [(entry.rater, entry.item) for entry in entries if entry.kind in ANSWERS]
    assert [entry.position for entry in entries] == list(range(1, len(entries) + 1))
    assert (record.position, record.epoch) == (len(entries), len(events))
    assert store.heads()[name] == (record.position, record.epoch)
    assert record.digest == chain(first_digest(name, record.settings), entries)
    assert len(set(answers)) == len(answers)
    assert all(entry.rater == NONE for entry in events)
    assert store.events(name) == events
    numbers = [rater.number for rater in store.raters(name)]
    assert numbers == list(range(len(numbers)))
    assert {rater for rater, _ in answers} <= set(numbers)
    return entries
