"""Kernels as Python runs them, while their machine code is made: the same source, the same bits.

A first race after an install need not wait. Its kernels are called as the Python functions that
they are, a thousand times slower, for a few seconds at most. Where Python would compute anything
else than machine code, or takes too long, all is put back as it was, and one waits.
"""

import math
import operator
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

# What a process computes in this way at most. Whoever has more to do is served sooner by waiting.
SECONDS = 2.0
# Arrays beyond this are those of races that take too long.
MOST_BYTES = 2**21
_READERS: dict[str, Callable[[Any], Any]] = {
    "i": operator.index,
    "u": operator.index,
    "f": float,
    "b": bool,
}

_lock = threading.RLock()
_names: dict[str, dict[str, Any]] = {}


class Unanswered(Exception):
    """Python has no answer; nothing has changed."""


class _Turn(threading.local):
    until = 0.0


_turn = _Turn()
_spent = 0.0


def _other(*_given: float) -> float:
    """Stands for functions that Python computes otherwise than the C library."""
    raise Unanswered


_MATH = SimpleNamespace(**{**vars(math), "lgamma": _other, "gamma": _other})


class InPython:
    """Mixed into kernels: the function as Python runs it, and those that it calls."""

    function: Callable[..., Any]

    @cached_property
    def in_python(self) -> Callable[..., Any]:
        """The function, which raises `Unanswered` where the time is over."""
        with _lock:
            function = self.function
            names = _names_in(function.__module__)
            own = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
        return self._chosen(own)

    def _chosen(self, own: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            if time.perf_counter() > _turn.until:
                raise Unanswered
            return own(*given)

        return call


def _names_in(module: str) -> dict[str, Any]:
    """What the names of a module stand for where its kernels are Python."""
    if module not in _names:
        names = _names[module] = dict(vars(sys.modules[module]))
        for name, value in list(names.items()):
            if isinstance(value, InPython):
                names[name] = value.in_python
            elif value is math:
                names[name] = _MATH
    return _names[module]


def may_answer() -> bool:
    """Whether there is time left for Python."""
    return _spent < SECONDS


def answer(kernel: InPython, given: Any) -> Any:
    """What a kernel returns, by Python; `Unanswered` where machine code has to be waited for."""
    arrays = [part for part in _arrays(given) if part.flags.writeable]
    if not may_answer() or sum(part.nbytes for part in arrays) > MOST_BYTES:
        raise Unanswered
    before = [part.copy() for part in arrays]
    start = time.perf_counter()
    _turn.until = start + SECONDS - _spent
    try:
        with np.errstate(all="ignore"):
            return _plain(kernel.in_python(*map(_readable, given)))
    except BaseException as error:
        for part, old in zip(arrays, before, strict=True):
            part[...] = old
        if not isinstance(error, Exception):
            raise
        # Machine code goes on where Python objects to a logarithm of zero.
        raise Unanswered from error
    finally:
        _spend(time.perf_counter() - start)


def _spend(seconds: float) -> None:
    global _spent
    _spent += seconds


def taking(function: Callable[..., Any], codes: str) -> Callable[..., Any]:
    """A function of numbers of these codes, as machine code would take them."""

    def call(*given: Any) -> Any:
        return function(*(_READERS[code](one) for code, one in zip(codes, given, strict=True)))

    return call


def _arrays(parts: Any) -> Iterator[Any]:
    for part in parts:
        if isinstance(part, tuple):
            yield from _arrays(part)
        elif isinstance(part, np.ndarray):
            yield part


def _readable(part: Any) -> Any:
    """Arguments in which records have attributes, as they have in machine code."""
    if isinstance(part, tuple):
        parts = map(_readable, part)
        return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)
    if isinstance(part, np.ndarray) and part.dtype.names:
        return _Records(part)
    if isinstance(part, np.random.Generator):
        raise Unanswered
    return part


def _plain(value: Any) -> Any:
    """An answer of Python's own types."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return value.item() if isinstance(value, np.generic) else value


class _Records:
    """An array of records."""

    def __init__(self, array: Any) -> None:
        self._array, self.shape, self.size = array, array.shape, array.size

    def __getitem__(self, place: Any) -> Any:
        found = self._array[place]
        return found if isinstance(place, str) else _Record(found)


class _Record:
    """One of them: reads and writes what lies in the array."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Any) -> None:
        object.__setattr__(self, "_fields", fields)

    def __getattr__(self, name: str) -> Any:
        return self._fields[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self._fields[name] = value
