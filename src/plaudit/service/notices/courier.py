"""The courier of a worker: a thread that puts news into the queue, and sends what is due.

Of several workers one works, whoever holds the lease in the store. It only reads what votes write,
and every try runs on a thread of its own: a receiver that hangs holds up nobody else's notices.
"""

import logging
import random
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from plaudit.errors import PlauditError
from plaudit.service.accounts.secret import Secret
from plaudit.service.chores import ChoreThread
from plaudit.service.clock import now_ms
from plaudit.service.lease import Lease
from plaudit.service.notices import webhook
from plaudit.service.notices.addresses import read_target
from plaudit.service.notices.bodies import data_of, new_delivery
from plaudit.service.notices.kinds import MAIL, SUSPICIOUS
from plaudit.service.notices.mail_words import mail_of
from plaudit.service.notices.news import Told, news
from plaudit.service.notices.settings import NoticeSettings
from plaudit.service.notices.sights import Sights
from plaudit.service.notices.signing import headers
from plaudit.service.notices.webhook import Outcome
from plaudit.service.rare_log import rarely
from plaudit.store.contract import Store
from plaudit.store.notices import FAILED, SENT, WAITING, Delivery, Destination, Mark

POLL_SECONDS = 1.0
LEASE = "courier"
LEASE_MS, RENEW_MS = 30_000, 20_000
MOST_AT_ONCE = 8
# The waits after each try that failed; after the last the delivery has failed.
SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
WAITS = (5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY)
LONGEST_WISH = DAY
KEPT_MS = 30 * DAY
EXAMINE_MS = 5 * MINUTE


class Tried(NamedTuple):
    """A try that is over."""

    delivery: Delivery
    outcome: Outcome


class Courier:
    """Tells what is new, and sends what is due; `close` leaves the rest to whoever comes next."""

    def __init__(
        self,
        store: Store,
        secret: Secret,
        sights: Sights,
        settings: NoticeSettings,
        *,
        public_url: str,
        clock: Callable[[], int] = now_ms,
        waits: Sequence[int] = WAITS,
        poll: float = POLL_SECONDS,
    ) -> None:
        self._store = store
        self._secret = secret
        self._sights = sights
        self._settings = settings
        self._public_url = public_url
        self._clock = clock
        self._waits = waits
        self._lease = Lease(store, LEASE, lasts_ms=LEASE_MS, renew_ms=RENEW_MS, clock=clock)
        # Those who failed together are not tried together.
        self._random = random.Random(self._lease.holder)
        self._tidy_at = 0
        self._examine_at: dict[str, int] = {}
        # By destination, what is under way; and what is over and not settled yet.
        self._flying: set[int] = set()
        self._tried: deque[Tried] = deque()
        last = (self._settle, self._lease.give_back)
        self._thread = ChoreThread("courier", poll, self._look, last=last)

    def start(self) -> None:
        """Begins."""
        self._thread.start()

    def close(self) -> None:
        """Stops; a try that is under way is repeated by whoever comes next."""
        self._thread.close()

    def poke(self) -> None:
        """Looks soon, since somebody wants something sent."""
        self._thread.poke()

    def _look(self) -> None:
        self._settle()
        destinations = self._store.destinations()
        if not destinations or not self._lease.is_mine():
            return
        for contest in dict.fromkeys(one.contest for one in destinations):
            mine = [one for one in destinations if one.contest == contest]
            self._thread.guarded(partial(self._tell, contest, mine))
        self._send()
        self._tidy()

    def _tidy(self) -> None:
        now = self._clock()
        if now >= self._tidy_at:
            self._tidy_at = now + HOUR
            self._store.forget_deliveries(before=now - KEPT_MS)

    # Telling

    def _tell(self, contest: str, destinations: Sequence[Destination]) -> None:
        """Queues what is new in a contest, for each destination that wants it."""
        mark = self._store.mark(contest)
        if mark is None:
            return
        told = msgspec.json.decode(mark.body, type=Told)
        suspects = any(SUSPICIOUS in one.kinds for one in destinations) and self._is_due(contest)
        sight = self._sights.of(contest, epoch=told.epoch, suspects=suspects)
        if sight is None:
            return
        notices, now_told = news(sight, told, self._clock())
        if now_told == told:
            return
        title = sight.seen.settings.title
        deliveries = [
            new_delivery(one, notice, title, self._public_url)
            for notice in notices
            for one in destinations
            if notice.kind in one.kinds
        ]
        body = msgspec.json.encode(now_told).decode()
        self._store.tell(contest, Mark(mark.version + 1, body), deliveries)

    def _is_due(self, contest: str) -> bool:
        now = self._clock()
        if now < self._examine_at.get(contest, 0):
            return False
        self._examine_at[contest] = now + EXAMINE_MS
        return True

    # Sending

    def _send(self) -> None:
        room = MOST_AT_ONCE - len(self._flying)
        due = self._store.due_deliveries(at=self._clock(), limit=2 * MOST_AT_ONCE)
        free = [each for each in due if each[0].number not in self._flying]
        for destination, delivery in free[: max(0, room)]:
            self._flying.add(destination.number)
            # Daemons: one that hangs must not keep the process alive.
            given = (destination, delivery)
            threading.Thread(target=self._try, args=given, daemon=True).start()

    def _try(self, destination: Destination, delivery: Delivery) -> None:
        try:
            outcome = self._sent(destination, delivery)
        except PlauditError as error:
            outcome = Outcome(False, str(error), is_final=True)
        except Exception as error:
            rarely.say("try", "A notice could not be sent.", level=logging.ERROR, exc_info=True)
            outcome = Outcome(False, f"This went wrong here ({type(error).__name__}).")
        self._tried.append(Tried(delivery, outcome))
        self._thread.poke()

    def _sent(self, destination: Destination, delivery: Delivery) -> Outcome:
        now = self._clock()
        if destination.way == MAIL:
            from plaudit.service.notices import mail

            subject, text = mail_of(delivery.kind, data_of(delivery.body))
            host = urlsplit(self._public_url).hostname or "localhost"
            return mail.send(
                self._settings.mail, destination.address, subject, text,
                id=delivery.id, host=host, at=delivery.made_at,
            )  # fmt: skip
        body = delivery.body.encode()
        signed = headers(self._secret, destination, delivery.id, body, at=now)
        private = self._settings.private
        target = read_target(destination.address, private=private)
        return webhook.post(target, signed, body, private=private)

    def _settle(self) -> None:
        """Writes down what came of the tries that are over."""
        while self._tried:
            delivery, outcome = self._tried[0]
            now = self._clock()
            state, due_at = self._next(delivery, outcome, now)
            self._store.settle(
                delivery.number, tries=delivery.tries, state=state, due_at=due_at, at=now,
                outcome=outcome.words[:300].replace("\0", ""),
            )  # fmt: skip
            self._tried.popleft()
            self._flying.discard(delivery.destination)

    def _next(self, delivery: Delivery, outcome: Outcome, now: int) -> tuple[str, int]:
        """What becomes of a delivery: done, failed, or due again, later each time."""
        if outcome.is_taken:
            return SENT, now
        if outcome.is_final or delivery.tries >= len(self._waits):
            return FAILED, now
        wait = self._waits[delivery.tries] * self._random.uniform(0.9, 1.1)
        return WAITING, now + int(max(wait, min(outcome.wait * SECOND, LONGEST_WISH)))
