"""Errands: a browser that is sent to the provider, and what it must bring back.

An errand is kept by the browser alone, in a cookie that this service signed. State, nonce and the
verifier of PKCE are derived from its seed: whoever comes back without the cookie, with that of
another errand, or too late is refused, and no worker has to remember anything.
"""

import base64
import binascii
import hmac
from typing import Any, NamedTuple

import msgspec

from plaudit.service.accounts.secret import Secret
from plaudit.service.accounts.tokens import mark, new_token

# What someone goes to the provider for: to open the desk, to use a link to an account, to link
# the account that is signed in, or to vote.
DESK, JOIN, LINK, VOTE = "desk", "join", "link", "vote"
# Where the provider sends browsers back to, after the public address.
RETURN = "/sign-in/return"
LASTS_MS = 10 * 60_000
LONGEST = 2_048


class Subject(NamedTuple):
    """Who someone is at a provider. Callers keep a keyed hash of it, and nothing else."""

    issuer: str
    subject: str

    def __repr__(self) -> str:
        return "Subject(…)"


class Errand(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Why a browser was sent away: `target` is where it goes on, or what the errand is about.

    `bound` is what must be the same when it comes back, such as the session; `name` was typed.
    """

    purpose: str
    target: str
    began: int
    seed: str
    bound: str = ""
    name: str = ""


class Errands:
    """Makes errands for one provider and client, and reads them back."""

    def __init__(self, secret: Secret, *, issuer: str, client: str) -> None:
        key = secret.key("errands")
        # An errand to another provider, or as another client, is not ours.
        self._key = bytes.fromhex(mark(key, issuer, client))

    def new(
        self, purpose: str, target: str, *, now: int, bound: str = "", name: str = ""
    ) -> Errand:
        """A new errand, unlike any other."""
        return Errand(purpose, target, now, new_token(), bound, name)

    def cookie(self, errand: Errand) -> str:
        """The errand as the browser keeps it."""
        body = base64.urlsafe_b64encode(msgspec.json.encode(errand)).decode().rstrip("=")
        return f"{body}.{mark(self._key, 'cookie', body)}"

    def read(self, cookie: str, *, now: int) -> Errand | None:
        """The errand of a cookie; None if it is not ours, or too old."""
        body, _, signed = cookie.partition(".")
        wanted = mark(self._key, "cookie", body)
        if len(cookie) > LONGEST or not _same(signed, wanted):
            return None
        found = _decoded(body)
        return found if found is not None and 0 <= now - found.began < LASTS_MS else None

    def state(self, errand: Errand) -> str:
        """What the provider sends back with the browser, which proves that it set out here."""
        return mark(self._key, "state", errand.seed)

    def nonce(self, errand: Errand) -> str:
        """What the ID token must contain, which proves that it was made for this errand."""
        return mark(self._key, "nonce", errand.seed)

    def verifier(self, errand: Errand) -> str:
        """The secret of PKCE, without which nobody can use the code of this errand."""
        return mark(self._key, "verifier", errand.seed)

    def is_state(self, errand: Errand, given: str) -> bool:
        """Whether this state belongs to the errand."""
        return _same(given, self.state(errand))


def _decoded(body: str) -> Errand | None:
    try:
        raw: Any = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
        return msgspec.json.decode(raw, type=Errand)
    except (binascii.Error, ValueError, msgspec.DecodeError):
        return None


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())
