"""What every step of the desk shares: who may take it, on what they saw, and how it is written."""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from plaudit.errors import EpochMoved, NotAllowed
from plaudit.service.accounts.roles import Actor, require_editor
from plaudit.service.clock import now_ms
from plaudit.service.contest.history import History, history_of, payload_of
from plaudit.service.contest.roster import OF_ITEMS, items_digest
from plaudit.service.contest.settings import RETIRED
from plaudit.service.desk import trail
from plaudit.service.desk.checks import check_races
from plaudit.store.contract import Item, Store
from plaudit.store.log import Entry, Event, Kind
from plaudit.store.people import Deed


class Taken(NamedTuple):
    """A step that is in the log: where, and how the contest stands after it.

    `epoch` is that right after the step, whatever others did since. `item` is the first item that
    the step added, if any.
    """

    position: int
    epoch: int
    state: str
    item: int | None


def taken(store: Store, name: str, entry: Entry) -> Taken:
    """What to tell whoever took a step."""
    epoch = sum(event.position <= entry.position for event in store.events(name))
    item = payload_of(entry).get("first")
    return Taken(entry.position, epoch, store.contest(name).state, item)


class Stepping:
    """Takes steps on contests: each is one event in the log, with the deed that says who did it."""

    def __init__(self, store: Store, *, clock: Callable[[], int] = now_ms) -> None:
        self._store = store
        self._clock = clock

    def history(self, name: str) -> History:
        """The contest as its events tell it, for whoever prepares a step."""
        return history_of(self._store, name)

    def _history(self, name: str, by: Actor, epoch: int | None) -> History:
        """The contest as the one who takes a step saw it; an error if they may not, or did not."""
        require_editor(by)
        history = history_of(self._store, name)
        if epoch is not None and epoch != history.record.epoch:
            told = trail.told(trail.since(self._store, history, epoch).steps)
            raise EpochMoved(
                f"The contest {name!r} has changed meanwhile: its epoch is {history.record.epoch}, "
                f"not {epoch}. {told} Look again, then repeat the step with the epoch of now."
            )
        return history

    def _changeable(self, name: str, by: Actor, epoch: int | None) -> History:
        history = self._history(name, by, epoch)
        if history.record.state == RETIRED:
            raise NotAllowed(f"{name!r} is retired: it cannot change. Bring it back first.")
        return history

    def _append(
        self,
        history: History,
        kind: Kind,
        payload: dict[str, Any],
        *,
        by: Actor,
        what: str,
        **more: Any,
    ) -> Entry:
        if kind in OF_ITEMS:
            check_races(history, kind, payload)
        now, record = self._clock(), history.record
        event, deed = Event(kind, now, packed(payload)), Deed(now, by.name, what)
        return self._store.append_event(record.name, event, epoch=record.epoch, deed=deed, **more)


def packed(payload: dict[str, Any]) -> str:
    """A payload as the log has it."""
    return json.dumps(payload, separators=(",", ":"))


def added(items: Sequence[Item]) -> dict[str, Any]:
    """What the log says of items that join: how many, and a digest of what they are."""
    return {"first": items[0].number, "count": len(items), "digest": items_digest(items)}
