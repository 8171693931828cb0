"""SQLite's own statements. Each handles a whole group, passed as JSON.

SQLite's JSON has no bytes. So the keys, origins and salts of raters are passed beside it, joined
into one blob, and each is cut out by its index.
"""

import json
from collections.abc import Sequence
from functools import cache

from plaudit.store.checks import KEY_BYTES, LONGEST_SALT, ORIGIN_BYTES
from plaudit.store.log import Entry
from plaudit.store.sql.database import Row

# The contest's `Standing`, the next rater's number, and what the log knows of a group: a list of
# `Known`, one for each answer whose rater has a number.
LOOK_UP = f"""
SELECT
  c.id, c.state, c.position, c.epoch, c.digest,
  ifnull((SELECT max(number) FROM raters WHERE contest = c.id), -1) + 1,
  (
    SELECT json_group_array(json_array(a.key, r.number, l.position, l.kind, l.level))
    FROM json_each(:items) AS a
    CROSS JOIN raters AS r
      ON r.contest = c.id AND r.key = substr(:keys, 1 + {KEY_BYTES} * a.key, {KEY_BYTES})
    LEFT JOIN log AS l
      ON l.contest = c.id AND l.rater = r.number AND l.item = a.value AND l.rater >= 0
  )
FROM contests AS c WHERE c.name = :name
"""

# The cross join makes SQLite look up one rater after the other, by index.
ANSWERS_OF_ALL = f"""
SELECT {", ".join(f"l.{name}" for name in Entry._fields)}
FROM json_each(:raters) AS a
CROSS JOIN log AS l ON l.contest = :contest AND l.rater = a.value AND l.rater >= 0
WHERE l.position <= :upto ORDER BY l.position
"""

# The fields that each answer brings. Position and payload follow from its index in the group.
_ANSWER = ", ".join(Entry._fields[1:-1])

_RATER_BYTES = KEY_BYTES + ORIGIN_BYTES + LONGEST_SALT

# The error of the trigger below if the log no longer ends where the writer saw it end.
MOVED = "the log has moved"


def _fields(columns: str) -> str:
    """The columns of a row that `json_each` returns as a JSON array."""
    return ", ".join(f"json_extract(value, '$[{n}]')" for n in range(columns.count(",") + 1))


def _insert_answers(contest: str, after: str, rows: str) -> str:
    """Adds answers with the positions after `after` and empty payloads."""
    return (
        f"INSERT INTO log (contest, position, payload, {_ANSWER}) SELECT {contest},"
        f" {after} + 1 + key, '', {_fields(_ANSWER)} FROM json_each({rows})"
    )


def _insert_raters(contest: str, places: str, keys: str) -> str:
    number, known, known_origin, salted, door = (f"json_extract(value, '$[{n}]')" for n in range(5))
    key = f"substr({keys}, 1 + {_RATER_BYTES} * key, {KEY_BYTES})"
    origin = f"substr({keys}, {1 + KEY_BYTES} + {_RATER_BYTES} * key, {ORIGIN_BYTES})"
    salt = f"substr({keys}, {1 + KEY_BYTES + ORIGIN_BYTES} + {_RATER_BYTES} * key, {salted})"
    return (
        f"INSERT INTO raters (contest, number, key, origin, salt, door) SELECT {contest}, {number},"
        f" CASE WHEN {known} THEN {key} END, CASE WHEN {known_origin} THEN {origin} END, {salt},"
        f" {door}"
        f" FROM json_each({places})"
    )


INSERT_RATERS = _insert_raters(":contest", ":places", ":keys")

# A view to write groups with: one insertion into it writes new raters, entries and the new end of
# the log. It belongs to the connection and is not in the file.
APPENDING = (
    """
    CREATE TEMP VIEW appending AS
    SELECT 0 AS contest, 0 AS seen, 0 AS position, x'' AS digest, '' AS places, x'' AS keys,
      '' AS answers
    """,
    f"""
    CREATE TEMP TRIGGER append INSTEAD OF INSERT ON appending
    BEGIN
      UPDATE contests SET position = new.position, digest = new.digest
      WHERE id = new.contest AND position = new.seen;
      SELECT raise(ABORT, '{MOVED}') WHERE changes() = 0;
      {_insert_raters("new.contest", "new.places", "new.keys")};
      {_insert_answers("new.contest", "new.seen", "new.answers")};
    END
    """,
)
APPEND = (
    "INSERT INTO appending VALUES (:contest, :seen, :position, :digest, :places, :keys, :answers)"
)


@cache
def insertion(table: str, columns: str) -> str:
    """The statement that adds `:rows`, a JSON list of arrays, to a table for `:contest`."""
    return (
        f"INSERT INTO {table} (contest, {columns})"
        f" SELECT :contest, {_fields(columns)} FROM json_each(:rows)"
    )


def key_places(raters: Sequence[Row]) -> tuple[str, bytes]:
    """Raters as JSON and a blob.

    The JSON has each number, whether there is a key and an origin, the length of the salt, and the
    door, if it is known; the blob has the bytes.
    """
    known = [
        (n, bool(key), bool(origin), len(salt), *(door or [0]))
        for n, key, origin, salt, *door in raters
    ]
    given = (
        (key or bytes(KEY_BYTES))
        + (origin or bytes(ORIGIN_BYTES))
        + salt.ljust(LONGEST_SALT, b"\0")
        for _, key, origin, salt, *_ in raters
    )
    return json.dumps(known), b"".join(given)
