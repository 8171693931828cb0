"""Pictures, the same over every SQL engine: keeping them, and deleting those nobody wants.

The row of a picture in the table `held` says when it was last wanted. It is also the picture's
lock: whoever wants a picture writes that row first and then looks whether the picture exists, and
whoever deletes a picture deletes that row first.
"""

import hashlib
import re
import time
from collections.abc import Iterable

from plaudit.store.checks import can_hold, check_text
from plaudit.store.contract import Asset
from plaudit.store.sql import statements
from plaudit.store.sql.database import Database, Transaction

# How many pictures one transaction marks. Other writers wait for as long as it takes.
_AT_ONCE = 500
_HASH = re.compile(r"[0-9a-f]{64}")


class Pictures:
    """The part of a store that keeps pictures."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_asset(self, media_type: str, body: bytes, *, at: int | None = None) -> str:
        """Keeps a picture, wanted at time `at`, and returns its hash."""
        check_text("A picture's media type", media_type)
        hash = hashlib.sha256(body).hexdigest()
        with self._database.writing() as transaction:
            add_asset(transaction, Asset(hash, media_type, body), at=at)
        return hash

    def asset(self, hash: str) -> Asset | None:
        """The picture with this hash, or None."""
        rows = self._database.rows(statements.ASSET, hash=hash) if can_hold(hash) else []
        return Asset(*rows[0]) if rows else None

    def hold_assets(self, hashes: Iterable[str], *, at: int | None = None) -> set[str]:
        """Marks pictures as wanted at time `at`. Returns the hashes of those that exist."""
        # Always in the same order: otherwise two callers could wait for each other for ever.
        wanted = sorted({hash for hash in hashes if can_hold(hash)})
        existing: set[str] = set()
        for first in range(0, len(wanted), _AT_ONCE):
            existing |= self._hold(wanted[first : first + _AT_ONCE], _moment(at))
        return existing

    def drop_assets(self, *, before: int) -> int:
        """Deletes pictures last wanted before this time that no contest names. Returns how many."""
        texts = self._database.rows(statements.PICTURED)
        named = {hash for (text,) in texts for hash in _HASH.findall(text)}
        old = {hash for (hash,) in self._database.rows(statements.UNHELD, before=before)}
        return sum(self._drop(hash, before) for hash in sorted(old - named))

    def _hold(self, wanted: list[str], at: int) -> set[str]:
        with self._database.writing() as transaction:
            for hash in wanted:
                transaction.run(statements.HOLD_KNOWN, hash=hash, at=at)
            return {hash for hash in wanted if transaction.rows(statements.HAS_ASSET, hash=hash)}

    def _drop(self, hash: str, before: int) -> int:
        with self._database.writing() as transaction:
            if not transaction.run(statements.LET_GO, hash=hash, before=before):
                return 0
            return transaction.run(statements.DROP_ASSET, hash=hash)


def add_asset(transaction: Transaction, asset: Asset, *, at: int | None = None) -> None:
    """Adds a picture if it is new, and marks it as wanted at time `at`; None means now."""
    transaction.run(statements.HOLD, hash=asset.hash, at=_moment(at))
    transaction.run(statements.ADD_ASSET, **asset._asdict())


def _moment(at: int | None) -> int:
    return round(1000 * time.time()) if at is None else at
