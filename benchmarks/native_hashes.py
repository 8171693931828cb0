"""Puzzles solved by native code, as an attacker would: OpenSSL's SHA-256, called from a kernel."""

import ctypes
import ctypes.util
from collections.abc import Callable, Sequence
from functools import cache

import numba
import numpy as np

from plaudit.service.door.puzzle import seed_of

_START = np.frombuffer(
    bytes.fromhex("6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19"), dtype=">u4"
).astype(np.uint32)
TRIES = 1 << 20


@cache
def _searcher() -> Callable[..., int]:
    """A compiled search that leaves the interpreter to other threads."""
    name = ctypes.util.find_library("crypto")
    if name is None:
        raise SystemExit("This benchmark needs OpenSSL's libcrypto.")
    transform = ctypes.CDLL(name).SHA256_Transform
    transform.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    transform.restype = None

    @numba.njit(nogil=True)
    def search(block, context, start, nonce, bits, tries, block_at, context_at):  # type: ignore[no-untyped-def]
        for one in range(nonce, nonce + tries):
            for place in range(8):
                block[36 + place] = (one >> (56 - 8 * place)) & 255
                context[place] = start[place]
            transform(context_at, block_at)
            first = (np.uint64(context[0]) << np.uint64(32)) | np.uint64(context[1])
            if first >> np.uint64(64 - bits) == 0:
                return one
        return -1

    return search  # type: ignore[no-any-return]


def solve_natively(
    challenge: str, bits: int, *, start: Sequence[int], give_up: Callable[[], bool]
) -> tuple[list[int] | None, int]:
    """Nonces that solve all puzzles of a challenge (None if told to give up), and the hashes."""
    search = _searcher()
    block, context = np.zeros(64, dtype=np.uint8), np.zeros(28, dtype=np.uint32)
    block[:32] = np.frombuffer(seed_of(challenge), dtype=np.uint8)
    block[44], block[62:] = 0x80, np.frombuffer((44 * 8).to_bytes(2, "big"), dtype=np.uint8)
    found, hashes = [], 0
    for puzzle, nonce in enumerate(start):
        block[35] = puzzle
        while True:
            at = search(
                block, context, _START, nonce, bits, TRIES, block.ctypes.data, context.ctypes.data
            )
            hashes += (at - nonce + 1) if at >= 0 else TRIES
            if at >= 0:
                break
            nonce += TRIES
            if give_up():
                return None, hashes
        found.append(int(at))
    return found, hashes
