"""Checkpoints (C2SP tlog-checkpoint): size and root of a contest's log at a time, as text to sign.

Three lines more say which items and raters the log up to there has. Whoever kept a checkpoint can
prove that the log was something else, if it ever is.
"""

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from plaudit.errors import ProofRefused
from plaudit.proof.note import PublicKey, open_note, split_note

_START = datetime(1970, 1, 1, tzinfo=UTC)
_TEXT = re.compile(
    r"(?P<origin>\S+)\n(?P<size>\d{1,19})\n(?P<root>\S{44})\ntime (?P<time>\S{24})\n"
    r"items (?P<items>\d{1,19}) (?P<items_digest>\S{44})\n"
    r"raters (?P<raters>\d{1,19}) (?P<raters_digest>\S{44})\n"
)


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint says. `origin` is NAME/CONTEST, `at` is in milliseconds since 1970.

    `size` is the number of leaves: the contest itself and the entries of its log.
    """

    origin: str
    size: int
    root: bytes
    at: int
    items: int
    items_digest: bytes
    raters: int
    raters_digest: bytes

    @property
    def text(self) -> str:
        """The text that is signed."""
        return (
            f"{self.origin}\n{self.size}\n{base64_of(self.root)}\ntime {time_text(self.at)}\n"
            f"items {self.items} {base64_of(self.items_digest)}\n"
            f"raters {self.raters} {base64_of(self.raters_digest)}\n"
        )

    @property
    def position(self) -> int:
        """The position of the last entry that it covers; 0 if it covers none."""
        return self.size - 1


def read_checkpoint(text: str) -> Checkpoint:
    """The facts of a checkpoint's text, without signatures; `ProofRefused` if it is none."""
    found = _TEXT.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        facts = found.groupdict()
        checkpoint = Checkpoint(
            facts["origin"],
            int(facts["size"]),
            bytes_of(facts["root"]),
            _milliseconds(facts["time"]),
            int(facts["items"]),
            bytes_of(facts["items_digest"]),
            int(facts["raters"]),
            bytes_of(facts["raters_digest"]),
        )
    except (ValueError, OverflowError):
        checkpoint = None
    # Each checkpoint is written in one way only.
    if checkpoint is None or checkpoint.text != text or checkpoint.size < 1:
        raise ProofRefused(
            "This is not a checkpoint of a contest: it has six lines, with origin, size, root, "
            f"time, items and raters. It begins {text[:60]!r}."
        )
    return checkpoint


def open_checkpoint(note: str, keys: Iterable[PublicKey]) -> Checkpoint:
    """The facts of a checkpoint that one of these keys has signed; `ProofRefused` otherwise."""
    return read_checkpoint(open_note(note, keys))


def unchecked(note: str) -> Checkpoint:
    """The facts of a signed checkpoint whose signature nobody has checked."""
    return read_checkpoint(split_note(note)[0])


def time_text(at: int) -> str:
    """A time in milliseconds since 1970 as ISO 8601 in UTC.

    >>> time_text(1_700_000_000_123)
    '2023-11-14T22:13:20.123Z'
    """
    moment = _START + timedelta(milliseconds=at)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{at % 1000:03}Z"


def base64_of(body: bytes) -> str:
    """Bytes as base64 text."""
    return base64.b64encode(body).decode()


def bytes_of(text: str) -> bytes:
    """The bytes of a base64 text; `ValueError` if it is none."""
    return base64.b64decode(text, validate=True)


def _milliseconds(text: str) -> int:
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    return (moment - _START) // timedelta(milliseconds=1)
