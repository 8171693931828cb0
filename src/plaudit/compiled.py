"""The one way in which Plaudit compiles: with numba, without Python's lock, cached on disk.

Numba's own cache checks only the file of the function that is called: after an edit in
another file, a caller would keep the old machine code of the edited function. The name
of Plaudit's cache folder therefore contains a fingerprint of all kernel sources, so that
any edit starts a new cache.
"""

import hashlib
import inspect
import os
import shutil
import time
from collections.abc import Callable, Iterator
from functools import cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.extending import overload

P = ParamSpec("P")
R = TypeVar("R")

SECONDS_TO_KEEP = 24 * 3600
# Kernels only read and write arrays that Python owns: without reference counts a call costs
# nothing, where passing a race's arrays would cost microseconds.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
ROOMS_WITH_KERNELS = ("bounds", "race", "simulation")
# Executors say where a part of a study runs, which must not matter to its result.
WITHOUT_KERNELS = "executors"


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function as machine code, made at its first call and kept on disk."""
    return _compile(function, forceinline=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """The same, copied into its callers: for small functions and those with many arguments."""
    return _compile(function, forceinline=True)


def rarely(answer: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compiles a function into those kernels alone whose state has something in `rare`.

    Numba compiles everything that a kernel may call. The kernels of other states never call this
    function, so a function that returns `answer`, of the same type, takes its place there. Most
    races do without the rare rules, and their kernels are ready in a third of the time.
    """

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        kernel = compiled(function)
        instead = _constant(len(inspect.signature(function).parameters), answer)

        @wraps(function)
        def chosen(*given: P.args, **named: P.kwargs) -> R:
            return kernel(*given, **named)

        def choose(state: Any, *_given: Any) -> Callable[..., Any]:
            parts = dict(zip(state.fields, state.types, strict=True))
            return function if len(parts["rare"]) else instead

        # The wrapper stands for the function where numba meets its name.
        overload(chosen, jit_options=_OPTIONS, strict=False)(choose)
        return chosen

    return wrap


def _constant(parameters: int, answer: Any) -> Callable[..., Any]:
    def of_one(state: Any) -> Any:
        return answer

    def of_two(state: Any, given: Any) -> Any:
        return answer

    return (of_one, of_two)[parameters - 1]


def _compile(function: Callable[P, R], *, forceinline: bool) -> Callable[P, R]:
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(_cache_folder())
    try:
        kernel = numba.njit(cache=True, forceinline=forceinline, **_OPTIONS)(function)
    finally:
        numba.config.CACHE_DIR = before
    return cast(Callable[P, R], kernel)


@cache
def kernel_fingerprint() -> str:
    """A hash of all kernel sources: the same where the same code computes."""
    digest = hashlib.sha256(numba.__version__.encode() + Path(__file__).read_bytes())
    for source in kernel_sources():
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def kernel_sources() -> Iterator[Path]:
    """The files with kernels, and with what decides their results, always in the same order."""
    for room in ROOMS_WITH_KERNELS:
        for source in sorted((Path(__file__).parent / room).rglob("*.py")):
            if source.parent.name != WITHOUT_KERNELS:
                yield source


@cache
def _cache_folder() -> Path:
    parent = _writable(Path(__file__).parent / "__pycache__") or _user_cache()
    folder = parent / f"kernels-{kernel_fingerprint()}"
    if not folder.exists():
        _drop_old(parent)
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _writable(folder: Path) -> Path | None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def _user_cache() -> Path:
    base: Any = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    return Path(base or Path.home() / ".cache") / "plaudit"


def _drop_old(parent: Path) -> None:
    """Removes caches of other sources, but not one that a running process may still use."""
    for old in parent.glob("kernels-*"):
        if time.time() - old.stat().st_mtime > SECONDS_TO_KEEP:
            shutil.rmtree(old, ignore_errors=True)
