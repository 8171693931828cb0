"""Contests with votes, and what their notary signed, for tests of proof."""

from collections.abc import Sequence

from plaudit.proof.checkpoint import Checkpoint, open_checkpoint
from plaudit.proof.merkle import leaf_hash
from plaudit.service.notary.notary import Notary
from plaudit.store.contract import Store
from plaudit.store.log import Answer, Entry, Kind, first_leaf, leaf
from plaudit.store.proofs import KeptCheckpoint
from support.live_worker import NAME, SECRET, START, Clock


def voted(store: Store, raters: Sequence[int], items: int = 3, *, name: str = NAME) -> list[Entry]:
    """The entries of votes by these raters, each on the first items."""
    answers = [
        Answer(Kind.VOTE, rater.to_bytes(16, "big"), item, (rater + item) % 3, 0, START, 500)
        for rater in raters
        for item in range(items)
    ]
    return store.append_answers(name, answers).entries


def notary_of(store: Store, clock: Clock | None = None) -> Notary:
    """A notary without its thread."""
    return Notary(store, SECRET, clock=clock or Clock())


def looked(notary: Notary) -> Notary:
    """The notary, after it looked at the logs."""
    notary._look()
    return notary


def opened_checkpoint(notary: Notary, kept: KeptCheckpoint) -> Checkpoint:
    """A checkpoint, checked with the keys of the service."""
    found = open_checkpoint(kept.body, notary.keys.public)
    assert (found.origin, found.size) == (kept.origin, kept.size)
    return found


def leaves_of(store: Store, name: str = NAME) -> list[bytes]:
    """The hashes of all leaves of a contest, straight from its log."""
    record = store.contest(name)
    first = first_leaf(record.blinding, name, record.settings)
    entries = store.entries(name, limit=1_000_000)
    data = [first, *(leaf(record.blinding, entry) for entry in entries)]
    return [leaf_hash(each) for each in data]
