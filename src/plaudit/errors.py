"""The errors that Plaudit raises, one tree.

PlauditError
 ├── InvalidInput (also a ValueError): a number or setting outside its domain
 │    ├── UnknownName: no bound, algorithm, rule or label of that name
 │    └── VoteFileError: a file of votes that cannot be read, with its line
 ├── UnknownItem (also a LookupError): an item that the race does not have
 ├── NotAllowed: a step that this race cannot take, with what to do instead
 ├── DataUnavailable: a contest whose file is not there, cannot be fetched or is damaged
 └── MissingExtra: a part that a plain install leaves out, with how to get it

Every message says what was given, what is allowed and what to do next. An
error is raised before anything changes.
"""

import difflib
from collections.abc import Iterable


class PlauditError(Exception):
    """The root of Plaudit's errors: catch it to catch them all."""


class InvalidInput(PlauditError, ValueError):
    """A number or setting outside its domain."""


class UnknownName(InvalidInput):
    """No thing of that kind has that name; the message offers the nearest."""

    def __init__(self, kind: str, given: object, known: Iterable[str]) -> None:
        names = sorted(known)
        folded = {name.casefold(): name for name in names}
        wanted = str(given).strip().casefold()
        near = difflib.get_close_matches(wanted, folded, n=1, cutoff=0.5)
        hint = f" Did you mean {folded[near[0]]!r}?" if near else ""
        super().__init__(f"There is no {kind} named {given!r}.{hint} Known: {', '.join(names)}.")


class VoteFileError(InvalidInput):
    """A file of votes that cannot be read; `line` counts from 1, or is None."""

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message if line is None else f"Line {line}: {message}")
        self.line = line


class UnknownItem(PlauditError, LookupError):
    """An item that the race does not have."""


class NotAllowed(PlauditError):
    """A step that this race cannot take; the message says what to do instead."""


class DataUnavailable(PlauditError):
    """A contest whose file is not there, cannot be fetched or is damaged, with what to do."""


class MissingExtra(PlauditError):
    """A part that a plain install leaves out; the message says how to get it."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} need more packages: pip install 'plaudit[{extra}]'.")
