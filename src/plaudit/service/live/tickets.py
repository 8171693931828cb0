"""Signed things: who a rater is, and the tickets that permit one answer each.

Nothing of it is stored. A rater's token is 16 bytes and their signature; a ticket says item,
lane and time, and its signature also binds the contest and the rater.
"""

import base64
import hmac
import secrets
import struct
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from plaudit.errors import TicketRefused
from plaudit.service.accounts.secret import Secret
from plaudit.store.checks import ORIGIN_BYTES

MAC = 16
TOKENS = 20_000
_TICKET = struct.Struct("<IhQ")
_TICKET_SIZE = _TICKET.size + MAC
_TOKEN_SIZE = 16 + MAC
# The first byte of a rater's id: made by this service, or from an id of someone else's.
OWN, EXTERNAL = 0, 1


class Ticket(NamedTuple):
    """What a ticket permits: an answer on this item; `issued` is in milliseconds since 1970."""

    item: int
    lane: int
    issued: int


class RaterId(NamedTuple):
    """A rater as the service knows one: the id in the token, and the key in the log."""

    id: bytes
    key: bytes

    @property
    def is_external(self) -> bool:
        """Whether the id came with the link, from a panel or a class list."""
        return self.id[0] == EXTERNAL


class Signer:
    """Signs and checks for one contest."""

    def __init__(self, secret: Secret, contest: str) -> None:
        self._contest = contest.encode() + b"\0"
        self._tickets = secret.key("tickets")
        self._tokens = secret.key("tokens")
        self._raters = secret.key("raters")
        self._external = secret.key("external")
        self._codes = secret.key("codes")
        self._origins = secret.key("origins")
        # A rater sends the same token with everything.
        self._remembered = lru_cache(TOKENS)(self._read_token)

    def new_rater(self) -> RaterId:
        """A rater who was never here."""
        return self._rater(bytes([OWN]) + secrets.token_bytes(15))

    def external_rater(self, external: str) -> RaterId:
        """The rater with this id of someone else's; only a keyed hash of it is ever kept."""
        return self._rater(bytes([EXTERNAL]) + self._mac(self._external, external.encode())[:15])

    def _rater(self, rater: bytes) -> RaterId:
        return RaterId(rater, self._mac(self._raters, rater))

    def token(self, rater: RaterId) -> str:
        """What the rater's browser keeps."""
        return (rater.id + self._mac(self._tokens, rater.id)).hex()

    def rater(self, token: str) -> RaterId | None:
        """Whose token this is, or None if it was not made here."""
        # Looked at before anything is remembered: a stranger's texts must not fill the memory.
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
        """What a ticket permits; `TicketRefused` if it was not given to this rater here."""
        raw = _from_text(text)
        packed, mac = raw[: _TICKET.size], raw[_TICKET.size :]
        if len(raw) != _TICKET_SIZE or not hmac.compare_digest(
            mac, self._mac(self._tickets, rater + packed)
        ):
            raise TicketRefused(
                "This ticket was not given to this rater in this contest. Ask for new items."
            )
        return Ticket(*_TICKET.unpack(packed))

    def completion_code(self, rater: bytes) -> str:
        """A code that proves to a panel that this rater was here."""
        return base64.b32encode(self._mac(self._codes, rater)[:5]).decode()

    def origin(self, address: str) -> bytes:
        """What is kept of the network address of a rater's first answer, in this contest alone."""
        return self._mac(self._origins, address.encode())[:ORIGIN_BYTES]

    def _mac(self, key: bytes, message: bytes) -> bytes:
        # BLAKE2b with a key is a MAC by design (RFC 7693), and several times as fast as HMAC.
        return blake2b(self._contest + message, key=key, digest_size=MAC).digest()


def _from_text(text: str) -> bytes:
    """The bytes; empty where the text is not as we would write it."""
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        return b""
    # Several texts stand for the same bytes; only one is ours.
    return raw if raw.hex() == text else b""
