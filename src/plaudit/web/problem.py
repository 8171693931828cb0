"""Errors as answers: one shape, stable codes, and the status that fits."""

from collections.abc import Sequence

import msgspec

from plaudit.errors import (
    AccountExists,
    ArchiveDamaged,
    ContestExists,
    EpochMoved,
    ErrandRefused,
    InvalidInput,
    LastOwner,
    LastWayIn,
    LinkGone,
    LiveError,
    NotAdmitted,
    NotAllowed,
    NotOpen,
    NotPermitted,
    PassRequired,
    PlauditError,
    ProposalRefused,
    ProviderAway,
    SkipsUsedUp,
    StoreUnavailable,
    SubjectTaken,
    TicketExpired,
    TicketRefused,
    UnknownContest,
    UnknownItem,
    VerdictStands,
)
from plaudit.phrase import PROGRAMS, Phrase, Words, Writer, words_of, written
from plaudit.web.wire.voting import Error, ErrorBody, TrailStep, WorkAsked
from plaudit.words import N_

RETRY_SECONDS = 2


class Problem(PlauditError):
    """An error with its status, its code and its words.

    `retry` asks the client to try again after this many seconds; `allow` names the methods that
    an address takes; `epoch` and `steps` say what others changed in the meantime; `work` is what a
    newcomer must do first.
    """

    def __init__(
        self,
        status: int,
        code: str,
        words: Words,
        *,
        retry: int = 0,
        allow: str = "",
        epoch: int | None = None,
        steps: Sequence[TrailStep] = (),
        work: WorkAsked | None = None,
    ) -> None:
        super().__init__(words)
        self.status = status
        self.code = code
        self.retry = retry
        self.allow = allow
        self.epoch = epoch
        self.steps = steps
        self.work = work

    def body(self, writer: Writer = PROGRAMS) -> bytes:
        """The error as JSON, in the shape that all errors have."""
        said = written(words_of(self), writer)
        body = ErrorBody(self.code, said, self.epoch, list(self.steps), self.work)
        return msgspec.json.encode(Error(body))


_STATUS: tuple[tuple[type[PlauditError], int, str | None], ...] = (
    (UnknownContest, 404, None),
    (ContestExists, 409, None),
    (EpochMoved, 409, None),
    (VerdictStands, 409, None),
    (NotOpen, 409, None),
    (PassRequired, 401, None),
    (NotAdmitted, 403, None),
    (SkipsUsedUp, 409, None),
    (ProposalRefused, 409, None),
    (NotPermitted, 403, None),
    (AccountExists, 409, None),
    (LinkGone, 410, None),
    (LastOwner, 409, None),
    (SubjectTaken, 409, None),
    (ErrandRefused, 403, None),
    (ProviderAway, 503, None),
    (LastWayIn, 409, None),
    (ArchiveDamaged, 400, None),
    (TicketExpired, 410, None),
    (TicketRefused, 400, None),
    (StoreUnavailable, 503, None),
    (LiveError, 400, None),
    (UnknownItem, 404, "unknown_item"),
    (NotAllowed, 409, "not_allowed"),
    (InvalidInput, 400, "bad_request"),
    (PlauditError, 400, "bad_request"),
)


def problem_of(error: Exception) -> Problem:
    """What to answer for an error; an unexpected one is a 500 that reveals nothing."""
    if isinstance(error, Problem):
        return error
    for kind, status, code in _STATUS:
        if isinstance(error, kind):
            named = code or (error.code if isinstance(error, LiveError) else "bad_request")
            retry = RETRY_SECONDS if status == 503 else 0
            return Problem(status, named, words_of(error), retry=retry)
    if isinstance(error, RecursionError):
        return Problem(
            400, "bad_json", "The JSON is nested too deeply: no part needs so many levels."
        )
    if isinstance(error, msgspec.DecodeError | UnicodeDecodeError):
        wrong_shape = isinstance(error, msgspec.ValidationError)
        code = "bad_request" if wrong_shape else "bad_json"
        return Problem(400, code, f"{error}. The formats are described at /docs.")
    told = N_("Something went wrong here. It was logged; try again later.")
    return Problem(500, "internal", Phrase(told))
