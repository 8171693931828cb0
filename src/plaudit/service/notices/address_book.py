"""What editors do about notices: say where they go, stop them, and have one sent again."""

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from plaudit.errors import NotAllowed, UnknownItem, UnknownName
from plaudit.phrase import Phrase
from plaudit.service.accounts.roles import Actor, require_editor
from plaudit.service.accounts.secret import Secret
from plaudit.service.clock import now_ms
from plaudit.service.contest.history import History, history_of
from plaudit.service.deeds import did
from plaudit.service.notices.addresses import check_mail, read_target
from plaudit.service.notices.bodies import new_delivery
from plaudit.service.notices.kinds import MAIL, TEST, WAYS, WEBHOOK, checked_kinds
from plaudit.service.notices.news import BEFORE, Notice, Told, phase_of
from plaudit.service.notices.settings import NoticeSettings
from plaudit.service.notices.signing import SALT_BYTES, secret_of
from plaudit.store.contract import Store
from plaudit.store.notices import Delivery, Destination, Mark
from plaudit.store.people import Deed
from plaudit.words import N_

MOST = 10
SHOWN = 50


class Added(NamedTuple):
    """A new destination; `secret` is what webhooks are signed with, shown this once."""

    destination: Destination
    secret: str


def place_of(destination: Destination) -> str:
    """Where a destination is, without what may be secret in its address."""
    if destination.way == MAIL:
        return destination.address.rpartition("@")[2]
    return read_target(destination.address, private=True).host


class AddressBook:
    """The destinations of all contests, for those who run them.

    The command line does not know whether the service sends mail (`knows_mail`).
    """

    def __init__(
        self,
        store: Store,
        secret: Secret,
        settings: NoticeSettings,
        *,
        public_url: str,
        clock: Callable[[], int] = now_ms,
        knows_mail: bool = True,
    ) -> None:
        self._store = store
        self._secret = secret
        self._settings = settings
        self._public_url = public_url
        self._clock = clock
        self._knows_mail = knows_mail

    @property
    def sends_mail(self) -> bool:
        """Whether the service can send mail."""
        return self._settings.mail is not None

    def add(
        self, contest: str, way: str, address: str, kinds: Sequence[str], *, by: Actor
    ) -> Added:
        """Sends notices of these kinds to an address from now on, a test first."""
        require_editor(by)
        address = self._checked(way, address.strip())
        wanted = checked_kinds(kinds)
        history, now = history_of(self._store, contest), self._clock()
        known = self._store.destinations(contest)
        self._check_room(known, address)
        if not known:
            self._begin(history, now)
        salt = os.urandom(SALT_BYTES)
        made = self._store.add_destination(contest, way, address, wanted, salt=salt, at=now)
        self._test(made, history.settings.title, now)
        self._note(by, "added-destination", made, now, kinds=", ".join(wanted))
        return Added(made, secret_of(self._secret, salt) if way == WEBHOOK else "")

    def remove(self, contest: str, number: int, *, by: Actor) -> None:
        """Sends nothing to a destination any more, and forgets what was sent."""
        require_editor(by)
        found = [one for one in self._store.destinations(contest) if one.number == number]
        if not found or not self._store.drop_destination(contest, number):
            told = N_("The contest {name!r} sends no notices to a destination {number}.")
            raise UnknownItem(Phrase(told, name=contest, number=str(number)))
        self._note(by, "removed-destination", found[0], self._clock())

    def send_again(self, contest: str, number: int, *, by: Actor) -> None:
        """Sends a delivery once more, under the same id."""
        require_editor(by)
        if not self._store.send_again(contest, number, at=self._clock()):
            told = N_("The contest {name!r} has no delivery {number}; it may be forgotten.")
            raise UnknownItem(Phrase(told, name=contest, number=str(number)))

    def destinations(self, contest: str) -> list[Destination]:
        """Where notices of a contest go."""
        return self._store.destinations(contest)

    def deliveries(self, contest: str, *, limit: int = SHOWN) -> list[Delivery]:
        """What was sent or waits, latest first."""
        return self._store.deliveries(contest, limit=limit)

    def _checked(self, way: str, address: str) -> str:
        if way not in WAYS:
            raise UnknownName(N_("way of notices"), way, WAYS)
        if way == MAIL:
            check_mail(address)
            if self._knows_mail and not self.sends_mail:
                told = N_("This service sends no mail. Those who run it can change that (--mail).")
                raise NotAllowed(Phrase(told))
            return address
        read_target(address, private=self._settings.private)
        return address

    def _check_room(self, known: Sequence[Destination], address: str) -> None:
        if len(known) >= MOST:
            told = N_("Notices of a contest go to {most} addresses at most. Remove one first.")
            raise NotAllowed(Phrase(told, most=MOST))
        if any(one.address == address for one in known):
            raise NotAllowed(Phrase(N_("Notices go to this address already. Remove it first.")))

    def _begin(self, history: History, now: int) -> None:
        """What happened before the first destination is not news."""
        contest = history.record.name
        phase = phase_of(history.settings, history.contest.state, now, BEFORE)
        told = Told(epoch=len(history.events), phase=phase)
        mark = self._store.mark(contest)
        version = mark.version + 1 if mark is not None else 1
        self._store.tell(contest, Mark(version, msgspec.json.encode(told).decode()), [])

    def _test(self, made: Destination, title: str, now: int) -> None:
        """Queues a test, beside whatever the courier tells at the same time."""
        notice = Notice(TEST, now, {})
        delivery = new_delivery(made, notice, title, self._public_url)
        while (mark := self._store.mark(made.contest)) is not None:
            if self._store.tell(made.contest, Mark(mark.version + 1, mark.body), [delivery]):
                return

    def _note(self, by: Actor, code: str, made: Destination, now: int, **facts: str) -> None:
        what = did(code, way=made.way, place=place_of(made), **facts)
        self._store.note(Deed(now, by.name, what, made.contest, 0))
