"""Appending a group of answers to a SQLite file with one or two statements, whatever its size.

The first looks up how the log ends and what it knows of the raters; the second writes, only if the
log still ends there, and is a transaction of its own. Whoever wrote the last group knows how the
log ends, and the numbers of its raters: then only new raters are looked up, and often nobody. The
database itself refuses what rests on something that is no longer so, and the group is looked up.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import msgspec

from plaudit.errors import UnknownContest
from plaudit.store.contract import Appended
from plaudit.store.log import Answer
from plaudit.store.sql.grouping import GroupPlan, Known, Standing, check_open, plan_group
from plaudit.store.sqlite.errors import UNIQUE
from plaudit.store.sqlite.statements import APPEND, LOOK_UP, MOVED, key_places

_encode = msgspec.json.Encoder().encode
# Raters of a contest whose numbers are remembered; then all are forgotten.
MOST_NUMBERS = 10_000
# Contests whose ends are remembered, the latest.
MOST_ENDS = 32


class _Moved(Exception):
    """The log is not as it was: someone else wrote to it, or it has an answer of the group."""


class _End:
    """How a log ended after a group: its standing, the next rater, and numbers by key."""

    __slots__ = ("next_rater", "numbers", "standing")

    def __init__(self, standing: Standing, next_rater: int, numbers: dict[bytes, int]) -> None:
        self.standing = standing
        self.next_rater = next_rater
        self.numbers = numbers


class Appender:
    """Appends groups; only one call at a time."""

    def __init__(self) -> None:
        # An end is here only between groups: after any failure it is looked up again.
        self._ends: dict[str, _End] = {}

    def append(
        self, connection: sqlite3.Connection, name: str, answers: Sequence[Answer]
    ) -> Appended:
        """Appends a group on a connection that is in no transaction."""
        end = self._ends.pop(name, None)
        if end is not None:
            with suppress(_Moved):
                return self._append(connection, name, answers, end)
        try:
            return self._append(connection, name, answers, None)
        except _Moved:
            with immediate(connection):
                return self._append(connection, name, answers, None)

    def _append(
        self,
        connection: sqlite3.Connection,
        name: str,
        answers: Sequence[Answer],
        remembered: _End | None,
    ) -> Appended:
        end, known = _looked_up(connection, name, answers, remembered)
        check_open(name, end.standing.state)
        plan = plan_group(
            end.standing, answers, known=known, next_rater=end.next_rater, numbers=end.numbers
        )
        if plan.entries:
            _write(connection, end, plan, sure=remembered is None)
        self._remember(name, end, plan)
        return plan.appended

    def _remember(self, name: str, end: _End, plan: GroupPlan) -> None:
        if len(end.numbers) > MOST_NUMBERS:
            end.numbers.clear()
        position = end.standing.position + len(plan.entries)
        after = end.standing._replace(position=position, digest=plan.digest)
        self._ends[name] = _End(after, end.next_rater + len(plan.new_raters), end.numbers)
        if len(self._ends) > MOST_ENDS:
            del self._ends[next(iter(self._ends))]


def _looked_up(
    connection: sqlite3.Connection, name: str, answers: Sequence[Answer], remembered: _End | None
) -> tuple[_End, list[Known]]:
    """How the log ends, and what it knows of the answers of raters who are not remembered.

    Those of remembered raters are taken to be new. If one is not, the log refuses it.
    """
    numbers = {} if remembered is None else remembered.numbers
    new = [place for place, answer in enumerate(answers) if answer.rater not in numbers]
    if remembered is not None and not new:
        return remembered, []
    keys = b"".join(answers[place].rater for place in new)
    items = json.dumps([answers[place].item for place in new])
    row = connection.execute(LOOK_UP, {"name": name, "keys": keys, "items": items}).fetchone()
    if row is None:
        raise UnknownContest(name)
    standing = Standing(*row[:5])
    if remembered is not None and standing != remembered.standing:
        raise _Moved
    known = [Known(new[place], *told) for place, *told in json.loads(row[6])]
    return _End(standing, row[5], numbers), known


@contextmanager
def immediate(connection: sqlite3.Connection) -> Iterator[None]:
    """A transaction in which nobody else writes. It commits when the block ends."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # After some errors, such as a full disk, SQLite has already rolled back.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _write(connection: sqlite3.Connection, end: _End, plan: GroupPlan, *, sure: bool) -> None:
    """Writes a group; `_Moved` if the log does not end there any more.

    Unless it is `sure` that all was looked up, also if the log has an answer of the group.
    """
    places, keys = key_places(
        [(end.next_rater + place, *new) for place, new in enumerate(plan.new_raters)]
    )
    group = {
        "contest": end.standing.contest,
        "seen": end.standing.position,
        "position": plan.entries[-1].position,
        "digest": plan.digest,
        "places": places,
        "keys": keys,
        "answers": _encode([entry[1:-1] for entry in plan.entries]).decode(),
    }
    try:
        connection.execute(APPEND, group)
    except sqlite3.IntegrityError as error:
        if str(error) == MOVED or (not sure and error.sqlite_errorcode in UNIQUE):
            raise _Moved from None
        raise
