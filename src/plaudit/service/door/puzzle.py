"""Puzzles that take work to solve and none to check: SHA-256 with leading zero bits.

A challenge is a text. Its seed is the SHA-256 of the text. Puzzle i is solved by a nonce such that
the SHA-256 of seed, i and nonce (32, 4 and 8 bytes, big-endian) begins with enough zero bits. There
are several small puzzles instead of one large, because their sum varies less: nobody is unlucky.

Only the standard library, so that clients may use it.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256

PUZZLES = 16
# 2**18 hashes in all: about a second in the browser of a slow phone (docs/live/door-work.md).
EASIEST_BITS = 14
# A hundred graphics cards would take hours for one rater.
HARDEST_BITS = 44
LARGEST_NONCE = 2**53 - 1


def seed_of(challenge: str) -> bytes:
    """What the puzzles of a challenge begin with."""
    return sha256(challenge.encode()).digest()


def is_solved(seed: bytes, puzzle: int, nonce: int, bits: int) -> bool:
    """Whether a nonce solves a puzzle."""
    digest = sha256(seed + puzzle.to_bytes(4, "big") + nonce.to_bytes(8, "big")).digest()
    return int.from_bytes(digest, "big") >> (256 - bits) == 0


def are_solved(challenge: str, nonces: Sequence[int], bits: int) -> bool:
    """Whether these nonces solve all puzzles of a challenge."""
    seed = seed_of(challenge)
    return len(nonces) == PUZZLES and all(
        is_solved(seed, puzzle, nonce, bits) for puzzle, nonce in enumerate(nonces)
    )


def solve(
    challenge: str,
    bits: int,
    *,
    start: Sequence[int] = (0,) * PUZZLES,
    give_up: Callable[[], bool] = lambda: False,
) -> list[int] | None:
    """Nonces that solve all puzzles; None if told to give up.

    `start` has the nonces that solved the same challenge with fewer bits: none below them will do.

    >>> are_solved("a text", solve("a text", 4), 4)
    True
    """
    seed = seed_of(challenge)
    return _search(seed, bits, start, give_up)


def _search(
    seed: bytes, bits: int, start: Sequence[int], give_up: Callable[[], bool]
) -> list[int] | None:
    least = 1 << (256 - bits)
    found = []
    for puzzle, nonce in enumerate(start):
        begun = sha256(seed + puzzle.to_bytes(4, "big"))
        while True:
            trial = begun.copy()
            trial.update(nonce.to_bytes(8, "big"))
            if int.from_bytes(trial.digest(), "big") < least:
                break
            nonce += 1
            if nonce % 65_536 == 0 and give_up():
                return None
        found.append(nonce)
    return found
