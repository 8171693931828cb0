"""Writes the frozen databases in tests/store/data: one for each schema and engine.

Run it once for a new schema, in tests/, as `python -m support.freeze_store`, and commit the new
files. It does not touch existing files: an earlier Plaudit wrote them, and the tests open them
with the current code.
"""

import sqlite3
import tempfile
from pathlib import Path
from unittest import mock

from plaudit.proof.tiles import Tile
from plaudit.store import open_store
from plaudit.store.contract import Snapshot
from plaudit.store.doors import Refusals
from plaudit.store.notices import Mark
from plaudit.store.people import ApiKey, Deed, Guesses
from plaudit.store.sql import schema
from plaudit.store.suite.accounts import begun, joined, link
from plaudit.store.suite.archives import lived
from plaudit.store.suite.notices import hook, new
from plaudit.store.suite.samples import NAME, START, vote
from support.postgres_server import running_server

# A contest of the fourth schema, whose rater has an origin.
LATER = "later"
TILE = Tile(0, 0, bytes(range(256)) * 32)
DATA = Path(__file__).parents[1] / "store" / "data"


def frozen(engine: str, version: int) -> Path:
    """The file with the frozen database of a schema."""
    return DATA / f"{engine}_{version}.sql"


def fill(url: str, engine: str, version: int) -> None:
    """Writes a contest with something of each kind, in an early schema."""
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
    if version >= 6:
        store.put_tiles(LATER, [TILE])
        store.add_signing_key(1, b"\0\xff" * 16, at=5)
    if version >= 7:
        store.append_answers(LATER, [vote(2, 0)._replace(door=3)])
        store.add_refusals([Refusals(LATER, 20_000, "code_unknown", 4)])
    if version >= 8:
        store.put_subject(owner.number, b"\0subject", deed=Deed(9, "Ána", "linked"))
    if version >= 9:
        there = hook(store, LATER)
        store.tell(LATER, Mark(1, "told"), [new(there)])
        store.take_lease("courier", "worker", now=1, until=9)
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
