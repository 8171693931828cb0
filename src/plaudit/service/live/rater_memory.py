"""What a worker remembers of raters: their answers, and what they were asked."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.service.contest.answer_run import AnswerRun
from plaudit.store.contract import Answered
from plaudit.store.log import NONE, Entry, Kind

MOST_REMEMBERED = 10_000
# A rater may pass over (skip or flag) this many items more than they voted on.
PASSES = 5
_VOTE = int(Kind.VOTE)
# An answer is one of a few pairs of a kind and a level. One tuple for each pair is enough: one for
# each answer is what the garbage collector would spend most of its time with.
_PAIRS: dict[tuple[int, int], tuple[int, int]] = {}


def _pair(kind: int, level: int) -> tuple[int, int]:
    pair = (kind, level)
    return _PAIRS.setdefault(pair, pair)


class Lease(NamedTuple):
    """An item that a rater was asked about, and when; the rater's ticket says the same."""

    item: int
    lane: int
    issued: int


class Memory:
    """One rater: answers by item, leases by item, and the rest of the visit's list.

    `listed` has the lane of each item that is on the list and was not handed out yet, in the order
    of the list. `barred` has the items of all three as one array for the races.

    `tickets` has the texts of tickets that were made before, each with its lease: a rater gets the
    same items with every ask until they are answered.

    `drawn_up_to` is the number of votes that ends the visit which the last list was drawn for.
    `pools` has items that the rater proposed, and those that stand for one that they know.

    `passed` counts the answers that are no votes. `passing` has items that are being passed over
    and not in the log yet, so that many skips at once count as many.

    A rater without a number has not answered, as far as this worker knows. `unmatched` is
    `Memories.unmatched` at the moment when the store was asked about the rater.
    """

    __slots__ = (
        "_barred", "_new", "_size", "answers", "drawn_up_to", "leases", "listed", "number",
        "passed", "passing", "pools", "tickets", "unmatched",
    )  # fmt: skip

    def __init__(self, number: int = NONE, answers: Iterable[Entry] = ()) -> None:
        self.number = number
        self.unmatched = -1
        self.answers: dict[int, tuple[int, int]] = {}
        self.leases: dict[int, Lease] = {}
        self.tickets: dict[int, tuple[Lease, str]] = {}
        self.listed: dict[int, int] = {}
        self.drawn_up_to = 0
        self.passed = 0
        self.passing: set[int] = set()
        self.pools: set[int] = set()
        self._barred = np.empty(16, dtype=np.int64)
        self._size = 0
        # Those that are not in the array yet: most raters are answered for more often than asked.
        self._new: list[int] = []
        self.fill(answers)

    @property
    def barred(self) -> NDArray[np.int64]:
        """The items that this rater must not get."""
        if self._new:
            size = self._size + len(self._new)
            if size > self._barred.size:
                self._barred = np.resize(self._barred, 2 * size)
            self._barred[self._size : size] = self._new
            self._size = size
            self._new.clear()
        return self._barred[: self._size]

    def put_on_list(self, item: int, lane: int) -> None:
        """Puts an item on the visit's list, last."""
        self._new.append(item)
        self.listed[item] = lane

    def lease(self, lease: Lease) -> None:
        """Notes that the rater was asked about an item, which may have been on the list."""
        on_list = self.listed.pop(lease.item, None) is not None
        if not on_list and lease.item not in self.leases and lease.item not in self.answers:
            self._new.append(lease.item)
        self.leases[lease.item] = lease

    def fill(self, answers: Iterable[Answered | Entry]) -> None:
        """Notes answers that are in the log; many at once if nothing was noted before."""
        if self._new or self._size or self.passing:
            for answer in answers:
                self.answer(answer.item, answer.kind, answer.level)
            return
        self.answers = {answer.item: _pair(answer.kind, answer.level) for answer in answers}
        self.passed = sum(kind != Kind.VOTE for kind, _ in self.answers.values())
        self._new = list(self.answers)

    def answer(self, item: int, kind: int, level: int) -> None:
        """Notes an answer that is in the log."""
        if item not in self.answers:
            if not self._was_asked(item):
                self._new.append(item)
            self.answers[item] = _pair(kind, level)
            if kind != Kind.VOTE:
                self.passed += 1
                self.passing.discard(item)

    def follow(self, item: int, answer: tuple[int, int]) -> None:
        """The same with few steps: most answers are votes that somebody else asked for."""
        if self.leases or self.listed or answer[0] != _VOTE:
            self.answer(item, *answer)
        elif item not in self.answers:
            self.answers[item] = _PAIRS.setdefault(answer, answer)
            self._new.append(item)

    def _was_asked(self, item: int) -> bool:
        """Whether an item was asked or listed; it is neither from now on."""
        if not self.leases and not self.listed:
            return False
        on_list = self.listed.pop(item, None) is not None
        self.tickets.pop(item, None)
        return self.leases.pop(item, None) is not None or on_list

    @property
    def votes(self) -> int:
        """How many votes the rater gave: answers without skips and flags."""
        return len(self.answers) - self.passed

    @property
    def passes(self) -> int:
        """How many items the rater may pass over before the next vote.

        Passing over everything but one item would be a way to choose what to vote on.
        """
        return max(0, PASSES + self.votes - self.passed - len(self.passing))

    def has_seen(self, item: int) -> bool:
        """Whether the rater was asked about an item or answered it, or one that it stands for."""
        return item in self.answers or item in self.leases or item in self.pools

    def is_barred(self, item: int) -> bool:
        """Whether an item must not be drawn for the rater: it was seen, or is on the list."""
        return self.has_seen(item) or item in self.listed

    def bar_pool(self, item: int) -> None:
        """Notes that the rater must not get an item: they proposed it, or know it by another."""
        if not self.is_barred(item):
            self._new.append(item)
        self.pools.add(item)


