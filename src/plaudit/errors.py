"""The errors that Plaudit raises, one tree.

PlauditError
 ├── InvalidInput (also a ValueError): a number or setting outside its domain
 │    ├── UnknownName: no bound, algorithm, rule or label has that name
 │    ├── WrongField: a field of a form has a wrong value
 │    └── VoteFileError: a file of votes cannot be read; it has the line
 ├── UnknownItem (also a LookupError): an item that the race does not have
 ├── NotAllowed: a step that this race cannot take, with what to do instead
 ├── DataUnavailable: the file of a contest is missing, damaged or cannot be downloaded
 ├── MissingExtra: a part that a plain install leaves out, with how to get it
 ├── EvaluationFailed: a call of `evaluate` that failed for good; it has what was found until then
 └── LiveError: what a live contest refuses; `code` is stable, for programs
      ├── UnknownContest (also a LookupError): no contest has that name
      ├── ContestExists: the name is taken
      ├── NotOpen: the contest takes no answers now
      ├── NotAdmitted: somebody whom the door of a contest does not let in
      │    └── PassRequired: they came without a code, an id or whatever the door asks for
      ├── SkipsUsedUp: a rater who passed over too many items, compared with their votes
      ├── ProposalRefused: a contest that does not take what a rater proposes; `code` says why
      ├── EpochMoved: someone else changed the contest in the meantime
      ├── VerdictStands: a step that would take back a verdict, and does not say that it may
      ├── NotPermitted: a step that this role may not take
      ├── AccountExists: the name is taken
      ├── LinkGone: a link that was used, was replaced or is too old
      ├── LastOwner: a step that would leave the desk without an owner
      ├── SubjectTaken: someone at the provider who has another account here
      ├── LastWayIn: a step that would leave an account without a way to sign in
      ├── ErrandRefused: someone who came back from the provider without a proof of who they are
      ├── ProviderAway: the provider that people sign in with does not answer now
      ├── SignInRefused: the name or the password is wrong
      │    └── TooManyGuesses: so many wrong passwords that the next must wait
      ├── ArchiveDamaged: an export that is incomplete or was changed
      ├── ProofRefused: a signature, proof, checkpoint or receipt that does not hold
      ├── TicketRefused: a ticket that was not given out here, or not to this rater
      │    └── TicketExpired: a ticket that is too old
      └── StoreUnavailable: the store cannot be reached; the same call may succeed later
           └── StoreFull: there is no room left to write

Every message says what was given, what is allowed and what to do next. An
error is raised before anything changes. An error that people read carries a
`Phrase`, so that pages can show it in their own way.
"""

import difflib
from collections.abc import Iterable
from typing import Any

from plaudit.phrase import Phrase, Words
from plaudit.words import N_

__all__ = [
    "AccountExists",
    "ArchiveDamaged",
    "ContestExists",
    "DataUnavailable",
    "EpochMoved",
    "ErrandRefused",
    "EvaluationFailed",
    "InvalidInput",
    "LastOwner",
    "LastWayIn",
    "LinkGone",
    "LiveError",
    "MissingExtra",
    "NotAdmitted",
    "NotAllowed",
    "NotOpen",
    "NotPermitted",
    "PassRequired",
    "PlauditError",
    "ProofRefused",
    "ProposalRefused",
    "ProviderAway",
    "SignInRefused",
    "SkipsUsedUp",
    "StoreFull",
    "StoreUnavailable",
    "SubjectTaken",
    "TicketExpired",
    "TicketRefused",
    "TooManyGuesses",
    "UnknownContest",
    "UnknownItem",
    "UnknownName",
    "VerdictStands",
    "VoteFileError",
    "WrongField",
]


class PlauditError(Exception):
    """The root of Plaudit's errors: catch it to catch them all."""


class InvalidInput(PlauditError, ValueError):
    """A number or setting outside its domain."""


class UnknownName(InvalidInput):
    """Nothing of that kind has that name; the message suggests the nearest one."""

    def __init__(self, kind: str, given: object, known: Iterable[str]) -> None:
        names = sorted(known)
        folded = {name.casefold(): name for name in names}
        wanted = str(given).strip().casefold()
        near = difflib.get_close_matches(wanted, folded, n=1, cutoff=0.5)
        facts = {"given": repr(given), "known": ", ".join(names)}
        said = N_("There is no {kind} named {given}. Known: {known}.")
        if near:
            said = N_("There is no {kind} named {given}. Did you mean {nearest}? Known: {known}.")
            facts["nearest"] = repr(folded[near[0]])
        super().__init__(Phrase(said, kind=Phrase(kind), **facts))


class WrongField(InvalidInput):
    """A field of a form has a value that is not allowed; `field` is its name."""

    def __init__(self, field: str, words: Words) -> None:
        super().__init__(words)
        self.field = field


class VoteFileError(InvalidInput):
    """A file of votes that cannot be read; `line` counts from 1, or is None.

    `words` say what is wrong, without the line.
    """

    def __init__(self, words: Words, *, line: int | None = None) -> None:
        placed = Phrase(N_("Line {line}: {words}"), line=str(line), words=words)
        super().__init__(words if line is None else placed)
        self.words = words
        self.line = line


class UnknownItem(PlauditError, LookupError):
    """An item that the race does not have."""


class NotAllowed(PlauditError):
    """A step that this race cannot take; the message says what to do instead."""


class DataUnavailable(PlauditError):
    """The file of a contest is missing, damaged or cannot be downloaded; says what to do."""


