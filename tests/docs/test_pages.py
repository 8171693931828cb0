"""The pages' examples run and print what their comments say; links lead somewhere."""

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = next(place for place in Path(__file__).parents if (place / "pyproject.toml").is_file())
DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)
# These have tests of their own: they need a service, files, or an empty folder.
ELSEWHERE = {
    "guide.md",
    "planning.md",
    "data.md",
    "live/api.md",
    *(f"reference/{page.name}" for page in PAGES if page.parent.name == "reference"),
}
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
# `print(outcome.winners, outcome.votes)  # (0,) 1808`: a comment that is a result.
PRINTED = re.compile(r"^print\(.*\)  # (\(\d.*|\d[\d.]*)$", re.MULTILINE)
LINK = re.compile(r"(?<!!)\]\(([^)#\s]+)(?:#[^)]*)?\)")


def with_examples() -> list[str]:
    names = [page.relative_to(DOCS).as_posix() for page in PAGES if BLOCK.search(text_of(page))]
    return [name for name in names if name not in ELSEWHERE]


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", with_examples())
def test_examples_of_a_page_run_and_print_what_they_say(name: str) -> None:
    blocks = BLOCK.findall(text_of(DOCS / name))
    printed = io.StringIO()
    names: dict[str, object] = {"__name__": "example"}
    with contextlib.redirect_stdout(printed):
        for block in blocks:
            exec(compile(block, name, "exec"), names)
    lines = printed.getvalue().splitlines()
    for said in PRINTED.findall("\n".join(blocks)):
        assert said in lines


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")))
def test_examples_of_the_folder_run(example: Path, tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout


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
