"""Signatures of a witness under checkpoints that it has checked (C2SP cosignature/v1).

A cosignature says: at this time I had seen this checkpoint, and it continued all that I had seen
before. It is one more signature line of the note: name, hash of the key, time and signature.
"""

import base64
import hashlib
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from plaudit.errors import InvalidInput
from plaudit.proof.checkpoint import Checkpoint
from plaudit.proof.note import Signature, joined_note, split_note

# The type of such a key in its hash and its text; that of a service's own key is 1.
_COSIGNATURE = b"\x04"
_TIME_BYTES = 8


class WitnessKey:
    """The key of a witness, made from a seed of 32 bytes."""

    def __init__(self, name: str, seed: bytes) -> None:
        self.name = name
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = self._private.public_key().public_bytes_raw()
        self.hash = key_hash(name, self.public)

    @property
    def vkey(self) -> str:
        """The public key as text."""
        body = base64.b64encode(_COSIGNATURE + self.public).decode()
        return f"{self.name}+{self.hash.hex()}+{body}"

    def cosign(self, note: str, at: int) -> str:
        """The note with one more signature, at a time in seconds since 1970."""
        text, signatures = split_note(note)
        body = self._private.sign(_message(text, at))
        mine = Signature(self.name, self.hash, at.to_bytes(_TIME_BYTES, "big") + body)
        return joined_note(text, [*signatures, mine])


def key_hash(name: str, public: bytes) -> bytes:
    """The first four bytes of the key's hash."""
    return hashlib.sha256(name.encode() + b"\n" + _COSIGNATURE + public).digest()[:4]


def cosigned_at(note: str, name: str, public: bytes) -> int | None:
    """When a witness has signed a note, in seconds since 1970; None if it has not."""
    text, signatures = split_note(note)
    for signature in signatures:
        if (signature.name, signature.key_hash) != (name, key_hash(name, public)):
            continue
        at = int.from_bytes(signature.body[:_TIME_BYTES], "big")
        try:
            key = Ed25519PublicKey.from_public_bytes(public)
            key.verify(signature.body[_TIME_BYTES:], _message(text, at))
        except InvalidSignature:
            return None
        return at
    return None


def signer(
    file: Path, name: str, *, clock: Callable[[], float] = time.time
) -> tuple[WitnessKey, Callable[[str, Checkpoint], str]]:
    """The key in a file, made if it is not there, and a function that cosigns with it."""
    key = WitnessKey(name, _seed(file))
    return key, lambda note, found: key.cosign(note, int(clock()))


def _seed(file: Path) -> bytes:
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        made = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(made, "w") as out:
            out.write(secrets.token_hex(32) + "\n")
    try:
        seed = bytes.fromhex(file.read_text("utf-8").strip())
    except ValueError:
        seed = b""
    if len(seed) != 32:
        raise InvalidInput(f"{file} is not the key of a witness: it has 64 hexadecimal digits.")
    return seed


def _message(text: str, at: int) -> bytes:
    return f"cosignature/v1\ntime {at}\n{text}".encode()
