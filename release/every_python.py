"""Runs the tests of the library with every Python that is here: `make pythons`.

Each gets an environment of its own below build/. A version that is not installed is named, not
passed over in silence; the exit code is 1 only where tests fail.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NEEDED = [".[service]", "pytest>=8.3", "hypothesis>=6.115", "mpmath>=1.3"]
TESTS = [
    "tests/test_package.py",
    "tests/bounds/test_bounds.py",
    "tests/race",
    "tests/evaluation",
    "tests/proof",
    "tests/store",
    "tests/client",
]


def interpreter(version: str) -> str | None:
    """A Python of this version, on the path or among those of pyenv."""
    found = [shutil.which(f"python{version}")]
    places = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    found += [str(path) for path in places.glob(f"{version}.*/bin/python")]
    return next((path for path in found if path and _is(path, version)), None)


def _is(path: str, version: str) -> bool:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    said = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
    return said.stdout.strip() == version


def passes(version: str, python: str) -> bool:
    """Whether the tests pass in a new environment of this Python."""
    folder = ROOT / "build" / f"python-{version}"
    subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True)
    own = str(folder / "bin" / "python")
    quiet = ["--quiet", "--disable-pip-version-check", "--no-compile"]
    subprocess.run([own, "-m", "pip", "install", *quiet, *NEEDED], cwd=ROOT, check=True)
    marks = ["-q", "-m", "not slow", "-p", "no:cacheprovider"]
    # The sources of the checkout, with what this Python has installed.
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([own, "-m", "pytest", *marks, *TESTS], cwd=ROOT, env=environment)
    return done.returncode == 0


def main(*versions: str) -> int:
    """Says for each version whether it passes, fails or is not here."""
    said = {}
    for version in versions:
        python = interpreter(version)
        said[version] = "not here" if python is None else _word(passes(version, python))
    for version, word in said.items():
        sys.stdout.write(f"Python {version}: {word}\n")
    return 1 if "fails" in said.values() else 0


def _word(passed: bool) -> str:
    return "passes" if passed else "fails"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
