"""What a worker remembers of raters: what they answered, and what they were asked."""

from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.store.log import NONE, Entry

MOST_REMEMBERED = 10_000


class Lease(NamedTuple):
    """An item that a rater was asked about, and when; the ticket says the same."""

    item: int
    lane: int
    issued: int


class Memory:
    """One rater: answers by item, leases by item, and both as one array for the races.

    A rater without a number has not answered, as far as this worker knows; `strangers` is what
    the book said when the store was asked whether it knows better.
    """

    __slots__ = ("_barred", "_shut", "_size", "answers", "leases", "number", "strangers")

    def __init__(self, number: int = NONE, answers: Iterable[Entry] = ()) -> None:
        self.number = number
        self.strangers = -1
        self.answers: dict[int, tuple[int, int]] = {}
        self.leases: dict[int, Lease] = {}
        self._shut: set[int] = set()
        self._barred = np.empty(16, dtype=np.int64)
        self._size = 0
        for entry in answers:
            self.answer(entry.item, entry.kind, entry.level)

    @property
    def barred(self) -> NDArray[np.int64]:
        """The items that this rater must not get."""
        return self._barred[: self._size]

    def lease(self, lease: Lease) -> None:
        """Notes that the rater was asked about an item."""
        if lease.item not in self.leases and lease.item not in self.answers:
            self._bar(lease.item)
        self.leases[lease.item] = lease

    def answer(self, item: int, kind: int, level: int) -> None:
        """Notes an answer that is in the log."""
        if item not in self.answers:
            if self.leases.pop(item, None) is None:
                self._bar(item)
            self.answers[item] = (kind, level)

    def has_seen(self, item: int) -> bool:
        """Whether the rater was asked about an item or answered it, or what it stands for."""
        return item in self.answers or item in self.leases or item in self._shut

    def shut(self, item: int) -> None:
        """Notes that the rater must not get an item: it stands for one that they answered."""
        if not self.has_seen(item):
            self._bar(item)
        self._shut.add(item)

    def is_shut(self, item: int) -> bool:
        """Whether an item stands for one that the rater answered."""
        return item in self._shut

    def _bar(self, item: int) -> None:
        if self._size == self._barred.size:
            self._barred = np.resize(self._barred, 2 * self._size)
        self._barred[self._size] = item
        self._size += 1


class Book:
    """The raters that a worker remembers, those seen last; others are read from the store.

    `strangers` counts the raters whose first answers came by another worker. Any of them may
    be one of those whom this worker remembers without a number.
    """

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._most = most
        self.strangers = 0
        self._by_key: OrderedDict[bytes, Memory] = OrderedDict()
        self._by_number: dict[int, Memory] = {}

    def __len__(self) -> int:
        return len(self._by_key)

    def meet(self, numbers: Iterable[int]) -> None:
        """Notes the raters who are new in the log; those not remembered are strangers."""
        self.strangers += sum(number not in self._by_number for number in numbers)

    def is_complete(self, memory: Memory) -> bool:
        """Whether all answers of a rater are in their memory, or will be as the log is folded."""
        return memory.number != NONE or memory.strangers == self.strangers

    def get(self, key: bytes) -> Memory | None:
        """What is remembered of a rater; None where the store must be asked."""
        memory = self._by_key.get(key)
        if memory is not None:
            self._by_key.move_to_end(key)
        return memory

    def put(self, key: bytes, memory: Memory) -> Memory:
        """Remembers a rater, and forgets the one who was away longest where it gets too many."""
        self._by_key[key] = memory
        if memory.number != NONE:
            self._by_number[memory.number] = memory
        if len(self._by_key) > self._most:
            _, gone = self._by_key.popitem(last=False)
            self._by_number.pop(gone.number, None)
        return memory

    def note(self, key: bytes, number: int) -> Memory | None:
        """Notes the number that the log gave a rater; what is remembered of them, if anything."""
        memory = self._by_key.get(key)
        if memory is not None and memory.number == NONE:
            memory.number = number
            self._by_number[number] = memory
        return memory

    def answered(self, entry: Entry) -> None:
        """Notes an answer from the log, where its rater is remembered."""
        memory = self._by_number.get(entry.rater)
        if memory is not None:
            memory.answer(entry.item, entry.kind, entry.level)

    def forget(self, number: int) -> None:
        """Forgets a rater who was erased."""
        gone = self._by_number.pop(number, None)
        for key, memory in list(self._by_key.items()):
            if memory is gone:
                del self._by_key[key]
