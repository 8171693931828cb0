"""What a store promises, whatever the engine behind it.

A store keeps contests. Each has settings, a state, items, raters and a log (see `log`).

1. **Acknowledged is durable.** When a method that writes returns, what it wrote survives the
   death of the process and of the machine. When it raises, nothing of it was written; where
   the engine cannot tell (a connection lost during commit), it raises `StoreUnavailable`, and
   the caller may simply repeat the call.
2. **One answer a rater and item.** An answer whose (contest, rater, item) is in the log already
   is not written again; its receipt is that of the first.
3. **Positions are commit order.** The entries of a contest are numbered 1, 2, 3, … without gaps,
   and a reader who sees a position has seen all before it. Writers of one contest are
   serialised, over all processes and machines.
4. **Events compare and set.** An event is written only where the contest's epoch, the number of
   its events so far, is the one that the caller saw; otherwise `EpochMoved`.
5. **Nobody votes on a contest that is not open.** The state is looked at in the transaction
   that writes: `append_answers` raises `NotOpen` and writes nothing.
6. **The chain grows with the log**: `digest` of a contest is `chain` over all its entries.

It also keeps those who run contests, with promises of their own: see `people`.

Methods may be called from any thread, one at a time or at once.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from plaudit.store.log import Answer, Entry, Event
from plaudit.store.people import Deed, PeopleStore

# The state in which a contest takes answers; other states are the service's to name.
OPEN = "open"


class Receipt(NamedTuple):
    """What the log holds for an answer: `fresh` where this very answer was written."""

    position: int
    kind: int
    level: int
    rater: int
    fresh: bool


class Appended(NamedTuple):
    """What came of a group of answers: a receipt each, in order, and the new entries."""

    receipts: list[Receipt]
    entries: list[Entry]


class Head(NamedTuple):
    """How far a contest's log goes: entries, and how many of them are events."""

    position: int
    epoch: int


@dataclass(frozen=True)
class ContestRecord:
    """A contest as the store knows it; `settings` is the service's JSON, kept as it is."""

    name: str
    settings: str
    state: str
    position: int
    epoch: int
    digest: bytes
    created_at: int


class Item(NamedTuple):
    """An item: its number in the contest, its text, and the hash of its image or ""."""

    number: int
    text: str
    image: str = ""


class Asset(NamedTuple):
    """A picture, kept once by its content; `hash` is SHA-256 in hexadecimal."""

    hash: str
    media_type: str
    body: bytes


class Rater(NamedTuple):
    """A rater of a contest; `key` is None once erased.

    `origin` is a keyed hash of where the first answer came from, or None; an export has none.
    """

    number: int
    key: bytes | None
    origin: bytes | None = None


class Snapshot(NamedTuple):
    """What the service remembers of a log up to a position, so as to start fast."""

    position: int
    body: bytes


class Certificate(NamedTuple):
    """The proof of a verdict, as JSON, at the position of the verdict's entry."""

    position: int
    lane: int
    body: str


@dataclass(frozen=True)
class ApiKey:
    """An API key; the store has only its hash."""

    name: str
    hash: bytes
    scopes: tuple[str, ...]
    created_at: int


@dataclass(frozen=True)
class Archive:
    """A whole contest, to be restored: streams, so that it need not fit into memory.

    `record` tells how it must end: position, epoch and digest are checked, and the state is
    kept as it says. Each stream is read once, in the order of the fields.
    """

    record: ContestRecord
    items: Iterable[Item]
    raters: Iterable[Rater]
    entries: Iterable[Entry]
    assets: Iterable[Asset] = field(default=())
    certificates: Iterable[Certificate] = field(default=())


class Store(PeopleStore, Protocol):
    """A store of contests; the promises are at the head of this module."""

    def create(
        self,
        name: str,
        settings: str,
        *,
        state: str,
        items: Sequence[Item],
        event: Event,
        deed: Deed | None = None,
    ) -> ContestRecord:
        """Writes a new contest with its items and first event; `ContestExists` if it is there."""

    def contests(self) -> list[ContestRecord]:
        """All contests, oldest first."""

    def contest(self, name: str) -> ContestRecord:
        """One contest; `UnknownContest` where there is none."""

    def heads(self) -> dict[str, Head]:
        """How far each log goes: cheap, for followers."""

    def append_answers(self, name: str, answers: Sequence[Answer]) -> Appended:
        """Writes a group of answers in one transaction, in the order given."""

    def append_event(
        self,
        name: str,
        event: Event,
        *,
        epoch: int,
        state: str | None = None,
        items: Sequence[Item] = (),
        certificate: Certificate | None = None,
        erase: int | None = None,
        deed: Deed | None = None,
    ) -> Entry:
        """Writes an event, and with it a new state, items, a certificate or an erasure.

        `erase` is a rater's number, whose key and origin are forgotten. A certificate's
        position is the one that its verdict was judged at; it is kept as given. `deed` says
        who did it; it is kept with the contest's name and the event's position.
        """

    def entries(self, name: str, *, after: int = 0, limit: int = 10_000) -> list[Entry]:
        """The entries that follow a position, in order."""

    def events(self, name: str) -> list[Entry]:
        """All events, in order, without the answers between them."""

    def answers_of(self, name: str, rater: int) -> list[Entry]:
        """All answers of a rater, in order."""

    def answers_on(self, name: str, items: Sequence[int]) -> list[Entry]:
        """All answers on some items, in order."""

    def rater(self, name: str, key: bytes) -> Rater | None:
        """The rater with this key, or None: one who has not answered yet has no number."""

    def raters(self, name: str) -> Iterator[Rater]:
        """All raters, by number."""

    def items(self, name: str, *, first: int = 0, limit: int | None = None) -> list[Item]:
        """The items from a number on."""

    def put_asset(self, media_type: str, body: bytes, *, at: int | None = None) -> str:
        """Keeps a picture, wanted at this time (in milliseconds; None is now); its hash."""

    def hold_assets(self, hashes: Iterable[str], *, at: int | None = None) -> set[str]:
        """Which of these pictures are there; they are wanted at this time.

        Who lets a contest name pictures by their hashes holds them first.
        """

    def drop_assets(self, *, before: int) -> int:
        """Takes away the pictures that were not wanted since and that no contest names; how many.

        A contest names the pictures of all its items, withdrawn or not, and of all settings that
        it ever had.
        """

    def asset(self, hash: str) -> Asset | None:
        """A picture by its hash."""

    def certificates(self, name: str) -> list[Certificate]:
        """The certificates of a contest, oldest first."""

    def put_snapshot(self, name: str, snapshot: Snapshot) -> None:
        """Keeps a snapshot; older ones of the contest may go."""

    def snapshot(self, name: str) -> Snapshot | None:
        """The latest snapshot, or None."""

    def put_key(self, key: ApiKey) -> None:
        """Keeps an API key, in the place of one with the same name."""

    def keys(self) -> list[ApiKey]:
        """All API keys."""

    def drop_key(self, name: str) -> bool:
        """Takes an API key away; whether it was there."""

    def restore(self, archive: Archive) -> ContestRecord:
        """Writes a whole contest, all or nothing.

        `ContestExists` if there is one of this name, `ArchiveDamaged` where its entries do not
        end in its record's position, epoch and digest.
        """

    def check(self) -> None:
        """Returns if the store can be read and written now; `StoreUnavailable` otherwise."""

    def close(self) -> None:
        """Gives all connections back."""
