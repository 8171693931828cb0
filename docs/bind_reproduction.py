"""Binds the pages of a run into reproduction.md: `python docs/bind_reproduction.py DIR`.

A study that is not in the folder keeps the section that the page has.
"""

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from plaudit.studies import PAPER_TITLES
from plaudit.studies.output import FIGURE, PAGE, RESULT
from plaudit.studies.study import RULE

DOCS = Path(__file__).parent
FIGURES = DOCS / "figures"
REPRODUCTION = DOCS / "reproduction.md"
CAPTIONS = "best caption"


def main() -> None:
    """Writes reproduction.md and its figures beside it."""
    out, known = Path(sys.argv[1]), REPRODUCTION.read_text("utf-8")
    REPRODUCTION.write_text("\n".join(lines(out, known)) + "\n", "utf-8")


def lines(out: Path, known: str) -> Iterator[str]:
    """The bound page, line by line; `known` is the page so far."""
    yield "# Reproduction"
    yield ""
    yield "This page repeats every table, figure and claim of the paper. `make reproduction` makes"
    yield "it: it runs `plaudit study run paper`, with the contests in the folder that"
    yield "`PLAUDIT_DATA` names, and collects the pages of the studies, in about forty minutes"
    yield "on two cores."
    yield ""
    yield RULE
    yield ""
    yield "This rule was made when the numbers were known. The limits are older, but for the one on"
    yield "the widths in theorem-1."
    yield ""
    yield "The notes, and [the glossary](glossary.md#how-plaudit-reads-the-paper), say how the"
    yield "paper was read where it leaves a choice, and which of its slips were put right."
    for name, title in PAPER_TITLES.items():
        yield ""
        if (out / name / RESULT).exists():
            yield f"{bound(out / name)}\n\n{versions_of(out / name)}"
        else:
            yield section_of(known, title)


def section_of(page: str, title: str) -> str:
    """The section that a page has under a title."""
    start = page.index(f"## {title}\n")
    end = page.find("\n## ", start)
    return page[start : end if end >= 0 else None].strip()


def versions_of(folder: Path) -> str:
    """What computed the numbers."""
    versions = json.loads((folder / RESULT).read_text("utf-8"))["versions"]
    return "Versions: " + ", ".join(f"{name} {number}" for name, number in versions.items()) + "."


def bound(folder: Path) -> str:
    """A study's page as a section of another, its figure copied beside the others."""
    name = folder.name
    FIGURES.mkdir(exist_ok=True)
    shutil.copyfile(folder / f"{FIGURE}.svg", FIGURES / f"{name}.svg")
    page = "\n".join(without_captions((folder / PAGE).read_text("utf-8").splitlines()))
    return page.replace("# ", "## ", 1).replace("(figure.svg)", f"(figures/{name}.svg)").strip()


def without_captions(page: list[str]) -> Iterator[str]:
    """The page's lines; tables lose their column of captions, which are not ours to print."""
    place = None
    for line in page:
        cells = re.split(r"(?<!\\)\|", line)
        if not line.startswith("|"):
            place = None
        elif f" {CAPTIONS} " in cells:
            place = cells.index(f" {CAPTIONS} ")
        if place is not None:
            del cells[place]
        yield "|".join(cells)


if __name__ == "__main__":
    main()
