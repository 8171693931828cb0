"""Updating the schema of a PostgreSQL database."""

from psycopg.errors import InsufficientPrivilege

from plaudit.errors import InvalidInput
from plaudit.store.postgres.connection import Connection, transaction
from plaudit.store.sql.schema import outstanding

# Any number, but the same in all versions: only the process that holds this lock migrates.
_LOCK = 0x506C6175


def prepare(connection: Connection, where: str, *, create: bool = True) -> None:
    """Applies the missing migrations; `InvalidInput` if there are no tables and none may be made.

    All of them are one transaction.
    """
    if not create and not _has_tables(connection):
        raise InvalidInput(
            f"{where} has no tables of Plaudit. Name the database that your service uses; "
            "`plaudit serve` and `plaudit contest create` make tables in a new one."
        )
    try:
        _migrate(connection, where)
    except InsufficientPrivilege as error:
        raise InvalidInput(
            f"{where} does not let this user make tables ({str(error).strip()}). Let them, or name "
            "another database."
        ) from None


def _has_tables(connection: Connection) -> bool:
    row = connection.execute("SELECT to_regclass('plaudit_schema') IS NOT NULL").fetchone()
    return bool(row and row[0])


def _migrate(connection: Connection, where: str) -> None:
    with transaction(connection):
        connection.execute("SELECT set_config('statement_timeout', '0', true)")
        connection.execute("SELECT set_config('lock_timeout', '60s', true)")
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        connection.execute("CREATE TABLE IF NOT EXISTS plaudit_schema (version integer NOT NULL)")
        row = connection.execute("SELECT max(version) FROM plaudit_schema").fetchone()
        version = row[0] or 0 if row else 0
        for migration in outstanding("postgres", version=version, where=where):
            connection.execute(migration.sql.encode())
            connection.execute("INSERT INTO plaudit_schema VALUES (%s)", [migration.number])
