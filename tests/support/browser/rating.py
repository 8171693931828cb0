"""What raters do on their page, as functions for tests."""

from playwright.sync_api import Page, expect

# The page takes no answer in the first quarter of a second of an item.
READING_MS = 300


def visit(page: Page, contest: str, query: str = "") -> None:
    """Opens the page and waits for the first item."""
    page.goto(f"/c/{contest}{query}")
    expect(item(page)).to_be_visible()
    page.wait_for_timeout(READING_MS)


def item(page: Page):  # type: ignore[no-untyped-def]
    """The text of the item on the screen."""
    return page.locator("#item-box .words")


def shown(page: Page) -> str:
    """Which item is on the screen."""
    return item(page).inner_text()


def vote(page: Page, label: str = "Funny") -> str:
    """Votes by a click; the item voted on."""
    before = shown(page)
    page.get_by_role("button", name=label, exact=True).click()
    _wait_for_change(page, before)
    return before


def press(page: Page, key: str) -> str:
    """Answers by a key; the item answered."""
    before = shown(page)
    page.keyboard.press(key)
    _wait_for_change(page, before)
    return before


def _wait_for_change(page: Page, before: str) -> None:
    page.wait_for_function(
        "before => document.querySelector('#item-box .words')?.innerText !== before", arg=before
    )
    page.wait_for_timeout(READING_MS)


def unsent(page: Page) -> int:
    """How many answers wait in the browser's storage."""
    count: int = page.evaluate(
        "Object.keys(localStorage).filter(key => key.includes(':answer:')).length"
    )
    return count


def send_all(page: Page) -> None:
    """Waits until the outbox is empty."""
    page.wait_for_function(
        "() => !Object.keys(localStorage).some(key => key.includes(':answer:'))", timeout=15_000
    )
