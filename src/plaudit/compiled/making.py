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
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from plaudit.compiled import loading
from plaudit.compiled.building import LESS_URGENT, Wanted, file_of, lists_in, shipped_file_of
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
BUILDER = (sys.executable, "-m", "plaudit.compiled.build_files")
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
    _begun(wanted, beside).wait_and_say()


def begin(wanted: Wanted, beside: tuple[Wanted, ...]) -> bool:
    """Has the file of a list made, without waiting; false once it is there, or cannot be made."""
    return _begun(wanted, beside).is_busy


def _begun(wanted: Wanted, beside: tuple[Wanted, ...]) -> "_Maker":
    """Who makes a list. Another process makes the likeliest of the others, then the rest."""
    with _lock:
        if wanted not in _started:
            _started[wanted] = _Maker([wanted])
            others = [other for other in beside if other not in _started and wanted in beside]
            others = [other for other in others if not is_sound(file_of(other))]
            others.sort(key=lambda other: _first(other) != _first(wanted))
            for other in others[:1]:
                _started[other] = _Maker([other], later=others[1:])
        return _started[wanted]


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


@cache
def _explain_once() -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write("Plaudit compiles its code, once after an install. One moment.\n")


class _Maker:
    """A process that makes the files of some lists, and then of others, with less urgency."""

    def __init__(
        self,
        lists: Sequence[Wanted],
        urgency: int = 0,
        *,
        later: Sequence[Wanted] = (),
        file_of: Callable[[Wanted], Path] = file_of,
        portable: bool = False,
    ) -> None:
        self._files = [file_of(wanted) for wanted in lists]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        # A pipe may hold less than what is asked for, and nobody should wait to be heard.
        with tempfile.TemporaryFile() as asked:
            files = [[(str(file_of(one)), one) for one in some] for some in (lists, later)]
            asked.write(json.dumps(files).encode())
            asked.seek(0)
            self._process = subprocess.Popen(
                [*BUILDER, str(urgency), kernel_fingerprint(), *(["portable"] * portable)],
                stdin=asked,
                # Closed once the first files are there. Nothing is buffered: there is no lock that
                # the thread below could hold when this process ends.
                stdout=subprocess.PIPE,
                bufsize=0,
                stderr=self._errors,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        self._done = threading.Event()
        threading.Thread(target=self._follow, daemon=True).start()

    @property
    def is_busy(self) -> bool:
        """Whether the first files are yet to come."""
        return not self._done.is_set()

    def wait(self) -> None:
        """Returns when the first files are there, or cannot be made."""
        self._done.wait()

    def wait_and_say(self) -> None:
        """The same; whoever sits at a terminal is told why nothing happens."""
        if not self._done.wait(PATIENCE_SECONDS):
            _explain_once()
            self._done.wait()

    def _follow(self) -> None:
        with self._errors, cast(Any, self._process.stdout) as told:
            told.read()
            if all(map(is_sound, self._files)):
                self._done.set()
            # A negative code is that of a signal.
            if self._process.wait() > 0:
                self._errors.seek(0)
                said = self._errors.read().decode(errors="replace")
                _log.warning("Kernels could not be made ahead, so numba makes them: %s", said)
        self._done.set()
