"""Every decision is a short page of three parts, and the index leads to it."""

import re
from pathlib import Path

import pytest

ROOT = next(place for place in Path(__file__).parents if (place / "pyproject.toml").is_file())
FOLDER = ROOT / "docs" / "decisions"
DECISIONS = sorted(page for page in FOLDER.glob("*.md") if page.stem != "index")
PARTS = ["What", "Why", "What was tried"]
MOST_WORDS = 250


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_says_what_why_and_what_was_tried(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    title, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    assert title.startswith("# ")
    assert [part.partition("\n")[0] for part in parts] == PARTS
    assert all(part.partition("\n")[2].strip() for part in parts)
    assert len(text.split()) <= MOST_WORDS


def test_the_index_lists_every_decision_twice() -> None:
    """Once for readers, once for the table of contents."""
    index = (FOLDER / "index.md").read_text(encoding="utf-8")
    names = [page.stem for page in DECISIONS]
    assert sorted(re.findall(r"\]\((\S+)\.md\)", index)) == names
    assert sorted(index.rpartition(":hidden:")[2].strip(" \n`").split()) == names
