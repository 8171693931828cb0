"""The process that makes files of kernels: `making` starts it, and it goes on by itself.

It takes its turn for each file, and imports numba only where nobody else has made it by then. So
many that are started at the same time are cheap.
"""

import gc
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from plaudit.compiled import loading
from plaudit.compiled.building import LESS_URGENT
from plaudit.compiled.fingerprint import kernel_fingerprint

# What to say to have files that can be shipped.
PORTABLE = "portable"


def main() -> None:
    """Reads files and what is wanted in each, as JSON: those to make now, and those for later."""
    if sys.argv[2] != kernel_fingerprint():
        # Whoever asks began with other sources, and would load what does not fit.
        sys.exit("The sources have changed: start the process again that wants these kernels.")
    _yield_to_others(int(sys.argv[1]))
    # Nearly all that is made here is needed until the end.
    gc.disable()
    now, later = json.load(sys.stdin)
    _make(now)
    # Whoever waits reads what is printed here: this is its end.
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
    _yield_to_others(LESS_URGENT)
    _make(later)


def _yield_to_others(urgency: int) -> None:
    if hasattr(os, "nice"):
        os.nice(urgency)


def _make(asked: list[Any]) -> None:
    """Makes those files that are not there."""
    for name, wanted in asked:
        file = Path(name)
        file.parent.mkdir(exist_ok=True)
        with _alone(file.with_suffix(".lock")):
            # Another process may have made it while this one waited.
            if not loading.is_sound(file):
                loading.put(file, _built(wanted, file.stem))


def _built(wanted: list[Any], prefix: str) -> bytes:
    from plaudit.compiled import builder

    builder.set_up(portable=PORTABLE in sys.argv)
    return builder.build([(kernel, loading.tuples(codes)) for kernel, codes in wanted], prefix)


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Lets one process at a time in, where the system can do that."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with file.open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    main()
