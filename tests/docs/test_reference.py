"""The reference has every public name, client method, verb and option; its examples run."""

import csv
import inspect
import io
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest

import plaudit
from plaudit import client, errors
from plaudit.cli import main

ROOT = next(place for place in Path(__file__).parents if (place / "pyproject.toml").is_file())
sys.path.insert(0, str(ROOT / "docs"))

from reference_tools import docstrings, public, verbs  # noqa: E402

PAGES = sorted((ROOT / "docs" / "reference").glob("*.md"))
START_SECONDS = 300.0


def missing_names(wanted: list[str], pages: list[str]) -> list[str]:
    found = {name for page in pages for name in public.documented_names(page)}
    return sorted(set(wanted) - found)


def undocumented(names: list[str]) -> list[str]:
    """Classes, functions, methods and properties among these without a docstring."""
    bare = []
    for name in names:
        found = public.look_up(name)
        if inspect.isclass(found) or inspect.isroutine(found):
            own = vars(found).get("__doc__") if inspect.isclass(found) else inspect.getdoc(found)
            bare += [] if own else [name]
        if inspect.isclass(found):
            bare += [f"{name}.{key}" for key, one in public.members_of(found) if not described(one)]
    return bare


def described(member: Any) -> bool:
    code = member.fget if isinstance(member, property) else member
    return bool(inspect.getdoc(getattr(code, "__func__", code)))


def texts() -> list[str]:
    return [page.read_text(encoding="utf-8") for page in PAGES]


def test_every_public_name_is_on_a_page() -> None:
    assert missing_names(public.public_names(), texts()) == []


def test_methods_that_are_inherited_are_shown() -> None:
    """Nearly all methods of a client are: without this option their pages would lack them."""
    own = vars(client.Client)
    assert [name for name, _ in public.members_of(client.Client) if name not in own]
    assert '"inherited-members":' in (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")


def test_a_missing_name_is_found() -> None:
    assert missing_names(["plaudit.race.Race", "plaudit.race.Rice"], texts()) == [
        "plaudit.race.Rice"
    ]
    unsaid = ".. py:data:: plaudit.race.RULES\n\n.. autoclass:: plaudit.race.Race"
    assert missing_names(["plaudit.race.RULES", "plaudit.race.Race"], [unsaid]) == [
        "plaudit.race.RULES"
    ]


def test_no_page_names_what_is_not_public() -> None:
    found = [name for page in texts() for name in public.documented_names(page)]
    assert sorted(found) == sorted(public.public_names())


def test_every_public_name_and_member_has_a_docstring() -> None:
    assert undocumented(public.public_names()) == []


def test_a_missing_docstring_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client.RaterClient.skip, "__doc__", None)
    monkeypatch.setattr(errors.NotOpen, "__doc__", None)
    names = ["plaudit.client.RaterClient", "plaudit.errors.NotOpen"]
    assert undocumented(names) == ["plaudit.client.RaterClient.skip", "plaudit.errors.NotOpen"]


def test_every_name_of_plaudit_leads_to_its_entry() -> None:
    table = public.top_table()
    for name in plaudit.__all__:
        (home,) = re.findall(rf"`plaudit\.{name} <(\S+)>`", table)
        assert home in (*public.public_names(), *public.MODULES)


def test_every_class_of_errors_is_public() -> None:
    classes = [one for one in vars(errors).values() if inspect.isclass(one)]
    defined = [one.__name__ for one in classes if one.__module__ == errors.__name__]
    assert sorted(defined) == sorted(errors.__all__)


def unlisted(command: click.Command, page: str) -> list[str]:
    """The verbs and options that a page lacks or says nothing about."""
    lacking = []
    sections = dict(re.findall(r"^#+ (plaudit.*)\n((?:(?!^#+ ).*\n?)*)", page, flags=re.MULTILINE))
    for path, context in verbs.walk(command, ("plaudit",)):
        words = " ".join(path)
        section = sections.get(words, "")
        if not context.command.help or verbs.plain(context.command.help) not in section:
            lacking.append(words)
        lacking += [
            f"{words} {name}"
            for option in verbs.options_of(context)
            for name in (*option.opts, *option.secondary_opts)
            if not re.search(rf"^- `(?:[^`]*[ ,/])?{name}\b[^`]*`: \S", section, re.MULTILINE)
        ]
    return lacking


def test_every_verb_and_option_is_listed() -> None:
    assert unlisted(main, verbs.verbs_page(main, "plaudit")) == []