class Memories:
    """The raters that a worker remembers, those seen last; others are read from the store.

    `unmatched` counts the raters in the log whom this worker does not know by number. Another
    worker took their first answers, and any of them may be a rater remembered without a number.
    """

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._most = most
        self.unmatched = 0
        self._by_key: OrderedDict[bytes, Memory] = OrderedDict()
        self._by_number: dict[int, Memory] = {}

    def __len__(self) -> int:
        return len(self._by_key)

    def note_new(self, numbers: Iterable[int]) -> None:
        """Notes raters who are new in the log."""
        self.unmatched += sum(number not in self._by_number for number in numbers)

    def is_complete(self, memory: Memory) -> bool:
        """Whether a memory has all answers of its rater, so that the store need not be asked."""
        return memory.number != NONE or memory.unmatched == self.unmatched

    def get(self, key: bytes) -> Memory | None:
        """What is remembered of a rater; None if the store has to be asked."""
        memory = self._by_key.get(key)
        if memory is not None:
            self._by_key.move_to_end(key)
        return memory

    def put(self, key: bytes, memory: Memory) -> Memory:
        """Remembers a rater; forgets the one seen longest ago if there are too many."""
        self._by_key[key] = memory
        if memory.number != NONE:
            self._by_number[memory.number] = memory
        if len(self._by_key) > self._most:
            _, gone = self._by_key.popitem(last=False)
            self._by_number.pop(gone.number, None)
        return memory

    def note(self, key: bytes, number: int) -> Memory | None:
        """Notes a rater's number in the log; returns what is remembered of them, if anything."""
        memory = self._by_key.get(key)
        if memory is not None and memory.number == NONE:
            memory.number = number
            self._by_number[number] = memory
        return memory

    def answered(self, answers: Sequence[Entry]) -> None:
        """Notes answers from the log whose raters are remembered."""
        known = self._by_number
        if isinstance(answers, AnswerRun):
            raters, items, kinds, levels = (
                answers.columns[name].tolist() for name in ("rater", "item", "kind", "level")
            )
            memories, said = map(known.get, raters), zip(kinds, levels, strict=True)
            for memory, item, answer in zip(memories, items, said, strict=True):
                if memory is not None:
                    memory.follow(item, answer)
            return
        for entry in answers:
            memory = known.get(entry.rater)
            # This worker's own are there already.
            if memory is not None and entry.item not in memory.answers:
                memory.answer(entry.item, entry.kind, entry.level)

    def forget(self, number: int) -> None:
        """Forgets a rater who was erased."""
        gone = self._by_number.pop(number, None)
        for key, memory in list(self._by_key.items()):
            if memory is gone:
                del self._by_key[key]
