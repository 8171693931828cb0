"""The command line: one module a verb, loaded only when it is called."""

from plaudit.cli.main import main

__all__ = ["main"]
