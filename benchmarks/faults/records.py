"""What happens in a run of faults, one record each, and the file of JSON lines that keeps them.

Times are seconds of the machine's monotonic clock. A rater is named by their key in hexadecimal.
"""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec


class Record(msgspec.Struct, frozen=True, tag_field="is", tag=str.lower):
    """One thing that happened."""


class Began(Record):
    """A round begins; the options and the seed give its faults again."""

    round: int
    engine: str
    workers: int
    seed: int
    faults: int
    at: float
    small_disk: bool


class Sent(Record):
    """A request of a rater's, and its answer: status 0 if none came, or if the rater cut the line.

    `level` is what was sent, `recorded` what the answer says is in the log.
    """

    what: str
    contest: str
    rater: str
    item: int
    level: int
    sent: float
    got: float
    status: int
    code: str = ""
    recorded: int = -1
    # The port of the rater's end, by which the process that answers is found.
    port: int = 0

    @property
    def acknowledged(self) -> bool:
        """Whether the service said that the vote is in the log."""
        return self.what == "vote" and self.status == 200


class Told(Record):
    """A rater was told that a contest is decided."""

    contest: str
    at: float


class Shown(Record):
    """What the results said of a contest: how far, how many votes, and the winners if decided."""

    contest: str
    at: float
    position: int
    votes: int
    winners: list[int] | None


class Head(Record):
    """The end of a log, read from the database while the round went on."""

    contest: str
    at: float
    position: int
    digest: str


class Fault(Record):
    """A fault, from its begin to its end, and the first vote that was taken after it.

    `back` is when the first vote that was sent after the end was acknowledged, `gap` the longest
    time without an acknowledgement around it; both are -1 if none came.
    """

    kind: str
    began: float
    ended: float
    back: float = -1.0
    gap: float = -1.0
    detail: str = ""


class Held(Record):
    """A process was stopped for a while (SIGSTOP), and could answer nobody."""

    pid: int
    began: float
    ended: float


class Up(Record):
    """A process has begun to serve."""

    pid: int
    at: float


class Took(Record):
    """A process took a connection from this port."""

    pid: int = 0
    port: int = 0
    at: float = 0.0


class Ended(Record):
    """The service's process ended; `wanted` if the run had killed or stopped it.

    `ready` says whether it had served, `away` whether its database could not be used then.
    """

    at: float
    code: int
    wanted: bool
    ready: bool
    away: bool
    said: str = ""


class Compared(Record):
    """The results of a worker, and what a replay of the whole log gives at the same position."""

    contest: str
    at: float
    worker: int
    shown: Any
    replayed: Any


class Log(Record):
    """The log of a contest at the end of a round, with its certificates and what checks them."""

    contest: str
    settings: str
    position: int
    epoch: int
    digest: str
    entries: list[tuple[int, int, int, int, int, int, int, int, str]]
    raters: list[str]
    refuted: list[str]


class Trouble(Record):
    """Something that must not happen, seen while the round went on."""

    kind: str
    text: str
    at: float


class Closed(Record):
    """A round is over: how often the service was started, and how many of these starts were fresh.

    `cuts` counts the requests that raters cut, `tracebacks` those in what the service printed.
    """

    at: float
    starts: int
    fresh_starts: int
    cuts: int
    tracebacks: int


Any_ = (
    Closed | Began | Sent | Told | Shown | Head | Fault | Held | Up | Took | Ended | Compared | Log
    | Trouble
)  # fmt: skip


class History:
    """All records of a round, in memory and in a file; any thread may add."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: list[Any_] = []
        self._lock = threading.Lock()
        self._file = path.open("ab")

    def add(self, record: Any_) -> None:
        """Keeps a record."""
        line = msgspec.json.encode(record) + b"\n"
        with self._lock:
            if not self._file.closed:
                self.records.append(record)
                self._file.write(line)

    def close(self) -> None:
        """Closes the file; later records are dropped."""
        with self._lock:
            self._file.close()


def read_history(path: Path) -> Iterator[Any_]:
    """The records of a file."""
    decoder = msgspec.json.Decoder(Any_)
    with path.open("rb") as file:
        for line in file:
            yield decoder.decode(line)
