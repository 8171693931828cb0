"""A real terminal for a command, so that what moves is seen to move."""

import os
import pty
import subprocess
import sys

PATIENCE = 120


def on_a_terminal(*arguments: str) -> tuple[str, str]:
    """What `plaudit` shows on a terminal while it works, and what it answers apart from it."""
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
            # How Linux says that nobody is left to write.
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts).decode(errors="replace")
