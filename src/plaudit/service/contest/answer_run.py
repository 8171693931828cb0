"""A run of answers as columns: what the scribe hands out, folded many at once.

Promises: it is a sequence of the same entries that the store would give. It touches nothing.
"""

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from plaudit.store.log import Entry

# As the chain has them: `packed` writes them.
PACKED = np.dtype(
    [
        ("position", "<i8"),
        ("kind", "<i1"),
        ("at", "<i8"),
        ("rater", "<i8"),
        ("item", "<i8"),
        ("level", "<i2"),
        ("lane", "<i2"),
        ("response_ms", "<i4"),
    ]
)


class AnswerRun(Sequence[Entry]):
    """Answers with consecutive positions. An entry is made when it is asked for."""

    def __init__(self, columns: NDArray[Any]) -> None:
        self.columns = columns

    @classmethod
    def unpacked(cls, packed: bytes) -> "AnswerRun":
        """The answers in bytes that the chain has, one after the other."""
        return cls(np.frombuffer(packed, dtype=PACKED))

    def __len__(self) -> int:
        return len(self.columns)

    @overload
    def __getitem__(self, place: int) -> Entry: ...
    @overload
    def __getitem__(self, place: slice) -> "AnswerRun": ...
    def __getitem__(self, place: int | slice) -> "Entry | AnswerRun":
        if isinstance(place, slice):
            return AnswerRun(self.columns[place])
        fields: tuple[int, ...] = self.columns[place].item()
        return Entry._make((*fields, ""))

    def __iter__(self) -> Iterator[Entry]:
        return (Entry._make((*fields, "")) for fields in self.columns.tolist())

    def column(self, name: str) -> NDArray[np.int64]:
        """One field of all entries."""
        found: NDArray[np.int64] = self.columns[name].astype(np.int64)
        return found

    def after(self, position: int) -> "AnswerRun":
        """The answers after a position."""
        first = int(self.columns["position"][0]) if len(self) else 0
        return self[max(0, position + 1 - first) :]

    def of_rater(self, rater: int) -> list[Entry]:
        """The answers of a rater."""
        return [self[place] for place in np.flatnonzero(self.columns["rater"] == rater).tolist()]
