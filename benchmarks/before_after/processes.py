"""The processes of both sides, as the parent sees them."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.before_after.code_trees import ROOT


class Spent(NamedTuple):
    """The seconds of one round."""

    cpu: float
    wall: float


class SideProcess:
    """A side that waits for lines; close it to end the process."""

    def __init__(self, side: str, source: Path, folder: Path) -> None:
        self._side, self._source = side, source
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (close() closes it)
        # Sets and dictionaries of text are laid out alike in all processes.
        variables = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(source), str(ROOT)]),
            "PYTHONHASHSEED": "0",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "benchmarks.before_after.side", side, str(folder)],
            env=variables, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self._errors,
        )  # fmt: skip

    def make(self, votes: int) -> None:
        """Makes the database that tasks copy."""
        self._check_source(self._ask(f"make {votes}"))

    def begin(self, task: str, url: str) -> None:
        """Makes what the rounds of a task need."""
        self._check_source(self._ask(f"begin {task} {url}"))

    def round(self) -> Spent:
        """What one round took."""
        return Spent(*self._ask("round"))

    def end(self) -> None:
        """Lets go of the task."""
        self._ask("end")

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()
        self._errors.close()

    def _check_source(self, file: str) -> None:
        if self._source not in Path(file).parents:
            raise SystemExit(f"{file} was measured, not the code in {self._source}.")

    def _ask(self, line: str) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise SystemExit(self._why(line))
        return json.loads(answer)

    def _why(self, line: str) -> str:
        self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().strip()
        return (
            f"{said}\n\nThe code in {self._source} ended at {line!r}. benchmarks/before_after/"
            f"{self._side}.py says where it has what is measured: if a name has moved, change it "
            "there."
        )


@contextmanager
def running(
    sides: Sequence[tuple[str, Path, Path]],
) -> Iterator[list[SideProcess]]:
    """A process for each side, source and folder."""
    with ExitStack() as stack:
        processes = []
        for given in sides:
            process = SideProcess(*given)
            stack.callback(process.close)
            processes.append(process)
        yield processes
