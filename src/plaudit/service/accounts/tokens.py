"""Tokens: long random texts for links, sessions and forms; the store keeps only their hashes."""

import hashlib
import secrets


def new_token() -> str:
    """A text that nobody can guess, and that may stand in addresses and cookies."""
    return secrets.token_urlsafe(32)


def token_hash(text: str) -> bytes:
    """What the store keeps of a token; tokens are long and random, so a fast hash is safe."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def mark(key: bytes, *parts: str) -> str:
    """A signature of several texts; texts that are split differently have another signature.

    >>> mark(b"k", "ab", "c") == mark(b"k", "a", "bc")
    False
    """
    body = b"".join(
        len(part).to_bytes(8, "big") + part
        for part in (text.encode("utf-8", "replace") for text in parts)
    )
    return hashlib.blake2b(body, key=key, digest_size=24).hexdigest()
