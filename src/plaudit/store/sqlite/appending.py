"""Appending a group of answers to a SQLite file with two statements, whatever its size."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from plaudit.errors import UnknownContest
from plaudit.store.contract import Appended
from plaudit.store.log import Answer
from plaudit.store.sql.grouping import Known, Standing, check_open, plan_group
from plaudit.store.sqlite.statements import APPEND, LOOK_UP, MOVED, key_places


class _Moved(Exception):
    """Someone else wrote between the look-up and the write."""


def append_group(connection: sqlite3.Connection, name: str, answers: Sequence[Answer]) -> Appended:
    """Appends a group on a connection that is in no transaction."""
    try:
        # The statement that writes is its own transaction. It writes only if the log still ends
        # where the look-up saw it end.
        return _append(connection, name, answers)
    except _Moved:
        with immediate(connection):
            return _append(connection, name, answers)


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


def _append(connection: sqlite3.Connection, name: str, answers: Sequence[Answer]) -> Appended:
    keys = b"".join(answer.rater for answer in answers)
    items = json.dumps([answer.item for answer in answers])
    look = connection.execute(LOOK_UP, {"name": name, "keys": keys, "items": items})
    row = look.fetchone()
    if row is None:
        raise UnknownContest(name)
    standing = Standing(*row[:5])
    check_open(name, standing.state)
    next_rater = row[5]
    known = map(Known._make, json.loads(row[6]))
    plan = plan_group(standing, answers, known=known, next_rater=next_rater)
    if plan.entries:
        places, new_keys = key_places(
            [(next_rater + place, *new) for place, new in enumerate(plan.new_raters)]
        )
        _write(
            connection,
            contest=standing.contest,
            seen=standing.position,
            position=plan.entries[-1].position,
            digest=plan.digest,
            places=places,
            keys=new_keys,
            answers=json.dumps([entry[1:-1] for entry in plan.entries]),
        )
    return Appended(plan.receipts, plan.entries)


def _write(connection: sqlite3.Connection, **group: object) -> None:
    try:
        connection.execute(APPEND, group)
    except sqlite3.IntegrityError as error:
        if str(error) == MOVED:
            raise _Moved from None
        raise
