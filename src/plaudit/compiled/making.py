"""Has files of kernels made, each list by a process of its own.

So no other process ever imports numba. A process that makes files writes them itself, and goes on
where the one that started it ends.
"""

import itertools
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from plaudit.compiled import loading
from plaudit.compiled.building import Wanted, file_of, lists_in, shipped_file_of
from plaudit.compiled.fingerprint import kernel_fingerprint, shipped_folder, source_hash
from plaudit.compiled.loading import is_sound, translate
from plaudit.compiled.packing import Code

_log = logging.getLogger(__name__)
# Who makes which list; the lock is held only to look at it and to change it.
_started: dict[Wanted, "_Maker"] = {}
_lock = threading.Lock()
ALL_LISTS = (
    "plaudit.race.entries",
    "plaudit.simulation.entries",
    "plaudit.race.paired.entries",
    "plaudit.race.finite.entries",
    "plaudit.bounds.entries",
)
BUILDER = (sys.executable, "-m", "plaudit.compiled.builder")
# What is made for later yields to what somebody waits for. But not without end: on a busy machine
# it would never be done, and others may wait for its lock.
LESS_URGENT = 5
JUST_BEGUN_SECONDS = 2.0
# A wait that is longer than this is explained.
PATIENCE_SECONDS = 1.0


def unpack(wanted: Wanted) -> bool:
    """Makes the file of a list from the one that came with the package, if there is one."""
    made = translate(shipped_file_of(wanted), source_hash())
    if made is not None:
        loading.put(file_of(wanted), made)
    return made is not None


def make(wanted: Wanted, beside: tuple[Wanted, ...]) -> None:
    """Makes the file of a list. Others beside it are soon wanted too: they are begun."""
    own, others = _begun(wanted, beside)
    own.wait_and_say()
    with _lock:
        for other in others:
            if other not in _started:
                _started[other] = _Maker([other], LESS_URGENT)


def begin(wanted: Wanted, beside: tuple[Wanted, ...]) -> bool:
    """Has the file of a list made, without waiting; false once the process for it has ended."""
    return _begun(wanted, beside)[0].is_busy


def _begun(wanted: Wanted, beside: tuple[Wanted, ...]) -> tuple["_Maker", list[Wanted]]:
    """Who makes a list now, and the others that are missing; the likeliest of them is begun."""
    with _lock:
        own = _started[wanted] = _hurried(wanted)
        soon = beside if wanted in beside else ()
        others = [other for other in soon if other not in _started]
        others = [other for other in others if not is_sound(file_of(other))]
        others.sort(key=lambda other: _first(other) != _first(wanted))
        for other in others[:1]:
            _started[other] = _Maker([other])
    return own, others


def make_all() -> None:
    """Makes the files of all lists that there are: a process for each kind of first argument.

    Usual races come first.
    """
    alike: dict[Code, list[Wanted]] = {}
    for wanted in _all_lists():
        if not is_sound(file_of(wanted)) and not unpack(wanted):
            alike.setdefault(_first(wanted), []).append(wanted)
    urgencies = itertools.chain([0], itertools.repeat(LESS_URGENT))
    started = [_Maker(*some) for some in zip(alike.values(), urgencies, strict=False)]
    for maker in started:
        maker.wait()


def ship() -> None:
    """Makes the files that a package for others has: they need no numba on such a processor."""
    shutil.rmtree(shipped_folder(), ignore_errors=True)
    _Maker(list(_all_lists()), file_of=shipped_file_of, portable=True).wait()


def _all_lists() -> Iterator[Wanted]:
    return itertools.chain.from_iterable(map(lists_in, ALL_LISTS))


def _first(wanted: Wanted) -> Code:
    """The code of the first argument: what takes the same state calls much the same functions."""
    return wanted[0][1][0]


def _hurried(wanted: Wanted) -> "_Maker":
    """A process that makes a list; one that yields to others is stopped if it has just begun."""
    maker = _started.pop(wanted, None)
    if maker is not None and maker.yields and maker.has_just_begun:
        maker.stop()
        maker = None
    return maker or _Maker([wanted])


@cache
def _explain_once() -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write("Plaudit compiles its code, once after an install. One moment.\n")


class _Maker:
    """A process that makes the files of some lists."""

    def __init__(
        self,
        lists: list[Wanted],
        urgency: int = 0,
        *,
        file_of: Callable[[Wanted], Path] = file_of,
        portable: bool = False,
    ) -> None:
        self.yields = urgency > 0
        self._since = time.monotonic()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        # A pipe may hold less than what is asked for, and nobody should wait to be heard.
        with tempfile.TemporaryFile() as asked:
            files = [(str(file_of(wanted)), wanted) for wanted in lists]
            asked.write(json.dumps(files).encode())
            asked.seek(0)
            self._process = subprocess.Popen(
                [*BUILDER, str(urgency), kernel_fingerprint(), *(["portable"] * portable)],
                stdin=asked,
                # Whoever reads what this process prints must not wait for the other.
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        self._done = threading.Thread(target=self._end, daemon=True)
        self._done.start()

    @property
    def has_just_begun(self) -> bool:
        """Whether another process that hurries would be done sooner."""
        return time.monotonic() - self._since < JUST_BEGUN_SECONDS

    @property
    def is_busy(self) -> bool:
        """Whether the process runs."""
        return self._done.is_alive()

    def wait(self) -> None:
        """Returns when the files are there, or cannot be made."""
        self._done.join()

    def wait_and_say(self) -> None:
        """The same; whoever sits at a terminal is told why nothing happens."""
        self._done.join(PATIENCE_SECONDS)
        if self._done.is_alive():
            _explain_once()
        self._done.join()

    def stop(self) -> None:
        """Ends the process; files that it has made are there."""
        self._process.terminate()
        self._done.join()

    def _end(self) -> None:
        with self._errors:
            # A negative code is that of a signal.
            if self._process.wait() > 0:
                self._errors.seek(0)
                said = self._errors.read().decode(errors="replace")
                _log.warning("Kernels could not be made ahead, so numba makes them: %s", said)
