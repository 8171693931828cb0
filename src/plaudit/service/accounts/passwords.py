"""Passwords: what one must be, and their hashes by argon2id."""

import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from plaudit.errors import WrongField

LEAST, MOST = 12, 200
# A password of fewer different characters is a pattern that is tried early.
DIFFERENT = 5
# One thread: several would take the processors from raters. 64 MiB and two passes are more
# than the least that is advised today.
TIME_COST, MEMORY_KIB = 2, 64 * 1024


def check_password(text: str, *, name: str) -> None:
    """Returns if this can be the password of an account of this name."""
    if len(text) < LEAST:
        raise WrongField(
            "password",
            f"The password has {len(text)} characters. Take at least {LEAST}, such as four words.",
        )
    if len(text) > MOST:
        raise WrongField("password", f"The password is too long. Take at most {MOST} characters.")
    if len(set(text)) < DIFFERENT:
        raise WrongField("password", "The password repeats a few characters. Take more different.")
    if _without_name(text, name) < LEAST // 2:
        raise WrongField("password", "The password is little more than your name. Take another.")


def _without_name(text: str, name: str) -> int:
    return len(_folded(text).replace(_folded(name), "")) if name else len(text)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


class Passwords:
    """Hashes of passwords: slow to make on purpose, so that guessing is, too."""

    def __init__(self, *, time_cost: int = TIME_COST, memory_kib: int = MEMORY_KIB) -> None:
        self._hasher = PasswordHasher(time_cost, memory_kib, parallelism=1)
        # An account that is not there takes as long as one that is.
        self._nobody = self._hasher.hash("the password of nobody")

    def hash(self, text: str) -> str:
        """What the store keeps of a password; each time another."""
        return self._hasher.hash(_normal(text))

    def matches(self, kept: str | None, text: str) -> bool:
        """Whether a hash is that of this password; None takes as long, and never is."""
        try:
            right = self._hasher.verify(kept or self._nobody, _normal(text[: 2 * MOST]))
        except (VerificationError, InvalidHashError):
            return False
        return right and kept is not None


def _normal(text: str) -> str:
    """The same letters typed on another keyboard are the same password."""
    return unicodedata.normalize("NFKC", text)
