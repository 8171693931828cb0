"""Signed texts: tokens, which say who a rater is, and tickets, which allow one answer each.

They are not stored. A rater's token is 16 bytes and a signature. A ticket has item, lane and time;
its signature also covers the contest and the rater.
"""

import base64
import hmac
import secrets
import struct
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from plaudit.errors import TicketRefused
from plaudit.phrase import Phrase
from plaudit.service.accounts.secret import Secret
from plaudit.store.checks import ORIGIN_BYTES
from plaudit.words import N_

MAC = 16
TOKENS = 20_000
_TICKET = struct.Struct("<IhQ")
_TICKET_SIZE = _TICKET.size + MAC
_TOKEN_SIZE = 16 + MAC
# The first byte of a rater's id: made by this service, or from an external id.
OWN, EXTERNAL = 0, 1


class Ticket(NamedTuple):
    """What a ticket allows: one answer on this item; `issued` is in milliseconds since 1970."""

    item: int
    lane: int
    issued: int


class RaterId(NamedTuple):
    """A rater: the id in the token, and the key in the log."""

    id: bytes
    key: bytes

    @property
    def is_external(self) -> bool:
        """Whether the id came with the link, from a panel or a class list."""
        return self.id[0] == EXTERNAL


class Signer:
    """Signs and checks tokens and tickets of one contest."""

    def __init__(self, secret: Secret, contest: str) -> None:
        self._contest = contest.encode() + b"\0"
        self._tickets = secret.key("tickets")
        self._tokens = secret.key("tokens")
        self._raters = secret.key("raters")
        self._external = secret.key("external")
        self._solved = secret.key("solved")
        self._codes = secret.key("codes")
        self._origins = secret.key("origins")
        # A rater sends the same token with every request.
        self._remembered = lru_cache(TOKENS)(self._read_token)

    def new_rater(self) -> RaterId:
        """A new rater."""
        return self._rater(bytes([OWN]) + secrets.token_bytes(15))

    def solved_rater(self, challenge: bytes) -> RaterId:
        """The rater who worked on a challenge: the same one, however often it is sent."""
        return self._rater(bytes([OWN]) + self._mac(self._solved, challenge)[:15])

    def external_rater(self, external: str) -> RaterId:
        """The rater with this external id; only a keyed hash of it is ever kept."""
        return self._rater(bytes([EXTERNAL]) + self._mac(self._external, external.encode())[:15])

    def _rater(self, rater: bytes) -> RaterId:
        return RaterId(rater, self._mac(self._raters, rater))

    def token(self, rater: RaterId) -> str:
        """The token that the rater's browser keeps."""
        return (rater.id + self._mac(self._tokens, rater.id)).hex()

    def rater(self, token: str) -> RaterId | None:
        """The rater of a token, or None if this service did not make it."""
        # Texts of another length are not cached: forged ones must not fill the cache.
        return self._remembered(token) if len(token) == 2 * _TOKEN_SIZE else None

    def _read_token(self, token: str) -> RaterId | None:
        raw = _from_text(token)
        if len(raw) != _TOKEN_SIZE:
            return None
        rater, mac = raw[:16], raw[16:]
        if not hmac.compare_digest(mac, self._mac(self._tokens, rater)):
            return None
        return self._rater(rater)

    def ticket(self, rater: bytes, ticket: Ticket) -> str:
        """The ticket as text, for the rater with this key and nobody else."""
        packed = _TICKET.pack(*ticket)
        return (packed + self._mac(self._tickets, rater + packed)).hex()

    def read_ticket(self, rater: bytes, text: str) -> Ticket:
        """What a ticket allows; `TicketRefused` if it is not for this rater and contest."""
        raw = _from_text(text)
        packed, mac = raw[: _TICKET.size], raw[_TICKET.size :]
        if len(raw) != _TICKET_SIZE or not hmac.compare_digest(
            mac, self._mac(self._tickets, rater + packed)
        ):
            text = N_("This ticket is not for this rater in this contest. Ask for new items.")
            raise TicketRefused(Phrase(text))
        return Ticket(*_TICKET.unpack(packed))

    def completion_code(self, rater: bytes) -> str:
        """A code that proves to a panel that this rater took part."""
        return base64.b32encode(self._mac(self._codes, rater)[:5]).decode()

    def origin(self, address: str) -> bytes:
        """A keyed hash of the network address of a rater's first answer, for this contest alone."""
        return self._mac(self._origins, address.encode())[:ORIGIN_BYTES]

    def _mac(self, key: bytes, message: bytes) -> bytes:
        # BLAKE2b with a key is a MAC by design (RFC 7693) and several times as fast as HMAC.
        return blake2b(self._contest + message, key=key, digest_size=MAC).digest()


def _from_text(text: str) -> bytes:
    """The bytes of a text in lower-case hexadecimal; empty if it is anything else."""
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        return b""
    # Several texts stand for the same bytes; only one is accepted.
    return raw if raw.hex() == text else b""
