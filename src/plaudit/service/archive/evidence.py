"""What a log says at any of its positions, noted as an archive streams by.

Certificates and checkpoints stand behind the log in an archive, and speak of positions in it. So
for each position the digest of the chain and the hash of the leaf are noted, in a file that is
gone afterwards; a contest of any length takes little memory.
"""

import tempfile
from array import array
from bisect import bisect_left
from typing import BinaryIO, cast

from plaudit.proof.digests import NO_ITEMS, NO_RATERS, rater_mark, with_items, with_raters
from plaudit.proof.merkle import HASH_BYTES, leaf_hash
from plaudit.proof.tiles import TILE_BYTES, TileTree
from plaudit.service.contest.events import ItemsAdded, ItemsReplaced, VerdictReached, read_event
from plaudit.service.notary.tree import Counted
from plaudit.store.contract import ContestRecord, Item, Rater
from plaudit.store.log import Entry, Kind, chain, first_digest, first_leaf, leaf

_MEMORY = 2**20


class Hashes:
    """A list of hashes, kept in a file once it is long."""

    def __init__(self) -> None:
        spooled = tempfile.SpooledTemporaryFile(max_size=_MEMORY)  # noqa: SIM115 (see close)
        self._file = cast(BinaryIO, spooled)
        self.count = 0

    def append(self, hashed: bytes) -> None:
        """Adds a hash at the end."""
        self._file.seek(self.count * HASH_BYTES)
        self._file.write(hashed)
        self.count += 1

    def __getitem__(self, number: int) -> bytes:
        return self.joined(number, HASH_BYTES)

    def joined(self, first: int, length: int) -> bytes:
        """The bytes of the hashes from `first` on."""
        self._file.seek(first * HASH_BYTES)
        return self._file.read(length)

    def close(self) -> None:
        """Deletes the file."""
        self._file.close()


class Evidence:
    """Chain, tree, items and raters of a contest at each position of its log."""

    def __init__(self, record: ContestRecord) -> None:
        self._record = record
        self._chain, self._leaves = Hashes(), Hashes()
        self._upper: dict[tuple[int, int], bytes] = {}
        self._tree = TileTree(self._read)
        self._items, self._raters = Hashes(), Hashes()
        self._items.append(NO_ITEMS)
        self._raters.append(NO_RATERS)
        # For each rater the position of the first answer; the items after each event.
        self._first_answers = array("q")
        self._item_counts: list[tuple[int, int]] = [(0, 0)]
        self.verdicts: list[VerdictReached] = []
        self._digest = first_digest(record.name, record.settings)
        self._chain.append(self._digest)
        if self.has_tree:
            self._grow(leaf_hash(first_leaf(record.blinding, record.name, record.settings)))

    @property
    def has_tree(self) -> bool:
        """Whether the archive says how leaves are blinded; those of before do not."""
        return bool(self._record.blinding)

    def item(self, item: Item) -> None:
        """Notes the next item."""
        self._items.append(with_items(self._items[self._items.count - 1], [item]))

    def rater(self, rater: Rater) -> None:
        """Notes the next rater."""
        mark = rater_mark(rater.salt, rater.key)
        self._raters.append(with_raters(self._raters[self._raters.count - 1], [mark]))

    def entry(self, entry: Entry) -> None:
        """Notes the next entry."""
        self._digest = chain(self._digest, [entry])
        self._chain.append(self._digest)
        if self.has_tree:
            self._grow(leaf_hash(leaf(self._record.blinding, entry)))
        if entry.rater == len(self._first_answers):
            self._first_answers.append(entry.position)
        if entry.kind in (Kind.ADD, Kind.REPLACE, Kind.VERDICT):
            self._event(entry)

    def digest(self, position: int) -> bytes:
        """The digest of the chain after a position."""
        return self._chain[position]

    def root(self, size: int) -> bytes:
        """The root of the first `size` leaves."""
        return self._tree.root(size)

    def counted(self, size: int) -> Counted:
        """Items and raters of the first `size` leaves."""
        items = next(count for at, count in reversed(self._item_counts) if at < size)
        raters = bisect_left(self._first_answers, size)
        return Counted(size, items, self._items[items], raters, self._raters[raters])

    @property
    def position(self) -> int:
        """The position of the last entry."""
        return self._chain.count - 1

    def close(self) -> None:
        """Deletes what was noted."""
        for hashes in (self._chain, self._leaves, self._items, self._raters):
            hashes.close()

    def _grow(self, hashed: bytes) -> None:
        self._leaves.append(hashed)
        for tile in self._tree.grow([hashed]):
            if tile.level:
                self._upper[tile.level, tile.number] = tile.hashes

    def _read(self, level: int, number: int) -> bytes:
        if level:
            return self._upper[level, number]
        return self._leaves.joined(number * TILE_BYTES // HASH_BYTES, TILE_BYTES)

    def _event(self, entry: Entry) -> None:
        event = read_event(entry)
        if isinstance(event, ItemsAdded | ItemsReplaced):
            self._item_counts.append((entry.position, event.first + event.count))
        if isinstance(event, VerdictReached):
            self.verdicts.append(event)
