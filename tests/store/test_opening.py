"""Opening a store: its names, its errors, and databases of every earlier schema."""

import re
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import psycopg
import pytest

import plaudit.store
from plaudit.errors import InvalidInput, MissingExtra, StoreUnavailable
from plaudit.proof.digests import rater_mark
from plaudit.store import Store, open_store
from plaudit.store.contract import Rater, Snapshot
from plaudit.store.doors import Refusals
from plaudit.store.log import Event, Kind
from plaudit.store.notices import Mark
from plaudit.store.people import Account, ApiKey, Deed, Guesses, Invitation, Session
from plaudit.store.proofs import SigningKeyRecord
from plaudit.store.sql import schema
from plaudit.store.suite.accounts import joined
from plaudit.store.suite.notices import hook, new
from plaudit.store.suite.samples import NAME, check_log, key_of, opened, raters_of, vote
from support.freeze_store import LATER, TILE, frozen
from support.postgres_server import postgres, postgres_url

__all__ = ["postgres", "postgres_url"]
VERSIONS = range(1, len(schema.migrations("sqlite")) + 1)
# What `lived` of the suite ends in, with Plaudit's first schema and ever after.
DIGEST = "db94f04b13f7892fcb849ff7bc5383311cdd4f21ead24d4633c7e2bfd25bd01f"


def thaw_sqlite(version: int, path: Path) -> str:
    connection = sqlite3.connect(path)
    connection.executescript(frozen("sqlite", version).read_text("utf-8"))
    connection.close()
    return str(path)


def thaw_postgres(version: int, url: str) -> str:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(frozen("postgres", version).read_text("utf-8").encode())
    return url


def check_thawed(store: Store, version: int) -> None:
    """All that was frozen is there, and the contest goes on."""
    assert store.contest(NAME).digest.hex() == DIGEST
    assert len(check_log(store)) == 9
    raters = [Rater(0, key_of(1)), Rater(1, None), Rater(2, key_of(2)), Rater(3, key_of(3))]
    assert raters_of(store) == raters
    assert [item.text for item in store.items(NAME)][-1] == "🐘"
    image = store.items(NAME)[-1].image
    assert store.hold_assets([image]) == {image}
    spare = store.put_asset("image/png", b"spare")
    assert store.drop_assets(before=10**12) == 0
    assert store.drop_assets(before=2**60) == 1
    assert store.asset(spare) is None
    assert store.asset(image) is not None
    assert [certificate.position for certificate in store.certificates(NAME)] == [7]
    kept = version >= 2
    assert store.snapshot(NAME) == (Snapshot(5, b"\0snapshot") if kept else None)
    assert store.keys() == ([ApiKey("bot", b"\xff" * 32, ("read",), 5)] if kept else [])
    store.append_event(NAME, Event(Kind.STATE, 9, "{}"), epoch=4, state="open")
    known, new = store.append_answers(NAME, [vote(1, 0, 2), vote(1, 2)]).receipts
    assert (known.position, known.fresh, new.rater, new.fresh) == (2, False, 0, True)
    store.put_snapshot(NAME, Snapshot(11, b""))
    store.put_key(ApiKey("new", b"", (), 6))
    check_log(store)
    check_thawed_people(store, version)
    check_thawed_doors(store, version)
    check_thawed_proofs(store, version)
    check_thawed_notices(store, version)


def check_thawed_people(store: Store, version: int) -> None:
    """Those who were frozen are there, and others can join them."""
    owner = Account(1, "Ána", "ána", "owner", "hash", 5)
    assert store.accounts() == ([owner] if version >= 3 else [])
    session = Session(b"\0session", 1, "Browser 1.0", 5, 5)
    assert store.session(b"\0session") == ((session, owner) if version >= 3 else None)
    made = Invitation(b"\0link", "invite", "editor", 7, 1, 1, 1_000)
    assert store.invitations() == ([made] if version >= 3 else [])
    assert store.guesses(b"\0who") == (Guesses(3, 5) if version >= 3 else Guesses(0, 0))
    linked = version >= 8
    assert store.account_of(b"\0subject") == (owner if linked else None)
    assert store.subjects() == ({1: 9} if linked else {})
    assert len(store.deeds()) == linked + (4 if version >= 4 else 3 if version >= 3 else 0)
    if version >= 4:
        later = [Rater(0, key_of(1), b"\0\xfforigin"), Rater(1, key_of(2))]
        assert raters_of(store, LATER) == (later if version >= 7 else later[:1])
        assert store.deeds(contest=LATER) == [Deed(9, "Ána", "created the contest", LATER, 1)]
    elif version >= 3:
        assert {(deed.contest, deed.position) for deed in store.deeds()} == {("", 0)}
    assert joined(store, "Bob", "owner").number == (2 if version >= 3 else 1)


