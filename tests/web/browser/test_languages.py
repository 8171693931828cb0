"""Pages in other languages in a real browser: what scripts write, right to left, the switch."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from plaudit.service.contest.settings import ContestSettings, Lane, Level
from plaudit.service.desk.desk import Desk
from plaudit.store import open_store
from plaudit.store.contract import Item
from plaudit.store.log import Answer, Kind
from plaudit.web.app import Serving
from plaudit.words import catalogue_of
from support.served_site import served

SECRET = "a secret for the tests of languages in a browser"
START = 1_700_000_000_000


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    database = str(tmp_path_factory.mktemp("languages") / "languages.db")
    store, scale = open_store(database), (Level("No", 0.0), Level("Yes", 1.0))
    settings = ContestSettings(
        title="Fruit", scale=scale, lanes=(Lane("plaudit"),), instructions="Read.", epsilon=0.1
    )
    items = [Item(number, text) for number, text in enumerate(("Fig", "Plum", "Pear"))]
    Desk(store).create("fruit", settings, items, opened=True)
    votes = [
        Answer(Kind.VOTE, bytes([rater]) * 16, item, int(item == 0), 0, START, 900)
        for rater in range(3)
        for item in range(3)
    ]
    store.append_answers("fruit", votes)
    store.close()
    with served(Serving(database, SECRET, rater_rate="")) as url:
        yield url


def page_in(browser: Browser, locale: str) -> Page:
    return browser.new_context(locale=locale, viewport={"width": 390, "height": 780}).new_page()


def test_an_arabic_visit_runs_from_right_to_left(address: str, browser: Browser) -> None:
    texts, page = catalogue_of("ar").texts, page_in(browser, "ar-EG")
    page.goto(f"{address}/c/fruit")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    page.locator("#start").click()
    levels = page.locator(".level")
    expect(levels).to_have_count(2)
    boxes = [level.bounding_box() for level in levels.all()]
    assert boxes[0]["x"] > boxes[1]["x"]  # type: ignore[index]
    # The digits are those on the keys, although Egypt's are others.
    answered = texts.ngettext("%(count)s rated", "%(count)s rated", 0).replace("%(count)s", "0")
    expect(page.locator("#count")).to_have_text(answered)
    page.goto(f"{address}/c/fruit/results")
    expect(page.locator("tbody tr").first).to_be_visible()
    # The best item's dot is nearer to the left edge, where the axis ends.
    places = [dot.get_attribute("cx") or "" for dot in page.locator(".strip .mean").all()]
    dots = [float(place.rstrip("%")) for place in places]
    assert dots[0] < 50 < dots[-1]
    row = page.locator("tbody tr").first
    expect(row.locator(".mean-value")).to_have_text("1.00")
    expect(row.locator(".unit")).to_have_text(f" {texts.ngettext('vote', 'votes', 3)}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.context.close()


def test_the_switch_changes_the_page_and_those_after_it(address: str, browser: Browser) -> None:
    german, page = catalogue_of("de").texts, page_in(browser, "fr-CH")
    page.goto(f"{address}/c/fruit/results")
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    page.locator('.languages a[hreflang="de"]').click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("tbody .mean-value").first).to_have_text("1,00")
    # What the service says comes in the same language, before and after scripts have run.
    expect(page.locator(".claim")).to_contain_text("Noch nicht")
    page.locator("#vote").click()
    expect(page.locator("#start")).to_have_text(german.gettext("Start"))
    page.locator("#start").click()
    expect(page.locator("#count")).to_have_text("0 bewertet")
    expect(page.locator("body > .languages")).to_be_hidden()
    page.locator("#about").click()
    page.locator('dialog .languages a[hreflang="en"]').click()
    expect(page.locator("#count")).to_have_text("0 rated")
    page.context.close()


def test_lines_of_another_language_begin_where_the_page_does(
    address: str, browser: Browser
) -> None:
    page = browser.new_page()
    for language, edge in (("ar", "right"), ("en", "left")):
        page.goto(f"{address}/c/fruit/results?lang={language}")
        title = page.get_by_role("heading", level=1)
        assert title.evaluate("one => getComputedStyle(one).textAlign") == edge
    page.close()
