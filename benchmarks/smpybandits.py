"""SMPyBandits 0.9.7 in an environment of its own, outside the repository.

The release does not import with the newest SciPy; with one below 1.13 it does, and that has
wheels for Python 3.9 to 3.12 only, so an interpreter among those is looked for. The
environment is made once and kept in the user's cache folder (XDG_CACHE_HOME or ~/.cache).
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PINS = ("SMPyBandits==0.9.7", "numpy<2", "scipy<1.13")
PYTHONS = ("python3.9", "python3.10", "python3.11", "python3.12")
PROBE = "from SMPyBandits.Policies.kullback import klucbBern"
PATIENCE_SECONDS = 600


def environment() -> Path | None:
    """The interpreter of an environment that can import SMPyBandits, or None."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "plaudit-benchmarks" / "smpybandits-0.9.7"
    python = folder / "bin" / "python"
    if _works(python):
        return python
    for base in _interpreters():
        shutil.rmtree(folder, ignore_errors=True)
        if _made(base, folder) and _works(python):
            return python
    shutil.rmtree(folder, ignore_errors=True)
    return None


def _interpreters() -> Iterator[str]:
    """Interpreters on PATH, then pyenv's, then this one, if it is old enough."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for name in PYTHONS:
        found = [shutil.which(name), *sorted(str(p) for p in pyenv.glob(f"*/bin/{name}"))]
        yield from (path for path in found if path and _runs([path, "--version"]))
    if sys.version_info < (3, 13):
        yield sys.executable


def _made(base: str, folder: Path) -> bool:
    install = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    return _runs([base, "-m", "venv", str(folder)]) and _runs(
        [*install, "--disable-pip-version-check", "--only-binary=:all:", *PINS]
    )


def _works(python: Path) -> bool:
    return python.exists() and _runs([str(python), "-W", "ignore", "-c", PROBE])


def _runs(command: list[str]) -> bool:
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=PATIENCE_SECONDS, env=plain_environment()
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def plain_environment() -> dict[str, str]:
    """The environment variables, without those that point at this Python's packages."""
    dropped = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name not in dropped}
