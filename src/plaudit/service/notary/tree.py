"""The tree of one contest, grown from its log: roots, proofs, and what a checkpoint says of a size.

Full tiles are in the store. What a checkpoint says of items and raters is counted on from the last
checkpoint that is kept, so nothing of it needs a table of its own.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from plaudit.errors import StoreUnavailable
from plaudit.proof.checkpoint import Checkpoint
from plaudit.proof.digests import NO_ITEMS, NO_RATERS, rater_mark, with_items, with_raters
from plaudit.proof.merkle import leaf_hash
from plaudit.proof.tiles import WIDTH, Tile, TileTree
from plaudit.service.contest.events import ItemsAdded, ItemsReplaced, read_event
from plaudit.service.notary.leaves import Leaves
from plaudit.store.contract import ContestRecord, Store
from plaudit.store.log import Entry, Kind, first_leaf

# While a page is decoded no other thread runs.
PAGE, PAGES_KEPT = 250, 80
TILES_KEPT = 32
# Full tiles are written so many at a time: while they are, no vote is.
TILES_AT_ONCE = 64
# Between two pages of a tree that grows at leisure, so that those who vote hardly notice.
PAUSE_SECONDS = 0.01
# A tree that is behind by more than this is opened anew, from the tiles of another worker.
FAR_BEHIND = 4 * WIDTH
# A request may make a tree grow by so much; more is done by the notary's own thread.
MOST_FOR_A_REQUEST = 20_000


class Counted(NamedTuple):
    """Items and raters that the first `size` leaves have, with their digests."""

    size: int
    items: int
    items_digest: bytes
    raters: int
    raters_digest: bytes


# The contest itself, before its first entry.
NOTHING = Counted(1, 0, NO_ITEMS, 0, NO_RATERS)


def counted_in(checkpoint: Checkpoint) -> Counted:
    """What a checkpoint counts."""
    return Counted(
        checkpoint.size,
        checkpoint.items,
        checkpoint.items_digest,
        checkpoint.raters,
        checkpoint.raters_digest,
    )


class ContestTree:
    """The tree of a contest. Any thread may use it; it grows a page at a time.

    `leaves` may know the hashes of some.
    """

    def __init__(self, store: Store, record: ContestRecord, leaves: Leaves | None = None) -> None:
        self._store = store
        self._record = record
        self._leaves = leaves or Leaves(record.blinding)
        self._lock = threading.RLock()
        # Full tiles never change, nor do entries: pages that made the tree grow are counted next.
        self._read = lru_cache(TILES_KEPT)(self._read_tile)
        self._read_page = lru_cache(PAGES_KEPT)(self._read_entries)
        # Full tiles that are not in the store yet, by level and number.
        self._unwritten: dict[tuple[int, int], Tile] = {}
        self._tree = self._opened()

    @property
    def size(self) -> int:
        """How many leaves it has so far."""
        return self._tree.size

    def root(self, size: int) -> bytes:
        """The root of the first `size` leaves."""
        self.grow(size)
        with self._lock:
            return self._tree.root(size)

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """The proof that a leaf is in the tree of the first `size` leaves."""
        self._grow_for_a_request(size)
        with self._lock:
            return self._tree.inclusion(index, size)

    def consistency(self, first: int, second: int) -> list[bytes]:
        """The proof that the tree of `first` leaves is the beginning of the tree of `second`."""
        self._grow_for_a_request(second)
        with self._lock:
            return self._tree.consistency(first, second)

    def grow(self, size: int, *, leisurely: bool = False) -> None:
        """Grows to `size` leaves, which the log must have; `leisurely` if nobody waits for it."""
        if size - self.size > FAR_BEHIND:
            self._take_tiles()
        leisurely = leisurely and size - self.size <= MOST_FOR_A_REQUEST
        while self.size < size:
            with self._lock:
                self._grow_page(size)
            if leisurely:
                time.sleep(PAUSE_SECONDS)
        with self._lock:
            self._write_tiles()

    def counted(self, size: int, since: Counted = NOTHING) -> Counted:
        """Items and raters of the first `size` leaves, counted on from an earlier size."""
        items, raters = since.items, since.raters
        for page in self._pages(since.size, size):
            raters = max(raters, 1 + max(entry.rater for entry in page))
            items = max(items, _items_after(page))
        self._read_page.cache_clear()
        return Counted(
            size,
            items,
            with_items(since.items_digest, self._items(since.items, items)),
            raters,
            with_raters(since.raters_digest, self._marks(since.raters, raters)),
        )

    def _grow_for_a_request(self, size: int) -> None:
        if size - self.size > MOST_FOR_A_REQUEST:
            self._take_tiles()
        if size - self.size > MOST_FOR_A_REQUEST:
            raise StoreUnavailable("The tree of this contest is still growing. Try again soon.")
        self.grow(size)

    def _opened(self) -> TileTree:
        tree = TileTree.opened(self._read, self._store.tile_count(self._record.name))
        if not tree.size:
            record = self._record
            tree.grow([leaf_hash(first_leaf(record.blinding, record.name, record.settings))])
        return tree

    def _take_tiles(self) -> None:
        with self._lock:
            if self._store.tile_count(self._record.name) * WIDTH > self.size:
                self._tree = self._opened()

    def _grow_page(self, size: int) -> None:
        for page in islice(self._pages(self.size, size), 1):
            tiles = self._tree.grow(self._leaves.hashes(page))
            self._unwritten |= {(tile.level, tile.number): tile for tile in tiles}
        if len(self._unwritten) >= TILES_AT_ONCE:
            self._write_tiles()

    def _write_tiles(self) -> None:
        """Writes full tiles; if the store is away, they are kept here until it is back."""
        if self._unwritten:
            self._store.put_tiles(self._record.name, list(self._unwritten.values()))
            self._unwritten.clear()

    def _pages(self, first: int, size: int) -> Iterator[Sequence[Entry]]:
        """The entries of the leaves from `first` to before `size`."""
        while first < size:
            limit = min(PAGE, size - first)
            page = self._read_page(first, limit)
            yield page
            first += len(page)

    def _read_entries(self, first: int, limit: int) -> Sequence[Entry]:
        page = self._store.entries(self._record.name, after=first - 1, limit=limit)
        if not page:
            raise StoreUnavailable(
                f"The log of {self._record.name!r} ends before entry {first}. Try again."
            )
        return page

    def _items(self, first: int, count: int) -> Iterator[tuple[int, str, str]]:
        if count > first:
            found = self._store.items(self._record.name, first=first, limit=count - first)
            yield from ((item.number, item.text, item.image) for item in found)

    def _marks(self, first: int, count: int) -> Iterator[bytes]:
        if count > first:
            found = self._store.raters(self._record.name, first=first)
            yield from (rater_mark(one.salt, one.key) for one in islice(found, count - first))

    def _read_tile(self, level: int, number: int) -> bytes:
        if (level, number) in self._unwritten:
            return self._unwritten[level, number].hashes
        found = self._store.tile(self._record.name, level, number)
        if found is None:
            raise StoreUnavailable(f"Tile {number} of level {level} is missing. Try again.")
        return found


def _items_after(page: Sequence[Entry]) -> int:
    """The number of items after the last event in a page that added some; 0 if none did."""
    for entry in reversed(page):
        if entry.kind in (Kind.ADD, Kind.REPLACE):
            event = read_event(entry)
            if isinstance(event, ItemsAdded | ItemsReplaced):
                return event.first + event.count
    return 0
