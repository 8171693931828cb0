"""The secret of a service: made at the first start, kept private, never logged."""

import contextlib
import hmac
import os
import secrets
import tempfile
from hashlib import sha256
from pathlib import Path

from plaudit.errors import InvalidInput

LEAST_LENGTH = 32


class Secret:
    """One secret, from which a key for each purpose is derived; its text is never shown.

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
        """The key for one purpose; it tells nothing about the keys for others."""
        return hmac.digest(self._root, purpose.encode(), sha256)

    def __repr__(self) -> str:
        return "Secret(…)"


def read_secret_text(path: Path) -> str:
    """The secret in a file; if there is no file, makes one that only its owner can read."""
    try:
        if not os.path.lexists(path):
            _make_secret(path)
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise InvalidInput(f"Cannot read the secret in {path} ({reason}).") from None


def _make_secret(path: Path) -> None:
    """Writes a new secret in one step: nobody can read half of it, and no secret is replaced."""
    handle, half = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(LEAST_LENGTH))
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(half, path)
    finally:
        os.unlink(half)
