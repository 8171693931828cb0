"""A real terminal for a command, to test progress that is shown while it works."""

import os
import pty
import subprocess
import sys

PATIENCE = 120


def on_a_terminal(*arguments: str) -> tuple[str, str]:
    """What `plaudit` shows on a terminal while it works, and what it prints as its result."""
    screen, terminal = pty.openpty()
    command = [sys.executable, "-m", "plaudit", *arguments]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, text=True)
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
