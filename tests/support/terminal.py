"""Commands as people call them: in this process, or on a real terminal while they work."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from click.testing import CliRunner, Result

from plaudit.cli import main

PATIENCE = 120


class CommandLine:
    """`plaudit` with these first words, in this process."""

    def __init__(self, *words: str, **environment: str) -> None:
        self._words, self._environment = words, environment

    def run(self, *arguments: object) -> Result:
        """What the command prints, and its exit code."""
        words = [*self._words, *map(str, arguments)]
        return CliRunner().invoke(main, words, env=self._environment)

    def answer(self, *arguments: object, code: int = 0) -> Any:
        """What it prints for machines."""
        outcome = self.run(*arguments, "--json")
        assert outcome.exit_code == code, outcome.output
        return json.loads(outcome.stdout)

    def refused(self, *arguments: object) -> str:
        """The error of a command that does nothing else."""
        outcome = self.run(*arguments)
        assert outcome.exit_code == 2, outcome.output
        assert outcome.stdout == ""
        assert "Traceback" not in outcome.stderr
        return outcome.stderr


def on_a_terminal(*arguments: str) -> tuple[str, str]:
    """What `plaudit` shows on a terminal while it works, and what it prints as its result."""
    return run_on_a_terminal([sys.executable, "-m", "plaudit", *arguments])


def run_on_a_terminal(
    command: Sequence[str], env: Mapping[str, str] | None = None
) -> tuple[str, str]:
    """What any command shows on a terminal, and what it prints as its result."""
    screen, terminal = pty.openpty()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, text=True, env=env)
    os.close(terminal)
    shown = _read_to_the_end(screen)
    os.close(screen)
    answer, _ = child.communicate(timeout=PATIENCE)
    assert child.returncode == 0, shown
    return shown, answer


def _read_to_the_end(screen: int) -> str:
    parts = []
    while True:
        try:
            part = os.read(screen, 65536)
        except OSError:
            # Linux reports so that the other end is closed.
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts).decode(errors="replace")
