"""The errors that Plaudit raises, one tree.

PlauditError
 ├── InvalidInput (also a ValueError): a number or setting outside its domain
 │    ├── UnknownName: no bound, algorithm, rule or label of that name
 │    ├── WrongField: a field of a form, by its name
 │    └── VoteFileError: a file of votes that cannot be read, with its line
 ├── UnknownItem (also a LookupError): an item that the race does not have
 ├── NotAllowed: a step that this race cannot take, with what to do instead
 ├── DataUnavailable: a contest whose file is not there, cannot be fetched or is damaged
 ├── MissingExtra: a part that a plain install leaves out, with how to get it
 └── LiveError: what a live contest refuses; `code` is stable, for programs
      ├── UnknownContest (also a LookupError): no contest of that name
      ├── ContestExists: the name is taken
      ├── NotOpen: the contest takes no answers now
      ├── EpochMoved: someone else changed the contest in the meantime
      ├── NotPermitted: a step that this role may not take
      ├── AccountExists: an account of that name is there
      ├── LinkGone: a link that was used, replaced or is too old
      ├── LastOwner: a step that would leave nobody who owns the desk
      ├── SignInRefused: a name and password that do not belong together
      │    └── TooManyGuesses: so many that the next must wait
      ├── ArchiveDamaged: an export that does not add up to what it says
      ├── TicketRefused: a ticket that was not given out here, or not to this rater
      │    └── TicketExpired: a ticket that is too old
      └── StoreUnavailable: the store cannot be reached; the same call may succeed later
           └── StoreFull: there is no room left to write

Every message says what was given, what is allowed and what to do next. An
error is raised before anything changes.
"""

import difflib
from collections.abc import Iterable

__all__ = [
    "AccountExists",
    "ArchiveDamaged",
    "ContestExists",
    "DataUnavailable",
    "EpochMoved",
    "InvalidInput",
    "LastOwner",
    "LinkGone",
    "LiveError",
    "MissingExtra",
    "NotAllowed",
    "NotOpen",
    "NotPermitted",
    "PlauditError",
    "SignInRefused",
    "StoreFull",
    "StoreUnavailable",
    "TicketExpired",
    "TicketRefused",
    "TooManyGuesses",
    "UnknownContest",
    "UnknownItem",
    "UnknownName",
    "VoteFileError",
    "WrongField",
]


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


class WrongField(InvalidInput):
    """A field of a form has a value that is not allowed; `field` is its name."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


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


class LiveError(PlauditError):
    """What a live contest refuses; `code` is stable, for programs."""

    code = "refused"


class UnknownContest(LiveError, LookupError):
    """No contest has that name."""

    code = "unknown_contest"

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"There is no contest named {name!r}. `plaudit contest list` shows them.")


class ContestExists(LiveError):
    """The name is taken."""

    code = "contest_exists"

    def __init__(self, name: str) -> None:
        super().__init__(f"There is a contest named {name!r} already. Choose another name.")


class NotOpen(LiveError):
    """The contest takes no answers now."""

    code = "not_open"


class EpochMoved(LiveError):
    """Someone else changed the contest in the meantime; look again, then repeat the step."""

    code = "changed_meanwhile"


class NotPermitted(LiveError):
    """A step that this role may not take."""

    code = "not_permitted"


class AccountExists(LiveError):
    """The name is taken."""

    code = "account_exists"

    def __init__(self, name: str) -> None:
        super().__init__(f"There is an account named {name!r} already. Choose another name.")


class LinkGone(LiveError):
    """A link that was used, replaced or is too old."""

    code = "link_gone"

    def __init__(self) -> None:
        super().__init__(
            "This link was used already, was replaced by a newer one, or is too old. Ask whoever "
            "gave it to you for a new one."
        )


class LastOwner(LiveError):
    """A step that would leave nobody who owns the desk."""

    code = "last_owner"

    def __init__(self) -> None:
        super().__init__("This is the last owner, and the desk needs one: make another one first.")


class SignInRefused(LiveError):
    """A name and password that do not belong together; the error does not say which is wrong."""

    code = "sign_in_refused"


class TooManyGuesses(SignInRefused):
    """So many wrong passwords that the next must wait; `seconds` says how long."""

    code = "too_many_guesses"

    def __init__(self, seconds: int) -> None:
        wait = f"{seconds} seconds" if seconds <= 90 else f"{-(-seconds // 60)} minutes"
        super().__init__(
            f"Too many attempts. Wait {wait}, then try again. If you have lost your password, ask "
            "an owner for a link."
        )
        self.seconds = seconds


class ArchiveDamaged(LiveError):
    """An export that does not add up to what it says."""

    code = "archive_damaged"


class TicketRefused(LiveError):
    """A ticket that was not given out here, or not to this rater."""

    code = "bad_ticket"


class TicketExpired(TicketRefused):
    """A ticket that is too old."""

    code = "stale_ticket"


class StoreUnavailable(LiveError):
    """The store cannot be reached now; the same call may succeed later."""

    code = "try_again"


class StoreFull(StoreUnavailable):
    """There is no room left to write; reading goes on."""

    code = "store_full"
