"""The keys of a service: derived from its secret, listed in the store.

The private key of generation g follows from the secret, so there is nothing more to keep or to
lose. The store has the public keys. A secret that was replaced leads to a new generation; the keys
of before stay listed as retired. The name of a service comes from its first key and stays.
"""

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from plaudit.errors import NotAllowed
from plaudit.proof.checkpoint import time_text
from plaudit.proof.note import PublicKey, SigningKey, public_of
from plaudit.service.accounts.secret import Secret
from plaudit.service.clock import now_ms
from plaudit.store.proofs import ProofStore, SigningKeyRecord

ATTEMPTS = 5


class ListedKey(NamedTuple):
    """A public key with the times of its use; `retired_at` is None for the current one."""

    key: PublicKey
    made_at: int
    retired_at: int | None


class ServiceKeys:
    """The current key, which signs, and all keys that ever did, the current one first."""

    def __init__(self, signing: SigningKey, listed: list[ListedKey]) -> None:
        self.signing = signing
        self.listed = listed

    @property
    def name(self) -> str:
        """The name of the service, in all that it signs."""
        return self.signing.name

    @property
    def public(self) -> list[PublicKey]:
        """All public keys, the current one first."""
        return [each.key for each in self.listed]

    def origin(self, contest: str) -> str:
        """What a contest of this service is called in checkpoints, certificates and receipts."""
        return f"{self.name}/{contest}"


def service_name(first_public: bytes) -> str:
    """The name of the service whose first public key this is."""
    return f"plaudit-{hashlib.sha256(first_public).hexdigest()[:16]}"


def open_keys(
    store: ProofStore, secret: Secret, *, clock: Callable[[], int] = now_ms
) -> ServiceKeys:
    """The keys of the service with this secret; makes one unless the current one is of it."""
    for _ in range(ATTEMPTS):
        records = store.signing_keys()
        found = _of_secret(records, secret)
        if found is not None:
            return found
        _add(store, secret, len(records) + 1, clock())
    raise NotAllowed(
        "Services with different secrets use this store at the same time. Give all the same one."
    )


def known_keys(store: ProofStore, secret: Secret) -> ServiceKeys | None:
    """The keys in the store; None if the current one is not of this secret, or there is none."""
    return _of_secret(store.signing_keys(), secret)


def rotate_keys(
    store: ProofStore, secret: Secret, *, clock: Callable[[], int] = now_ms
) -> ServiceKeys:
    """The keys after a new one was made; the one before is retired, and stays listed."""
    before = open_keys(store, secret, clock=clock)
    _add(store, secret, len(before.listed) + 1, clock())
    return open_keys(store, secret, clock=clock)


def _of_secret(records: list[SigningKeyRecord], secret: Secret) -> ServiceKeys | None:
    if not records or records[-1].public != public_of(_seed(secret, records[-1].number)):
        return None
    name = service_name(records[0].public)
    signing = SigningKey(name, _seed(secret, records[-1].number))
    return ServiceKeys(signing, listed_keys(records))


def listed_keys(records: list[SigningKeyRecord]) -> list[ListedKey]:
    """The public keys of these records, the latest first."""
    if not records:
        return []
    name = service_name(records[0].public)
    return [
        ListedKey(PublicKey(name, record.public), record.made_at, record.retired_at)
        for record in reversed(records)
    ]


def keys_text(listed: list[ListedKey]) -> str:
    """The public keys as text: one a line, the current one first; a comment before retired ones."""
    lines = []
    for key, _, retired_at in listed:
        if retired_at is not None:
            lines.append(f"# retired {time_text(retired_at)}")
        lines.append(key.vkey)
    return "".join(f"{line}\n" for line in lines)


def _add(store: ProofStore, secret: Secret, number: int, at: int) -> None:
    """Adds a generation; if another process was first, nothing happens."""
    store.add_signing_key(number, public_of(_seed(secret, number)), at=at)


def _seed(secret: Secret, number: int) -> bytes:
    return secret.key(f"signing {number}")
