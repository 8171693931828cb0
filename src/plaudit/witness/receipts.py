"""A receipt, checked against a service over HTTP: signature, place in the log, and what it says."""

from dataclasses import dataclass
from typing import Any

from plaudit.errors import ProofRefused
from plaudit.proof.checkpoint import Checkpoint, open_checkpoint
from plaudit.proof.merkle import is_included
from plaudit.proof.note import PublicKey
from plaudit.proof.receipt import Receipt, check_receipt, read_receipt
from plaudit.witness.remote import Denied, Remote, hashes_in

# Why an answer that is in the log counts for no item.
WHY = {
    "skip": "It is a skip, which counts for no item.",
    "flag": "It is a flag, which counts for no item.",
    "erased": "It does not count: its rater was erased.",
    "excluded": "It does not count: its rater was excluded.",
    "withdrawn": "It does not count now: its item was withdrawn.",
    "merged": "It does not count: its item was merged with others, and an earlier vote of the "
    "same rater on one of them does.",
}


@dataclass(frozen=True)
class Checked:
    """What came of a receipt: whether its answer is in the log, unchanged, and whether it counts.

    `why` says why it does not count, or why it is not there.
    """

    receipt: Receipt
    there: bool
    counts: bool
    why: str
    checkpoint: Checkpoint | None = None


def check_at(remote: Remote, text: str, keys: list[PublicKey]) -> Checked:
    """What a service says of a receipt, with its proof checked here.

    `ProofRefused` where the receipt is none, or none of these keys has signed it.
    """
    receipt = read_receipt(text)
    key = check_receipt(receipt, keys)
    try:
        reply = remote.check_receipt(receipt.contest, receipt.text)
        if reply.get("in_log") is True and not reply.get("checkpoint"):
            return _too_new(receipt, reply)
        found = open_checkpoint(str(reply.get("checkpoint")), keys)
    except (Denied, ProofRefused) as error:
        return Checked(receipt, False, False, f"The service shows no proof of it: {error}")
    if found.origin != f"{key.name}/{receipt.contest}":
        told = f"The service shows the checkpoint of another log, {found.origin}."
        return Checked(receipt, False, False, told, found)
    path = hashes_in(reply)
    if not is_included(receipt.leaf_hash, receipt.position, found.size, path, found.root):
        told = (
            f"The log that the service signed at size {found.size} does not have it at place "
            f"{receipt.position}. The receipt, signed too, proves that it was there."
        )
        return Checked(receipt, False, False, told, found)
    counts = bool(reply.get("counts_for"))
    return Checked(receipt, True, counts, why_not(counts, reply.get("why_not")), found)


def why_not(counts: bool, code: object) -> str:
    """Why an answer does not count, in a sentence; "" if it does."""
    return "" if counts else WHY.get(str(code), "It counts for no item.")


def _too_new(receipt: Receipt, reply: dict[str, Any]) -> Checked:
    counts = bool(reply.get("counts_for"))
    told = "No checkpoint covers it yet: so far this is only what the service says. "
    return Checked(receipt, True, counts, told + why_not(counts, reply.get("why_not")))
