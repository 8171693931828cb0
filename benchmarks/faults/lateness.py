"""Refusals that came late, and why: what the service waited for, and what nobody could answer.

While a process stands still (SIGSTOP), or before it has begun to serve, it can answer nobody: the
kernel takes connections for it. That is no time of the service's. All other time is, however busy
its event loop or its threads are.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchmarks.faults.records import Any_, Fault, Held, Sent, Took, Up

# Within this time a vote is refused; a busy machine may take a second more.
PROMISED_SECONDS = 2.0
BUSY_SECONDS = 1.0
TRY_AGAIN = 503


class Refusal(NamedTuple):
    """A refused vote: when it was sent, how long it took, and how much of that was whose."""

    sent: float
    seconds: float
    # Before the process that answered had begun to serve, and while it stood still.
    not_there: float
    held: float
    # The faults of that time.
    faults: str

    @property
    def own(self) -> float:
        """The seconds in which the service could have answered."""
        return self.seconds - self.not_there - self.held

    def __str__(self) -> str:
        waits = [f"{self.own:.2f} s its own"]
        if self.not_there:
            waits.append(f"{self.not_there:.2f} s until a process served")
        if self.held:
            waits.append(f"{self.held:.2f} s in which the process was stopped")
        return f"{self.seconds:.2f} s: {', '.join(waits)} ({self.faults or 'no fault near'})"


def refusals(records: Sequence[Any_]) -> list[Refusal]:
    """All refused votes of a round."""
    begun = {record.pid: record.at for record in records if isinstance(record, Up)}
    took: dict[int, list[Took]] = {}
    held: dict[int, list[Held]] = {}
    for record in records:
        if isinstance(record, Took):
            took.setdefault(record.port, []).append(record)
        elif isinstance(record, Held):
            held.setdefault(record.pid, []).append(record)
    faults = [record for record in records if isinstance(record, Fault)]
    found = []
    for sent in records:
        if isinstance(sent, Sent) and sent.what == "vote" and sent.status == TRY_AGAIN:
            pid = _answered_by(took.get(sent.port, ()), sent.got)
            up = min(max(sent.sent, begun.get(pid, sent.sent)), sent.got)
            still = sum(
                _overlap(up, sent.got, each.began, each.ended) for each in held.get(pid, ())
            )
            near = ", ".join(f.kind for f in faults if f.began < sent.got and f.ended > sent.sent)
            found.append(Refusal(sent.sent, sent.got - sent.sent, up - sent.sent, still, near))
    return found


def _answered_by(taken: Iterable[Took], got: float) -> int:
    """The process that had the connection when the answer came; 0 if that is not known."""
    return max((each for each in taken if each.at <= got), key=lambda t: t.at, default=Took()).pid


def _overlap(begin: float, end: float, other_begin: float, other_end: float) -> float:
    return max(0.0, min(end, other_end) - max(begin, other_begin))
