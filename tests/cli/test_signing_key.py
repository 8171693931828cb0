"""`plaudit signing-key`: public keys listed, and a new one made."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from plaudit.cli import main
from plaudit.proof.note import read_vkey
from plaudit.service.accounts.secret import Secret
from plaudit.service.notary.keys import open_keys
from plaudit.store import open_store

SECRET = "a secret for the keys of this service"


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    path = str(tmp_path / "desk.db")
    monkeypatch.setenv("PLAUDIT_DATABASE", path)
    return path


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["signing-key", *words])
    assert result.exit_code == code, result.output
    return result.output.strip()


def test_keys_are_listed_and_rotated(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(database)
    assert run("list") == "There is no key yet: a service makes one when it starts."
    assert json.loads(run("list", "--json")) == {"keys": []}
    first = open_keys(store, Secret(SECRET.encode())).signing
    assert run("list") == first.vkey
    monkeypatch.setenv("PLAUDIT_SECRET", SECRET)
    current, retired, before = run("rotate").splitlines()
    assert read_vkey(before) == first
    assert read_vkey(current).name == first.name
    assert retired.startswith("# retired 20")
    shown = json.loads(run("list", "--json"))["keys"]
    assert [one["vkey"] for one in shown] == [current, before]
    assert [one["retired_at"] is None for one in shown] == [True, False]
    assert open_keys(store, Secret(SECRET.encode())).signing.vkey == current
    store.close()


def test_a_new_key_needs_the_secret(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLAUDIT_SECRET", raising=False)
    open_store(database).close()
    assert "This needs the secret of the service" in run("rotate", code=2)
    assert run("list").startswith("There is no key yet")
