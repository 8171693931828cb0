"""Looking up a rater whom this worker does not know, in the store.

Promises: nothing is remembered that is older than what was folded meanwhile. It reads the store
and changes the memories of one contest.
"""

from collections.abc import Sequence

from plaudit.service.live.contest import LiveContest
from plaudit.service.live.rater_memory import Memory
from plaudit.store.contract import Store
from plaudit.store.log import NONE, Entry


class Recall:
    """Looks up a rater in the store: `read` on any thread, then `remember` on the owner's."""

    def __init__(self, store: Store, live: LiveContest, key: bytes) -> None:
        self._store, self._live, self._key = store, live, key
        # Taken before the store is asked: a rater who first answers meanwhile is looked up again.
        self._unmatched = live.memories.unmatched
        self._number = NONE
        self._answers: Sequence[Entry] = ()

    def read(self) -> None:
        """Reads the rater's number and answers from the store."""
        found = self._store.rater(self._live.name, self._key)
        if found is not None:
            self._answers = self._store.answers_of(self._live.name, found.number)
            self._number = found.number

    def remember(self) -> Memory:
        """Remembers what the store knows."""
        return self._live.remember(
            self._key, self._number, self._answers, unmatched=self._unmatched
        )


def welcome(live: LiveContest, key: bytes) -> Memory:
    """The memory of a new rater, who cannot have answered yet."""
    memory = live.memories.get(key)
    if memory is None:
        memory = live.memories.put(key, Memory())
        memory.unmatched = live.memories.unmatched
    return memory
