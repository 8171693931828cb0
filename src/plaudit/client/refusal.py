"""Answers of the service: what they say, when to try again, and what was refused."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from plaudit.errors import PlauditError

TRIES = 6
LONGEST_WAIT = 8.0
UNREACHABLE = "unreachable"
TRY_AGAIN = frozenset({429, 502, 503, 504})
# The status of an answer that did not come.
LOST = 0


class ServiceError(PlauditError):
    """The service refused a request; `status` and `code` tell programs why.

    If no answer came at all, the status is 0 and the code `unreachable`. With the code
    `changed_meanwhile`, `epoch` is the contest's epoch now, and `steps` are the steps since yours;
    with `work_required`, `work` is what a new rater must do first.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        epoch: int | None = None,
        steps: Sequence[dict[str, Any]] = (),
        work: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.epoch = epoch
        self.steps = list(steps)
        self.work = work

    @classmethod
    def unreachable(cls, message: str) -> "ServiceError":
        """The error for an answer that did not come."""
        return cls(LOST, UNREACHABLE, message)


class Answer(NamedTuple):
    """What came back: `LOST` as its status and the reason as its body if nothing did."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def is_good(self) -> bool:
        """Whether the service did what was asked."""
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode(errors="replace")

    def wait(self, attempt: int) -> float:
        """How long to wait before the next attempt, in seconds."""
        return waiting_time(attempt, asked=self.headers.get("retry-after", ""))


def lost(error: Exception) -> Answer:
    """An answer that did not come, and why."""
    return Answer(LOST, {}, str(error).encode())


def must_wait(answer: Answer) -> bool:
    """Whether the same request may be answered later."""
    return answer.status == LOST or answer.status in TRY_AGAIN


def waiting_time(attempt: int, *, asked: str = "") -> float:
    """How long to wait after so many failures, in seconds; `asked` is the service's own wish.

    >>> waiting_time(0), waiting_time(0, asked="2"), waiting_time(9, asked="3600")
    (0.2, 2.0, 8.0)
    """
    wish = float(asked) if asked.isascii() and asked.isdigit() else 0.0
    return float(min(max(0.2 * 2.0**attempt, wish), LONGEST_WAIT))


def check_answer(answer: Answer) -> Answer:
    """The answer, if it is good; `ServiceError` where the service refused."""
    if answer.is_good:
        return answer
    try:
        error = json.loads(answer.body)["error"]
        code, message = str(error["code"]), str(error["message"])
        more = {key: error[key] for key in ("epoch", "steps", "work") if key in error}
    except (ValueError, KeyError, TypeError):
        code, message = "unknown", f"Status {answer.status}: {answer.text[:200]}"
        more = {}
    raise ServiceError(answer.status, code, message, **more)


def read_answer(answer: Answer) -> Any:
    """The answer as plain values; `ServiceError` where the service refused."""
    try:
        return json.loads(check_answer(answer).body)
    except ValueError:
        told = f"Status {answer.status}, and no JSON: {answer.text[:200]}"
        raise ServiceError(answer.status, "unknown", told) from None
