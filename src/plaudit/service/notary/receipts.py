"""Receipts for a group of answers that was just committed: one signature, a text for each."""

from plaudit.proof.note import SigningKey
from plaudit.proof.receipt import make_receipts
from plaudit.service.notary.leaves import Leaves
from plaudit.store.contract import Appended
from plaudit.store.log import packed


def give_receipts(key: SigningKey, contest: str, leaves: Leaves, appended: Appended) -> None:
    """Gives each answer that is new in the log the text of its receipt.

    The entries of a group have consecutive positions. An answer that was in the log before gets no
    text here: its entry is not at hand.
    """
    entries = appended.entries
    if not entries:
        return
    start = entries[0].position
    data, hashes = leaves.of_group(entries, appended.packed or packed(entries))
    texts = make_receipts(key, contest, start, data, hashes)
    for receipt in appended.receipts:
        if receipt.position >= start:
            receipt.text = texts[receipt.position - start]
