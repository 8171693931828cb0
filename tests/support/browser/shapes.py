"""Whether a page fits its screen and can be used by everybody."""

from pathlib import Path

from playwright.sync_api import Page, expect

SCRIPT = Path(__file__).with_name("accessible.js").read_text()


def fits(page: Page) -> bool:
    _dressed(page)
    inside: bool = page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    return inside


def check(page: Page) -> None:
    """Checks that a page fits and is accessible."""
    _dressed(page)
    found = page.evaluate(SCRIPT)
    assert found == [], found
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    expect(page.get_by_role("main")).to_have_count(1)
    assert page.evaluate("document.documentElement.lang") == "en"


def _dressed(page: Page) -> None:
    """Waits for the style sheets: words that a click led to are in the page before them.

    Nothing of the page is painted meanwhile, but scripts see it, in the browser's own colours.
    """
    page.wait_for_load_state()
