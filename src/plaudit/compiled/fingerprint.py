"""Where compiled kernels are kept, and the hash of their sources that names the folder.

Any edit of a kernel, and any other version of numba, starts a new cache. Machine code that was
made for another processor has another name in it.
"""

import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

SECONDS_TO_KEEP = 24 * 3600
PACKAGE = Path(__file__).parent.parent
ROOMS_WITH_KERNELS = ("bounds", "race", "simulation")
# Executors say where a part of a study runs, which must not matter to its result.
WITHOUT_KERNELS = "executors"
COMPILERS = ("numba", "llvmlite")
# The modules beside this one that decide what machine code looks like.
MAKERS = (
    "builder.py",
    "loading.py",
    "method_code.py",
    "methods.py",
    "packing.py",
    "quicker.py",
    "with_numba.py",
)


@cache
def kernel_fingerprint() -> str:
    """A hash of all kernel sources: the same where the same code computes."""
    whole = source_hash().encode() + b"".join(map(_version_of, COMPILERS))
    return hashlib.sha256(whole).hexdigest()[:16]


@cache
def source_hash() -> str:
    """The same for any version of the compilers."""
    digest = hashlib.sha256()
    for source in (*(PACKAGE / "compiled" / name for name in MAKERS), *kernel_sources()):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _version_of(package: str) -> bytes:
    """What a package says about its version, without importing it."""
    found = find_spec(package)
    folder = Path(found.origin or "").parent if found else Path()
    return (folder / "_version.py").read_bytes()


def kernel_sources() -> Iterator[Path]:
    """The files with kernels, and with what decides their results, always in the same order."""
    for room in ROOMS_WITH_KERNELS:
        for source in sorted((PACKAGE / room).rglob("*.py")):
            if source.parent.name != WITHOUT_KERNELS:
                yield source
    yield PACKAGE / "theory.py"


def shipped_folder() -> Path:
    """The folder for kernels that come with a package, if it was built with them."""
    return PACKAGE / "compiled" / "shipped"


@cache
def cache_folder() -> Path:
    """The folder for kernels of these sources: beside the package, or the user's, or for now."""
    name = f"kernels-{kernel_fingerprint()}"
    for parent in (PACKAGE / "__pycache__", _user_cache()):
        folder = parent / name
        if folder.exists() and os.access(folder, os.W_OK):
            return folder
        try:
            parent.mkdir(parents=True, exist_ok=True)
            _drop_old(parent)
            folder.mkdir(exist_ok=True)
        except OSError:
            continue
        return folder
    import tempfile

    return Path(tempfile.mkdtemp(prefix="plaudit-kernels-"))


def _user_cache() -> Path:
    base = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    return Path(base or Path.home() / ".cache") / "plaudit"


def _drop_old(parent: Path) -> None:
    """Removes caches of other sources, but not one that a running process may still use."""
    for old in parent.glob("kernels-*"):
        if time.time() - old.stat().st_mtime > SECONDS_TO_KEEP:
            shutil.rmtree(old, ignore_errors=True)
