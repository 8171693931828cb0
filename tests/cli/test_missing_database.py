"""Every verb on a database that is not there, is none, is another program's, or is away."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from plaudit.cli import account, contest, key, main
from plaudit.store import open_store

AWAY = "postgresql://ana:swordfish@127.0.0.1:1/votes"
ARGUMENTS = {
    "name": "x",
    "file": "contest.yaml",
    "role": "editor",
    "position": "1",
    "given": "title=New",
    "keep": "i1",
    "item": "i1",
    "items": "i1",
    "rater": "0",
    "raters": "0",
    "number": "1",
    "numbers": "i1",
    "count": "1",
    "proposals": "1",
    "text": "t",
}
# These make something, and may make the database for it.
MAKERS = {"contest create", "contest restore", "key create", "account link", "account invite"}


def verbs() -> dict[str, click.Command]:
    groups = {"contest": contest.command, "key": key.command, "account": account.command}
    return {name: verb for group, made in groups.items() for name, verb in below(group, made)}


def below(name: str, group: click.Group) -> Iterator[tuple[str, click.Command]]:
    """The verbs of a group, and of the groups in it."""
    for part, verb in group.commands.items():
        if isinstance(verb, click.Group):
            yield from below(f"{name} {part}", verb)
        else:
            yield f"{name} {part}", verb


def words_of(name: str, verb: click.Command) -> list[str]:
    """The words that call a verb, with something for each argument and needed option."""
    words = name.split()
    for parameter in verb.params:
        if isinstance(parameter, click.Argument):
            value = ARGUMENTS.get(parameter.name or "", "0")
            words += (
                [value]
                if parameter.nargs == 1
                else [value, value.replace("i1", "i2").replace("0", "1")]
            )
        elif parameter.required:
            kind = parameter.type
            value = kind.choices[0] if isinstance(kind, click.Choice) else "0"
            words += [parameter.opts[0], str(value)]
    return words


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLAUDIT_DATABASE", raising=False)
    Path("contest.yaml").write_text("title: T\nitems: [a, b]\n")
    return tmp_path


def run(words: list[str], database: str) -> str:
    outcome = CliRunner().invoke(main, [*words, "--database", database])
    assert outcome.exit_code == 2, (words, outcome.output, outcome.exception)
    assert outcome.stderr.startswith("plaudit: "), (words, outcome.stderr)
    assert len(outcome.stderr.splitlines()) == 1, outcome.stderr
    return outcome.stderr


def test_there_are_verbs() -> None:
    found = verbs()
    assert set(found) > MAKERS
    assert len(found) > 20


@pytest.mark.parametrize("name", sorted(set(verbs()) - MAKERS))
def test_a_verb_that_makes_nothing_new_makes_no_database(folder: Path, name: str) -> None:
    words = words_of(name, verbs()[name])
    said = run(words, "missing.db")
    assert "There is no database missing.db" in said
    said = run(words, "sqlite:///missing.db")
    assert "There is no database missing.db" in said
    assert [each.name for each in folder.iterdir()] == ["contest.yaml"]


@pytest.mark.parametrize("name", sorted(verbs()))
def test_every_verb_says_what_is_wrong_with_the_database(folder: Path, name: str) -> None:
    words = words_of(name, verbs()[name])
    if name == "contest restore":
        open_store("good.db").close()
    Path("text.db").write_text("this is not a database at all" * 50)
    with sqlite3.connect("foreign.db") as foreign:
        foreign.execute("CREATE TABLE theirs (x)")
    foreign.close()
    before = {each.name: each.read_bytes() for each in folder.iterdir()}
    for database, said in {
        str(folder): f"{folder} is a folder",
        "nowhere/votes.db": "There is no folder nowhere",
        "text.db": "text.db is not a SQLite database",
        "foreign.db": "foreign.db is a SQLite database of another program",
        "mysql://x": "no kind of store 'mysql'",
        AWAY: "The PostgreSQL database votes at 127.0.0.1 cannot be used now",
    }.items():
        told = run(words, database)
        assert said in told
        assert "swordfish" not in told
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == before


def test_an_empty_file_is_no_database_for_readers(folder: Path) -> None:
    Path("empty.db").touch()
    assert "empty.db is empty" in run(["contest", "list"], "empty.db")
    assert Path("empty.db").stat().st_size == 0


def test_exports_are_private(folder: Path) -> None:
    made = ["contest", "create", "contest.yaml", "--database", "votes.db", "--json"]
    assert CliRunner().invoke(main, made).exit_code == 0
    (name,) = [record.name for record in open_store("votes.db").contests()]
    Path("old.csv").write_text("")
    for what, out in (("contest", "x.jsonl.gz"), ("votes", "old.csv")):
        words = ["contest", "export", name, "--what", what, "--out", out, "--database", "votes.db"]
        assert CliRunner().invoke(main, words).exit_code == 0
        assert Path(out).stat().st_mode & 0o777 == 0o600
    assert Path("votes.db").stat().st_mode & 0o777 == 0o600
