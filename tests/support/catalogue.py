"""Collects all texts of pages, scripts and modules into the catalogue's template.

`make words` runs this file; a test compares what it finds with what the repository keeps. It brings
the translations up to date too: texts that are new stand there without one.
"""

import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import write_po

SOURCE = Path(__file__).parents[2] / "src" / "plaudit"
CATALOGUES = SOURCE / "catalogues"
TEMPLATE, SCRIPTS = CATALOGUES / "plaudit.pot", CATALOGUES / "scripts.json"
KEYWORDS = {"_": None, "N_": None, "gettext": None, "ngettext": (1, 2), "many": (1, 2)}
CALLED = re.compile(rf"\b(?:{'|'.join(KEYWORDS)})\s*\(")
READERS = {".py": "python", ".html": "jinja2.ext.babel_extract", ".js": "javascript"}
IMPORTED = re.compile(r'^import (?:.*? from )?"([^"]+)\.js";', re.MULTILINE)
OPTIONS = {"trimmed": "true", "newstyle_gettext": "true", "silent": "false"}


def texts_of(path: Path) -> Iterator[tuple[int, str | tuple[str, ...]]]:
    """The texts of a file, with their lines."""
    # Most modules have none, and their reader is slow.
    if path.suffix == ".py" and not CALLED.search(path.read_text("utf-8")):
        return
    found = extract_from_file(READERS[path.suffix], path, KEYWORDS, (), OPTIONS)
    for line, text, *_ in found:
        yield line, text


def files() -> list[Path]:
    """The files that hold texts for people."""
    found = [path for kind in READERS for path in SOURCE.rglob(f"*{kind}")]
    return sorted(path for path in found if "demo" not in path.relative_to(SOURCE).parts)


@cache
def template() -> Catalog:
    """All texts, each with the files that show it; read once."""
    made = Catalog(project="Plaudit", charset="utf-8")
    for path in files():
        for _line, text in texts_of(path):
            made.add(text, locations=[(str(path.relative_to(SOURCE)), None)])
    return made


def script_texts() -> dict[str, dict[str, list[Any]]]:
    """What each script shows and imports, by its room and name.

    A text is [one, other], where other is none without a plural.
    """
    scripts = {}
    for path in files():
        if path.suffix == ".js":
            found = {
                (text, None) if isinstance(text, str) else text[:2] for _, text in texts_of(path)
            }
            name = f"{path.parts[-3]}/{path.stem}"
            imports = IMPORTED.findall(path.read_text("utf-8"))
            scripts[name] = {
                "imports": sorted(urljoin(f"/{name}", one)[1:] for one in imports),
                "texts": sorted([list(text) for text in found], key=str),
            }
    return scripts


def main() -> None:
    """Writes the template anew."""
    with TEMPLATE.open("wb") as out:
        write_po(
            out, template(), width=100, omit_header=True, include_lineno=False, sort_by_file=True
        )
    SCRIPTS.write_text(json.dumps(script_texts(), ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from support.languages import translations

    main()
    translations.write_all()
