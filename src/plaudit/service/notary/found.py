"""Finds the entry of a receipt in the log, and the proof that it is in the latest checkpoint."""

from collections.abc import Sequence
from typing import NamedTuple

from plaudit.errors import ProofRefused
from plaudit.proof.checkpoint import base64_of
from plaudit.proof.note import PublicKey, read_vkey
from plaudit.proof.receipt import Receipt, check_receipt, read_receipt
from plaudit.service.notary.notary import Notary
from plaudit.store.contract import ContestRecord, Store
from plaudit.store.log import Entry, leaf, unpacked
from plaudit.store.proofs import KeptCheckpoint


class Found(NamedTuple):
    """A receipt that a known key has signed.

    `entry` is what it says; `in_log` whether the log has exactly that at its place. `checkpoint` is
    the latest, and `path` the proof in it; both are empty if none covers the entry yet.
    """

    entry: Entry
    key: PublicKey
    in_log: bool
    checkpoint: KeptCheckpoint | None
    path: Sequence[bytes]


def find_receipt(notary: Notary, store: Store, record: ContestRecord, text: str) -> Found:
    """What the log of a contest has for a receipt; `ProofRefused` if it is none of this contest."""
    receipt = read_receipt(text)
    if receipt.contest != record.name:
        raise ProofRefused(
            f"The receipt is of the contest {receipt.contest[:80]!r}, not of {record.name!r}. "
            "Check it there."
        )
    earlier = [read_vkey(signer.vkey) for signer in store.signers(record.name)]
    key = check_receipt(receipt, [*notary.keys.public, *earlier])
    in_log = _is_in_log(store, record, receipt)
    latest = notary.checkpoints.latest(record.name)
    if not in_log or latest is None or latest.size <= receipt.position:
        return Found(unpacked(receipt.packed), key, in_log, None, ())
    path = notary.checkpoints.tree(record.name).inclusion(receipt.position, latest.size)
    return Found(unpacked(receipt.packed), key, in_log, latest, path)


def _is_in_log(store: Store, record: ContestRecord, receipt: Receipt) -> bool:
    there = store.entries(record.name, after=receipt.position - 1, limit=1)
    return [leaf(record.blinding, entry) for entry in there] == [receipt.leaf]


def path_text(path: Sequence[bytes]) -> list[str]:
    """The hashes of a proof, as the API gives them."""
    return [base64_of(step) for step in path]
