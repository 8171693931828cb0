"""What all steps of the desk share: checking who takes it and what they saw, and writing it."""

import copy
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

from plaudit.errors import EpochMoved, NotAllowed
from plaudit.phrase import Phrase
from plaudit.service.accounts.roles import Actor, require_editor
from plaudit.service.clock import now_ms
from plaudit.service.contest.events import (
    ContestEvent,
    ItemProposed,
    ItemsAdded,
    ItemsReplaced,
    RaterEvent,
    read_event,
    to_log,
)
from plaudit.service.contest.history import History, history_of
from plaudit.service.contest.roster import items_digest
from plaudit.service.contest.settings import FROZEN, SIGN_IN
from plaudit.service.deeds import STEP
from plaudit.service.desk import trail
from plaudit.service.desk.checks import check_races
from plaudit.service.desk.verdicts import check_verdicts
from plaudit.store.contract import Item, Store
from plaudit.store.log import Entry
from plaudit.store.people import Deed
from plaudit.words import N_


class Taken(NamedTuple):
    """A step in the log: its position, and the contest after it.

    `epoch` is the epoch right after the step, whatever others did since. `item` is the first item
    that the step added, if any.
    """

    position: int
    epoch: int
    state: str
    item: int | None


def taken(store: Store, name: str, entry: Entry) -> Taken:
    """The answer for whoever took a step."""
    epoch = sum(event.position <= entry.position for event in store.events(name))
    return Taken(entry.position, epoch, store.contest(name).state, first_item(entry))


def first_item(entry: Entry) -> int | None:
    """The first item that a step added, or None."""
    event = read_event(entry)
    return event.new[0] if isinstance(event, ItemsAdded | ItemsReplaced) else None


class Stepping:
    """Takes steps on contests: each is one event in the log, with the deed that says who did it.

    A step that would take back a verdict which stands is refused (`VerdictStands`), unless it is
    taken by `revoking()`.
    """

    def __init__(
        self, store: Store, *, clock: Callable[[], int] = now_ms, signs_in: bool = False
    ) -> None:
        self._store = store
        self._clock = clock
        # Whether the service is connected to a provider that people can sign in with.
        self.signs_in = signs_in
        self.may_revoke = False

    def revoking(self, allowed: bool = True) -> Self:
        """The same desk, whose steps may take back verdicts."""
        own = copy.copy(self)
        own.may_revoke = allowed
        return own

    def history(self, name: str) -> History:
        """The history of a contest, to prepare a step."""
        return history_of(self._store, name)

    def _history(self, name: str, by: Actor, epoch: int | None) -> History:
        """The history, if they may take a step and saw the current epoch; otherwise an error."""
        require_editor(by)
        history = history_of(self._store, name)
        if epoch is not None and _has_moved(history, epoch):
            raise EpochMoved(
                Phrase(
                    N_(
                        "The contest {name!r} has changed meanwhile: its epoch is {now}, not "
                        "{given}. {since} Look again, then repeat the step with the current epoch."
                    ),
                    name=name,
                    now=str(history.record.epoch),
                    given=str(epoch),
                    since=trail.summary(trail.since(self._store, history, epoch).steps),
                )
            )
        return history

    def _check_door(self, door: str) -> None:
        """Raises `NotAllowed` if the service cannot keep such a door."""
        if door == SIGN_IN and not self.signs_in:
            text = N_(
                "The door cannot be sign-in: this service is connected to no provider that people "
                "sign in with. Choose another door, or connect one first (docs/live/sign-in.md)."
            )
            raise NotAllowed(Phrase(text))

    def _changeable(self, name: str, by: Actor, epoch: int | None) -> History:
        history = self._history(name, by, epoch)
        if history.record.state in FROZEN:
            text = N_("{name!r} is {state}: it cannot change. Bring it back first.")
            raise NotAllowed(Phrase(text, name=name, state=Phrase(history.record.state)))
        return history

    def _append(self, history: History, event: ContestEvent, *, by: Actor, **more: Any) -> Entry:
        """Writes the event of a step, if the contest has not changed since its history was read."""
        if not self.may_revoke:
            check_verdicts(history, event)
        if event.reopens and not isinstance(event, RaterEvent):
            check_races(history, event)
        now, record = self._clock(), history.record
        return self._store.append_event(
            record.name,
            to_log(event, now),
            epoch=record.epoch,
            deed=Deed(now, by.name, STEP),
            **more,
        )


def _has_moved(history: History, epoch: int) -> bool:
    """Whether more happened since an epoch than that raters proposed items.

    Otherwise nobody could take a step while many propose.
    """
    since = history.events[epoch:]
    known = 0 <= epoch <= len(history.events)
    return not known or any(not isinstance(one.event, ItemProposed) for one in since)


def added(items: Sequence[Item]) -> ItemsAdded:
    """The event that adds these items."""
    return ItemsAdded(items[0].number, len(items), items_digest(items))
