"""Work for newcomers at an open door: whoever makes many raters pays for each with computing time.

A newcomer gets a challenge: solve its puzzles, or wait for a turn. The challenge is signed and
bound to the contest, the network, the external id if there is one, and the time; nothing is stored.
How hard it is depends on how many raters the network and the contest got lately, and is judged when
the solution comes: a stock of easy challenges is worth nothing. One challenge makes one rater,
whose id is derived from it (`Signer.solved_rater`), so a replay leads to the same rater.

The counts are in memory, one set for each worker; each worker gives its share of what is easy.
docs/live/door-work.md has the schedule and what was measured.
"""

import hmac
import math
import secrets
import struct
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import NamedTuple

from plaudit.service.accounts.secret import Secret
from plaudit.service.contest.settings import WORK_AUTOMATIC, WORK_OFF
from plaudit.service.door.networks import UNKNOWN, network_of, wide_network_of
from plaudit.service.door.puzzle import EASIEST_BITS, HARDEST_BITS, are_solved
from plaudit.service.door.tallies import Tally, Turns

# Raters of one network within about two hours: these many come in freely where the work is
# automatic, these many for the least work, and each further `DOUBLING` double it.
FREE, EASY, DOUBLING = 8, 40, 16
# A wide network has room for this many times as many.
WIDE = 4
NETWORK_FADE_MS = 2 * 3600_000
# New raters of a contest within about ten minutes: from here on everybody works, and from 8 and 16
# times as many the work doubles. Not further: a crowd must not lock itself out.
BUSY, CONTEST_FADE_MS = 300, 600_000
VERY_BUSY = (8, 16)
# Instead of working one may wait: so long at least, and one rater of a network at a time.
LEAST_WAIT_MS = 20_000
TURN_MS, TURNS_AT_ONCE = 30_000, 2
CONTEST_TURN_MS, CONTEST_TURNS_AT_ONCE = 6_000, 10
LIFE_MS = 30 * 60_000
# The clocks of other machines may be ahead by this much.
SKEW_MS = 5 * 60_000
_MAC = 16
_HEAD = struct.Struct("<Q8s")


class Newcomer(NamedTuple):
    """Who wants in: to which contest, from which address, and with which external id, if any."""

    contest: str
    address: str
    external: str = ""


class Demand(NamedTuple):
    """What a newcomer must do: solve the challenge's puzzles, or come back with it after a wait."""

    challenge: str
    bits: int
    wait_ms: int


class Passed(NamedTuple):
    """A newcomer may come in; `challenge` is what they worked on, empty if nothing was asked."""

    challenge: bytes


class Work:
    """Asks newcomers to work, and counts those who came in."""

    def __init__(self, secret: Secret, *, clock: Callable[[], int], workers: int = 1) -> None:
        self._key = secret.key("work")
        self._clock = clock
        self._share = 1.0 / workers
        self._networks = Tally(fade_ms=NETWORK_FADE_MS)
        self._contests = Tally(fade_ms=CONTEST_FADE_MS)
        self._turns = [
            Turns(every_ms=TURN_MS * workers, at_once=TURNS_AT_ONCE),
            Turns(every_ms=TURN_MS * workers / WIDE, at_once=TURNS_AT_ONCE * WIDE),
            Turns(every_ms=CONTEST_TURN_MS * workers, at_once=CONTEST_TURNS_AT_ONCE),
        ]

    def judge(
        self, who: Newcomer, mode: str, *, challenge: str = "", nonces: Sequence[int] = ()
    ) -> Passed | Demand:
        """Whether a newcomer may come in, with what they bring; `count` those who are new."""
        now = self._clock()
        bits = self.bits(who, mode)
        if not bits:
            return Passed(b"")
        issued = self._issued(who, challenge, now)
        if issued is None:
            challenge, issued = self._sign(who, now), now
        elif nonces and are_solved(challenge, nonces, bits):
            return Passed(bytes.fromhex(challenge))
        wait = self._wait(who, now - issued, now)
        if challenge and not nonces and not wait:
            self._take_turn(who, now)
            return Passed(bytes.fromhex(challenge))
        return Demand(challenge, bits, wait)

    def count(self, who: Newcomer) -> None:
        """Notes that a new rater came in."""
        now = self._clock()
        for network in _networks(who):
            self._networks.add(network, now)
        self._contests.add(who.contest, now)

    def bits(self, who: Newcomer, mode: str) -> int:
        """How hard each puzzle is for a newcomer now; 0 if nothing is asked."""
        if mode == WORK_OFF:
            return 0
        now = self._clock()
        crowd = round(self._contests.of(who.contest, now)) / (BUSY * self._share)
        free = mode == WORK_AUTOMATIC and crowd < 1.0
        most = 0 if free else EASIEST_BITS
        for network, room in zip(_networks(who), (1, WIDE), strict=False):
            # Rounded, since a moment later eight raters are a little less than eight.
            count = round(self._networks.of(network, now)) / (room * self._share)
            most = max(most, _bits_after(count, free=free))
        more = sum(crowd >= limit for limit in VERY_BUSY)
        return min(most + more, HARDEST_BITS) if most else 0

    def _sign(self, who: Newcomer, now: int) -> str:
        head = _HEAD.pack(now, secrets.token_bytes(8))
        return (head + self._mac(who, head)).hex()

    def _issued(self, who: Newcomer, challenge: str, now: int) -> int | None:
        """When a challenge was given out; None if it is not for this newcomer, or not for now."""
        try:
            raw = bytes.fromhex(challenge)
        except ValueError:
            return None
        head, mac = raw[: _HEAD.size], raw[_HEAD.size :]
        # Several texts stand for the same bytes; only one is accepted.
        if raw.hex() != challenge or len(raw) != _HEAD.size + _MAC:
            return None
        if not hmac.compare_digest(mac, self._mac(who, head)):
            return None
        issued: int = _HEAD.unpack(head)[0]
        return issued if -SKEW_MS <= now - issued < LIFE_MS else None

    def _mac(self, who: Newcomer, head: bytes) -> bytes:
        bound = "\0".join((who.contest, network_of(who.address), who.external))
        return blake2b(head + bound.encode(), key=self._key, digest_size=_MAC).digest()

    def _wait(self, who: Newcomer, age: int, now: int) -> int:
        """How long a newcomer still has to wait who does not work."""
        turns = (turns.wait(key, now) for turns, key in zip(self._turns, _places(who), strict=True))
        return max(LEAST_WAIT_MS - age, *turns)

    def _take_turn(self, who: Newcomer, now: int) -> None:
        for turns, key in zip(self._turns, _places(who), strict=True):
            turns.take(key, now)


def _networks(who: Newcomer) -> list[tuple[str, int, str]]:
    """The network of a newcomer and the wide one; none where the address is not known."""
    return [] if who.address == UNKNOWN else _places(who)[:2]


def _places(who: Newcomer) -> list[tuple[str, int, str]]:
    """Where a newcomer comes from in a contest: the network, the wide one, anywhere."""
    found = (network_of(who.address), wide_network_of(who.address), "")
    return [(who.contest, place, network) for place, network in enumerate(found)]


def _bits_after(raters: float, *, free: bool) -> int:
    """How hard the next rater of a network is after so many.

    >>> [_bits_after(n, free=True) for n in (7, 8, 39, 40, 55, 56, 72)]
    [0, 14, 14, 15, 15, 16, 17]
    """
    if raters < FREE:
        return 0 if free else EASIEST_BITS
    if raters < EASY:
        return EASIEST_BITS
    return EASIEST_BITS + 1 + math.floor((raters - EASY) / DOUBLING)
