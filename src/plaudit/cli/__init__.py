"""The command line: one module for each verb, loaded only when the verb is called."""

from plaudit.cli.main import main

__all__ = ["main"]