def check_thawed_notices(store: Store, version: int) -> None:
    """What was frozen is there, and more can be told."""
    kept = version >= 9
    due = store.due_deliveries(at=10, limit=9)
    assert [(there.contest, one.id) for there, one in due] == ([(LATER, "msg_1")] if kept else [])
    assert store.take_lease("courier", "other", now=8, until=9) != kept
    there = hook(store)
    assert store.tell(NAME, Mark(1, ""), [new(there, "msg_2")])
    if version >= 4:
        assert store.mark(LATER) == (Mark(1, "told") if kept else None)


def check_thawed_doors(store: Store, version: int) -> None:
    """What was frozen is there; raters of before came by a door that is not known."""
    assert store.raters_by_door(NAME) == {0: 4}
    assert store.refusals(NAME) == []
    if version >= 4:
        assert store.raters_by_door(LATER) == ({0: 1, 3: 1} if version >= 7 else {0: 1})
        kept = [Refusals(LATER, 20_000, "code_unknown", 4)] if version >= 7 else []
        assert store.refusals(LATER) == kept
    store.add_refusals([Refusals(NAME, 1, "x", 1)])
    assert store.refusals(NAME) == [Refusals(NAME, 1, "x", 1)]


def check_thawed_proofs(store: Store, version: int) -> None:
    """What was frozen is there; contests and raters of before have blinding and salts."""
    blindings = {record.blinding for record in store.contests()}
    assert len(blindings) == len(store.contests())
    assert {len(blinding) for blinding in blindings} == {32}
    salts = [rater.salt for rater in store.raters(NAME)]
    assert len(set(salts)) == len(salts) == 4
    kept = version >= 6
    assert [one.size for one in store.checkpoints(NAME)] == ([9, 3] if kept else [])
    assert store.signing_keys() == ([SigningKeyRecord(1, b"\0\xff" * 16, 5)] if kept else [])
    assert store.add_signing_key(2 if kept else 1, b"k" * 32, at=6)
    if kept:
        assert store.tile(LATER, 0, 0) == TILE.hashes
    mark = rater_mark(salts[0], key_of(1))
    store.append_event(NAME, Event(Kind.ERASE, 9, "{}"), epoch=5, erase=0)
    assert next(store.raters(NAME)) == Rater(0, None, None, mark)


