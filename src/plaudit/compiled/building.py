"""Finds the machine code of a kernel: in memory, on disk, or by having it made.

The kernels that Python calls are listed in modules named `entries`, beside those that have them.
`lists()` gives lists of kernels, each with an example of its arguments. One file has all kernels
of a list.
"""

import hashlib
import json
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from plaudit.compiled.fingerprint import cache_folder, shipped_folder
from plaudit.compiled.loading import Call, load, processor
from plaudit.compiled.packing import Code, Kept, passed_as

Wanted = tuple[tuple[str, Code], ...]
# What is made for later yields to what somebody waits for. But not without end: on a busy machine
# it would never be done, and others may wait for its lock.
LESS_URGENT = 5

_locks: dict[Wanted, threading.Lock] = {}
_loaded: dict[Wanted, dict[tuple[str, Code], Call]] = {}
_thread = threading.local()


class StillCompiling(RuntimeError):
    """A kernel is being made by another process, and this thread does not wait for it."""


@contextmanager
def without_waiting() -> Iterator[None]:
    """In the block, a kernel that must be made first is begun, and raises `StillCompiling`."""
    before = is_patient()
    _thread.patient = False
    try:
        yield
    finally:
        _thread.patient = before


def is_patient() -> bool:
    """Whether this thread waits for kernels."""
    return getattr(_thread, "patient", True)


def find(kernel: Any, codes: Code, given: Any) -> Call | None:
    """The kernel for arguments of these codes; None where only numba can have it."""
    wanted = _list_with(kernel, codes, given)
    if wanted is None or sys.byteorder != "little":
        return None
    if wanted not in _loaded:
        with _alone(wanted):
            if wanted not in _loaded:
                _loaded[wanted] = load(file_of(wanted)) or _made(wanted, kernel) or {}
    return _loaded[wanted].get((kernel.name, codes))


@contextmanager
def _alone(wanted: Wanted) -> Iterator[None]:
    """Lets one thread at a time load a list; nobody waits for those who have another made."""
    lock = _locks.setdefault(wanted, threading.Lock())
    if not lock.acquire(blocking=is_patient()):
        raise StillCompiling
    try:
        yield
    finally:
        lock.release()


def _made(wanted: Wanted, kernel: Any) -> dict[tuple[str, Code], Call] | None:
    import logging

    from plaudit.compiled.making import begin, make, unpack

    if not unpack(wanted) and _can_make():
        beside = _lists_beside(kernel)
        if not is_patient() and begin(wanted, beside):
            raise StillCompiling
        make(wanted, beside)
    known = load(file_of(wanted))
    if known is None:
        logging.getLogger(__name__).warning("There is no code for %s: numba makes it.", kernel.name)
    return known


def _can_make() -> bool:
    """Whether Python can be started, and not some program that it is part of."""
    python = Path(sys.executable or "").name.startswith("python")
    return python and not getattr(sys, "frozen", False)


def _list_with(kernel: Any, codes: Code, given: Any) -> Wanted | None:
    """The list that a kernel is in. One that takes a race but is in no list has one of its own.

    Not so those that are copied into their callers: Python calls them only in tests.
    """
    for wanted in _lists_beside(kernel):
        if (kernel.name, codes) in wanted:
            return wanted
    alone = isinstance(given[0], Kept) and not kernel.forceinline
    return ((kernel.name, codes),) if alone else None


def _lists_beside(kernel: Any) -> tuple[Wanted, ...]:
    """All lists of the nearest module named `entries`."""
    package = kernel.function.__module__
    while "." in package:
        package = package.rpartition(".")[0]
        name = f"{package}.entries"
        if name in sys.modules or find_spec(name):
            return lists_in(name)
    return ()


@cache
def lists_in(module: str) -> tuple[Wanted, ...]:
    """The lists of a module, as names and codes."""

    def coded(listed: Iterable[Any]) -> Iterator[tuple[str, Code]]:
        for kernel, given in listed:
            yield kernel.name, tuple(passed_as(argument)[0] for argument in given)

    return tuple(tuple(coded(listed)) for listed in import_module(module).lists())


@cache
def file_of(wanted: Wanted) -> Path:
    """Where the kernels of a list are kept: code for another processor is in another file."""
    return cache_folder() / f"{_digest([wanted, processor()])}.kernels"


@cache
def shipped_file_of(wanted: Wanted) -> Path:
    """Where a package that was built for others may have them, for any processor."""
    return shipped_folder() / f"{_digest([wanted])}.kernels"


def _digest(named: Any) -> str:
    return hashlib.sha256(json.dumps(named).encode()).hexdigest()[:16]
