"""API keys: long random texts; the store keeps only their hashes."""

import hashlib
import secrets

from plaudit.errors import InvalidInput, UnknownName, WrongField
from plaudit.phrase import Phrase
from plaudit.service.accounts.roles import Actor, require_owner
from plaudit.service.clock import now_ms
from plaudit.service.deeds import did
from plaudit.store.people import ApiKey, Deed, PeopleStore
from plaudit.words import N_

SCOPES = ("read", "manage", "moderate", "erase", "export", "raters")
PREFIX = "plaudit_"
LONGEST_NAME = 64


def key_hash(text: str) -> bytes:
    """What the store keeps of an API key; keys are long and random, so a fast hash is safe."""
    return hashlib.sha256(text.encode()).digest()


def new_key(store: PeopleStore, name: str, scopes: tuple[str, ...]) -> str:
    """Makes a key, which replaces one with the same name; its text is not shown again."""
    text = PREFIX + secrets.token_urlsafe(32)
    store.put_key(ApiKey(name, key_hash(text), scopes, now_ms()))
    return text


def issue_key(store: PeopleStore, by: Actor, name: str, scopes: tuple[str, ...]) -> str:
    """Makes a key for an owner; refused if the name is taken."""
    require_owner(by)
    tidy = " ".join(name.split())
    if not tidy or len(tidy) > LONGEST_NAME or not tidy.isprintable():
        told = N_("Give the key a name of at most {most} characters that says what uses it.")
        raise WrongField("name", Phrase(told, most=LONGEST_NAME))
    if any(key.name == tidy for key in list(store.keys())):
        told = N_("There is a key named {name!r} already. Choose another name.")
        raise WrongField("name", Phrase(told, name=tidy))
    if not scopes or not set(scopes) <= set(SCOPES):
        raise WrongField("scopes", Phrase(N_("Tick at least one thing that the key may do.")))
    text = new_key(store, tidy, scopes)
    note_key(store, by, did("made-key", name=tidy, scopes=", ".join(scopes)))
    return text


def revoke_key(store: PeopleStore, by: Actor, name: str) -> None:
    """Takes a key back; services forget it within seconds."""
    require_owner(by)
    known = [key.name for key in list(store.keys())]
    if not store.drop_key(name):
        # Whoever misspells a key must not believe that it is gone.
        none = InvalidInput(Phrase(N_("There are no keys: `plaudit key create` makes one.")))
        raise UnknownName(N_("key"), name, known) if known else none
    note_key(store, by, did("revoked-key", name=name))


def note_key(store: PeopleStore, by: Actor, what: str) -> None:
    """Notes in the store what someone did with a key."""
    store.note(Deed(now_ms(), by.name, what))
