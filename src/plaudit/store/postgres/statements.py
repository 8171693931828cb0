"""PostgreSQL's own statements. Each handles a whole group, passed as arrays."""

import re
from collections.abc import Iterable
from functools import cache

from plaudit.store.log import Entry
from plaudit.store.sql.statements import STANDING

# The lock that makes the writers of a contest take turns. Separate statements after it look up
# what the log knows of a group: a statement sees only what was committed when it began, and this
# one may have waited since.
LOCKED_STANDING = f"{STANDING} FOR UPDATE"
NEXT_RATER = (
    "SELECT coalesce((SELECT max(number) FROM raters WHERE contest = c.id), -1) + 1"
    " FROM contests AS c WHERE c.name = :name"
)
# The limits force the planner to search by index, one answer at a time. Without them it relies on
# statistics, which are outdated while a log grows fast.
LOOK_UP = """
SELECT a.place - 1, r.number, l.position, l.kind, l.level
FROM contests AS c
CROSS JOIN unnest(CAST(:keys AS bytea[]), CAST(:items AS bigint[]))
  WITH ORDINALITY AS a (key, item, place)
CROSS JOIN LATERAL (
  SELECT number FROM raters WHERE contest = c.id AND key = a.key LIMIT 1
) AS r
LEFT JOIN LATERAL (
  SELECT position, kind, level FROM log
  WHERE contest = c.id AND rater = r.number AND item = a.item AND rater >= 0 LIMIT 1
) AS l ON true
WHERE c.name = :name
"""
RECALL_ALL = """
SELECT a.place - 1, r.number, l.item, l.kind, l.level
FROM contests AS c
CROSS JOIN unnest(CAST(:keys AS bytea[])) WITH ORDINALITY AS a (key, place)
CROSS JOIN LATERAL (
  SELECT number FROM raters WHERE contest = c.id AND key = a.key LIMIT 1
) AS r
LEFT JOIN LATERAL (
  SELECT item, kind, level FROM log
  WHERE contest = c.id AND rater = r.number AND rater >= 0 ORDER BY item LIMIT 1000000000
) AS l ON true
WHERE c.name = :name
"""
ANSWERS_OF_ALL = f"""
SELECT {", ".join(f"l.{name}" for name in Entry._fields)}
FROM unnest(CAST(:raters AS bigint[])) AS a (number)
CROSS JOIN LATERAL (
  SELECT * FROM log
  WHERE contest = :contest AND rater = a.number AND rater >= 0 ORDER BY item LIMIT 1000000000
) AS l
WHERE l.position <= :upto ORDER BY l.position
"""
APPEND = """
WITH new_raters AS (
  INSERT INTO raters (contest, number, key, origin, salt, door)
  SELECT :contest, :next_rater + a.place - 1, a.key, nullif(a.origin, ''), a.salt, a.door
  FROM unnest(
    CAST(:keys AS bytea[]), CAST(:origins AS bytea[]), CAST(:salts AS bytea[]),
    CAST(:doors AS smallint[])
  ) WITH ORDINALITY AS a (key, origin, salt, door, place)
), new_entries AS (
  INSERT INTO log (contest, position, kind, at, rater, item, level, lane, response_ms, payload)
  SELECT :contest, :seen + a.place, kind, at, rater, item, level, lane, response_ms, ''
  FROM unnest(
    CAST(:kind AS smallint[]), CAST(:at AS bigint[]), CAST(:rater AS bigint[]),
    CAST(:item AS bigint[]), CAST(:level AS smallint[]), CAST(:lane AS smallint[]),
    CAST(:response_ms AS integer[])
  ) WITH ORDINALITY AS a (kind, at, rater, item, level, lane, response_ms, place)
)
UPDATE contests SET position = :position, digest = :digest WHERE id = :contest
"""


@cache
def native(sql: str) -> str:
    """A statement with its parameters written as psycopg wants them."""
    return re.sub(r":(\w+)", r"%(\1)s", sql)


def array(numbers: Iterable[int]) -> str:
    """Numbers as a PostgreSQL array. Faster than psycopg, which looks at the type of each."""
    return f"{{{','.join([str(int(number)) for number in numbers])}}}"


def key_array(keys: Iterable[bytes]) -> str:
    """Keys as a PostgreSQL array of bytes."""
    return "{" + ",".join([f'"\\\\x{key.hex()}"' for key in keys]) + "}"
