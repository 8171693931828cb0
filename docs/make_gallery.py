"""Writes docs/gallery.md and its pictures: every script of examples/, run, with what it draws.

`python docs/make_gallery.py` runs them all (pip install 'plaudit[test,inspect]'); those named on
the command line, if any, and writes the page from all.
"""

import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "figures" / "gallery"
# Simple ones first.
ORDER = (
    "first_race", "evaluate_prompts", "paired_prompts", "pandas_votes", "promptfoo_results",
    "optuna_pruner", "inspect_ai_race", "many_raters", "shortlists", "dishonest_raters",
    "plan_a_contest", "algorithms", "bounds_compared",
)  # fmt: skip
HEAD = """# Gallery

Scripts that run as they stand, in a second or two each, with what they draw. They are in the
folder `examples`; tests run all of them. The charts need `pip install 'plaudit[studies]'`.
`python docs/make_gallery.py` writes this page.
"""


def page_of(examples: Iterable[Path]) -> str:
    """The page, from the docstrings of the scripts."""
    parts = [_part(path) for path in sorted(examples, key=lambda path: ORDER.index(path.stem))]
    return HEAD + "".join(parts)


def _part(path: Path) -> str:
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    title, _, text = said.partition("\n\n")
    name, _, what = title.partition(":")
    what = what.strip()
    return (
        f"\n## {name}\n\n{what[:1].upper()}{what[1:]}\n\n{text}\n\n"
        f"![{title}](figures/gallery/{path.stem}.svg)\n\n"
        f"```{{literalinclude}} ../examples/{path.name}\n:language: python\n```\n"
    )


def main(*wanted: str) -> None:
    """Runs scripts, and writes pictures and page."""
    examples = sorted((ROOT / "examples").glob("*.py"))
    PICTURES.mkdir(parents=True, exist_ok=True)
    for path in examples:
        if wanted and path.stem not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, str(path)], cwd=folder, check=True, env=os.environ)
            picture = Path(folder, f"{path.stem}.svg").read_text(encoding="utf-8")
        (PICTURES / f"{path.stem}.svg").write_text(picture.rstrip() + "\n", encoding="utf-8")
    page = ROOT / "docs" / "gallery.md"
    page.write_text(page_of(examples), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
