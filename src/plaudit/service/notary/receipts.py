"""Receipts for a group of answers that was just committed: one signature, a text for each."""

from plaudit.proof.note import SigningKey
from plaudit.proof.receipt import make_receipts
from plaudit.store.contract import Appended, Receipt
from plaudit.store.log import answer_leaves


def with_receipts(key: SigningKey, contest: str, blinding: bytes, appended: Appended) -> Appended:
    """The same outcome, with the text of a receipt for each answer that is new in the log.

    The entries of a group have consecutive positions. An answer that was in the log before gets no
    text here: its entry is not at hand.
    """
    entries = appended.entries
    if not entries:
        return appended
    start = entries[0].position
    texts = make_receipts(key, contest, start, answer_leaves(blinding, entries))
    # `_replace` would take five times as long.
    signed = [
        Receipt(*each[:5], texts[each.position - start]) if each.position >= start else each
        for each in appended.receipts
    ]
    return Appended(signed, entries, appended.digest)
