"""Writes the table of settings into live/first-contest.md: `python docs/bind_settings.py`.

What stands between the marks is replaced; the words around it stay.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from plaudit.service.contest.setting import Setting
from plaudit.service.contest.settings import SETTINGS

PAGE = Path(__file__).parent / "live" / "first-contest.md"
START, END = "<!-- settings -->", "<!-- end of settings -->"
_BETWEEN = re.compile(f"{re.escape(START)}\n.*{re.escape(END)}", re.DOTALL)


def main() -> None:
    """Rewrites the page."""
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")


def with_table(text: str) -> str:
    """The page with the table of now between its marks."""
    if not _BETWEEN.search(text):
        raise SystemExit(f"{PAGE.name} has no marks {START} and {END} to put the table between.")
    return _BETWEEN.sub(lambda _: f"{START}\n\n{table_of(SETTINGS)}\n\n{END}", text)


def table_of(settings: Iterable[Setting]) -> str:
    """The settings as a table in Markdown."""
    head = "| key | what it means | once people vote |\n|---|---|---|"
    return "\n".join([head, *map(row_of, settings)])


def row_of(setting: Setting) -> str:
    """A setting as a row of the table."""
    keys = ", ".join(f"`{key}`" for key in (setting.key, setting.short_key) if key)
    return f"| {keys} | {setting.about} | {'can change' if setting.changeable else 'fixed'} |"


if __name__ == "__main__":
    main()
