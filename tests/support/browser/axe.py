"""What axe-core finds on a page: `make provider` installs it from the npm registry."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from support.provider.real import PACKAGES

FILE = PACKAGES / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")
PROGRAM = """
async () => {
  const found = await axe.run(document, { resultTypes: ["violations"], preload: false });
  return found.violations.map(({ id, impact, nodes }) => [
    id, impact, nodes.map((node) => `${node.target}: ${node.html.slice(0, 120)}`),
  ]);
}
"""


def source() -> str:
    """The program; without it the test is skipped."""
    if not Path(FILE).is_file():
        pytest.skip("the pages are looked at with axe-core, from `make provider`, which needs npm")
    return Path(FILE).read_text("utf-8")


def grave(page: Page, program: str) -> list[str]:
    """What is serious or critical on this page as it is shown now."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(program)
    found: list[tuple[str, str, list[Any]]] = page.evaluate(PROGRAM)
    return [f"{rule}, {where}" for rule, impact, places in found if impact in GRAVE
            for where in places]  # fmt: skip
