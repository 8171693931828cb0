"""One-time codes: texts that people read from paper and type, derived from the secret.

A code is 60 bits. 40 of them are a MAC of its number, for one contest. The other 20 are the number,
masked with a hash of the MAC, so that a code shows neither its number nor how many there are: a
guess is right with the chance of one in 2**60, times the number of codes.
"""

import hmac
import unicodedata
from hashlib import blake2b

from plaudit.service.accounts.secret import Secret
from plaudit.service.contest.guests import MOST_CODES

# Crockford's alphabet: no I, L, O and U, which people take for other signs.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LOOK_ALIKES = str.maketrans("ILOU", "110V")
_VALUES = {sign: value for value, sign in enumerate(ALPHABET)}
NUMBER_BITS, MAC_BITS = 20, 40
LENGTH, GROUP = (NUMBER_BITS + MAC_BITS) // 5, 4
# What people put between the groups: any spaces and dashes.
_BETWEEN = frozenset(" \t\r\n\u00a0-\u2010\u2011\u2012\u2013\u2014\u2212_.")
assert MOST_CODES < 1 << NUMBER_BITS


class Codes:
    """The codes of one contest, by number."""

    def __init__(self, secret: Secret, contest: str) -> None:
        self._contest = contest.encode() + b"\0"
        self._marks = secret.key("entry codes")
        self._masks = secret.key("entry code masks")

    def text(self, number: int) -> str:
        """The code with this number, as people read it."""
        mac = self._mac(number)
        value = (number ^ self._mask(mac)) << MAC_BITS | mac
        signs = [ALPHABET[value >> 5 * place & 31] for place in reversed(range(LENGTH))]
        return "-".join("".join(signs[at : at + GROUP]) for at in range(0, LENGTH, GROUP))

    def number(self, text: str) -> int | None:
        """The number of a code, however it was typed; None if it is no code of this contest."""
        value = value_of(text)
        if value is None:
            return None
        mac = value & (1 << MAC_BITS) - 1
        number = value >> MAC_BITS ^ self._mask(mac)
        right = hmac.compare_digest(mac.to_bytes(5, "big"), self._mac(number).to_bytes(5, "big"))
        return number if right and 0 < number <= MOST_CODES else None

    def _mac(self, number: int) -> int:
        return self._hash(self._marks, number.to_bytes(4, "big"), MAC_BITS)

    def _mask(self, mac: int) -> int:
        return self._hash(self._masks, mac.to_bytes(5, "big"), NUMBER_BITS)

    def _hash(self, key: bytes, message: bytes, bits: int) -> int:
        digest = blake2b(self._contest + message, key=key, digest_size=16).digest()
        return int.from_bytes(digest, "big") >> 128 - bits


def value_of(text: str) -> int | None:
    """The bits of a typed code; small letters, look-alikes and spaces are forgiven.

    >>> value_of("0000-0000-00o1") == value_of("oooo oooo ooOi") == 1
    True
    >>> value_of("0000-0000-001") is None
    True
    """
    if len(text) > 100:
        return None
    plain = unicodedata.normalize("NFKC", text).upper().translate(_LOOK_ALIKES)
    signs = [sign for sign in plain if sign not in _BETWEEN]
    if len(signs) != LENGTH or not all(sign in _VALUES for sign in signs):
        return None
    value = 0
    for sign in signs:
        value = value << 5 | _VALUES[sign]
    return value
