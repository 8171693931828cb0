"""Verdicts on their way to the log, each with its signed certificate.

Promises: a verdict that is due is written once, whoever else tries; its certificate rests on the
votes of the moment in which it was reached. `look` is called on the owner's thread; the writing
happens on the notary's.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from plaudit.errors import LiveError, StoreUnavailable
from plaudit.service.contest.certificate import verdict_in
from plaudit.service.contest.events import to_log
from plaudit.service.live.contest import LiveContest
from plaudit.service.notary.notary import Notary
from plaudit.store.contract import Certificate, Store

# Contest, lane, and the epoch at which the verdict was reached.
Place = tuple[str, int, int]


class Verdicts:
    """Writes the verdicts of all contests; `written` is called after each, or an attempt."""

    def __init__(
        self,
        store: Store,
        notary: Notary,
        *,
        clock: Callable[[], int],
        post: Callable[..., Any],
        written: Callable[[], None],
    ) -> None:
        self._store = store
        self._notary = notary
        self._clock = clock
        self._post = post
        self._written = written
        self._recording: set[Place] = set()

    def look(self, live: LiveContest) -> None:
        """Records the verdicts that are due. If several workers try, the first one wins."""
        for lane, _ in live.verdict_due():
            place = (live.name, lane, live.contest.epoch)
            if place in self._recording:
                continue
            self._recording.add(place)
            self._notary.do(partial(self._record, live.proofs[lane].certificate, place))

    def _record(self, body: dict[str, Any], place: Place) -> None:
        """Writes a verdict to the log with its signed certificate, on the notary's thread."""
        name, lane, epoch = place
        encoded = msgspec.json.encode(self._notary.certified(body)).decode()
        try:
            self._store.append_event(
                name,
                to_log(verdict_in(body), self._clock()),
                epoch=epoch,
                certificate=Certificate(body["judged_at"], lane, encoded),
            )
        except StoreUnavailable:
            raise  # the notary tries again; there may be no further vote to trigger it
        except LiveError:
            # Another worker's verdict, or a step of an editor, came first. Folding it decides
            # whether to try again.
            self._post(self._recording.discard, place)
        self._written()
