"""Seeds by address: the random numbers of a repetition depend on its name, not on its turn."""

import hashlib

import numpy as np


def seed_at(seed: int, *address: str | int) -> int:
    """A seed for one repetition, from the study's seed and the repetition's address.

    The repetition draws the same numbers on any machine, in any order, beside any others.

    >>> seed_at(1, "figure-1", 0) == seed_at(1, "figure-1", 0) != seed_at(1, "figure-1", 1)
    True
    """
    digest = hashlib.sha256("\0".join(map(str, address)).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    state = np.random.SeedSequence([seed, *words]).generate_state(1, dtype=np.uint64)
    # Races take seeds below 2^63.
    return int(state[0] >> np.uint64(1))
