"""Trees, checkpoints and public keys, the same over every SQL engine."""

from collections.abc import Sequence

from plaudit.errors import InvalidInput
from plaudit.proof.tiles import TILE_BYTES, Tile
from plaudit.store.checks import check_text, check_whole
from plaudit.store.proofs import KeptCheckpoint, Signer, SigningKeyRecord
from plaudit.store.sql.database import Database, Transaction, run
from plaudit.store.sql.log_reading import contest_id

PUBLIC_BYTES = 32
_ALL = 2**62
PUT_TILE = (
    "INSERT INTO tiles (contest, level, number, hashes)"
    " VALUES (:contest, :level, :number, :hashes) ON CONFLICT DO NOTHING"
)
TILE = "SELECT hashes FROM tiles WHERE contest = :contest AND level = :level AND number = :number"
TILE_COUNT = "SELECT max(number) FROM tiles WHERE contest = :contest AND level = 0"
PUT_CHECKPOINT = (
    "INSERT INTO checkpoints (contest, size, body) VALUES (:contest, :size, :body)"
    " ON CONFLICT DO NOTHING"
)
CHECKPOINT = "SELECT size, body FROM checkpoints WHERE contest = :contest AND size = :size"
CHECKPOINTS = (
    "SELECT size, body FROM checkpoints WHERE contest = :contest AND size < :before"
    " ORDER BY size DESC LIMIT :limit"
)
SIGNING_KEYS = "SELECT number, public, made_at, retired_at FROM signing_keys ORDER BY number"
LAST_KEY = "SELECT coalesce(max(number), 0) FROM signing_keys"
RETIRE_KEYS = (
    "UPDATE signing_keys SET retired_at = :at WHERE number < :number AND retired_at IS NULL"
)
ADD_KEY = (
    "INSERT INTO signing_keys (number, public, made_at) VALUES (:number, :public, :at)"
    " ON CONFLICT DO NOTHING"
)
SIGNERS = "SELECT vkey, made_at, retired_at FROM signers WHERE contest = :contest ORDER BY number"
ADD_SIGNER = (
    "INSERT INTO signers (contest, number, vkey, made_at, retired_at)"
    " VALUES (:contest, :number, :vkey, :made_at, :retired_at)"
)


class Proofs:
    """The part of a store that keeps trees, checkpoints and public keys."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_tiles(self, name: str, tiles: Sequence[Tile]) -> None:
        """Keeps full tiles of a contest's tree, those that are not kept yet."""
        for tile in tiles:
            if len(tile.hashes) != TILE_BYTES:
                raise InvalidInput(f"A tile has {TILE_BYTES} bytes, not {len(tile.hashes)}.")
        contest = contest_id(self._database, name)
        with self._database.writing() as transaction:
            for tile in tiles:
                transaction.run(PUT_TILE, contest=contest, **tile._asdict())

    def tile(self, name: str, level: int, number: int) -> bytes | None:
        """The hashes of a tile, joined, or None."""
        contest = contest_id(self._database, name)
        rows = self._database.rows(TILE, contest=contest, level=level, number=number)
        return bytes(rows[0][0]) if rows else None

    def tile_count(self, name: str) -> int:
        """How many tiles of leaves are kept."""
        last = self._database.rows(TILE_COUNT, contest=contest_id(self._database, name))[0][0]
        return 0 if last is None else int(last) + 1

    def put_checkpoint(self, name: str, checkpoint: KeptCheckpoint) -> KeptCheckpoint:
        """Keeps a checkpoint unless there is one for its size. Returns the one that is kept."""
        check_checkpoint(checkpoint)
        contest = contest_id(self._database, name)
        if run(self._database, PUT_CHECKPOINT, contest=contest, **checkpoint._asdict()):
            return checkpoint
        kept = self.checkpoint(name, checkpoint.size)
        return checkpoint if kept is None else kept

    def checkpoint(self, name: str, size: int | None = None) -> KeptCheckpoint | None:
        """The checkpoint for a size, or the latest; None if there is none."""
        if size is None:
            return next(iter(self.checkpoints(name, limit=1)), None)
        contest = contest_id(self._database, name)
        rows = self._database.rows(CHECKPOINT, contest=contest, size=min(size, _ALL))
        return KeptCheckpoint(*rows[0]) if rows else None

    def checkpoints(
        self, name: str, *, before: int | None = None, limit: int = 100
    ) -> list[KeptCheckpoint]:
        """The checkpoints of sizes below `before`, or all, the largest first."""
        contest = contest_id(self._database, name)
        least = _ALL if before is None else min(before, _ALL)
        rows = self._database.rows(CHECKPOINTS, contest=contest, before=least, limit=limit)
        return [KeptCheckpoint(*row) for row in rows]

    def signing_keys(self) -> list[SigningKeyRecord]:
        """The public keys of this service, oldest first."""
        return [SigningKeyRecord(*row) for row in self._database.rows(SIGNING_KEYS)]

    def add_signing_key(self, number: int, public: bytes, *, at: int) -> bool:
        """Adds the next key and retires the one before; false if this number is taken."""
        check_whole("A key's number", number)
        if len(public) != PUBLIC_BYTES:
            raise InvalidInput(f"A public key has {PUBLIC_BYTES} bytes, not {len(public)}.")
        with self._database.writing() as transaction:
            last = transaction.rows(LAST_KEY)[0][0]
            if number > last + 1:
                raise InvalidInput(f"The next key has the number {last + 1}, not {number}.")
            if not transaction.run(ADD_KEY, number=number, public=public, at=at):
                return False
            transaction.run(RETIRE_KEYS, number=number, at=at)
            return True

    def signers(self, name: str) -> list[Signer]:
        """The keys of other services that signed for a contest, as its archive listed them."""
        rows = self._database.rows(SIGNERS, contest=contest_id(self._database, name))
        return [Signer(*row) for row in rows]


def check_checkpoint(checkpoint: KeptCheckpoint) -> None:
    """Returns if the store can keep this checkpoint."""
    check_whole("A checkpoint's size", checkpoint.size)
    check_text("A checkpoint", checkpoint.body)


def add_proofs(
    transaction: Transaction,
    contest: int,
    signers: Sequence[Signer],
    checkpoints: Sequence[KeptCheckpoint],
) -> None:
    """Adds the keys and checkpoints of an archive to a new contest."""
    for number, signer in enumerate(signers, start=1):
        check_text("A public key", signer.vkey)
        transaction.run(ADD_SIGNER, contest=contest, number=number, **signer._asdict())
    for checkpoint in checkpoints:
        check_checkpoint(checkpoint)
        transaction.run(PUT_CHECKPOINT, contest=contest, **checkpoint._asdict())
