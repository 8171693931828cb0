"""All contests of a store in the memory of one worker, as their logs tell them.

Promises: a contest here is a fold of its log up to its position, without a gap; one whose log
cannot be folded is put away, loaded anew, and does not hold up the others. Only the owner's thread
changes it: the follower hands over what it read with `post`.
"""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from plaudit.errors import StoreUnavailable, UnknownContest
from plaudit.phrase import Phrase
from plaudit.service.contest.races import warm_up
from plaudit.service.contest.replay import SNAPSHOT_EVERY, Batch, put_snapshot
from plaudit.service.intake.pictures import drop_pictures
from plaudit.service.live.contest import LiveContest
from plaudit.service.live.follower import BROKEN_SECONDS, Follower, Latest, from_store
from plaudit.service.live.snapshot import copy_of
from plaudit.service.live.verdicts import Verdicts
from plaudit.service.notary.notary import Notary
from plaudit.service.rare_log import rarely
from plaudit.store.contract import Store
from plaudit.words import N_

# A contest that could not be folded is loaded anew after this long.
RELOAD_SECONDS = 1.0


class Contests:
    """The contests, and the follower that reads what others wrote."""

    def __init__(
        self,
        store: Store,
        notary: Notary,
        *,
        post: Callable[..., Any],
        clock: Callable[[], int],
        latest: Latest = from_store,
    ) -> None:
        self._store = store
        self._notary = notary
        self._post = post
        self._live: dict[str, LiveContest] = {}
        self._saved_at: dict[str, int] = {}
        self._waiting: dict[str, list[tuple[int, Callable[[], Any]]]] = {}
        tidy = partial(drop_pictures, store, clock)
        self._follower = Follower(store, self._live, self._hand_over, tidy=tidy, latest=latest)
        self._verdicts = Verdicts(
            store, notary, clock=clock, post=post, written=self._follower.poke
        )

    def start(self) -> None:
        """Loads all contests, then follows their logs."""
        warm_up()
        for live in self._follower.load_new():
            self._add(live)
        self._follower.start()

    def close(self) -> None:
        """Stops following the logs."""
        self._follower.close()

    @property
    def trouble(self) -> Phrase | None:
        """Why no log can be trusted any more; None while all can."""
        return self._follower.trouble

    @property
    def all(self) -> list[LiveContest]:
        """The contests in memory, oldest first."""
        return sorted(self._live.values(), key=lambda live: live.record.created_at)

    def find(self, name: str) -> LiveContest | None:
        """A contest by name; None if it is not in memory now."""
        return self._live.get(name)

    def get(self, name: str) -> LiveContest:
        """A contest by name; `UnknownContest` if there is none.

        `StoreUnavailable` if there is one that could not be loaded.
        """
        live = self._live.get(name)
        if live is None and name in self._follower.broken:
            text = N_("The contest {name!r} cannot be shown now. The log of the service says why.")
            raise StoreUnavailable(Phrase(text, name=name))
        if live is None:
            raise UnknownContest(name)
        return live

    def catch_up(self) -> None:
        """Checks the logs soon, since someone else wrote to one."""
        self._follower.poke()

    def read_all_soon(self) -> None:
        """Reads everything that is missing at the next look, which is not hastened."""
        self._follower.is_eager = True

    def when_folded(self, name: str, position: int, done: Callable[[], Any]) -> None:
        """Calls `done`, on the owner's thread, once a contest is folded up to a position."""
        live = self._live.get(name)
        if live is not None and live.contest.position >= position:
            done()
        else:
            self._waiting.setdefault(name, []).append((position, done))

    def _tell_waiting(self, live: LiveContest) -> None:
        waiting = self._waiting.pop(live.name, None)
        for position, done in waiting or ():
            self.when_folded(live.name, position, done)

    # Folding

    def _hand_over(self, live: LiveContest | str, batch: Batch | None = None) -> None:
        """Hands over a new contest, or entries of one, to the owner's thread."""
        if isinstance(live, LiveContest):
            self._post(self._add, live)
        elif batch is None:
            self._post(self._put_away, live, BROKEN_SECONDS)
        else:
            self._post(self.fold, live, batch)

    def _add(self, live: LiveContest) -> None:
        if live.name not in self._live:
            self._saved_at[live.name] = live.contest.position
            self._notary.know(live.name, live.record.blinding)
            self._live[live.name] = live
            try:
                self._verdicts.look(live)
            except Exception:
                self._note_bad(live.name)
                self._put_away(live.name, BROKEN_SECONDS)
            self._tell_waiting(live)

    def _note_bad(self, name: str) -> None:
        words = "The log of the contest %r could not be folded; it is loaded anew."
        rarely.say(f"bad {name}", words, name, level=logging.ERROR, exc_info=True)

    def _put_away(self, name: str, seconds: float) -> None:
        """Puts a contest away whose state cannot be trusted; it is loaded anew after some time."""
        self._follower.put_off(name, seconds)
        self._live.pop(name, None)

    def fold(self, name: str, batch: Batch) -> None:
        """Folds entries into a contest; those after a gap are left to the follower."""
        live = self._live.get(name)
        if live is None or (
            batch.entries and batch.entries[0].position > live.contest.position + 1
        ):
            return
        epoch = live.contest.epoch
        try:
            live.apply(batch)
            if batch.looks:
                self._verdicts.look(live)
        except Exception:
            self._note_bad(name)
            self._put_away(name, RELOAD_SECONDS)
            return
        if live.contest.epoch > epoch:
            self._notary.poke()
        if self._waiting:
            self._tell_waiting(live)
        if live.contest.position - self._saved_at[name] >= SNAPSHOT_EVERY:
            self._saved_at[name] = live.contest.position
            self._follower.do(partial(put_snapshot, self._store, name, copy_of(live.contest)))
