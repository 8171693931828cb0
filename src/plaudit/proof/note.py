"""Signed notes (C2SP signed-note): text, a blank line, and signature lines, by Ed25519 keys.

A key has a name, and a hash of four bytes that says which of the keys with this name has signed.
The public key as text, `NAME+HASH+KEY`, is called a vkey.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from plaudit.errors import InvalidInput, ProofRefused

SIGNATURE_BYTES = 64
KEY_HASH_BYTES = 4
PUBLIC_BYTES = 32
# Verifiers bound how many signatures they look at; the format wants at least 16.
MOST_SIGNATURES = 100
_ED25519 = b"\x01"
_DASH = "— "
_NAME = re.compile(r"[^\s+]+")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")


class Signature(NamedTuple):
    """One signature of a note, by the key with this name and hash; not checked yet."""

    name: str
    key_hash: bytes
    body: bytes

    @property
    def line(self) -> str:
        """The line of a note, without its end."""
        return f"{_DASH}{self.name} {base64.b64encode(self.key_hash + self.body).decode()}"


class PublicKey:
    """A public key with its name. It checks signatures."""

    def __init__(self, name: str, public: bytes) -> None:
        if not _NAME.fullmatch(name):
            raise InvalidInput(f"{name!r} names no key: a name has no spaces and no plus.")
        if len(public) != PUBLIC_BYTES:
            raise InvalidInput(f"A public key has {PUBLIC_BYTES} bytes, not {len(public)}.")
        self.name = name
        self.public = public
        self.hash = hashlib.sha256(name.encode() + b"\n" + _ED25519 + public).digest()[:4]
        self._key = Ed25519PublicKey.from_public_bytes(public)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PublicKey) and self.vkey == other.vkey

    def __hash__(self) -> int:
        return hash(self.vkey)

    def __repr__(self) -> str:
        return f"PublicKey({self.vkey!r})"

    @property
    def vkey(self) -> str:
        """The key as text, for people to copy."""
        return f"{self.name}+{self.hash.hex()}+{base64.b64encode(_ED25519 + self.public).decode()}"

    def has_signed(self, text: str, signature: bytes) -> bool:
        """Whether this key made the signature of a text."""
        if not _encodes(text):
            return False
        try:
            self._key.verify(signature, text.encode())
        except InvalidSignature:
            return False
        return True


class SigningKey(PublicKey):
    """A private key, made from a seed of 32 bytes. It signs."""

    def __init__(self, name: str, seed: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        super().__init__(name, self._private.public_key().public_bytes_raw())

    def sign(self, text: str) -> bytes:
        """The signature of a text, 64 bytes."""
        return self._private.sign(text.encode())

    def signature(self, text: str) -> Signature:
        """The signature of a note's text."""
        check_text(text)
        return Signature(self.name, self.hash, self.sign(text))

    def note(self, text: str) -> str:
        """A whole note: the text and its signature."""
        return joined_note(text, [self.signature(text)])


def public_of(seed: bytes) -> bytes:
    """The public key of a private key's seed."""
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def read_vkey(vkey: str) -> PublicKey:
    """The public key of a vkey text; `InvalidInput` if it is none."""
    name, _, rest = vkey.strip().partition("+")
    hashed, _, body = rest.partition("+")
    try:
        raw = base64.b64decode(body, validate=True)
        key = PublicKey(name, raw[1:])
    except (ValueError, InvalidInput):
        key = None
    if key is None or raw[:1] != _ED25519 or vkey.strip() != key.vkey or hashed != key.hash.hex():
        raise InvalidInput(
            f"{vkey[:100]!r} is not a public key: give NAME+HASH+KEY, as the service shows it at "
            "/.well-known/plaudit-keys."
        )
    return key


def joined_note(text: str, signatures: Iterable[Signature]) -> str:
    """A note with these signatures."""
    return text + "\n" + "".join(f"{each.line}\n" for each in signatures)


def split_note(note: str) -> tuple[str, list[Signature]]:
    """Text and signatures of a note; nothing is checked but its form."""
    text, blank, lines = note.rpartition("\n\n")
    text += "\n"
    check_text(text)
    if not blank or not lines.endswith("\n"):
        raise ProofRefused("This is not a signed note: it has no signature after a blank line.")
    found = [read_signature(line) for line in lines.removesuffix("\n").split("\n")]
    if len(found) > MOST_SIGNATURES:
        raise ProofRefused(f"A note has more than {MOST_SIGNATURES} signatures.")
    return text, found


def read_signature(line: str) -> Signature:
    """The signature of a line; `ProofRefused` if it is none."""
    name, _, body = line.removeprefix(_DASH).partition(" ")
    try:
        raw = base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    found = Signature(name, raw[:KEY_HASH_BYTES], raw[KEY_HASH_BYTES:])
    if not found.body or not _NAME.fullmatch(name) or found.line != line:
        raise ProofRefused(f"This is not a signature line: {line[:100]!r}.")
    return found


def open_note(note: str, keys: Iterable[PublicKey]) -> str:
    """The text of a note that one of these keys has signed; `ProofRefused` otherwise.

    Signatures of other keys are passed over. A signature by one of these that does not hold refuses
    the whole note.
    """
    text, signatures = split_note(note)
    check_signed(text, signatures, keys)
    return text


def check_signed(
    text: str, signatures: Iterable[Signature], keys: Iterable[PublicKey]
) -> PublicKey:
    """The first of the keys that has signed the text; `ProofRefused` if none has."""
    known = {(key.name, key.hash): key for key in keys}
    signers = []
    for signature in signatures:
        key = known.get((signature.name, signature.key_hash))
        if key is None:
            continue
        if not key.has_signed(text, signature.body):
            raise ProofRefused(
                f"The signature of {key.name} does not hold: the text was changed, or another key "
                "has signed."
            )
        signers.append(key)
    if not signers:
        names = ", ".join(f"{name}+{hashed.hex()}" for name, hashed in known) or "none"
        raise ProofRefused(f"None of the known keys has signed this. Known: {names}.")
    return signers[0]


def check_text(text: str) -> None:
    """Returns if a note can have this text: lines, and no control characters."""
    if not text.endswith("\n") or text == "\n" or _CONTROL.search(text) or not _encodes(text):
        raise ProofRefused(f"A note cannot have this text: {text[:60]!r}.")


def _encodes(text: str) -> bool:
    """Whether UTF-8 can hold a text: one read from JSON may have half a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