class MissingExtra(PlauditError):
    """A part that a plain install leaves out; the message says how to get it.

    `what` needs it, `extra` is its name.
    """

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} need more packages: pip install 'plaudit[{extra}]'.")
        self.what, self.extra = what, extra


class EvaluationFailed(PlauditError):
    """A call of `plaudit.evaluate` that failed for good; `partial` is what was found until then."""

    def __init__(self, words: str, partial: Any) -> None:
        super().__init__(words)
        self.partial = partial


class LiveError(PlauditError):
    """What a live contest refuses; `code` is stable, for programs."""

    code = "refused"


class UnknownContest(LiveError, LookupError):
    """No contest has that name."""

    code = "unknown_contest"

    def __init__(self, name: str) -> None:
        self.name = name
        said = N_("There is no contest named {name!r}. `plaudit contest list` shows them.")
        super().__init__(Phrase(said, name=name))


class ContestExists(LiveError):
    """The name is taken."""

    code = "contest_exists"

    def __init__(self, name: str) -> None:
        said = N_("There is a contest named {name!r} already. Choose another name.")
        super().__init__(Phrase(said, name=name))


class NotOpen(LiveError):
    """The contest takes no answers now."""

    code = "not_open"


class NotAdmitted(LiveError):
    """The door of a contest does not let somebody in; `code` says why."""

    code = "not_admitted"

    def __init__(self, code: str, words: Words) -> None:
        super().__init__(words)
        self.code = code


class PassRequired(NotAdmitted):
    """Somebody came without what the door of a contest asks for."""


class SkipsUsedUp(LiveError):
    """A rater who passed over too many items, compared with their votes."""

    code = "skips_used_up"


class ProposalRefused(LiveError):
    """A contest does not take what a rater proposes; `code` says why."""

    code = "proposal_refused"

    def __init__(self, code: str, words: Words) -> None:
        super().__init__(words)
        self.code = code


class EpochMoved(LiveError):
    """Someone else changed the contest in the meantime; look again, then repeat the step."""

    code = "changed_meanwhile"


class VerdictStands(LiveError):
    """A step that would take back a verdict which stands; it must say that it may.

    `lost` has the verdicts that would be lost, each as a phrase.
    """

    code = "verdict_stands"

    def __init__(self, words: Words, lost: Iterable[Phrase] = ()) -> None:
        super().__init__(words)
        self.lost = tuple(lost)


class NotPermitted(LiveError):
    """A step that this role may not take."""

    code = "not_permitted"


class AccountExists(LiveError):
    """The name is taken."""

    code = "account_exists"

    def __init__(self, name: str) -> None:
        said = N_("There is an account named {name!r} already. Choose another name.")
        super().__init__(Phrase(said, name=name))


class LinkGone(LiveError):
    """A link that was used, was replaced or is too old."""

    code = "link_gone"

    def __init__(self) -> None:
        said = N_(
            "This link was used already, was replaced by a newer one, or is too old. Ask for a new "
            "link."
        )
        super().__init__(Phrase(said))


class LastOwner(LiveError):
    """A step that would leave the desk without an owner."""

    code = "last_owner"

    def __init__(self) -> None:
        said = N_("This is the last owner, and the desk needs one. Make someone else owner first.")
        super().__init__(Phrase(said))


class SubjectTaken(LiveError):
    """Someone at the provider who has another account here."""

    code = "subject_taken"

    def __init__(self) -> None:
        said = N_(
            "That identity at the provider belongs to another account here already. Sign in with "
            "it, or sign out at the provider and choose another one."
        )
        super().__init__(Phrase(said))


class LastWayIn(LiveError):
    """A step that would leave an account without a way to sign in."""

    code = "last_way_in"

    def __init__(self) -> None:
        said = N_(
            "This account has no password, so the provider is its only way in. Set a password "
            "first, by a link that an owner makes under People."
        )
        super().__init__(Phrase(said))


class ErrandRefused(LiveError):
    """Someone who came back from the provider without a proof of who they are."""

    code = "sign_in_not_proven"

    def __init__(self) -> None:
        said = N_(
            "This sign-in was not completed: it was cancelled, took longer than ten minutes, was "
            "used before, or began in another browser. Start it again."
        )
        super().__init__(Phrase(said))


class ProviderAway(LiveError):
    """The provider that people sign in with does not answer now; the same step may work later."""

    code = "provider_away"

    def __init__(self) -> None:
        said = N_(
            "The provider that you sign in with does not answer right now. Try again in a minute."
        )
        super().__init__(Phrase(said))


class SignInRefused(LiveError):
    """The name or the password is wrong; the error does not say which."""

    code = "sign_in_refused"


class TooManyGuesses(SignInRefused):
    """So many wrong passwords that the next must wait; `seconds` says how long."""

    code = "too_many_guesses"

    def __init__(self, seconds: int) -> None:
        if seconds <= 90:
            said = N_(
                "Too many attempts. Wait {seconds} seconds, then try again. If you have lost your "
                "password, ask an owner for a link."
            )
        else:
            said = N_(
                "Too many attempts. Wait {minutes} minutes, then try again. If you have lost your "
                "password, ask an owner for a link."
            )
        super().__init__(Phrase(said, seconds=seconds, minutes=-(-seconds // 60)))
        self.seconds = seconds


class ArchiveDamaged(LiveError):
    """An export that is incomplete or was changed."""

    code = "archive_damaged"


class ProofRefused(LiveError):
    """A signature, proof, checkpoint or receipt that does not hold, or is none."""

    code = "proof_refused"


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
