"""What a store promises, whichever engine is behind it.

A store keeps contests. Each has settings, a state, items, raters and a log (see `log`).

1. **Acknowledged is durable.** When a method that writes returns, what it wrote survives a crash
   of the process and of the machine. When it raises, it wrote nothing. If the engine cannot tell
   (a connection lost during commit), it raises `StoreUnavailable`, and the caller may simply
   repeat the call.
2. **One answer per rater and item.** The log holds each (contest, rater, item) once. A second
   answer is not written; it gets the receipt of the first.
3. **Positions are in commit order.** The entries of a contest are numbered 1, 2, 3, … without
   gaps. A reader who sees a position can read all positions before it. Writers to one contest
   take turns, across all processes and machines.
4. **Events compare and set.** The epoch of a contest is the number of its events so far. An event
   is written only if the epoch is still the one that the caller saw; otherwise `EpochMoved`.
5. **Only an open contest takes answers.** The state is checked in the transaction that writes:
   if the contest is not open, `append_answers` raises `NotOpen` and writes nothing.
6. **The digest covers the whole log**: the `digest` of a contest is `chain` over all its entries.

A store has six roles, one protocol each: the log (`LogStore`), the people who run contests
(`PeopleStore`, with promises of its own in `people`), proof (`ProofStore`, likewise in `proofs`),
doors (`DoorStore`, likewise in `doors`), notices (`NoticeStore`, likewise in `notices`) and
pictures (`PictureStore`). Code that needs only one role asks for that one.

All methods may be called from any thread, also at the same time.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from msgspec import Struct

from plaudit.store.doors import DoorStore
from plaudit.store.log import Answer, Entry, Event
from plaudit.store.notices import NoticeStore
from plaudit.store.people import Deed, PeopleStore
from plaudit.store.proofs import KeptCheckpoint, ProofStore, Signer

# The one state in which a contest takes answers. The service names the other states.
OPEN = "open"


class Receipt(Struct, gc=False, array_like=True):
    """What the log holds for an answer. `fresh` is true if this call wrote it.

    `text` is what the service gives the rater to keep; a store leaves it empty. A struct is made in
    a third of the time of a tuple, and there is one for each vote.
    """

    position: int
    kind: int
    level: int
    rater: int
    fresh: bool
    text: str = ""


class Appended(NamedTuple):
    """The result of appending a group: one receipt per answer, in order, and the new entries.

    `digest` is that of the chain after them; None if it is not known. `packed` has their bytes, as
    the chain has them, if they are at hand.
    """

    receipts: list[Receipt]
    entries: Sequence[Entry]
    digest: bytes | None = None
    packed: Sequence[bytes] = ()


class Head(NamedTuple):
    """The end of a contest's log: the number of entries, and of events among them."""

    position: int
    epoch: int


@dataclass(frozen=True)
class ContestRecord:
    """A contest as the store knows it. `settings` is the service's JSON, kept unchanged.

    `blinding` is 32 random bytes: without them nobody can guess a leaf of the tree from its hash.
    """

    name: str
    settings: str
    state: str
    position: int
    epoch: int
    digest: bytes
    created_at: int
    blinding: bytes = b""


class Item(NamedTuple):
    """An item: its number in the contest, its text, and the hash of its picture or ""."""

    number: int
    text: str
    image: str = ""


class Asset(NamedTuple):
    """A picture. Equal pictures are kept once; `hash` is SHA-256 of `body` in hexadecimal."""

    hash: str
    media_type: str
    body: bytes


class Rater(NamedTuple):
    """A rater of a contest. `key` is None after the rater was erased.

    `origin` is a keyed hash of where the first answer came from, or None. Exports leave it out.
    `salt` is that of the rater's mark, 16 bytes; of an erased rater, it is the mark itself.
    """

    number: int
    key: bytes | None
    origin: bytes | None = None
    salt: bytes = b""


class Answered(NamedTuple):
    """What a rater answered on an item."""

    item: int
    kind: int
    level: int


class Recalled(NamedTuple):
    """What the log has of a rater: the rater's number and answers, in no order."""

    number: int
    answers: list[Answered]


class Snapshot(NamedTuple):
    """The service's own summary of a log up to a position, for a fast start."""

    position: int
    body: bytes


class Certificate(NamedTuple):
    """The proof of a verdict, as JSON, with the position that the verdict was judged at."""

    position: int
    lane: int
    body: str


