"""Signed texts: tokens, which say who a rater is, and tickets, which allow one answer each.

They are not stored. A rater's token is their id, perhaps with a stamp, and a signature. A ticket
has item, lane and time; its signature also covers the contest and the rater.
"""

import base64
import hmac
import struct
from functools import lru_cache
from typing import NamedTuple

from plaudit.errors import TicketRefused
from plaudit.phrase import Phrase
from plaudit.service.accounts.secret import Secret
from plaudit.service.door.rater_ids import ID_BYTES, MAC, STAMP_BYTES, RaterId, RaterIds
from plaudit.store.checks import ORIGIN_BYTES
from plaudit.words import N_

TOKENS = 20_000
_TICKET = struct.Struct("<IhQ")
_TICKET_SIZE = _TICKET.size + MAC
# Without a stamp, and with one.
_TOKEN_LENGTHS = (2 * (ID_BYTES + MAC), 2 * (ID_BYTES + STAMP_BYTES + MAC))


class Ticket(NamedTuple):
    """What a ticket allows: one answer on this item; `issued` is in milliseconds since 1970."""

    item: int
    lane: int
    issued: int


class Signer(RaterIds):
    """Signs and checks tokens and tickets of one contest."""

    def __init__(self, secret: Secret, contest: str) -> None:
        super().__init__(secret, contest)
        self._tickets = secret.key("tickets")
        self._tokens = secret.key("tokens")
        self._codes = secret.key("codes")
        self._origins = secret.key("origins")
        # A rater sends the same token with every request.
        self._remembered = lru_cache(TOKENS)(self._read_token)

    def token(self, rater: RaterId) -> str:
        """The token that the rater's browser keeps."""
        signed = rater.id + rater.stamp
        return (signed + self.mac(self._tokens, signed)).hex()

    def rater(self, token: str) -> RaterId | None:
        """The rater of a token, or None if this service did not make it."""
        # Texts of another length are not cached: forged ones must not fill the cache.
        return self._remembered(token) if len(token) in _TOKEN_LENGTHS else None

    def _read_token(self, token: str) -> RaterId | None:
        raw = _from_text(token)
        if not raw:
            return None
        signed, mac = raw[:-MAC], raw[-MAC:]
        if not hmac.compare_digest(mac, self.mac(self._tokens, signed)):
            return None
        return self.rater_of(signed[:ID_BYTES], signed[ID_BYTES:])

    def ticket(self, rater: bytes, ticket: Ticket) -> str:
        """The ticket as text, for the rater with this key and nobody else."""
        packed = _TICKET.pack(*ticket)
        return (packed + self.mac(self._tickets, rater + packed)).hex()

    def read_ticket(self, rater: bytes, text: str) -> Ticket:
        """What a ticket allows; `TicketRefused` if it is not for this rater and contest."""
        raw = _from_text(text)
        packed, mac = raw[: _TICKET.size], raw[_TICKET.size :]
        if len(raw) != _TICKET_SIZE or not hmac.compare_digest(
            mac, self.mac(self._tickets, rater + packed)
        ):
            text = N_("This ticket is not for this rater in this contest. Ask for new items.")
            raise TicketRefused(Phrase(text))
        return Ticket(*_TICKET.unpack(packed))

    def completion_code(self, rater: bytes) -> str:
        """A code that proves to a panel that this rater took part."""
        return base64.b32encode(self.mac(self._codes, rater)[:5]).decode()

    def origin(self, address: str) -> bytes:
        """A keyed hash of the network address of a rater's first answer, for this contest alone."""
        return self.mac(self._origins, address.encode())[:ORIGIN_BYTES]


def _from_text(text: str) -> bytes:
    """The bytes of a text in lower-case hexadecimal; empty if it is anything else."""
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        return b""
    # Several texts stand for the same bytes; only one is accepted.
    return raw if raw.hex() == text else b""
