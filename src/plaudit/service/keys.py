"""API keys: long random texts, of which the store keeps a hash."""

import hashlib
import secrets

from plaudit.service.clock import now_ms
from plaudit.store.contract import ApiKey, Store

SCOPES = ("read", "manage", "moderate", "export", "raters")
PREFIX = "plaudit_"


def key_hash(text: str) -> bytes:
    """What the store keeps of an API key; keys are long random texts, so one hash is enough."""
    return hashlib.sha256(text.encode()).digest()


def new_key(store: Store, name: str, scopes: tuple[str, ...]) -> str:
    """A new key in the store, in the place of one with the same name; it is not shown again."""
    text = PREFIX + secrets.token_urlsafe(32)
    store.put_key(ApiKey(name, key_hash(text), scopes, now_ms()))
    return text
