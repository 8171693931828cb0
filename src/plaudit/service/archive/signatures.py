"""Who signed a certificate and the checkpoints of an export, and whether that is what is here."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import rfc8785

from plaudit.errors import InvalidInput, ProofRefused
from plaudit.proof.checkpoint import Checkpoint, open_checkpoint
from plaudit.proof.note import PublicKey, check_signed, read_signature, read_vkey
from plaudit.service.archive.report import Check
from plaudit.service.contest.certificate import SIGNED_FORMAT
from plaudit.service.notary.certificates import certificate_text
from plaudit.service.notary.tree import NOTHING, ContestTree, Counted
from plaudit.store.contract import Store

UNSIGNED = "unsigned: nobody vouches for the export, whoever wrote it may have made it up"
MOST_NAMED = 3


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
    listed = keys_in(store, certificate["contest"])
    trusted = listed if keys is None else [*keys]
    tree = SignedTree(store, certificate["contest"], trusted, listed)
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
    """The tree of a contest, to be compared with checkpoints that these keys have signed."""

    def __init__(
        self,
        store: Store,
        name: str,
        trusted: Sequence[PublicKey],
        listed: Sequence[PublicKey],
    ) -> None:
        self._store = store
        self._name = name
        self._trusted = trusted
        self._listed = listed
        self._record = store.contest(name)
        self._tree = ContestTree(store, self._record)
        self._counted: Counted = NOTHING

    def of_certificate(self, certificate: dict[str, Any]) -> Check:
        """The checkpoint inside a certificate: that of the entry at which it was judged."""
        size = certificate["judged_at"] + 1
        wrong, found = self._compare(certificate["checkpoint"], size, NOTHING, self._trusted)
        if found is not None and not wrong:
            digests = (found.items_digest.hex(), found.raters_digest.hex())
            said = (certificate["items_digest"], certificate["raters_digest"])
            if (found.origin, *digests) != (certificate["origin"], *said):
                wrong = "the certificate says another origin or other digests"
        return Check("checkpoint of the certificate", not wrong, wrong)

    def kept(self) -> Iterable[Check]:
        """The checkpoints that the export has, each compared with its log; none, no check.

        Some may be signed by keys that were retired, or by a service that had the contest before:
        the keys that the export lists do for these.
        """
        found, keys = [], [*self._trusted, *self._listed]
        notes = self._store.checkpoints(self._name)[::-1]
        for size, note, _ in notes:
            wrong, _ = self._compare(note, size, self._counted, keys)
            if wrong:
                found.append(f"that of size {size}: {wrong}")
        if notes:
            what = f"the {len(notes)} checkpoints of the export"
            yield Check(what, not found, "; ".join(found[:MOST_NAMED]))

    def _compare(
        self, note: str, size: int, since: Counted, keys: Sequence[PublicKey]
    ) -> tuple[str, Checkpoint | None]:
        """What is wrong with a checkpoint of a size, or ""; and what it says."""
        try:
            found = open_checkpoint(note, keys)
        except ProofRefused as error:
            return str(error), None
        if found.size != size or not 0 < size <= self._record.position + 1:
            return f"it is of size {found.size}, not of {size}", found
        names = {key.name for key in keys}
        if found.origin not in {f"{name}/{self._name}" for name in names}:
            return f"it is of {found.origin}", found
        counted = self._tree.counted(size, since)
        if since is self._counted:
            self._counted = counted
        parts = {
            "log": found.root == self._tree.root(size),
            "items": (found.items, found.items_digest) == (counted.items, counted.items_digest),
            "raters": (found.raters, found.raters_digest)
            == (counted.raters, counted.raters_digest),
        }
        wrong = [name for name, right in parts.items() if not right]
        told = f"the {' and '.join(wrong)} of the export are not what was signed" if wrong else ""
        return told, found
