"""What the rater's page weighs, as a browser receives it."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from support.browser.live_server import LiveServer
from support.browser.rating import visit

ROOT = Path(__file__).parents[3]


def test_the_raters_page_is_light(
    live_server: LiveServer, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.first_item import BAR_KB, SIZES

    visit(page, live_server.make_contest())
    sizes = page.evaluate(SIZES)
    script, style = sizes["script"], sizes["style"]
    # All of both was seen, and came packed.
    assert 60_000 < script[1] < 80_000
    assert 15_000 < style[1] < 25_000
    assert script[0] + style[0] < 1000 * BAR_KB
    # The words of other languages come with the page itself.
    page.goto(page.url + "?lang=de")
    words = page.locator("#words").evaluate("one => one.textContent.length")
    assert script[0] + style[0] + words < 1000 * BAR_KB
