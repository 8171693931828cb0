"""The code before, taken from the history of the repository into a folder of its own."""

import io
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent.parent


@contextmanager
def source_of(revision: str) -> Iterator[Path]:
    """The `src` of a revision; or of a folder, where one has been checked out already."""
    folder = Path(revision) / "src"
    if folder.is_dir():
        yield folder.resolve()
        return
    with TemporaryDirectory(prefix="plaudit-before-") as made:
        _extract(revision, Path(made))
        yield Path(made) / "src"


def names_of(source: Path) -> str:
    """Which of `before` and `after` has the names of this code."""
    return "before" if (source / "plaudit/service/contests.py").exists() else "after"


def _extract(revision: str, folder: Path) -> None:
    command = ["git", "-C", str(ROOT), "archive", revision, "src"]
    try:
        packed = subprocess.run(command, capture_output=True, check=True).stdout
    except FileNotFoundError:
        raise SystemExit(
            "This benchmark takes the code before from git, which is not here."
        ) from None
    except subprocess.CalledProcessError as error:
        raise SystemExit(
            f"The code before, revision {revision!r}, is not in this repository: "
            f"{error.stderr.decode().strip()}. Fetch the whole history, or give another one with "
            "--before."
        ) from None
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
