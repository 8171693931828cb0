"""Reading contests and their logs, the same over every SQL engine."""

from collections.abc import Iterator, Sequence

from plaudit.errors import UnknownContest
from plaudit.store.checks import can_hold
from plaudit.store.contract import (
    Answered,
    Certificate,
    ContestRecord,
    Head,
    Item,
    Rater,
    Recalled,
    Snapshot,
)
from plaudit.store.log import Entry
from plaudit.store.sql import statements
from plaudit.store.sql.database import Database, Row

_PAGE = 10_000
# More rows than any table has: engines want a number even for "all".
_ALL = 2**62


class LogReader:
    """The part of a store that reads contests and their logs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def contests(self) -> list[ContestRecord]:
        """All contests, oldest first."""
        return [ContestRecord(*row) for row in self._database.rows(statements.CONTESTS)]

    def contest(self, name: str) -> ContestRecord:
        """One contest; `UnknownContest` if there is none."""
        return ContestRecord(*_found(self._database, statements.CONTEST, name))

    def heads(self) -> dict[str, Head]:
        """The end of each log, by contest."""
        return {row[0]: Head(row[1], row[2]) for row in self._database.rows(statements.HEADS)}

    def entries(self, name: str, *, after: int = 0, limit: int = 10_000) -> list[Entry]:
        """The entries after a position, in order."""
        return self._entries(
            name, statements.ENTRIES, after=min(after, _ALL), limit=min(limit, _ALL)
        )

    def events(self, name: str) -> list[Entry]:
        """All events, in order, without the answers between them."""
        return self._entries(name, statements.EVENTS)

    def answers_of(self, name: str, rater: int) -> list[Entry]:
        """All answers of a rater, in order."""
        return self._entries(name, statements.ANSWERS_OF, rater=rater)

    def answers_of_several(self, name: str, raters: Sequence[int], *, upto: int) -> list[Entry]:
        """The answers of these raters up to a position, in order."""
        return self._database.answers_of(self._id(name), raters, upto=min(upto, _ALL))

    def answers_on(self, name: str, items: Sequence[int]) -> list[Entry]:
        """All answers on these items, in order."""
        if not items:
            return []
        numbers = ",".join(str(int(item)) for item in items)
        return self._entries(name, statements.ANSWERS_ON % numbers)

    def rater(self, name: str, key: bytes) -> Rater | None:
        """The rater with this key, or None."""
        row = _found(self._database, statements.RATER, name, key=key)
        return Rater(*row) if row[0] is not None else None

    def recall(self, name: str, keys: Sequence[bytes]) -> dict[bytes, Recalled]:
        """The raters with these keys, as far as the log has them, in one go."""
        found: dict[bytes, Recalled] = {}
        for place, number, *answer in self._database.recall(name, keys) if can_hold(name) else ():
            recalled = found.setdefault(keys[place], Recalled(number, []))
            if answer[0] is not None:
                recalled.answers.append(Answered._make(answer))
        return found

    def raters(self, name: str, *, first: int = 0) -> Iterator[Rater]:
        """The raters from number `first` on, by number. Reads one page at a time."""
        return self._rater_pages(self._id(name), first - 1)

    def items(self, name: str, *, first: int = 0, limit: int | None = None) -> list[Item]:
        """The items from number `first` on."""
        return self._database.many(
            Item,
            statements.ITEMS,
            contest=self._id(name),
            first=min(first, _ALL),
            limit=_ALL if limit is None else min(limit, _ALL),
        )

    def certificates(self, name: str) -> list[Certificate]:
        """The certificates of a contest, oldest first."""
        rows = self._database.rows(statements.CERTIFICATES, contest=self._id(name))
        return [Certificate(*row) for row in rows]

    def snapshot(self, name: str) -> Snapshot | None:
        """The latest snapshot, or None."""
        rows = self._database.rows(statements.SNAPSHOT, contest=self._id(name))
        return Snapshot(*rows[0]) if rows else None

    def _id(self, name: str) -> int:
        return contest_id(self._database, name)

    def _entries(self, name: str, sql: str, **parameters: object) -> list[Entry]:
        given = {"contest": self._id(name), **parameters}
        return self._database.many(Entry, sql, **given)

    def _rater_pages(self, contest: int, after: int) -> Iterator[Rater]:
        while page := self._database.rater_page(contest, after=after, limit=_PAGE):
            yield from page
            after = page[-1].number


def contest_id(database: Database, name: str) -> int:
    """The number of a contest's row; `UnknownContest` if there is none."""
    number: int = _found(database, statements.CONTEST_ID, name)[0]
    return number


def _found(database: Database, sql: str, name: str, **given: object) -> Row:
    rows = database.rows(sql, name=name, **given) if can_hold(name) else []
    if not rows:
        raise UnknownContest(name)
    return rows[0]
