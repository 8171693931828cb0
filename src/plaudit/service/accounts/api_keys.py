"""API keys: long random texts, of which the store keeps a hash."""

import hashlib
import secrets

from plaudit.errors import InvalidInput, UnknownName, WrongField
from plaudit.service.accounts.roles import Actor, require_owner
from plaudit.service.clock import now_ms
from plaudit.service.deeds import did
from plaudit.store.people import ApiKey, Deed, PeopleStore

SCOPES = ("read", "manage", "moderate", "erase", "export", "raters")
PREFIX = "plaudit_"
LONGEST_NAME = 64


def key_hash(text: str) -> bytes:
    """What the store keeps of an API key; keys are long random texts, so one hash is enough."""
    return hashlib.sha256(text.encode()).digest()


def new_key(store: PeopleStore, name: str, scopes: tuple[str, ...]) -> str:
    """A new key in the store, in the place of one with the same name; it is not shown again."""
    text = PREFIX + secrets.token_urlsafe(32)
    store.put_key(ApiKey(name, key_hash(text), scopes, now_ms()))
    return text


def issue_key(store: PeopleStore, by: Actor, name: str, scopes: tuple[str, ...]) -> str:
    """A new key that an owner makes; a name that is taken is refused."""
    require_owner(by)
    tidy = " ".join(name.split())
    if not tidy or len(tidy) > LONGEST_NAME or not tidy.isprintable():
        raise WrongField(
            "name", f"Give the key a name of at most {LONGEST_NAME} characters, for what uses it."
        )
    if any(key.name == tidy for key in list(store.keys())):
        raise WrongField("name", f"There is a key named {tidy!r} already. Take another name.")
    if not scopes or not set(scopes) <= set(SCOPES):
        raise WrongField("scopes", "Tick at least one thing that the key may do.")
    text = new_key(store, tidy, scopes)
    note_key(store, by, did("made-key", name=tidy, scopes=", ".join(scopes)))
    return text


def revoke_key(store: PeopleStore, by: Actor, name: str) -> None:
    """Takes a key back; services forget it within seconds."""
    require_owner(by)
    known = [key.name for key in list(store.keys())]
    if not store.drop_key(name):
        # Someone who takes back a key must not believe that a misspelt one is gone.
        none = InvalidInput("There are no keys: `plaudit key create` makes one.")
        raise UnknownName("key", name, known) if known else none
    note_key(store, by, did("revoked-key", name=name))


def note_key(store: PeopleStore, by: Actor, what: str) -> None:
    """Writes down what someone did with a key."""
    store.note(Deed(now_ms(), by.name, what))
