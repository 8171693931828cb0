"""Binds our own studies into the pages that are about them: `python docs/bind_fewer_votes.py DIR`.

What stands between the marks of a study is replaced; the words around it stay.
"""

import re
import sys
from pathlib import Path

from bind_reproduction import DOCS, bound, versions_of

from plaudit.studies import OWN_TITLES
from plaudit.studies.output import RESULT

# Where a study stands; all others in fewer-votes.md.
PAGES = {
    "crowds": DOCS / "crowds.md",
    "dishonest": DOCS / "dishonest-raters.md",
    "evaluate": DOCS / "evaluate-study.md",
}
USUAL = DOCS / "fewer-votes.md"


def main() -> None:
    """Rewrites the pages; a study that is not in the folder stays as it is."""
    out = Path(sys.argv[1])
    for name in OWN_TITLES:
        if (out / name / RESULT).exists():
            page = PAGES.get(name, USUAL)
            section = f"{bound(out / name)}\n\n{versions_of(out / name)}"
            page.write_text(replaced(page, name, section), "utf-8")


def replaced(page: Path, name: str, section: str) -> str:
    """The text of a page with a new section between the marks of a study."""
    text = page.read_text("utf-8")
    start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    pattern = re.compile(f"{re.escape(start)}.*{re.escape(end)}", re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"{page.name} has no marks {start} and {end} to put {name} between.")
    return pattern.sub(lambda _: f"{start}\n{section}\n{end}", text)


if __name__ == "__main__":
    main()
