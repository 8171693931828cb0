"""The secret of a service: made at first start, kept private, never logged."""

import hmac
import os
import secrets
from hashlib import sha256
from pathlib import Path

from plaudit.errors import InvalidInput

LEAST_LENGTH = 32


class Secret:
    """Keys for each purpose, all from one secret; it shows nothing of itself.

    >>> Secret(b"x" * 32).key("tickets") == Secret(b"x" * 32).key("raters")
    False
    >>> Secret(b"x" * 32)
    Secret(…)
    """

    def __init__(self, root: bytes) -> None:
        if len(root) < LEAST_LENGTH:
            raise InvalidInput(
                f"The secret is too short: give at least {LEAST_LENGTH} characters that nobody can "
                "guess, such as the output of `openssl rand -hex 32`."
            )
        self._root = root

    def key(self, purpose: str) -> bytes:
        """A key for one purpose; it tells nothing about those for others."""
        return hmac.digest(self._root, purpose.encode(), sha256)

    def __repr__(self) -> str:
        return "Secret(…)"


def read_secret_text(path: Path) -> str:
    """The secret in a file; made there, readable by its owner only, if there is none."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    text = secrets.token_hex(LEAST_LENGTH)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return text
