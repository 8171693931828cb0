"""Extras: what a plain install leaves out, looked for before it is used, and fetched by uvx.

uvx installs a plain Plaudit into a folder of its cache. Nobody can add an extra there afterwards,
so uv is asked for a folder that has it, and the command takes the place of this process. Where
Plaudit was installed otherwise, or not from an index, the error says what to do.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from plaudit.errors import MissingExtra, PlauditError

# The extras that were fetched already: one that is missing still is not fetched again.
FETCHED = "PLAUDIT_EXTRAS"


def require(extra: str, what: str, *packages: str) -> None:
    """Returns if all packages are installed; `MissingExtra` otherwise, about what needs them.

    >>> require("service", "Live contests", "click")
    """
    if any(find_spec(package) is None for package in packages):
        raise MissingExtra(what, extra)


def start_again(missing: MissingExtra) -> PlauditError:
    """Replaces this process by the same command with the extra; the error where that cannot be."""
    from importlib.metadata import distribution

    uv = os.environ.get("UV")
    fetched = os.environ.get(FETCHED, "").split()
    if not uv or missing.extra in fetched or not _is_in_cache_of(uv) or not _is_from_index():
        return missing
    extras = [*fetched, missing.extra]
    wanted = f"plaudit[{','.join(extras)}]"
    exactly = f"{wanted}=={distribution('plaudit').version}"
    sys.stderr.write(f"plaudit: {missing.what} need more packages: uv fetches {exactly}.\n")
    # The Python that was chosen for the first folder.
    run = [uv, "tool", "run", "--python", os.path.realpath(sys.executable), "--from", exactly]
    if subprocess.run([*run, "python", "-c", ""], check=False).returncode:
        return PlauditError(
            f"uv cannot fetch {exactly}. It knows no index that was given to uvx as an option: set "
            f"UV_INDEX or UV_FIND_LINKS instead, or run `uvx '{wanted}'` with the same options."
        )
    os.environ[FETCHED] = " ".join(extras)
    os.execvp(uv, [*run, "plaudit", *sys.argv[1:]])


def _is_in_cache_of(uv: str) -> bool:
    try:
        said = subprocess.run([uv, "cache", "dir"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return Path(sys.prefix).resolve().is_relative_to(Path(said.stdout.strip()).resolve())


def _is_from_index() -> bool:
    """Whether an index has this version; one from a folder or a repository may be in none."""
    from importlib.metadata import distribution

    return distribution("plaudit").read_text("direct_url.json") is None
