"""Receipts, checked against the export of their contest."""

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from plaudit.errors import InvalidInput
from plaudit.proof.note import PublicKey
from plaudit.proof.receipt import Receipt, check_receipt, read_receipt
from plaudit.service.archive.restore import restore_contest
from plaudit.service.archive.signatures import keys_in
from plaudit.service.contest.counting import counting_of
from plaudit.service.contest.replay import load_state
from plaudit.service.contest.state import ContestState
from plaudit.store import open_store
from plaudit.store.contract import ContestRecord, Store
from plaudit.store.log import leaf
from plaudit.witness.receipts import Checked, why_not


def check_in_export(
    export: Iterable[bytes], texts: Sequence[str], keys: Sequence[PublicKey] | None
) -> list[Checked]:
    """What an export says of each receipt. Without `keys`, those that the export lists are taken.

    `ProofRefused` where a text is no receipt, or none of the keys has signed it.
    """
    receipts = [read_receipt(text) for text in texts]
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(str(Path(folder) / "replay.db"))
        try:
            record = restore_contest(store, export)
            trusted = keys_in(store, record.name) if keys is None else keys
            contest = load_state(store, record.name)
            return [_check(store, record, contest, one, trusted) for one in receipts]
        finally:
            store.close()


def _check(
    store: Store,
    record: ContestRecord,
    contest: ContestState,
    receipt: Receipt,
    keys: Sequence[PublicKey],
) -> Checked:
    if receipt.contest != record.name:
        raise InvalidInput(
            f"The receipt is of the contest {receipt.contest!r}, the export of {record.name!r}."
        )
    check_receipt(receipt, keys)
    position = receipt.position
    found = store.entries(record.name, after=position - 1, limit=1)
    if not found:
        told = f"The export ends at place {record.position}: it was cut, or is from before."
        return Checked(receipt, False, False, told)
    if leaf(record.blinding, found[0]) != receipt.leaf:
        told = "The export has something else there. The receipt, signed, proves what it was."
        return Checked(receipt, False, False, told)
    counting = counting_of(contest, found[0])
    counts = bool(counting.items)
    return Checked(receipt, True, counts, why_not(counts, counting.why))
