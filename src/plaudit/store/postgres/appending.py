"""Appending a group of answers to a PostgreSQL database, in two round trips.

A lock on the contest's row makes writers take turns, inside the transaction that writes. So
positions are in commit order, and no reader sees a position before all earlier ones.
"""

from collections.abc import Sequence
from typing import Any

from plaudit.errors import UnknownContest
from plaudit.store.contract import Appended
from plaudit.store.log import Answer, Entry
from plaudit.store.postgres.connection import Connection, transaction
from plaudit.store.postgres.statements import (
    APPEND,
    LOCKED_STANDING,
    LOOK_UP,
    NEXT_RATER,
    array,
    key_array,
    native,
)
from plaudit.store.sql.grouping import GroupPlan, Known, Standing, check_open, plan_group


def append_group(connection: Connection, name: str, answers: Sequence[Answer]) -> Appended:
    """Appends a group on a connection that is in no transaction."""
    with connection.pipeline(), transaction(connection):
        standing, known, next_rater = _looked_up(connection, name, answers)
        check_open(name, standing.state)
        plan = plan_group(standing, answers, known=known, next_rater=next_rater)
        if plan.entries:
            _append(connection, standing, plan, next_rater)
    return plan.appended


def _looked_up(
    connection: Connection, name: str, answers: Sequence[Answer]
) -> tuple[Standing, list[Known], int]:
    """The contest's standing, what its log knows of the answers, and the next rater's number.

    The pipeline sends all three queries in one round trip.
    """
    standing = connection.execute(native(LOCKED_STANDING), {"name": name})
    next_rater = connection.execute(native(NEXT_RATER), {"name": name})
    keys = key_array(answer.rater for answer in answers)
    items = array(answer.item for answer in answers)
    known = connection.execute(native(LOOK_UP), {"name": name, "keys": keys, "items": items})
    row, next_row = standing.fetchone(), next_rater.fetchone()
    if row is None or next_row is None:
        raise UnknownContest(name)
    return Standing(*row), [Known._make(row) for row in known.fetchall()], next_row[0]


def _append(connection: Connection, standing: Standing, plan: GroupPlan, next_rater: int) -> None:
    rows = [entry[1:-1] for entry in plan.entries]
    columns = zip(Entry._fields[1:-1], zip(*rows, strict=True), strict=True)
    group: dict[str, Any] = {name: array(column) for name, column in columns}
    group |= {
        "contest": standing.contest,
        "seen": standing.position,
        "position": plan.entries[-1].position,
        "digest": plan.digest,
        "keys": key_array(new.key for new in plan.new_raters),
        "origins": key_array(new.origin for new in plan.new_raters),
        "salts": key_array(new.salt for new in plan.new_raters),
        "doors": array(new.door for new in plan.new_raters),
        "next_rater": next_rater,
    }
    connection.execute(native(APPEND), group)
