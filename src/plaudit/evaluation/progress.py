"""How far an evaluation is: a bar in a terminal, or nothing."""

import sys
from typing import Any, Protocol

from plaudit.evaluation.session import Session


class Progress(Protocol):
    """Is told about the session after every answer."""

    def show(self, session: Session) -> None:
        """Shows how far it is."""

    def close(self) -> None:
        """Leaves what was shown last."""


class Quiet:
    """Shows nothing."""

    def show(self, session: Session) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


class Bar:
    """A bar of the examples met, with candidates that are still in and calls."""

    def __init__(self, console: Any = None) -> None:
        # The bar's library takes a tenth of a second to load.
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=console or Console(stderr=True))
        self._task = self._bar.add_task("", total=None)
        self._bar.start()

    def show(self, session: Session) -> None:
        """Draws the bar anew."""
        race = session.race
        words = (
            f"example {race.rows:,} of {race.settings.examples:,}, {len(race.inside):,} of "
            f"{len(race):,} in, {session.calls:,} calls"
        )
        total = race.settings.examples
        self._bar.update(self._task, description=words, completed=race.rows, total=total)

    def close(self) -> None:
        """Draws the bar a last time."""
        self._bar.stop()


def progress_of(wanted: bool | None) -> Progress:
    """A bar if it is wanted; where nothing is said, if errors go to a terminal."""
    shown = sys.stderr.isatty() if wanted is None else wanted
    return Bar() if shown else Quiet()
