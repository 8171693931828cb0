"""A receipt, checked against a service over HTTP: signature, place in the log, and what it says."""

from dataclasses import dataclass

from plaudit.errors import ProofRefused
from plaudit.proof.checkpoint import Checkpoint, open_checkpoint
from plaudit.proof.merkle import is_included
from plaudit.proof.note import PublicKey
from plaudit.proof.receipt import Receipt, check_receipt, read_receipt
from plaudit.witness.remote import Denied, Remote, hashes_in


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
    counts = reply.get("counts") is True
    return Checked(receipt, True, counts, "" if counts else str(reply.get("sentence", "")), found)
