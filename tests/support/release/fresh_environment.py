"""A fresh environment with Plaudit from a local index, without a network."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from plaudit.compiled.fingerprint import PACKAGE, cache_folder, kernel_sources

UV = str(Path(sys.executable).parent / "uv")


class Fresh:
    """What `uv` installs offline from a folder of wheels, into its own cache and environment."""

    def __init__(self, folder: Path, index: Path) -> None:
        self.folder, self.index = folder, index
        self.python = folder / "venv" / "bin" / "python"
        self._offline = ["--offline", "--no-index", "--find-links", str(index)]
        # Nothing of the tests' own environment must be seen there.
        mine = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "UV_")
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith(mine)
        } | {"UV_CACHE_DIR": str(folder / "cache"), "UV_NO_CONFIG": "1"}

    def install(self, *wanted: str) -> None:
        """Makes the environment and installs into it."""
        self.run(UV, "venv", "--quiet", "--python", sys.executable, str(self.folder / "venv"))
        self.run(UV, "pip", "install", "--quiet", "--python", str(self.python), *self._offline,
                 *wanted)  # fmt: skip

    def command(self, *words: str) -> list[str]:
        """A command of the environment."""
        return [str(self.python.parent / words[0]), *words[1:]]

    def uvx(self, wanted: str, *words: str) -> list[str]:
        """What `uvx` runs: a tool in an environment that it makes for it."""
        python = ["--python", sys.executable]
        return [UV, "tool", "run", "--quiet", *python, *self._offline, "--from", wanted, *words]

    def by_environment(self) -> "Fresh":
        """The same folder for those who name the index by the environment, not by options."""
        other = Fresh(self.folder, self.index)
        other._offline = []
        other.environment |= {"UV_OFFLINE": "1", "UV_FIND_LINKS": str(self.index)}
        return other

    def run(self, *command: str) -> str:
        """What a command prints; fails with all of it if the command does."""
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def share_kernels(package: Path) -> None:
    """Gives an installed copy the kernels that were compiled for this one, if there are any.

    The sources are the same, byte for byte, so the machine code is.
    """
    for source in kernel_sources():
        assert (package / source.relative_to(PACKAGE)).read_bytes() == source.read_bytes()
    kept = cache_folder()
    shutil.copytree(kept, package / "__pycache__" / kept.name, dirs_exist_ok=True)
