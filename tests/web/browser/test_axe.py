"""axe-core finds nothing serious on any page, light on a wide screen and dark on a phone."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from plaudit.web.app import routes
from support.browser.all_pages import NO_PAGES, PAGES, fill
from support.browser.axe import grave, source
from support.browser.desk import joined, printed
from support.browser.live_server import DESKTOP, PHONE, LiveServer, command_line
from support.browser.rating import READING_MS, item

Person = Callable[..., BrowserContext]
MISSING = ("/nothing", "/desk/contests/nothing")
# Whoever is signed in is sent on from these, or let in at once.
SIGNED_OUT = ("/desk/sign-in", "/desk/welcome/nobody", "/c/fresh/wait")


@pytest.fixture(scope="module")
def live_server(serve: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A service with contests in all states, and with the sheet of components."""
    source()
    folder = tmp_path_factory.mktemp("all-pages")
    fill(str(folder / "contest.db"))
    with serve(
        folder,
        "--look",
        PLAUDIT_SIGN_IN_ISSUER="http://127.0.0.1:9",
        PLAUDIT_SIGN_IN_CLIENT="plaudit",
        PLAUDIT_SIGN_IN_SECRET="a secret",
        PLAUDIT_SIGN_IN_NAME="Example University",
    ) as server:
        command_line("contest", "codes", "make", "codes", "6", "--database", server.database)
        yield server


def looked_at(page: Page, name: str) -> list[str]:
    """What is grave on the page as it is, light and wide, then dark and narrow."""
    found = []
    for scheme, size in (("light", DESKTOP), ("dark", PHONE)):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        page.set_viewport_size(size)  # type: ignore[arg-type]
        found += [f"{name} ({scheme}): {words}" for words in grave(page, source())]
    return found


def opened(page: Page, path: str) -> None:
    """Opens a page, and waits for what its script fills in."""
    page.goto(path)
    if path.startswith("/c/") and path.count("/") == 2:
        page.locator("#screen-vote, main > section").locator("visible=true").first.wait_for()
    expect(page.get_by_text("Reading the votes")).to_have_count(0)


def test_every_route_is_a_page_that_is_looked_at_or_no_page() -> None:
    found = {
        route.path  # type: ignore[attr-defined]
        for route in routes(look=True)
        if "GET" in (getattr(route, "methods", None) or ["GET"])
    }
    assert found == set(PAGES) | NO_PAGES
    assert not set(PAGES) & NO_PAGES


def test_nothing_grave_on_any_page(live_server: LiveServer, person: Person) -> None:
    page, stranger = joined(live_server, person, "Ana"), person().new_page()
    opened(stranger, printed(live_server, "invite", "--role", "editor"))
    found = looked_at(stranger, "a welcome")
    for path in (*MISSING, *(address for one in PAGES.values() for address in one)):
        at = stranger if path in SIGNED_OUT else page
        opened(at, path)
        found += looked_at(at, path)
    assert found == []


def test_nothing_grave_in_what_comes_up_on_the_way(live_server: LiveServer, person: Person) -> None:
    page = person().new_page()
    page.goto("/c/running")
    page.get_by_role("button", name="Start").click()
    expect(item(page)).to_be_visible()
    found = looked_at(page, "an item")
    page.get_by_role("button", name="Instructions and keys").click()
    found += looked_at(page, "the help")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Flag").click()
    found += looked_at(page, "the flag")
    page.keyboard.press("Escape")
    for _ in range(3):
        page.wait_for_timeout(READING_MS)
        page.get_by_role("button", name="Funny", exact=True).click()
    expect(page.locator("#screen-last")).to_be_visible()
    found += looked_at(page, "the last")
    page.get_by_role("button", name="Finish").click()
    expect(page.locator("#screen-end")).to_be_visible()
    found += looked_at(page, "the end")
    page.get_by_role("link", name="Check your receipts").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    found += looked_at(page, "receipts")
    assert found == []
