"""Who signed a certificate and the checkpoints of an export, and whether that is what is here."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import rfc8785

from plaudit.errors import InvalidInput, ProofRefused
from plaudit.proof.checkpoint import Checkpoint, open_checkpoint
from plaudit.proof.note import PublicKey, check_signed, read_signature, read_vkey
from plaudit.service.archive.report import Check
from plaudit.service.contest.certificate import SIGNED_FORMAT
from plaudit.service.notary.certificates import certificate_text
from plaudit.service.notary.tree import ContestTree
from plaudit.store.contract import Store

UNSIGNED = "unsigned: nobody vouches for the export, whoever wrote it may have made it up"
CHECKPOINT = "checkpoint of the certificate"


class Signed(NamedTuple):
    """The checks of signatures, and whose key signed the certificate."""

    checks: list[Check]
    signed_by: str


def keys_in(store: Store, name: str) -> list[PublicKey]:
    """The keys that an export lists."""
    found = []
    for signer in store.signers(name):
        try:
            found.append(read_vkey(signer.vkey))
        except InvalidInput:
            continue
    return found


def check_signatures(
    certificate: dict[str, Any], store: Store, keys: Sequence[PublicKey] | None
) -> Signed:
    """All checks of signatures. `keys` are those to trust; without, those of the export.

    A certificate of before is unsigned. That is no fault of it, unless somebody asks for a key.
    """
    trusted = keys_in(store, certificate["contest"]) if keys is None else [*keys]
    tree = SignedTree(store, certificate["contest"], trusted)
    if certificate["format"] != SIGNED_FORMAT:
        checks = [Check("signature", keys is None, UNSIGNED)]
        return Signed([*checks, *tree.kept()], "")
    signature, key = _of_certificate(certificate, trusted)
    return Signed([signature, tree.of_certificate(certificate), *tree.kept()], key)


def _of_certificate(certificate: dict[str, Any], keys: Sequence[PublicKey]) -> tuple[Check, str]:
    try:
        text = certificate_text(certificate)
        key = check_signed(text, [read_signature(certificate["signature"])], keys)
        if certificate["origin"] != f"{key.name}/{certificate['contest']}":
            raise ProofRefused(f"It is signed for {certificate['origin']!r}.")
    except (ProofRefused, rfc8785.CanonicalizationError, UnicodeError) as error:
        return Check("signature", False, str(error)), ""
    return Check("signature", True, f"by {key.vkey}"), key.vkey


class SignedTree:
    """The tree of a contest, to be compared with what these keys have signed."""

    def __init__(self, store: Store, name: str, keys: Sequence[PublicKey]) -> None:
        self._store = store
        self._name = name
        self._keys = keys
        self._record = store.contest(name)

    def of_certificate(self, certificate: dict[str, Any]) -> Check:
        """The checkpoint inside a certificate: that of the entry at which it was judged."""
        try:
            found = open_checkpoint(certificate["checkpoint"], self._keys)
        except ProofRefused as error:
            return Check(CHECKPOINT, False, str(error))
        digests = (found.items_digest.hex(), found.raters_digest.hex())
        said = (certificate["items_digest"], certificate["raters_digest"])
        if (found.origin, *digests) != (certificate["origin"], *said):
            told = "the certificate says another origin or other digests"
            return Check(CHECKPOINT, False, told)
        wrong = self._wrong(found, certificate["judged_at"] + 1)
        return Check(CHECKPOINT, not wrong, wrong)

    def kept(self) -> list[Check]:
        """How many checkpoints of the export these keys have signed.

        Restoring has compared all of them with the log, by the keys that the export lists. Some may
        be signed by keys that were retired, or by a service that had the contest before.
        """
        notes = self._store.checkpoints(self._name)
        mine = sum(_is_signed(note.body, self._keys) for note in notes)
        told = f"{mine} of {len(notes)} are signed by the key"
        return [Check("checkpoints of the export", True, told)] if notes else []

    def _wrong(self, found: Checkpoint, size: int) -> str:
        """What is wrong with a checkpoint that should be of a size of the log, or ""."""
        if found.size != size or not 0 < size <= self._record.position + 1:
            return f"it is of size {found.size}, not of {size}"
        tree = ContestTree(self._store, self._record)
        counted = tree.counted(size)
        parts = {
            "log": found.root == tree.root(size),
            "items": (found.items, found.items_digest) == (counted.items, counted.items_digest),
            "raters": (found.raters, found.raters_digest)
            == (counted.raters, counted.raters_digest),
        }
        wrong = [name for name, right in parts.items() if not right]
        return f"the {' and '.join(wrong)} of the export are not what was signed" if wrong else ""


def _is_signed(note: str, keys: Sequence[PublicKey]) -> bool:
    try:
        open_checkpoint(note, keys)
    except ProofRefused:
        return False
    return True
