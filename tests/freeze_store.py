"""Writes the frozen databases under tests/data: one for each schema and engine.

Run it once when a schema is new, `python tests/freeze_store.py`, and commit what it adds. It
leaves files alone that are there: they are what an earlier Plaudit wrote, and the tests open
them with the code of today.
"""

import sqlite3
import tempfile
from pathlib import Path
from unittest import mock

from plaudit.store import open_store, schema
from plaudit.store.contract import ApiKey, Snapshot
from plaudit.store.people import Deed, Guesses
from plaudit.store.suite.archives import lived
from plaudit.store.suite.people import begun, joined, link
from plaudit.store.suite.samples import NAME, START, vote
from support.postgres_server import running_server

# A contest of the fourth schema, whose rater has an origin.
LATER = "later"
DATA = Path(__file__).parent / "data"


def frozen(engine: str, version: int) -> Path:
    """Where the database of a schema is kept."""
    return DATA / f"store_{engine}_{version}.sql"


def fill(url: str, engine: str, version: int) -> None:
    """Writes a contest in which something of each kind happened, at an early schema."""
    early = schema.migrations(engine)[:version]
    with mock.patch.object(schema, "migrations", return_value=early):
        store = open_store(url)
    lived(store)
    if version >= 2:
        store.put_snapshot(NAME, Snapshot(5, b"\0snapshot"))
        store.put_key(ApiKey("bot", b"\xff" * 32, ("read",), 5))
    if version >= 3:
        owner = joined(store, "Ána", "owner")
        begun(store, owner, b"\0session")
        link(store, b"\0link", account=7, made_by=owner.number)
        store.count_guess(b"\0who", seen=Guesses(0, 0), now=Guesses(3, 5))
    if version >= 4:
        deed = Deed(9, "Ána", "created the contest")
        store.create(LATER, "{}", state="open", items=[], event=START, deed=deed)
        store.append_answers(LATER, [vote(1, 0)._replace(origin=b"\0\xfforigin")])
    store.close()


def sqlite_dump(path: str) -> str:
    """A SQLite file as SQL, with the two numbers that a plain dump leaves out."""
    connection = sqlite3.connect(path)
    lines = list(connection.iterdump())
    for name in ("user_version", "application_id"):
        value = connection.execute(f"PRAGMA {name}").fetchone()[0]
        lines.append(f"PRAGMA {name} = {value};")
    connection.close()
    return "\n".join(lines) + "\n"


def main() -> None:
    """Writes the databases that are missing."""
    DATA.mkdir(exist_ok=True)
    with running_server() as server, tempfile.TemporaryDirectory() as folder:
        for version in range(1, len(schema.migrations("sqlite")) + 1):
            path = f"{folder}/{version}.db"
            url = server.new_database()
            for engine, where in (("sqlite", path), ("postgres", url)):
                if not frozen(engine, version).exists():
                    fill(where, engine, version)
                    dump = sqlite_dump(path) if engine == "sqlite" else server.dump(url)
                    frozen(engine, version).write_text(dump, "utf-8")


if __name__ == "__main__":
    main()
