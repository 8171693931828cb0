"""A tree that grows, kept as tiles of 256 hashes, so that no proof reads the whole log.

Tile `number` of a level has the hashes of 256 neighbours: leaves on level 0, and on each level
above the roots of full tiles below. Only full tiles are kept; they never change. The rest, less
than 256 hashes a level, is the edge: it is in memory, and can be made anew from the tiles and the
last leaves.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from plaudit.errors import InvalidInput
from plaudit.proof.merkle import (
    HASH_BYTES,
    consistency_path,
    fold,
    inclusion_path,
    tree_root,
)

HEIGHT = 8
WIDTH = 1 << HEIGHT
TILE_BYTES = WIDTH * HASH_BYTES

# Gives the hashes of a full tile, joined: level, number.
ReadTile = Callable[[int, int], bytes]


class Tile(NamedTuple):
    """A full tile: its place, and its 256 hashes joined."""

    level: int
    number: int
    hashes: bytes


class TileTree:
    """A tree of leaf hashes. `read` gives the full tiles; the edge is kept here.

    It may prove anything about its first `size` leaves, for every size up to that.
    """

    def __init__(self, read: ReadTile) -> None:
        self._read = read
        self._edge: list[list[bytes]] = []
        self.size = 0

    @classmethod
    def opened(cls, read: ReadTile, full: int) -> "TileTree":
        """The tree with the first `full` tiles of leaves, made from tiles alone."""
        tree = cls(read)
        tree.size = full * WIDTH
        tree._edge.append([])
        count = full
        level = 0
        while count:
            # The roots of the full tiles of one level that no full tile above has.
            first = count - count % WIDTH
            tree._edge.append([_tile_root(read(level, n)) for n in range(first, count)])
            count //= WIDTH
            level += 1
        return tree

    def grow(self, leaves: Iterable[bytes]) -> list[Tile]:
        """Appends leaf hashes. Returns the tiles that became full, those below first."""
        made: list[Tile] = []
        for leaf in leaves:
            self.size += 1
            self._put(0, leaf, made)
        return made

    def root(self, size: int | None = None) -> bytes:
        """The root of the first `size` leaves, or of all."""
        return tree_root(self._node, self.size if size is None else self._known(size))

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """The proof that the leaf at `index` is in the tree of the first `size` leaves."""
        return inclusion_path(self._node, index, self._known(size))

    def consistency(self, first: int, second: int) -> list[bytes]:
        """The proof that the tree of `first` leaves is the beginning of the tree of `second`."""
        return consistency_path(self._node, first, self._known(second))

    def _known(self, size: int) -> int:
        if not 0 <= size <= self.size:
            raise InvalidInput(f"The tree has {self.size} leaves, not {size}.")
        return size

    def _put(self, level: int, hashed: bytes, made: list[Tile]) -> None:
        if level == len(self._edge):
            self._edge.append([])
        row = self._edge[level]
        row.append(hashed)
        if len(row) < WIDTH:
            return
        number = (self.size >> (HEIGHT * (level + 1))) - 1
        made.append(Tile(level, number, b"".join(row)))
        self._edge[level] = []
        self._put(level + 1, fold(row), made)

    def _node(self, level: int, index: int) -> bytes:
        tile_level, height = divmod(level, HEIGHT)
        number, place = divmod(index << height, WIDTH)
        hashes = self._tile(tile_level, number)
        return fold(hashes[place : place + (1 << height)])

    def _tile(self, level: int, number: int) -> list[bytes]:
        if number < self.size >> (HEIGHT * (level + 1)):
            return split_tile(self._read(level, number))
        return self._edge[level]


def split_tile(hashes: bytes) -> list[bytes]:
    """The hashes of a tile, one by one."""
    return [hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)]


def _tile_root(hashes: bytes) -> bytes:
    return fold(split_tile(hashes))
