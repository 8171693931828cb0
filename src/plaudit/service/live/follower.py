"""The follower: one thread that reads what others wrote to the logs, and does slow chores."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from plaudit.compiled import StillCompiling, without_waiting
from plaudit.errors import StoreUnavailable
from plaudit.phrase import Phrase
from plaudit.service.chores import Chore, ChoreThread
from plaudit.service.contest.races import warm_up_for
from plaudit.service.contest.replay import Batch, read_batch
from plaudit.service.live.contest import LiveContest
from plaudit.service.live.loading import load_contest
from plaudit.service.rare_log import log, rarely
from plaudit.store.contract import Head, Store
from plaudit.words import N_

POLL_SECONDS = 0.1
TIDY_SECONDS = 3600.0
# A contest that cannot be loaded is tried again after this long.
BROKEN_SECONDS = 60.0
# One whose algorithm is being compiled, after this long.
COMPILING_SECONDS = 0.5

# Where another worker was to look for verdicts, this one does after so long without more entries.
LOOK_SECONDS = 1.0

# The entries of a contest after a position, if they are at hand; None if the store has to be read.
Latest = Callable[[str, int], Batch | None]


def from_store(name: str, after: int) -> Batch | None:
    """Nothing is at hand."""
    return None


class Follower:
    """Checks the heads of all logs ten times a second, or at once when poked.

    It calls `hand_over(live)` for a new contest and `hand_over(name, batch)` for new entries, or
    with None for the batch if they cannot be read. It only reads `live`; the owner's thread
    changes it. `tidy` runs at the start and once an hour. `latest` has entries that need not be
    read from the store.
    """

    def __init__(
        self,
        store: Store,
        live: Mapping[str, LiveContest],
        hand_over: Callable[..., Any],
        *,
        tidy: Callable[[], Any] = lambda: None,
        latest: Latest = from_store,
    ) -> None:
        self._store = store
        self._live = live
        self._hand_over = hand_over
        self._tidy = tidy
        self._latest = latest
        self._tidy_at = 0.0
        self._seen: dict[str, int] = {}
        # Contests whose latest entries somebody else was to look at, and when they came.
        self._unlooked: dict[str, float] = {}
        # Whether the next look reads everything that is missing.
        self.is_eager = False
        self._thread = ChoreThread("follower", POLL_SECONDS, self._check, self._tidy_up)
        # Contests that could not be loaded, and when to try again.
        self.broken: dict[str, float] = {}
        # Why no log can be trusted any more; None while all can.
        self.trouble: Phrase | None = None

    def start(self) -> None:
        """Starts following."""
        self._thread.start()

    def close(self) -> None:
        """Does the remaining chores, then stops."""
        self._thread.close()

    def poke(self) -> None:
        """Checks at once, and reads everything that is missing."""
        self.is_eager = True
        self._thread.poke()

    def do(self, chore: Chore) -> None:
        """Does a chore on this thread soon; again while the store is unavailable."""
        self._thread.do(chore)

    def load_new(self) -> Iterator[LiveContest]:
        """The contests that are in the store and not yet live, each as soon as it is loaded.

        One that cannot be loaded is left out, and tried again later; so is one whose algorithm is
        compiled meanwhile, by another process.
        """
        for record in self._store.contests():
            name = record.name
            if name in self._live or not self._is_due(name):
                continue
            try:
                with without_waiting():
                    new = load_contest(self._store, name)
                    warm_up_for(new.settings)
            except StoreUnavailable:
                raise
            except StillCompiling:
                self.put_off(name, COMPILING_SECONDS)
                words = "The contest %r begins once its algorithm is compiled; the others go on."
                rarely.say(f"compiling {name}", words, name)
            except Exception:
                self.put_off(name, BROKEN_SECONDS)
                words = "The contest %r cannot be loaded; the others go on."
                rarely.say(f"broken {name}", words, name, level=logging.ERROR, exc_info=True)
            else:
                self.broken.pop(name, None)
                yield new

    def put_off(self, name: str, seconds: float) -> None:
        """Notes that a contest cannot be used; it is loaded anew after some time."""
        self.broken[name] = time.monotonic() + seconds

    def _is_due(self, name: str) -> bool:
        return self.broken.get(name, 0.0) <= time.monotonic()

    def _tidy_up(self) -> None:
        if time.monotonic() >= self._tidy_at:
            self._tidy_at = time.monotonic() + TIDY_SECONDS
            self._tidy()

    def _check(self) -> None:
        eager, self.is_eager = self.is_eager, False
        # Taken before the heads are read: a log only grows.
        known = {name: live.contest.position for name, live in list(self._live.items())}
        heads = self._store.heads()
        self._look_for_loss(known, heads)
        if any(map(self._is_due, heads.keys() - self._live.keys())):
            for new in self.load_new():
                self._hand_over(new)
        for name, head in heads.items():
            # Entries that this worker wrote arrive by themselves: read only what was missing at
            # the previous check already.
            self._read_new(name, head.position if eager else self._seen.get(name, 0))
            self._seen[name] = head.position
        self._look_after_others()

    def _look_after_others(self) -> None:
        """Looks for verdicts where nothing has come since: whoever was to look may be gone."""
        before = time.monotonic() - LOOK_SECONDS
        for name in [name for name, at in self._unlooked.items() if at < before]:
            del self._unlooked[name]
            self._hand_over(name, Batch(()))

    def _look_for_loss(self, known: Mapping[str, int], heads: Mapping[str, Head]) -> None:
        """Notes a log that has become shorter: another database was put in the place of ours."""
        for name, position in known.items():
            now = heads[name].position if name in heads else 0
            if now < position and self.trouble is None:
                text = N_(
                    "The log of the contest {name!r} had {known} entries, and has {now} now: "
                    "another database was put in the place of this one. No votes are taken. Put "
                    "the right one there, and start the service again."
                )
                self.trouble = Phrase(text, name=name, known=position, now=now)
                log.error("%s", self.trouble)

    def _read_new(self, name: str, wanted: int) -> None:
        """Reads the entries of a contest up to a position; one bad log does not stop the others."""
        live = self._live.get(name)
        if live is None or live.contest.position >= wanted:
            return
        after, items = live.contest.position, len(live.items)
        try:
            batch = self._latest(name, after)
            if batch is None:
                batch = read_batch(self._store, name, after=after, items_from=items)
        except StoreUnavailable:
            raise
        except Exception:
            words = "The log of the contest %r cannot be read; the others go on."
            rarely.say(f"unread {name}", words, name, level=logging.ERROR, exc_info=True)
            self._hand_over(name, None)
        else:
            if batch.looks:
                self._unlooked.pop(name, None)
            else:
                self._unlooked[name] = time.monotonic()
            self._hand_over(name, batch)
