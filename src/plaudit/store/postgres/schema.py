"""Updating the schema of a PostgreSQL database."""

from plaudit.store.postgres.connection import Connection, transaction
from plaudit.store.sql.schema import outstanding

# Any number, but the same in all versions: only the process that holds this lock migrates.
_LOCK = 0x506C6175


def prepare(connection: Connection, where: str) -> None:
    """Applies the missing migrations in one transaction."""
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
