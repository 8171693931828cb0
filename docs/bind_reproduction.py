"""Binds the pages of a full run into reproduction.md: `python docs/bind_reproduction.py DIR`."""

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from plaudit.studies import PAPER_TITLES
from plaudit.studies.output import FIGURE, PAGE, RESULT

DOCS = Path(__file__).parent
FIGURES = DOCS / "figures"
CAPTIONS = "best caption"


def main() -> None:
    """Writes reproduction.md and its figures beside it."""
    out = Path(sys.argv[1])
    (DOCS / "reproduction.md").write_text("\n".join(lines(out)) + "\n", "utf-8")


def lines(out: Path) -> Iterator[str]:
    """The bound page, line by line."""
    versions = json.loads((out / "figure-1" / RESULT).read_text("utf-8"))["versions"]
    yield "# Reproduction"
    yield ""
    yield "This page repeats every table, figure and claim of the paper. `make reproduction` makes"
    yield "it: it runs `plaudit study run paper`, with the contests in the folder that"
    yield "`PLAUDIT_DATA` names, and collects the pages of the studies, in about forty minutes"
    yield "on two cores."
    yield "Versions: " + ", ".join(f"{name} {number}" for name, number in versions.items()) + "."
    for name in PAPER_TITLES:
        yield ""
        yield bound(out / name)


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
