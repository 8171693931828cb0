"""Bringing the schema of a PostgreSQL database up to date."""

from plaudit.store.postgres_connection import Connection, transaction
from plaudit.store.schema import outstanding

# Any number, the same in all versions: who holds it is the one who migrates.
_LOCK = 0x506C6175


def prepare(connection: Connection, where: str) -> None:
    """Applies the migrations that the database lacks, in one transaction."""
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
