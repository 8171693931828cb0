"""Keeping pictures, the same over every SQL engine, and letting go of those that nobody wants.

The row of a picture in `held` is also its lock: who wants the picture writes it before looking
whether the picture is there, and who drops the picture takes the row away first.
"""

import hashlib
import re
from collections.abc import Iterable

from plaudit.store import statements
from plaudit.store.checks import can_hold, check_text
from plaudit.store.contract import Asset
from plaudit.store.people_writing import PeopleWriting
from plaudit.store.transaction import add_asset, moment

# Others who write wait for as long as these take.
_AT_ONCE = 500
_HASH = re.compile(r"[0-9a-f]{64}")


class PictureWriting(PeopleWriting):
    """The part of a store that writes pictures."""

    def put_asset(self, media_type: str, body: bytes, *, at: int | None = None) -> str:
        """Keeps a picture; its hash."""
        check_text("A picture's media type", media_type)
        hash = hashlib.sha256(body).hexdigest()
        with self._writing() as transaction:
            add_asset(transaction, Asset(hash, media_type, body), at=at)
        return hash

    def hold_assets(self, hashes: Iterable[str], *, at: int | None = None) -> set[str]:
        """Which of these pictures are there; they are wanted at this time."""
        # In one order, or two who hold the same pictures could wait for each other.
        wanted = sorted({hash for hash in hashes if can_hold(hash)})
        there: set[str] = set()
        for first in range(0, len(wanted), _AT_ONCE):
            there |= self._hold(wanted[first : first + _AT_ONCE], moment(at))
        return there

    def _hold(self, wanted: list[str], at: int) -> set[str]:
        with self._writing() as transaction:
            for hash in wanted:
                transaction.run(statements.HOLD_KNOWN, hash=hash, at=at)
            return {hash for hash in wanted if transaction.rows(statements.HAS_ASSET, hash=hash)}

    def drop_assets(self, *, before: int) -> int:
        """Takes away pictures that nobody wanted since, and no contest names; how many."""
        texts = self._rows(statements.PICTURED)
        named = {hash for (text,) in texts for hash in _HASH.findall(text)}
        old = {hash for (hash,) in self._rows(statements.UNHELD, before=before)}
        return sum(self._drop(hash, before) for hash in sorted(old - named))

    def _drop(self, hash: str, before: int) -> int:
        with self._writing() as transaction:
            if not transaction.run(statements.LET_GO, hash=hash, before=before):
                return 0
            return transaction.run(statements.DROP_ASSET, hash=hash)
