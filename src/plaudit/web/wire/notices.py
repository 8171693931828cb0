"""The formats of the API for notices: where they go, and what was sent."""

from typing import Annotated, Any

from msgspec import Meta, Struct

from plaudit.service.notices.addresses import LONGEST
from plaudit.service.notices.kinds import KINDS, WAYS
from plaudit.web.wire.voting import In

Way = Annotated[str, Meta(pattern=f"^({'|'.join(WAYS)})$")]
NoticeKind = Annotated[str, Meta(pattern=f"^({'|'.join(KINDS)})$")]


class NewDestination(In):
    """Where notices of these kinds are to go: a webhook's address, or a mail address."""

    way: Way
    address: Annotated[str, Meta(min_length=1, max_length=LONGEST)]
    kinds: Annotated[list[NoticeKind], Meta(min_length=1, max_length=len(KINDS))]


class ShownDestination(Struct):
    """Where notices go."""

    number: int
    way: str
    address: str
    kinds: list[str]
    made_at: int


class MadeDestination(Struct):
    """A new destination. `secret` signs what webhooks get; it is shown this once."""

    destination: ShownDestination
    secret: str


class ShownDestinations(Struct):
    """Where the notices of a contest go."""

    contest: str
    destinations: list[ShownDestination]


class OneNumber(In):
    """A destination or a delivery, by its number."""

    number: Annotated[int, Meta(ge=1, le=2**53)]


class ShownDelivery(Struct):
    """A notice on its way to a destination; `state` is `waiting`, `sent` or `failed`.

    `id` is what the receiver knows it by, `body` what is sent, `outcome` what came of the last of
    so many `tries`. Times are in milliseconds since 1970.
    """

    number: int
    destination: int
    id: str
    kind: str
    state: str
    tries: int
    made_at: int
    tried_at: int | None
    due_at: int
    outcome: str
    body: dict[str, Any]


class ShownDeliveries(Struct):
    """The deliveries of a contest, latest first."""

    contest: str
    deliveries: list[ShownDelivery]
