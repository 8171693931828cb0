"""How webhooks are signed, so that a receiver knows who sent them (Standard Webhooks).

The secret of a destination follows from the service's own and from a salt in the store: a copy of
the database alone signs nothing.
"""

import base64
import hmac
from hashlib import sha256

from plaudit.service.accounts.secret import Secret
from plaudit.store.notices import Destination

PREFIX = "whsec_"
SALT_BYTES = 16


def secret_of(secret: Secret, salt: bytes) -> str:
    """The secret of a destination, as text for whoever receives."""
    key = hmac.digest(secret.key("webhooks"), salt, sha256)
    return PREFIX + base64.b64encode(key).decode()


def signature(secret: str, id: str, timestamp: int, body: bytes) -> str:
    """The signature of one try: of the id, the time and the body.

    >>> secret = PREFIX + base64.b64encode(b"0" * 32).decode()
    >>> signature(secret, "msg_1", 1, b"{}") == signature(secret, "msg_1", 2, b"{}")
    False
    """
    key = base64.b64decode(secret.removeprefix(PREFIX))
    message = b".".join((id.encode(), str(timestamp).encode(), body))
    return "v1," + base64.b64encode(hmac.digest(key, message, sha256)).decode()


def headers(
    secret: Secret, destination: Destination, id: str, body: bytes, *, at: int
) -> dict[str, str]:
    """The headers that say which notice this is, when it was sent, and by whom."""
    seconds = at // 1000
    return {
        "webhook-id": id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": signature(secret_of(secret, destination.salt), id, seconds, body),
    }
