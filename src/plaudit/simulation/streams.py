"""Streams of random numbers for compiled code, which share one generator in each thread.

Numba keeps a reference to every generator that it gets, for good. With a generator for each race,
all of them would stay in memory. So each thread has one generator, and a stream puts its own state
into it for as long as it runs.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

_of_thread = threading.local()


class Stream:
    """The random numbers of one seed: those of `np.random.default_rng(seed)`, in order."""

    def __init__(self, seed: int) -> None:
        self._state: Any = np.random.default_rng(seed).bit_generator.state

    @contextmanager
    def lend(self) -> Iterator[np.random.Generator]:
        """The thread's generator with this stream's state; one stream at a time may lend it."""
        if not hasattr(_of_thread, "generator"):
            _of_thread.generator = np.random.default_rng()
        generator: np.random.Generator = _of_thread.generator
        generator.bit_generator.state = self._state
        yield generator
        self._state = generator.bit_generator.state
