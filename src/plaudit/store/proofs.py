"""What a store promises about proof: trees, checkpoints and the public keys that signed them.

1. **Nothing of it changes.** A tile is kept once, and the first checkpoint for a size stays:
   whoever puts another gets the one that is kept. Two workers may put the same.
2. **Tiles come without gaps.** Those of a level are put in order, a group of them all or none.
3. **One key is current.** Keys are numbered from 1. Adding one retires the one before, in the same
   step; of two callers who add the same number, one is told that it came late. None is deleted.
4. **Blinding and salts are made by the store**, from the system's strong random numbers: the
   blinding with the contest, the salt with a rater's first answer, both before anybody can read
   them. Erasing a rater deletes key and salt, and keeps the mark.

Private keys are never in a store.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from plaudit.proof.tiles import Tile


class KeptCheckpoint(NamedTuple):
    """A checkpoint: the size of the tree, and the signed text."""

    size: int
    body: str


class SigningKeyRecord(NamedTuple):
    """A public key of this service; times are in milliseconds, `retired_at` None if in use."""

    number: int
    public: bytes
    made_at: int
    retired_at: int | None = None


class Signer(NamedTuple):
    """A public key (as vkey text) of a service that signed for a contest before this one."""

    vkey: str
    made_at: int
    retired_at: int | None = None


class ProofStore(Protocol):
    """Trees, checkpoints and keys. The promises are at the top of this module."""

    def put_tiles(self, name: str, tiles: Sequence[Tile]) -> None:
        """Keeps full tiles of a contest's tree, those that are not kept yet."""

    def tile(self, name: str, level: int, number: int) -> bytes | None:
        """The hashes of a tile, joined, or None."""

    def tile_count(self, name: str) -> int:
        """How many tiles of leaves are kept."""

    def put_checkpoint(self, name: str, checkpoint: KeptCheckpoint) -> KeptCheckpoint:
        """Keeps a checkpoint unless there is one for its size. Returns the one that is kept."""

    def checkpoint(self, name: str, size: int | None = None) -> KeptCheckpoint | None:
        """The checkpoint for a size, or the latest; None if there is none."""

    def checkpoints(
        self, name: str, *, before: int | None = None, limit: int = 100
    ) -> list[KeptCheckpoint]:
        """The checkpoints of sizes below `before`, or all, the largest first."""

    def signing_keys(self) -> list[SigningKeyRecord]:
        """The public keys of this service, oldest first."""

    def add_signing_key(self, number: int, public: bytes, *, at: int) -> bool:
        """Adds the next key and retires the one before; false if this number is taken."""

    def signers(self, name: str) -> list[Signer]:
        """The keys of other services that signed for a contest, as its archive listed them."""
