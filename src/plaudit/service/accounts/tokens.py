"""Tokens: long random texts for links, sessions and forms, of which the store keeps a hash."""

import hashlib
import secrets


def new_token() -> str:
    """A text that nobody can guess, fit for addresses and cookies."""
    return secrets.token_urlsafe(32)


def token_hash(text: str) -> bytes:
    """What the store keeps of a token; it is long and random, so one hash is enough."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def mark(key: bytes, *parts: str) -> str:
    """A signature over texts, none of which can pass for two others.

    >>> mark(b"k", "ab", "c") == mark(b"k", "a", "bc")
    False
    """
    body = b"".join(
        len(part).to_bytes(8, "big") + part
        for part in (text.encode("utf-8", "replace") for text in parts)
    )
    return hashlib.blake2b(body, key=key, digest_size=24).hexdigest()
