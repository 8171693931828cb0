"""What a store promises about notices: where they go, what has been told, and the queue of them.

1. **Told once, sent at least once.** `tell` moves the mark of a contest and puts deliveries into
   the queue in one transaction, and only if the mark is still the one that the caller saw: of two
   workers that saw the same, one puts them there.
2. **A delivery keeps its id and its body**, however often it is tried, until it is forgotten or its
   destination goes.
3. **A delivery is settled only by whoever saw it as it is.** `settle` names the tries before; after
   somebody else has settled it, it changes nothing.
4. **A lease has one holder.** It passes to another only once its time is over, or its holder gives
   it back.

Exports have none of it. The store knows neither what notices say nor how they are sent.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

WAITING, SENT, FAILED = "waiting", "sent", "failed"


class Destination(NamedTuple):
    """Where notices about a contest go; `kinds` are those that it wants."""

    number: int
    contest: str
    way: str
    address: str
    kinds: tuple[str, ...]
    salt: bytes
    made_at: int


class NewDelivery(NamedTuple):
    """A notice for one destination, due at once."""

    destination: int
    id: str
    kind: str
    body: str
    made_at: int


class Delivery(NamedTuple):
    """A notice in the queue; `outcome` is what came of the last try. Times in milliseconds."""

    number: int
    destination: int
    id: str
    kind: str
    body: str
    made_at: int
    state: str
    tries: int
    due_at: int
    tried_at: int | None
    outcome: str


class Mark(NamedTuple):
    """What has been told about a contest, as the service writes it down."""

    version: int
    body: str


class NoticeStore(Protocol):
    """Destinations, marks, the queue and leases. The promises are at the top of this module."""

    def destinations(self, name: str | None = None) -> list[Destination]:
        """The destinations of a contest, or of all, oldest first."""

    def add_destination(
        self, name: str, way: str, address: str, kinds: Sequence[str], *, salt: bytes, at: int
    ) -> Destination:
        """Adds a destination to a contest."""

    def drop_destination(self, name: str, number: int) -> bool:
        """Removes a destination with its deliveries. Returns whether the contest had it."""

    def mark(self, name: str) -> Mark | None:
        """The mark of a contest, or None."""

    def tell(self, name: str, mark: Mark, deliveries: Sequence[NewDelivery]) -> bool:
        """Sets the next mark and queues deliveries; false if another mark was set meanwhile.

        The version of the new mark is one more than that of the old, 1 if there is none.
        Deliveries to destinations that are gone are left out.
        """

    def deliveries(self, name: str, *, limit: int) -> list[Delivery]:
        """The deliveries of a contest, latest first."""

    def due_deliveries(self, *, at: int, limit: int) -> list[tuple[Destination, Delivery]]:
        """The oldest delivery of each destination that waits and is due, with where it goes."""

    def settle(
        self, number: int, *, tries: int, state: str, due_at: int, at: int, outcome: str
    ) -> bool:
        """Notes one more try of a delivery that had so many before; false if it had not."""

    def send_again(self, name: str, number: int, *, at: int) -> bool:
        """Makes a delivery of a contest due at once, with no tries. Returns whether it is there."""

    def forget_deliveries(self, *, before: int) -> int:
        """Deletes deliveries that do not wait and were made before a time. Returns how many."""

    def take_lease(self, name: str, holder: str, *, now: int, until: int) -> bool:
        """Takes or keeps a lease; false if somebody else holds it now."""

    def give_lease(self, name: str, holder: str) -> None:
        """Gives a lease back, if it is this holder's."""
