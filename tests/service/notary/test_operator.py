"""An operator who rewrites a log is found by whoever kept one checkpoint, certificate or receipt.

The operator has everything: the store, the secret, the key. They write the contest anew with the
same blinding, so that the new log is sound in itself and every new signature holds. Somebody
outside kept one thing of before. What they ask for then are checkpoints and proofs, as anybody may.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from plaudit.proof.checkpoint import open_checkpoint
from plaudit.proof.merkle import is_consistent, is_included
from plaudit.proof.receipt import check_receipt, read_receipt
from plaudit.service.notary.certificates import signed_certificate
from plaudit.service.notary.found import find_receipt
from plaudit.service.notary.notary import Notary
from plaudit.store import Store, open_store
from plaudit.store.contract import Appended, Archive, Receipt
from plaudit.store.log import ANSWERS, Entry, chain, first_digest
from support.live_worker import NAME, create
from support.proof.notarised import notary_of, opened_checkpoint, voted

RATERS = 40


class Kept(NamedTuple):
    """What people outside kept: a checkpoint, a certificate's checkpoint, and receipts."""

    checkpoint: str
    certificate: dict[str, object]
    receipts: list[str]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Kept]]:
    store = open_store(str(tmp_path_factory.mktemp("honest") / "votes.db"))
    create(store)
    notary = notary_of(store)
    notary.know(NAME, store.contest(NAME).blinding)
    entries = voted(store, range(RATERS))
    receipts = [Receipt(e.position, e.kind, e.level, e.rater, True) for e in entries]
    given = notary.receipts(NAME, Appended(receipts, entries)).receipts
    size = store.contest(NAME).position + 1
    checkpoint = notary.checkpoints.at(NAME, size)
    certificate = signed_certificate(
        {"contest": NAME, "judged_at": size - 1}, notary.keys.signing, checkpoint.body,
        origin=checkpoint.origin,
    )  # fmt: skip
    yield store, Kept(checkpoint.body, certificate, [one.text for one in given])
    store.close()


def rewritten(
    store: Store, path: Path, change: Callable[[list[Entry]], list[Entry]], *, more: int = 12
) -> tuple[Store, Notary]:
    """The contest after the operator wrote its log anew, and after more votes."""
    record = store.contest(NAME)
    entries = [
        entry._replace(position=place)
        for place, entry in enumerate(change(store.entries(NAME)), start=1)
    ]
    digest = chain(first_digest(NAME, record.settings), entries)
    events = sum(entry.kind not in ANSWERS for entry in entries)
    new = replace(record, position=len(entries), epoch=events, digest=digest)
    other = open_store(str(path / "rewritten.db"))
    other.restore(Archive(new, store.items(NAME), store.raters(NAME), entries))
    for key in store.signing_keys():
        other.add_signing_key(key.number, key.public, at=key.made_at)
    voted(other, range(100, 100 + more))
    notary = notary_of(other)
    notary.checkpoints.at(NAME, other.contest(NAME).position + 1)
    return other, notary


def _edit(entries: list[Entry]) -> list[Entry]:
    at = 30
    return [
        *entries[:at],
        entries[at]._replace(level=(entries[at].level + 1) % 3),
        *entries[at + 1 :],
    ]


def _edit_a_time(entries: list[Entry]) -> list[Entry]:
    return [*entries[:50], entries[50]._replace(at=entries[50].at - 1), *entries[51:]]


def _drop(entries: list[Entry]) -> list[Entry]:
    return entries[:30] + entries[31:]


def _reorder(entries: list[Entry]) -> list[Entry]:
    return [*entries[:30], entries[31], entries[30], *entries[32:]]


def _invent(entries: list[Entry]) -> list[Entry]:
    invented = entries[30]._replace(item=9)
    return [*entries[:30], invented, *entries[30:]]


def _cut(entries: list[Entry]) -> list[Entry]:
    return entries[:60]


def _fork(entries: list[Entry]) -> list[Entry]:
    """The same beginning, another end of the same length."""
    return [*entries[:60], *(entry._replace(response_ms=1) for entry in entries[60:])]


REWRITES = [_edit, _edit_a_time, _drop, _reorder, _invent, _cut, _fork]