def test_a_missing_verb_and_option_are_found() -> None:
    page = verbs.verbs_page(main, "plaudit")
    found = unlisted(main, page.replace("# plaudit data get\n", "# plaudit data gets\n"))
    assert found == [
        "plaudit data get",
        "plaudit data get --data",
        "plaudit data get --source",
        "plaudit data get --json",
    ]

    @click.command(help="A verb.")
    @click.option("--told", help="What it does.")
    @click.option("--bare")
    def planted(told: str, bare: str) -> None:
        """Never called."""

    assert unlisted(planted, verbs.verbs_page(planted, "plaudit")) == ["plaudit --bare"]


def test_pages_have_the_places_of_what_is_generated() -> None:
    settings = (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    for page, mark in (("index", "every name of plaudit"), ("command-line", "every verb")):
        text = (ROOT / "docs" / "reference" / f"{page}.md").read_text(encoding="utf-8")
        assert f"<!-- {mark} -->" in text
        assert f"<!-- {mark} -->" in settings


def test_help_texts_and_docstrings_are_shown_as_they_stand() -> None:
    assert verbs.plain("from `a*b` to * [x]") == r"from `a*b` to \* \[x\]"
    formula = ["D* of `a*b`:", "", "    x * y", "", ">>> 2 * 2", "4"]
    assert docstrings.to_rst(formula) == [
        r"D\* of ``a*b``:", "", "::", "", "    x * y", "", ">>> 2 * 2", "4",
    ]  # fmt: skip


def examples_of(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def run_in_order(blocks: list[str], replaced: dict[str, str]) -> None:
    """Runs examples as one script, with these texts in the place of those on the page."""
    names: dict[str, object] = {"__name__": "example"}
    for block in blocks:
        for old, new in replaced.items():
            block = block.replace(old, new)
        exec(compile(block, "example", "exec"), names)


@pytest.mark.parametrize(
    "page", [one for one in PAGES if one.stem not in ("index", "command-line", "client")]
)
def test_examples_of_the_reference_run(page: Path) -> None:
    blocks = examples_of(page)
    assert blocks
    run_in_order(blocks, {})


def plaudit_command(*words: str) -> list[str]:
    return [sys.executable, "-m", "plaudit", *words]


class Demo(NamedTuple):
    """A service with the demo contest, and its address and an API key as the pages write them."""

    replaced: dict[str, str]
    environment: dict[str, str]

    def run(self, *words: str) -> str:
        """What a command prints."""
        done = subprocess.run(
            plaudit_command(*words),
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    database, url = tmp_path_factory.mktemp("demo") / "demo.db", f"http://127.0.0.1:{port}"
    made = Demo({"http://127.0.0.1:8000": url}, {**os.environ, "PLAUDIT_DATABASE": str(database)})
    service = subprocess.Popen(
        plaudit_command("serve", "--demo", "--port", port),
        env=made.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until_served(f"{url}/api/v1/contests/snowman", service)
        wanted = ("read", "manage", "moderate", "export", "raters")
        scopes = [word for scope in wanted for word in ("--scope", scope)]
        key = json.loads(made.run("key", "create", "reference", *scopes, "--json"))["key"]
        made.replaced["plaudit_…"] = key
        yield made
    finally:
        service.terminate()
        service.wait(timeout=60)


def until_served(url: str, service: "subprocess.Popen[bytes]") -> None:
    give_up = time.monotonic() + START_SECONDS
    while True:
        assert service.poll() is None, "the service ended at its start"
        assert time.monotonic() < give_up, "the service did not start"
        try:
            urllib.request.urlopen(url, timeout=10).close()
        except urllib.error.URLError:
            time.sleep(0.1)
        else:
            return


def test_examples_of_the_client_run_against_a_service(demo: Demo) -> None:
    blocks = examples_of(ROOT / "docs" / "reference" / "client.md")
    assert len(blocks) == 2
    run_in_order(blocks, demo.replaced)


def test_examples_of_the_clients_page_run_against_a_service(
    demo: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run_in_order(examples_of(ROOT / "docs" / "live" / "client.md"), demo.replaced)
    said = capsys.readouterr().out.splitlines()
    assert said[-2:] == ["['drinks']", "[True]"]
    assert (tmp_path / "drinks.jsonl.gz").stat().st_size > 1000


def test_examples_of_the_api_page_run_against_a_service(demo: Demo) -> None:
    rate, moderate = examples_of(ROOT / "docs" / "live" / "api.md")
    run_in_order([rate], demo.replaced)
    votes = csv.DictReader(io.StringIO(demo.run("contest", "export", "snowman", "--what", "votes")))
    raters = {"9c1f…": next(votes)["rater"], ', "02ab…"': ""}
    run_in_order([moderate], demo.replaced | raters)
