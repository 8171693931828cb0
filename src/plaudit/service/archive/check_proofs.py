"""Checks keys, checkpoints and certificates of an archive against its log, before it is restored.

Signatures are checked with the keys that the archive lists. They show that the archive is of one
piece; whether the keys are those of a service that you trust is for `plaudit verify` and you.
"""

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import msgspec

from plaudit.errors import InvalidInput, ProofRefused
from plaudit.proof.checkpoint import Checkpoint, open_checkpoint
from plaudit.proof.note import PublicKey, check_signed, read_signature, read_vkey
from plaudit.service.archive.evidence import Evidence
from plaudit.service.contest.certificate import (
    FIRST_FORMAT,
    FORMAT,
    SECOND_FORMAT,
    SIGNED_FORMAT,
    verdict_in,
)
from plaudit.service.contest.events import VerdictReached
from plaudit.service.notary.certificates import certificate_text
from plaudit.store.contract import Certificate
from plaudit.store.proofs import KeptCheckpoint, Signer

_FORMATS = (FIRST_FORMAT, SECOND_FORMAT, FORMAT, SIGNED_FORMAT)
# What cannot be read, of a certificate that somebody wrote by hand.
_WRONG = (LookupError, TypeError, ValueError, AttributeError, RecursionError)


class ProofCheck:
    """Checks each part as it is read; `refuse` raises an error with the line."""

    def __init__(self, name: str, evidence: Evidence, refuse: Callable[..., NoReturn]) -> None:
        self._name = name
        self._evidence = evidence
        self._refuse = refuse
        self._keys: list[PublicKey] = []
        self._judged: Iterator[VerdictReached] | None = None

    def key(self, vkey: str, made_at: int, retired_at: int | None) -> Signer:
        """A public key, if it is one."""
        try:
            self._keys.append(read_vkey(vkey))
        except InvalidInput as error:
            self._refuse("a public key cannot be read", error)
        return Signer(vkey, made_at, retired_at)

    def checkpoint(self, size: int, body: str) -> KeptCheckpoint:
        """A checkpoint, if it is signed and says what the log says."""
        what = f"the checkpoint of size {size}"
        found = self._opened(what, body)
        if found.size != size:
            self._refuse(f"{what} says that its size is {found.size}")
        self._agrees(what, found)
        return KeptCheckpoint(size, body, found.origin)

    def certificate(self, certificate: Certificate) -> Certificate:
        """A certificate, if it is of this log: its verdict, and its signature if it has one."""
        what = f"the certificate of the verdict at entry {certificate.position}"
        try:
            body = msgspec.json.decode(certificate.body)
            said = verdict_in(body)
            known = body["format"] in _FORMATS and body["contest"] == self._name
            place = (body["judged_at"], body["lane"])
            digest, signed = bytes.fromhex(body["digest"]), body["format"] == SIGNED_FORMAT
        except _WRONG as error:
            self._refuse(f"{what} cannot be read ({error})")
        if not known or place != (certificate.position, certificate.lane):
            self._refuse(f"{what} is of another contest, place or format")
        if not 0 <= certificate.position <= self._evidence.position:
            self._refuse(f"{what} is beyond the log")
        if digest != self._evidence.digest(certificate.position):
            self._refuse(f"{what} is of another log: the digest at that entry differs")
        self._is_recorded(what, said)
        if signed:
            self._signed(what, body)
        return certificate

    def _is_recorded(self, what: str, said: VerdictReached) -> None:
        """Returns if the log has the verdict, as an event after those of the certificates before.

        An event of an early edition does not say where it was judged.
        """
        if self._judged is None:
            # The verdicts are complete only once all entries were read.
            self._judged = iter(self._evidence.verdicts)
        for event in self._judged:
            if event.lane == said.lane and event.judged_at in (0, said.judged_at):
                if event.winners != said.winners or event.delta != said.delta:
                    self._refuse(f"{what} names other winners or another error than the log")
                return
        self._refuse(f"{what} has no verdict in the log")

    def _signed(self, what: str, body: dict[str, Any]) -> None:
        try:
            checkpoint = open_checkpoint(body["checkpoint"], self._keys)
            signature = read_signature(body["signature"])
            check_signed(certificate_text(body), [signature], self._keys)
            origin, digests = body["origin"], (body["items_digest"], body["raters_digest"])
        except (*_WRONG, ProofRefused) as error:
            self._refuse(f"{what} is not signed by a key that the archive lists", error)
        if checkpoint.size != body["judged_at"] + 1 or checkpoint.origin != origin:
            self._refuse(f"{what} has the checkpoint of another entry or contest")
        if digests != (checkpoint.items_digest.hex(), checkpoint.raters_digest.hex()):
            self._refuse(f"{what} and its checkpoint name other items or raters")
        self._agrees(what, checkpoint)

    def _opened(self, what: str, body: str) -> Checkpoint:
        try:
            return open_checkpoint(body, self._keys)
        except ProofRefused as error:
            self._refuse(f"{what} is not signed by a key that the archive lists", error)

    def _agrees(self, what: str, said: Checkpoint) -> None:
        """Returns if a checkpoint says of its size what the log says."""
        evidence = self._evidence
        if not said.origin.endswith(f"/{self._name}"):
            self._refuse(f"{what} is of another contest: {said.origin[:80]!r}")
        if not evidence.has_tree or said.size > evidence.position + 1:
            self._refuse(f"{what} is beyond the log, or the archive has no blinding")
        counted = evidence.counted(said.size)
        if said.root != evidence.root(said.size):
            self._refuse(f"{what} is of another log: entries were changed, added or removed")
        if (said.items, said.items_digest) != (counted.items, counted.items_digest):
            self._refuse(f"{what} is of other items: their texts or pictures were changed")
        if (said.raters, said.raters_digest) != (counted.raters, counted.raters_digest):
            self._refuse(f"{what} is of other raters: their keys or salts were changed")