def is_found_by_checkpoint(kept: str, store: Store, notary: Notary) -> bool:
    """Whether no proof leads from the kept checkpoint to the operator's latest."""
    old = open_checkpoint(kept, notary.keys.public)
    latest = notary.checkpoints.latest(NAME)
    assert latest is not None
    new = opened_checkpoint(notary, latest)
    if new.size < old.size:
        return True
    tree = notary.checkpoints.tree(NAME)
    path = tree.consistency(old.size, new.size)
    return not is_consistent(old.size, new.size, path, old.root, new.root)


def is_found_by_receipt(kept: str, store: Store, notary: Notary) -> bool:
    """Whether the log has not what the receipt says, or no proof shows it in the checkpoint."""
    receipt = read_receipt(kept)
    check_receipt(receipt, notary.keys.public)
    found = find_receipt(notary, store, store.contest(NAME), kept)
    if not found.in_log or found.checkpoint is None:
        return True
    new = opened_checkpoint(notary, found.checkpoint)
    return not is_included(receipt.leaf_hash, receipt.position, new.size, found.path, new.root)


def test_an_honest_operator_is_not_accused(honest: tuple[Store, Kept], tmp_path: Path) -> None:
    store, kept = honest
    other, notary = rewritten(store, tmp_path, lambda entries: entries)
    assert not is_found_by_checkpoint(kept.checkpoint, other, notary)
    assert not any(is_found_by_receipt(text, other, notary) for text in kept.receipts)
    other.close()


@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda each: each.__name__.strip("_"))
def test_whoever_kept_one_thing_finds_it(
    honest: tuple[Store, Kept], tmp_path: Path, rewrite: Callable[[list[Entry]], list[Entry]]
) -> None:
    store, kept = honest
    other, notary = rewritten(store, tmp_path, rewrite)
    assert is_found_by_checkpoint(kept.checkpoint, other, notary)
    # A certificate has its checkpoint in it.
    assert is_found_by_checkpoint(str(kept.certificate["checkpoint"]), other, notary)
    # The receipt of an entry that was changed, moved or removed; others still agree.
    found = [is_found_by_receipt(text, other, notary) for text in kept.receipts]
    assert any(found)
    if rewrite is _edit:
        assert sum(found) == 1
    other.close()


def test_the_operator_cannot_show_two_logs_of_one_size(
    honest: tuple[Store, Kept], tmp_path: Path
) -> None:
    """Two checkpoints of one size with different roots, both signed: evidence in themselves."""
    store, kept = honest
    other, notary = rewritten(store, tmp_path, _edit, more=0)
    old = open_checkpoint(kept.checkpoint, notary.keys.public)
    new = opened_checkpoint(notary, notary.checkpoints.at(NAME, old.size))
    assert (old.origin, old.size) == (new.origin, new.size)
    assert old.root != new.root
    other.close()


@pytest.mark.slow
def test_a_hundred_random_rewrites_are_found(honest: tuple[Store, Kept], tmp_path: Path) -> None:
    """One random change of the log each: a value, a place, an entry more or less."""
    store, kept = honest
    chance = random.Random(2026)

    def change(entries: list[Entry]) -> list[Entry]:
        votes = [place for place, entry in enumerate(entries) if entry.kind in ANSWERS]
        at = chance.choice(votes)
        entry = entries[at]
        match chance.randrange(5):
            case 0:
                return [
                    *entries[:at],
                    entry._replace(level=(entry.level + 1) % 3),
                    *entries[at + 1 :],
                ]
            case 1:
                return [*entries[:at], entry._replace(at=entry.at + 1), *entries[at + 1 :]]
            case 2:
                return [*entries[:at], *entries[at + 1 :]]
            case 3:
                return [*entries[:at], entry._replace(item=3 + at % 9), *entries[at:]]
            case _:
                other = chance.choice([place for place in votes if place != at])
                moved = [*entries]
                moved[at], moved[other] = moved[other], moved[at]
                return moved

    for turn in range(100):
        (tmp_path / f"{turn}").mkdir()
        other, notary = rewritten(store, tmp_path / f"{turn}", change)
        assert is_found_by_checkpoint(kept.checkpoint, other, notary)
        other.close()
