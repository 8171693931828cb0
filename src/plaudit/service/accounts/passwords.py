"""Passwords: the rules for new ones, and their hashes by argon2id."""

import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from plaudit.errors import WrongField
from plaudit.phrase import Phrase, Words
from plaudit.words import N_

LEAST, MOST = 12, 200
# Passwords with fewer different characters are among the first that attackers try.
DIFFERENT = 5
# One thread, because several would take processors away from raters. 64 MiB and two passes are
# more than the minimum advised today.
TIME_COST, MEMORY_KIB = 2, 64 * 1024


def check_password(text: str, *, name: str) -> None:
    """Returns if an account with this name may have this password; `WrongField` otherwise."""
    if wrong := _weakness(text, name):
        raise WrongField("password", wrong)


def _weakness(text: str, name: str) -> Words:
    """Why a password is not allowed, or ""."""
    if len(text) < LEAST:
        told = N_("The password has {count} characters. Use at least {least}, such as four words.")
        return Phrase(told, count=len(text), least=LEAST)
    if len(text) > MOST:
        told = N_("The password is too long. Use at most {most} characters.")
        return Phrase(told, most=MOST)
    if len(set(text)) < DIFFERENT:
        return Phrase(N_("The password repeats a few characters. Use more different ones."))
    if _without_name(text, name) < LEAST // 2:
        return Phrase(N_("The password is little more than your name. Choose another one."))
    return ""


def _without_name(text: str, name: str) -> int:
    return len(_folded(text).replace(_folded(name), "")) if name else len(text)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


class Passwords:
    """Hashes of passwords: slow on purpose, so that guessing is slow too."""

    def __init__(self, *, time_cost: int = TIME_COST, memory_kib: int = MEMORY_KIB) -> None:
        self._hasher = PasswordHasher(time_cost, memory_kib, parallelism=1)
        # A sign-in with an unknown name takes as long as one with a known name: it is compared with
        # this, a hash of no password. To make a true one would take that long at every start.
        costs = f"m={memory_kib},t={time_cost},p=1"
        self._nobody = f"$argon2id$v=19${costs}${'A' * 22}${'A' * 43}"

    def hash(self, text: str) -> str:
        """What the store keeps of a password; different every time."""
        return self._hasher.hash(_normal(text))

    def matches(self, kept: str | None, text: str) -> bool:
        """Whether a hash is that of this password.

        None and "", for nobody and for no password, never match, after the same time.
        """
        try:
            right = self._hasher.verify(kept or self._nobody, _normal(text[: 2 * MOST]))
        except (VerificationError, InvalidHashError):
            return False
        return right and bool(kept)


def _normal(text: str) -> str:
    """The password in one Unicode form, because keyboards write the same letters differently."""
    return unicodedata.normalize("NFKC", text)
