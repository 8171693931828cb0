"""Measurements in fresh processes, with or without compiled kernels.

Compiled kernels are kept beside the package. A cold start therefore runs from a copy of the
package without them, in a temporary folder, and leaves the installed one alone.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import plaudit


def measure(code: str, *, package: Path | None = None) -> Any:
    """The last line that a fresh Python prints when it runs the code, read as JSON."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=environment(package),
    )
    if package is not None and not any((package / "__pycache__").glob("kernels-*")):
        raise RuntimeError(f"The code compiled nothing in {package}: it used another Plaudit.")
    return json.loads(done.stdout.splitlines()[-1])


def environment(package: Path | None = None) -> dict[str, str]:
    """Environment variables under which Python imports the given copy of the package."""
    variables = dict(os.environ)
    if package is not None:
        before = [variables["PYTHONPATH"]] if variables.get("PYTHONPATH") else []
        variables["PYTHONPATH"] = os.pathsep.join([str(package.parent), *before])
    return variables


@contextmanager
def cold_copy() -> Iterator[Path]:
    """A copy of the package without any compiled kernels or byte code."""
    source = Path(plaudit.__file__).parent
    # A process that makes rarer kernels may outlive the one that was measured.
    with tempfile.TemporaryDirectory(prefix="plaudit-cold-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / "plaudit"
        shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__", "shipped"))
        yield copy
