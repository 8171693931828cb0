"""Binds our own studies into the pages that are about them: `python docs/bind_fewer_votes.py DIR`.

What stands between the marks of a study is replaced; the words around it stay.
"""

import json
import re
import sys
from pathlib import Path

from bind_reproduction import DOCS, bound

from plaudit.studies.output import RESULT

PAGES = {
    "fewer-votes.md": ("fewer-votes", "error-rates"),
    "dishonest-raters.md": ("dishonest",),
}


def main() -> None:
    """Rewrites the pages; a study that is not in the folder stays as it is."""
    out = Path(sys.argv[1])
    for page, names in PAGES.items():
        text = (DOCS / page).read_text("utf-8")
        for name in names:
            if (out / name / RESULT).exists():
                section = f"{bound(out / name)}\n\n{versions_of(out / name)}"
                text = replaced(text, page, name, section)
        (DOCS / page).write_text(text, "utf-8")


def replaced(text: str, page: str, name: str, section: str) -> str:
    """The page with a new section between the marks of a study."""
    start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    pattern = re.compile(f"{re.escape(start)}.*{re.escape(end)}", re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"{page} has no marks {start} and {end} to put {name} between.")
    return pattern.sub(lambda _: f"{start}\n{section}\n{end}", text)


def versions_of(folder: Path) -> str:
    """What computed the numbers."""
    versions = json.loads((folder / RESULT).read_text("utf-8"))["versions"]
    return "Versions: " + ", ".join(f"{name} {number}" for name, number in versions.items()) + "."


if __name__ == "__main__":
    main()
