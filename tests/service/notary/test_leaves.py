"""Leaves are hashed once, for receipts and tree; what the log has is what counts."""

from pathlib import Path

import pytest

from plaudit.proof.merkle import leaf_hash, root_of
from plaudit.proof.receipt import read_receipt
from plaudit.service.notary import leaves as module
from plaudit.service.notary.leaves import Leaves
from plaudit.store import open_store
from plaudit.store.contract import Appended, Receipt
from plaudit.store.log import Entry, Kind, leaf, packed
from support.live_worker import NAME, create
from support.proof.notarised import leaves_of, notary_of, voted

BLINDING = bytes(range(32))


def entry(position: int, level: int = 1) -> Entry:
    return Entry(position, Kind.VOTE, 1_000, 2, position, level, 0, 300, "")


def entries(start: int, end: int) -> list[Entry]:
    return [entry(position) for position in range(start, end)]


def hashes_of(page: list[Entry]) -> list[bytes]:
    return [leaf_hash(leaf(BLINDING, each)) for each in page]


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The data of all leaves that are hashed."""
    seen: list[bytes] = []

    def noting(data: bytes) -> bytes:
        seen.append(data)
        return leaf_hash(data)

    monkeypatch.setattr(module, "leaf_hash", noting)
    return seen


def taken(known: Leaves, group: list[Entry]) -> None:
    data, hashes = known.of_group(group, packed(group))
    assert data == [leaf(BLINDING, each) for each in group]
    assert hashes == hashes_of(group)


def test_what_a_receipt_has_hashed_is_not_hashed_again(hashed: list[bytes]) -> None:
    known = Leaves(BLINDING)
    for start, end in ((5, 8), (9, 12), (12, 20)):
        taken(known, entries(start, end))
    hashed.clear()
    # Entries before, between and behind were written by others; a page ends within a group.
    assert known.hashes(entries(3, 15)) == hashes_of(entries(3, 15))
    assert hashed == [leaf(BLINDING, entry(position)) for position in (3, 4, 8)]
    hashed.clear()
    assert known.hashes(entries(15, 22)) == hashes_of(entries(15, 22))
    assert hashed == [leaf(BLINDING, entry(position)) for position in (20, 21)]
    assert known._groups == []


def test_a_log_that_has_something_else_is_hashed(hashed: list[bytes]) -> None:
    known = Leaves(BLINDING)
    taken(known, entries(5, 8))
    hashed.clear()
    there = [entry(5), entry(6, level=0), entry(7)]
    assert known.hashes(there) == hashes_of(there)
    assert len(hashed) == 3


def test_only_so_many_are_kept(hashed: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_KEPT", 10)
    known = Leaves(BLINDING)
    for start in range(1, 31, 3):
        taken(known, entries(start, start + 3))
    assert known._kept == sum(len(group.hashes) for group in known._groups) == 9
    hashed.clear()
    assert known.hashes(entries(1, 31)) == hashes_of(entries(1, 31))
    assert len(hashed) == 21
    assert known._kept == 0


def test_the_tree_takes_over_the_hashes_of_receipts(tmp_path: Path, hashed: list[bytes]) -> None:
    store = open_store(str(tmp_path / "votes.db"))
    create(store)
    notary = notary_of(store)
    notary.know(NAME, store.contest(NAME).blinding)
    before = store.contest(NAME).position
    group = voted(store, range(9))
    receipts = [Receipt(e.position, e.kind, e.level, e.rater, True) for e in group]
    notary.receipts(NAME, Appended(receipts, group, b"", packed(group)))
    assert [read_receipt(one.text).position for one in receipts] == [e.position for e in group]
    assert len(hashed) == len(group)
    size = store.contest(NAME).position + 1
    root = notary.checkpoints.tree(NAME).root(size)
    assert root == root_of(leaves_of(store))
    # Beside them only the events from before the votes.
    assert len(hashed) == len(group) + before
    store.close()
