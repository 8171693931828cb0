"""The formats of what a service has seen as a witness of others."""

from msgspec import Struct


class SeenCheckpoint(Struct):
    """The latest checkpoint of a contest elsewhere that was checked; times in milliseconds."""

    contest: str
    size: int
    at: int
    checkpoint: str


class SeenAlarm(Struct):
    """Something that no honest service does; `contest` is "" if it is about the keys."""

    contest: str
    what: str


class SeenOfUs(Struct):
    """A checkpoint of this service that the other one keeps."""

    contest: str
    size: int
    at: int


class SeenService(Struct):
    """What was seen of a service; `away` says why the last look failed, if it did."""

    url: str
    name: str
    checked_at: int | None
    away: str
    contests: list[SeenCheckpoint]
    alarms: list[SeenAlarm]
    of_us: list[SeenOfUs]


class Witnessed(Struct):
    """What this service has seen of others, and the contests of its own that anybody may watch."""

    contests: list[str]
    services: list[SeenService]
