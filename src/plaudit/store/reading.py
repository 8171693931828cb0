"""Reading a store, the same over every SQL engine."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from plaudit.errors import UnknownContest
from plaudit.store import statements
from plaudit.store.checks import can_hold
from plaudit.store.contract import (
    ApiKey,
    Asset,
    Certificate,
    ContestRecord,
    Head,
    Item,
    Rater,
    Snapshot,
)
from plaudit.store.log import Entry

Row = tuple[Any, ...]
_PAGE = 10_000
# More rows than any table has, where an engine wants a number for "all".
_ALL = 2**62


class SqlReading(ABC):
    """The reading half of a store; an engine says how rows are fetched."""

    @abstractmethod
    def _rows(self, sql: str, **parameters: object) -> list[Row]:
        """The rows of a statement, read outside of any transaction."""

    @abstractmethod
    def _many(self, sql: str, columns: str, **parameters: object) -> list[Row]:
        """The same, for statements with many rows of numbers and texts; `columns` are theirs."""

    @abstractmethod
    def _rater_page(self, contest: int, *, after: int, limit: int) -> list[Rater]:
        """The raters that follow a number, in order."""

    def contests(self) -> list[ContestRecord]:
        """All contests, oldest first."""
        return [ContestRecord(*row) for row in self._rows(statements.CONTESTS)]

    def contest(self, name: str) -> ContestRecord:
        """One contest; `UnknownContest` where there is none."""
        return ContestRecord(*self._found(statements.CONTEST, name))

    def heads(self) -> dict[str, Head]:
        """How far each log goes."""
        return {row[0]: Head(row[1], row[2]) for row in self._rows(statements.HEADS)}

    def entries(self, name: str, *, after: int = 0, limit: int = 10_000) -> list[Entry]:
        """The entries that follow a position, in order."""
        rows = self._many(
            statements.ENTRIES,
            statements.ENTRY,
            contest=self._id(name),
            after=min(after, _ALL),
            limit=min(limit, _ALL),
        )
        return [Entry._make(row) for row in rows]

    def events(self, name: str) -> list[Entry]:
        """All events, in order, without the answers between them."""
        rows = self._many(statements.EVENTS, statements.ENTRY, contest=self._id(name))
        return [Entry._make(row) for row in rows]

    def answers_of(self, name: str, rater: int) -> list[Entry]:
        """All answers of a rater, in order."""
        rows = self._many(
            statements.ANSWERS_OF, statements.ENTRY, contest=self._id(name), rater=rater
        )
        return [Entry._make(row) for row in rows]

    def answers_on(self, name: str, items: Sequence[int]) -> list[Entry]:
        """All answers on some items, in order."""
        if not items:
            return []
        sql = statements.ANSWERS_ON % ",".join(str(int(item)) for item in items)
        rows = self._many(sql, statements.ENTRY, contest=self._id(name))
        return [Entry._make(row) for row in rows]

    def rater(self, name: str, key: bytes) -> Rater | None:
        """The rater with this key, or None."""
        rows = self._rows(statements.RATER, contest=self._id(name), key=key)
        return Rater(*rows[0]) if rows else None

    def raters(self, name: str) -> Iterator[Rater]:
        """All raters, by number, read a page at a time."""
        return self._rater_pages(self._id(name))

    def items(self, name: str, *, first: int = 0, limit: int | None = None) -> list[Item]:
        """The items from a number on."""
        rows = self._many(
            statements.ITEMS,
            statements.ITEM,
            contest=self._id(name),
            first=min(first, _ALL),
            limit=_ALL if limit is None else min(limit, _ALL),
        )
        return [Item._make(row) for row in rows]

    def asset(self, hash: str) -> Asset | None:
        """A picture by its hash, or None."""
        rows = self._rows(statements.ASSET, hash=hash) if can_hold(hash) else []
        return Asset(*rows[0]) if rows else None

    def certificates(self, name: str) -> list[Certificate]:
        """The certificates of a contest, oldest first."""
        rows = self._rows(statements.CERTIFICATES, contest=self._id(name))
        return [Certificate(*row) for row in rows]

    def snapshot(self, name: str) -> Snapshot | None:
        """The latest snapshot, or None."""
        rows = self._rows(statements.SNAPSHOT, contest=self._id(name))
        return Snapshot(*rows[0]) if rows else None

    def keys(self) -> list[ApiKey]:
        """All API keys, oldest first."""
        return [
            ApiKey(name, hash, tuple(json.loads(scopes)), created_at)
            for name, hash, scopes, created_at in self._rows(statements.KEYS)
        ]

    def _id(self, name: str) -> int:
        number: int = self._found(statements.CONTEST_ID, name)[0]
        return number

    def _found(self, sql: str, name: str) -> Row:
        rows = self._rows(sql, name=name) if can_hold(name) else []
        if not rows:
            raise UnknownContest(name)
        return rows[0]

    def _rater_pages(self, contest: int) -> Iterator[Rater]:
        after = -1
        while page := self._rater_page(contest, after=after, limit=_PAGE):
            yield from page
            after = page[-1].number
