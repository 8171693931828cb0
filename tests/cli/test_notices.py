"""`plaudit contest notices`, and the options of `serve` about notices."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from plaudit.cli import main
from plaudit.cli.contest import notices as verbs
from plaudit.cli.notices import given_notices
from plaudit.errors import InvalidInput
from plaudit.service.notices import kinds
from plaudit.store import open_store
from support.live_worker import NAME, create

SECRET = "a secret of thirty-two characters or more"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLAUDIT_DATABASE", "votes.db")
    monkeypatch.setenv("PLAUDIT_SECRET", SECRET)
    store = open_store("votes.db")
    create(store, 3)
    store.close()
    return tmp_path


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["contest", "notices", *words])
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


def told(*words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*words, "--json"))
    return found


def test_kinds_are_those_of_the_service() -> None:
    assert tuple(kinds.KINDS) == verbs.KINDS


def test_destinations_are_added_listed_and_removed(folder: Path) -> None:
    said = run("add", NAME, "https://example.org/hook", "--kind", "closed")
    assert "whsec_" in said
    made = told("add", NAME, "ana@example.org")
    assert (made["way"], made["secret"], made["kinds"]) == ("mail", "", list(verbs.KINDS))
    assert "ana@example.org" in run("list", NAME)
    rows = told("list", NAME)["destinations"]
    assert [row["kinds"] for row in rows] == [["closed"], list(verbs.KINDS)]
    waiting = told("sent", NAME)["deliveries"]
    assert [one["kind"] for one in waiting] == ["test", "test"]
    assert "waiting" in run("sent", NAME)
    assert "again" in run("again", NAME, str(waiting[0]["number"]))
    run("remove", NAME, str(made["number"]))
    assert "no delivery" in run("again", NAME, str(waiting[0]["number"]), code=2)
    assert "destination 99" in run("remove", NAME, "99", code=2)
    run("remove", NAME, str(rows[0]["number"]))
    assert "nowhere" in run("list", NAME)
    assert "No notices" in run("sent", NAME)


def test_addresses_are_checked(folder: Path) -> None:
    assert "no address for a webhook" in run("add", NAME, "http://127.0.0.1:9/", code=2)
    run("add", NAME, "http://127.0.0.1:9000/", "--private-webhooks")
    assert "no mail address" in run("add", NAME, "somebody", code=2)


def given(**options: Any) -> Any:
    empty = {"private_webhooks": False, "mail": None, "mail_from": None, "mail_password_file": None}
    return given_notices(empty | options)


def test_the_options_of_serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert given() == given(private_webhooks=False)
    assert given(private_webhooks=True).private
    url = "smtp://me@mail.example.org"
    monkeypatch.setenv("PLAUDIT_MAIL_PASSWORD", "hush")
    assert given(mail=url, mail_from="a@b.org").mail.password == "hush"
    file = tmp_path / "password"
    file.write_text("other\n")
    assert given(mail=url, mail_from="a@b.org", mail_password_file=file).mail.password == "other"
    for wrong in (
        {"mail": url}, {"mail_from": "a@b.org"}, {"mail": "x", "mail_from": "a@b.org"},
        {"mail": url, "mail_from": "nobody"}, {"mail": url, "mail_from": "a@b.org",
                                               "mail_password_file": tmp_path},
    ):  # fmt: skip
        with pytest.raises(InvalidInput):
            given(**wrong)