@dataclass(frozen=True)
class Archive:
    """A whole contest to restore. The parts are streams, so it need not fit into memory.

    `record` says how the contest must end: position, epoch and digest are checked, and its state
    becomes the state. Each stream is read once: items, raters, entries, pictures, signers,
    checkpoints, certificates. A contest without blinding and raters without salt, as in archives of
    before, are given new ones.
    """

    record: ContestRecord
    items: Iterable[Item]
    raters: Iterable[Rater]
    entries: Iterable[Entry]
    assets: Iterable[Asset] = field(default=())
    certificates: Iterable[Certificate] = field(default=())
    signers: Iterable[Signer] = field(default=())
    checkpoints: Iterable[KeptCheckpoint] = field(default=())


class LogStore(Protocol):
    """Contests and their logs. The promises are at the top of this module."""

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
        """Writes a new contest with its items and first event; `ContestExists` if it exists."""

    def contests(self) -> list[ContestRecord]:
        """All contests, oldest first."""

    def contest(self, name: str) -> ContestRecord:
        """One contest; `UnknownContest` if there is none."""

    def heads(self) -> dict[str, Head]:
        """The end of each log, by contest. Cheap: followers ask for it often."""

    def append_answers(self, name: str, answers: Sequence[Answer]) -> Appended:
        """Writes a group of answers in one transaction, in the given order."""

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
        """Writes an event together with a new state, new items, a certificate or an erasure.

        `erase` is the number of a rater whose key, salt and origin are deleted. A certificate's
        position is the one that its verdict was judged at, not that of this event. `deed` says
        who did it; it is kept with the contest's name and the event's position.
        """

    def entries(self, name: str, *, after: int = 0, limit: int = 10_000) -> list[Entry]:
        """The entries after a position, in order."""

    def events(self, name: str) -> list[Entry]:
        """All events, in order, without the answers between them."""

    def answers_of(self, name: str, rater: int) -> list[Entry]:
        """All answers of a rater, in order."""

    def answers_of_several(self, name: str, raters: Sequence[int], *, upto: int) -> list[Entry]:
        """The answers of these raters up to a position, in order.

        It takes time by the answers of these raters, however long the log is.
        """

    def answers_on(self, name: str, items: Sequence[int]) -> list[Entry]:
        """All answers on these items, in order."""

    def rater(self, name: str, key: bytes) -> Rater | None:
        """The rater with this key, or None. A rater gets a number with the first answer."""

    def recall(self, name: str, keys: Sequence[bytes]) -> dict[bytes, Recalled]:
        """The raters with these keys, as far as the log has them, in one go."""

    def raters(self, name: str, *, first: int = 0) -> Iterator[Rater]:
        """The raters from number `first` on, by number."""

    def items(self, name: str, *, first: int = 0, limit: int | None = None) -> list[Item]:
        """The items from number `first` on."""

    def certificates(self, name: str) -> list[Certificate]:
        """The certificates of a contest, oldest first."""

    def put_snapshot(self, name: str, snapshot: Snapshot) -> None:
        """Keeps a snapshot, unless there is a later one. May delete earlier ones."""

    def snapshot(self, name: str) -> Snapshot | None:
        """The latest snapshot, or None."""

    def restore(self, archive: Archive) -> ContestRecord:
        """Writes a whole contest, or nothing.

        `ContestExists` if the name is taken, `ArchiveDamaged` if the entries do not lead to the
        record's position, epoch and digest.
        """


class PictureStore(Protocol):
    """Pictures. One that no contest names is deleted some time after it was last wanted."""

    def put_asset(self, media_type: str, body: bytes, *, at: int | None = None) -> str:
        """Keeps a picture and returns its hash.

        The picture counts as wanted at time `at`, in milliseconds; None means now.
        """

    def hold_assets(self, hashes: Iterable[str], *, at: int | None = None) -> set[str]:
        """Marks pictures as wanted at time `at`. Returns the hashes of those that exist.

        Call this before a contest may name pictures by their hashes.
        """

    def drop_assets(self, *, before: int) -> int:
        """Deletes pictures last wanted before this time that no contest names. Returns how many.

        A contest names the pictures of all its items, withdrawn or not, and of all settings that
        it ever had.
        """

    def asset(self, hash: str) -> Asset | None:
        """The picture with this hash, or None."""


class Store(LogStore, PeopleStore, ProofStore, DoorStore, NoticeStore, PictureStore, Protocol):
    """A whole store: the six roles together."""

    def check(self) -> None:
        """Returns if the store can be read and written now; `StoreUnavailable` otherwise."""

    def close(self) -> None:
        """Closes all connections."""
