"""The pages' examples run and print what their comments say; links lead somewhere."""

import contextlib
import gc
import importlib.util
import io
import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from plaudit.cli import main
from plaudit.studies import fewer_votes, figure_1, theorem_1, theorem_2
from plaudit.studies.error_rates.page import error_notes
from plaudit.studies.study import RULE
from support.service_process import free_port

ROOT = next(place for place in Path(__file__).parents if (place / "pyproject.toml").is_file())
DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)
# These have tests of their own: they need a service, files, or an empty folder.
ELSEWHERE = {
    "guide.md",
    "planning.md",
    "evaluate.md",
    "data.md",
    "live/api.md",
    "live/client.md",
    *(f"reference/{page.name}" for page in PAGES if page.parent.name == "reference"),
}
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
# `print(outcome.winners, outcome.votes)  # (0,) 1808`: a comment that is a result.
PRINTED = re.compile(r"^print\(.*\)  # (\(\d.*|\d[\d.]*)$", re.MULTILINE)
FENCED = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^(?:\$ )?(plaudit (?:[^\\\n]|\\\n)+)", re.MULTILINE)
LINK = re.compile(r"(?<!!)\]\(([^)#\s]+)(?:#[^)]*)?\)")


def with_examples() -> list[str]:
    names = [page.relative_to(DOCS).as_posix() for page in PAGES if BLOCK.search(text_of(page))]
    return [name for name in names if name not in ELSEWHERE]


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", with_examples())
def test_examples_of_a_page_run_and_print_what_they_say(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(text_of(DOCS / name))
    printed = io.StringIO()
    names: dict[str, object] = {"__name__": "example"}
    with contextlib.redirect_stdout(printed):
        for block in blocks:
            exec(compile(block, name, "exec"), names)
    lines = printed.getvalue().splitlines()
    for said in PRINTED.findall("\n".join(blocks)):
        assert said in lines


EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
# `make test` does without what this example adapts: it brings fifty packages with it. It leaves
# streams open, and they are taken away where its warnings are ignored.
NEEDS = {"inspect_ai_race": "inspect_ai"}
IGNORED = pytest.mark.filterwarnings("ignore")


@pytest.mark.slow
@pytest.mark.parametrize(
    "example",
    [pytest.param(path, marks=IGNORED if path.stem in NEEDS else ()) for path in EXAMPLES],
    ids=lambda path: path.stem,
)
def test_examples_of_the_folder_run(
    example: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In this process, so that chart libraries are loaded once; each draws its picture."""
    if example.stem in NEEDS:
        pytest.importorskip(NEEDS[example.stem])
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(example), run_name="__main__")
    gc.collect()
    assert capsys.readouterr().out
    picture = tmp_path / f"{example.stem}.svg"
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_the_gallery_shows_every_example() -> None:
    """`python docs/make_gallery.py` writes the page and the pictures."""
    sys.path.insert(0, str(DOCS))
    from make_gallery import page_of

    assert text_of(DOCS / "gallery.md") == page_of(EXAMPLES)
    shown = {path.stem for path in (DOCS / "figures" / "gallery").glob("*.svg")}
    assert shown == {path.stem for path in EXAMPLES}
    assert len(EXAMPLES) >= 8


@pytest.mark.slow
def test_the_door_to_contests_works_from_top_to_bottom(tmp_path: Path) -> None:
    """Every command of the page but the first, which installs, in an empty folder."""
    blocks = re.findall(r"```sh\n(.*?)```", text_of(DOCS / "doors" / "contest.md"), re.DOTALL)
    install, *steps = blocks
    assert install.startswith("pip install")
    script = "set -eu\n" + "\n".join(steps).replace("8000", str(free_port()))
    here = str(Path(sys.executable).parent)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{here}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "confidence" in done.stdout
    assert "The certificate holds" in done.stdout


def dead_links(page: Path) -> list[str]:
    """The links of a page to files that are not there."""
    found = LINK.findall(re.sub(r"```.*?```|`[^`\n]*`", "", text_of(page), flags=re.DOTALL))
    local = [link for link in found if not link.startswith(("http:", "https:", "mailto:"))]
    return [link for link in local if not (page.parent / link).exists()]


@pytest.mark.parametrize(
    "page",
    [*PAGES, *sorted(ROOT.glob("*.md"))],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_links_lead_to_files(page: Path) -> None:
    assert dead_links(page) == []


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("[here](page.md#top), [gone](gone.md), `[code](no.md)`", encoding="utf-8")
    assert dead_links(page) == ["gone.md"]


def commands_of(page: Path) -> list[str]:
    """The command lines of a page that call Plaudit."""
    blocks = [body for kind, body in FENCED.findall(text_of(page)) if kind in ("", "sh", "console")]
    return [line for block in blocks for line in COMMAND.findall(block)]


def mistakes_in(line: str) -> list[str]:
    """The verbs and options of a command line that Plaudit does not have."""
    words = shlex.split(line.replace("\\\n", " "), comments=True)[1:]
    command: click.Command = main
    context = click.Context(command)
    while isinstance(command, click.Group) and words and words[0] not in ("VERB", "--help"):
        found = command.get_command(context, words[0])
        if found is None:
            return [words[0]]
        command, words = found, words[1:]
    known = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
    options = [word.partition("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)]
    return [option for option in options if option not in known | {"--help", "-h"}]


@pytest.mark.parametrize(
    "page",
    [page for page in [*PAGES, ROOT / "README.md"] if commands_of(page)],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_commands_of_a_page_are_ones_that_there_are(page: Path) -> None:
    assert [wrong for line in commands_of(page) for wrong in mistakes_in(line)] == []


def test_a_wrong_command_is_found() -> None:
    assert mistakes_in("plaudit rang contest.csv") == ["rang"]
    assert mistakes_in("plaudit contest merge NAME 1 2 --txt same --json") == ["--txt"]
    assert mistakes_in("plaudit race --profile power:0.5 \\\n  --items 1000  # --no") == []


@pytest.mark.parametrize("name", ["reproduction.md", "fewer-votes.md", "studies.md"])
def test_pages_with_claims_state_the_rule_that_judges_them(name: str) -> None:
    assert RULE in " ".join(text_of(DOCS / name).split())


def test_a_study_that_was_not_run_keeps_its_section(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("bind", DOCS / "bind_reproduction.py")
    assert spec is not None
    assert spec.loader is not None
    bind = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bind)
    page = text_of(DOCS / "reproduction.md")
    assert "\n".join(bind.lines(tmp_path, page)) + "\n" == page


def test_notes_and_tables_that_need_no_run_are_those_of_the_page() -> None:
    """A text that was changed in a study was changed on the page too."""
    page = text_of(DOCS / "reproduction.md")
    notes = [*figure_1.NOTES, *theorem_1.NOTES, *theorem_2.NOTES]
    assert [note for note in notes if f"\n- {note}\n" not in page] == []
    for claim in (
        theorem_1.constant_claim(theorem_1.constant_rows()),
        theorem_1.choice_claim(theorem_1.width_rows()),
    ):
        assert f"| {claim.paper} | {claim.measured} | **{claim.agreement}**" in page
    own = text_of(DOCS / "fewer-votes.md")
    races = {f"races_of_{who}": n for who, n in (("ours", 5000), ("others", 1000))}
    effort = {"find_races": 400, "find_others": 18}
    shown = [
        *error_notes(races | {"races_of_attacks": 2000}),
        *fewer_votes.notes({"contests": [], "missing": {}, "effort": effort}),
    ]
    assert [note for note in shown if f"\n- {note}\n" not in own] == []
