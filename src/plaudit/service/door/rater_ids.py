"""Who a rater is: an id, derived from what they came with, and the key that the log knows.

The id goes into the rater's token and is kept nowhere else. Its first byte says where it came from.
"""

import secrets
import unicodedata
from hashlib import blake2b
from typing import NamedTuple

from plaudit.service.accounts.secret import Secret

MAC = 16
ID_BYTES = 16
_NUMBER_BYTES = 3
# The first byte of an id: made by this service, or from an external id, a code, or an account
# elsewhere that the rater signed in with.
OWN, EXTERNAL, CODE, SUBJECT = range(4)
# The first byte of a stamp: let in by a signed link, or by an API key.
LINK, KEY = range(1, 3)
STAMP_BYTES = 4
# What people and programs leave around an id without seeing it.
_AROUND = "\ufeff\u200b\u00a0 \t\r\n"


class RaterId(NamedTuple):
    """A rater: the id in the token, the key in the log, and what let them in.

    The stamp is empty, or says that a signature or an API key let the rater in while the contest's
    link key had a certain number. It does not change who the rater is.
    """

    id: bytes
    key: bytes
    stamp: bytes = b""

    @property
    def kind(self) -> int:
        """Where the id came from."""
        return self.id[0]

    @property
    def is_external(self) -> bool:
        """Whether the id came with the link, from a panel or a class list."""
        return self.id[0] == EXTERNAL

    @property
    def code(self) -> int:
        """The number of the code that a rater with a code has."""
        return int.from_bytes(self.id[1 : 1 + _NUMBER_BYTES], "big")

    @property
    def stamped(self) -> tuple[int, int]:
        """What let the rater in, and the number of the link key then; zeros without a stamp."""
        return (self.stamp[0], int.from_bytes(self.stamp[1:], "big")) if self.stamp else (0, 0)

    def stamped_by(self, what: int, link_key: int) -> "RaterId":
        """The same rater, let in by a signed link or an API key."""
        return self._replace(stamp=bytes([what]) + link_key.to_bytes(STAMP_BYTES - 1, "big"))


class RaterIds:
    """Derives the ids of one contest. Another contest or another secret has other ids."""

    def __init__(self, secret: Secret, contest: str) -> None:
        self._contest = contest.encode() + b"\0"
        self._raters = secret.key("raters")
        self._external = secret.key("external")
        self._coded = secret.key("coded raters")
        self._solved = secret.key("solved")
        self._subjects = secret.key("subjects")
        self._solved = secret.key("solved")

    def new_rater(self) -> RaterId:
        """A new rater."""
        return self.rater_of(bytes([OWN]) + secrets.token_bytes(ID_BYTES - 1))

    def solved_rater(self, challenge: bytes) -> RaterId:
        """The rater who worked on a challenge: the same one, however often it is sent."""
        return self.rater_of(bytes([OWN]) + self.mac(self._solved, challenge)[: ID_BYTES - 1])

    def external_rater(self, external: str) -> RaterId:
        """The rater with this external id; only a keyed hash of it is ever kept."""
        return self._hashed(EXTERNAL, self._external, external)

    def signed_in_rater(self, subject: str) -> RaterId:
        """The rater with this account elsewhere; only a keyed hash of it is ever kept."""
        return self._hashed(SUBJECT, self._subjects, subject)

    def coded_rater(self, number: int) -> RaterId:
        """The rater with the code of this number."""
        digits = number.to_bytes(_NUMBER_BYTES, "big")
        mac = self.mac(self._coded, digits)[: ID_BYTES - 1 - _NUMBER_BYTES]
        return self.rater_of(bytes([CODE]) + digits + mac)

    def rater_of(self, id: bytes, stamp: bytes = b"") -> RaterId:
        """The rater with an id."""
        return RaterId(id, self.mac(self._raters, id), stamp)

    def mac(self, key: bytes, message: bytes) -> bytes:
        """A keyed hash of a message, for this contest alone."""
        # BLAKE2b with a key is a MAC by design (RFC 7693) and several times as fast as HMAC.
        return blake2b(self._contest + message, key=key, digest_size=MAC).digest()

    def _hashed(self, kind: int, key: bytes, text: str) -> RaterId:
        return self.rater_of(bytes([kind]) + self.mac(key, text.encode())[: ID_BYTES - 1])


def tidy_id(text: str) -> str:
    """An id of a list as it is compared: without spaces around it, in one Unicode form.

    A name typed on one machine may have other bytes than the same name typed on another.

    >>> tidy_id(" Jose\\u0301 ") == tidy_id("Jos\\u00e9")
    True
    """
    return unicodedata.normalize("NFC", text).strip(_AROUND)
