"""`plaudit account`, and the link that `plaudit serve` prints."""

import json
import re
from functools import partial

import pytest
from click.testing import CliRunner

from plaudit.cli import main
from plaudit.cli.account import address
from plaudit.cli.serve_steps import begin, show_first_link
from plaudit.service.accounts.accounts import Accounts
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.deeds import worded
from plaudit.store import open_store

PASSWORD = "four words put together"


@pytest.fixture
def database(tmp_path, monkeypatch):
    path = str(tmp_path / "desk.db")
    monkeypatch.setenv("PLAUDIT_DATABASE", path)
    return path


@pytest.fixture
def store(database):
    store = open_store(database)
    yield store
    store.close()


@pytest.fixture
def accounts(store):
    return Accounts(store, Passwords(time_cost=1, memory_kib=8))


def run(*words, code=0):
    result = CliRunner().invoke(main, ["account", *words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output.strip()


def token_in(text):
    return re.search(r"/desk/welcome/([\w-]{43})$", text, re.M)[1]


def test_from_the_first_link_to_the_last_owner(accounts):
    first = token_in(run("link"))
    accounts.welcome(first, name="Ana", password=PASSWORD)
    assert "There are accounts already" in run("link", code=2)
    invited = run("invite", "--role", "editor", "--public-url", "https://vote.example.org/")
    assert invited.startswith("https://vote.example.org/desk/welcome/")
    accounts.welcome(token_in(invited), name="Bob", password=PASSWORD)
    assert run("list") == "Ana: owner\nBob: editor"
    assert run("role", "bob", "viewer") == "bob is now viewer"
    assert json.loads(run("list", "--json")) == {
        "accounts": [{"name": "Ana", "role": "owner"}, {"name": "Bob", "role": "viewer"}]
    }
    assert "last owner" in run("remove", "ana", code=2)
    assert "last owner" in run("role", "ana", "viewer", code=2)
    assert run("remove", "BOB") == "BOB has no account any more"
    assert "Did you mean 'Ana'" in run("remove", "Anna", code=2)


def test_a_lost_password(accounts):
    accounts.welcome(token_in(run("link")), name="Ana", password=PASSWORD)
    link = json.loads(run("reset", "ana", "--json"))["link"]
    assert accounts.renew(token_in(link), password="quite another password").name == "Ana"


def test_what_cannot_be(database, store):
    assert "no account yet" in run("reset", "ana", code=2)
    run("invite", code=2)
    run("invite", "--role", "king", code=2)
    assert run("list") == ""


def test_the_command_line_leaves_deeds(accounts, store):
    accounts.welcome(token_in(run("link")), name="Ana", password=PASSWORD)
    for words in (["create", "bot", "--scope", "read"], ["drop", "bot"]):
        assert CliRunner().invoke(main, ["key", *words]).exit_code == 0
    assert [(deed.who, str(worded(deed.what))) for deed in store.deeds(limit=2)] == [
        ("the command line", "revoked the API key bot"),
        ("the command line", "made the API key bot (read)"),
    ]


def test_each_start_prints_a_new_link_until_there_is_an_account(database, accounts, capsys):
    show = partial(show_first_link, "https://vote.example.org")
    tokens = []
    for _ in range(2):
        begin(database, [show])
        tokens.append(token_in(capsys.readouterr().err))
    assert tokens[0] != tokens[1]
    accounts.welcome(tokens[1], name="Ana", password=PASSWORD)
    begin(database, [show])
    assert capsys.readouterr().err == ""


def test_addresses():
    assert address("https://a.example/", "t") == "https://a.example/desk/welcome/t"
