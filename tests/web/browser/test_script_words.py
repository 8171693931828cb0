"""All words that scripts write come from the catalogue of the page's language."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from plaudit import words
from plaudit.service.contest.settings import ContestSettings, Lane, Level
from plaudit.service.desk.desk import Desk
from plaudit.store import open_store
from plaudit.store.contract import Item
from plaudit.web.app import Serving
from support.served_site import served
from support.wrapped_words import bare_words, wrap, wrapped

TEXTS = ("Apple", "Pear", "Plum", "Fig")
SECRET = "a secret for the tests of words in scripts"
OWN = (*TEXTS, "Plaudit", "Fruit", "Which?", "Read this.", "No", "Yes", "plaudit", "k", "Ctrl")


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(words, "of_service", wrapped())
    database = str(tmp_path / "words.db")
    store = open_store(database)
    scale = (Level("No", 0.0), Level("Yes", 1.0))
    for name, visit in (("fruit", 2), ("more", 0)):
        settings = ContestSettings(
            title="Fruit",
            scale=scale,
            lanes=(Lane("plaudit"),),
            instructions="Read this.",
            votes_per_visit=visit,
        )
        items = [Item(number, text) for number, text in enumerate(TEXTS)]
        Desk(store).create(name, settings, items, opened=True)
    Desk(store).step("more", "pause")
    store.close()
    with served(Serving(database, SECRET, rater_rate="")) as url:
        yield url


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    # A language that Plaudit does not have: the page is in that of the service.
    made = browser.new_context(locale="eo")
    blocked: list[str] = []
    made.on("console", lambda told: blocked.append(told.text))
    yield made
    made.close()
    assert not [text for text in blocked if "Content Security Policy" in text]


def bare(page: Page) -> set[str]:
    # Sentences about verdicts come from the service.
    return bare_words(page.content(), own=OWN)


def test_words_of_scripts_come_from_the_catalogue(address: str, context: BrowserContext) -> None:
    page = context.new_page()
    page.goto(f"{address}/c/fruit")
    expect(page.locator("#start")).to_have_text(wrap("Start"))
    assert bare(page) == set()
    page.locator("#start").click()
    expect(page.locator("#count")).to_have_text(f"⟦⟪0⟫ {wrap('of')[1:-1]} ⟪2⟫⟧")
    assert bare(page) == set()
    for _ in range(2):
        page.wait_for_timeout(400)
        page.keyboard.press("2")
    expect(page.locator("#last-text")).to_contain_text(wrap("You can still undo your last answer."))
    assert bare(page) == set()
    page.locator("#finish").click()
    expect(page.locator("#end-text")).to_have_text(
        wrap("Your votes are saved. Thank you for voting.")
    )
    assert bare(page) == set()
    page.goto(f"{address}/c/fruit/results")
    expect(page.locator("#votes")).to_have_text("2")
    expect(page.locator("tbody tr").first).to_be_visible()
    assert bare(page) == set()


def test_words_of_a_contest_that_is_not_open(address: str, context: BrowserContext) -> None:
    page = context.new_page()
    page.goto(f"{address}/c/more")
    expect(page.locator("#message-title")).to_contain_text("⟦")
    assert bare(page) == set()


def test_a_word_that_is_in_no_catalogue_is_found(address: str, context: BrowserContext) -> None:
    page = context.new_page()
    page.goto(f"{address}/c/fruit/results")
    expect(page.locator("#votes")).to_have_text("0")
    page.evaluate("document.getElementById('state').append('Planted')")
    assert bare(page) == {"Planted"}
