"""Binds the pages of our own studies into fewer-votes.md: `python docs/bind_fewer_votes.py DIR`.

What stands between the marks of a study is replaced; the words around it stay.
"""

import re
import sys
from pathlib import Path

from bind_reproduction import DOCS, bound, versions_of

from plaudit.studies import OWN_TITLES
from plaudit.studies.output import RESULT

PAGE = DOCS / "fewer-votes.md"


def main() -> None:
    """Rewrites fewer-votes.md; a study that is not in the folder stays as it is."""
    out = Path(sys.argv[1])
    text = PAGE.read_text("utf-8")
    for name in OWN_TITLES:
        if (out / name / RESULT).exists():
            text = replaced(text, name, f"{bound(out / name)}\n\n{versions_of(out / name)}")
    PAGE.write_text(text, "utf-8")


def replaced(text: str, name: str, section: str) -> str:
    """The page with a new section between the marks of a study."""
    start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    pattern = re.compile(f"{re.escape(start)}.*{re.escape(end)}", re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"{PAGE.name} has no marks {start} and {end} to put {name} between.")
    return pattern.sub(lambda _: f"{start}\n{section}\n{end}", text)


if __name__ == "__main__":
    main()
