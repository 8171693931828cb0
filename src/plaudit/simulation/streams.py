"""A generator of random numbers for compiled code, lent by the thread and taken back.

Numba keeps a reference to every generator that it is handed, for good. A generator for each
race would therefore stay in memory; so each thread has one, and only states come and go.
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
        """The thread's generator, at this stream's place; not to be lent twice at a time."""
        if not hasattr(_of_thread, "generator"):
            _of_thread.generator = np.random.default_rng()
        generator: np.random.Generator = _of_thread.generator
        generator.bit_generator.state = self._state
        yield generator
        self._state = generator.bit_generator.state
