"""Signed links: a site that sends raters signs their ids with a key of the contest.

The key is derived from the secret, so it can be shown again. It has a number: a change of the key
is an event with the next number, and what the key before had signed is void.
"""

import hmac
from hashlib import sha256

from plaudit.service.accounts.secret import Secret


class LinkKeys:
    """The keys that sign links to one contest."""

    def __init__(self, secret: Secret, contest: str) -> None:
        self._contest = contest
        self._root = secret.key("link keys")

    def key(self, number: int) -> str:
        """The key with this number, as the site that signs has it: a text."""
        message = f"{self._contest}\n{number}".encode()
        return hmac.digest(self._root, message, sha256).hex()

    def is_signed(self, external: str, signature: str, number: int) -> bool:
        """Whether the site signed this id, with the key of this number."""
        wanted = signature_of(self.key(number), self._contest, external)
        return hmac.compare_digest(signature.lower().encode("utf-8", "replace"), wanted.encode())


def signature_of(key: str, contest: str, external: str) -> str:
    """The signature of an id; docs/live/door.md shows the same in other languages.

    >>> signature_of("k", "a", "7") == signature_of("k", "b", "7")
    False
    """
    message = f"{contest}\n{external}".encode("utf-8", "surrogatepass")
    return hmac.digest(key.encode(), message, sha256).hex()