def test_pictures_of_before_are_wanted_from_the_update_on(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    thaw_sqlite(4, path)
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO assets VALUES ('spare', 'image/png', x'00')")
    connection.commit()
    connection.close()
    store = open_store(str(path))
    assert store.drop_assets(before=round(1000 * time.time()) - 60_000) == 0
    assert store.drop_assets(before=2**60) == 1
    store.close()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_sqlite_file_of_each_schema_opens(version: int, tmp_path: Path) -> None:
    store = open_store(thaw_sqlite(version, tmp_path / "old.db"))
    check_thawed(store, version)
    store.close()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_postgres_database_of_each_schema_opens(version: int, postgres_url: str) -> None:
    store = open_store(thaw_postgres(version, postgres_url))
    check_thawed(store, version)
    store.close()


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_migrations_are_numbered_without_gaps(engine: str) -> None:
    found = schema.migrations(engine)
    assert [migration.number for migration in found] == list(VERSIONS)
    assert [m.name for m in found] == [m.name for m in schema.migrations("sqlite")]
    assert all(frozen(engine, version).exists() for version in VERSIONS)


def test_a_migration_that_fails_leaves_the_old_schema(tmp_path: Path, postgres_url: str) -> None:
    bad = "CREATE TABLE half (x integer);\nINSERT INTO nowhere VALUES (1);"
    for url in (thaw_sqlite(1, tmp_path / "old.db"), thaw_postgres(1, postgres_url)):
        engine = "postgres" if "://" in url else "sqlite"
        broken = [*schema.migrations(engine), schema.Migration(VERSIONS[-1] + 1, "bad", bad)]
        with (
            mock.patch.object(schema, "migrations", return_value=broken),
            pytest.raises((StoreUnavailable, psycopg.Error)),
        ):
            open_store(url)
        store = open_store(url)
        check_thawed(store, 1)
        store.close()


def newer(url: str) -> None:
    if "://" in url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("INSERT INTO plaudit_schema VALUES (99)")
    else:
        connection = sqlite3.connect(url)
        connection.execute("PRAGMA user_version = 99")
        connection.close()


def test_a_newer_database_is_refused(tmp_path: Path, postgres_url: str) -> None:
    for url in (str(tmp_path / "votes.db"), postgres_url):
        open_store(url).close()
        newer(url)
        with pytest.raises(InvalidInput, match="newer Plaudit: its schema is 99"):
            open_store(url)


def open_at_once(url: str, count: int) -> None:
    code = "import sys; from plaudit.store import open_store; open_store(sys.argv[1]).check()"
    running = [subprocess.Popen([sys.executable, "-c", code, url]) for _ in range(count)]
    assert [process.wait() for process in running] == [0] * count


def test_processes_that_start_at_once_make_one_schema(tmp_path: Path, postgres_url: str) -> None:
    for url in (str(tmp_path / "votes.db"), postgres_url):
        open_at_once(url, 3)
        store = open_store(url)
        opened(store)
        check_log(store)
        store.close()


def test_threads_that_start_at_once_migrate_once(tmp_path: Path) -> None:
    path = str(tmp_path / "votes.db")
    failures: list[BaseException] = []

    def run() -> None:
        try:
            open_store(path).close()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize(
    "name",
    [
        lambda path: str(path),
        lambda path: f"sqlite:///{path}",
        lambda path: f"sqlite:///{path.name}",
        lambda path: path.name,
        lambda path: f"./{path.name}",
    ],
)
def test_the_names_of_a_file(
    name: Callable[[Path], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a b#c?d%41.db"
    open_store(name(path)).close()
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def write_foreign(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()


def test_names_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("not a database, but long enough to be one" * 40)
    write_foreign(tmp_path / "foreign.db")
    wrong = {
        str(tmp_path): "is a folder. Name a file in it",
        f"sqlite:///{tmp_path}": "is a folder",
        str(tmp_path / "missing" / "votes.db"): "There is no folder",
        str(tmp_path / "text.db"): "is not a SQLite database",
        str(tmp_path / "foreign.db"): "of another program",
        "": "names no file",
        "sqlite://": "names no file",
        "sqlite:///": "names no file",
        "mysql://host/votes": "no kind of store 'mysql'",
        "postgresql://host:nonsense/?what=ever": "cannot be read",
    }
    for name, message in wrong.items():
        with pytest.raises(InvalidInput, match=re.escape(message)):
            open_store(name)
    assert (tmp_path / "text.db").read_text().startswith("not a database")


def test_a_foreign_database_is_left_as_it_was(tmp_path: Path) -> None:
    write_foreign(tmp_path / "foreign.db")
    before = (tmp_path / "foreign.db").read_bytes()
    with pytest.raises(InvalidInput):
        open_store(str(tmp_path / "foreign.db"))
    assert (tmp_path / "foreign.db").read_bytes() == before


def test_a_server_that_is_not_there_does_not_tell_the_password(tmp_path: Path) -> None:
    url = f"postgresql://ana:secret@/votes?host={tmp_path}"
    with pytest.raises(StoreUnavailable, match="cannot be used now") as caught:
        open_store(url)
    assert "secret" not in str(caught.value)


def test_tables_are_made_only_by_who_may(postgres_url: str) -> None:
    with pytest.raises(InvalidInput, match="has no tables of Plaudit"):
        open_store(postgres_url, create=False)
    with psycopg.connect(postgres_url) as connection:
        row = connection.execute("SELECT to_regclass('plaudit_schema')").fetchone()
        assert row == (None,)
    open_store(postgres_url).close()
    open_store(postgres_url, create=False).close()


def test_without_psycopg_the_error_names_the_extra() -> None:
    gone = {name: None for name in sys.modules if name.split(".")[0] == "psycopg"}
    # The package, too, names its modules: what is loaded here must not stay there.
    named = mock.patch.object(plaudit.store, "postgres", create=True)
    with named, mock.patch.dict(sys.modules, {**gone, "psycopg": None}):
        for name in [n for n in sys.modules if n.startswith("plaudit.store.postgres")]:
            del sys.modules[name]
        with pytest.raises(MissingExtra, match=re.escape("plaudit[service]")):
            open_store("postgresql:///votes")


def test_a_file_needs_no_psycopg(tmp_path: Path) -> None:
    code = (
        "import sys; from plaudit.store import open_store; open_store(sys.argv[1]).check();"
        "assert 'psycopg' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "votes.db")], check=True)
