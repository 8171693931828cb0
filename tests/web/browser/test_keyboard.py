"""The keyboard alone gets everywhere: all is reached, the focus is seen, and steps are taken."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect

from support.browser.desk import joined
from support.browser.keyboard import tab_to, unreached
from support.browser.live_server import LiveServer
from support.browser.rating import READING_MS, item

Person = Callable[..., BrowserContext]
PAGES = (
    "/c/running",
    "/c/running/results",
    "/c/decided/results",
    "/c/running/suggest",
    "/desk",
    "/desk/new",
    "/desk/contests/running",
    "/desk/contests/running/run",
    "/desk/contests/running/moderate",
    "/desk/contests/running/proposals",
)


@pytest.fixture
def live_server(full_server: LiveServer) -> LiveServer:
    """People of these tests are at the service that has everything."""
    return full_server


def test_tab_reaches_everything_and_shows_where_it_is(
    live_server: LiveServer, person: Person
) -> None:
    page = joined(live_server, person, "Ana of the keys")
    found = {}
    for path in PAGES:
        page.goto(path)
        if path == "/c/running":
            page.get_by_role("button", name="Start").click()
            expect(item(page)).to_be_visible()
        expect(page.get_by_text("Reading the votes")).to_have_count(0)
        if path == "/desk/contests/running":
            # A part that is replaced on the way would count as one that was not reached.
            page.get_by_role("button", name="Pause updates").click()
            page.wait_for_load_state("networkidle")
        found[path] = unreached(page)
    assert found == {path: [] for path in PAGES}


def test_a_visit_by_keys(live_server: LiveServer, person: Person) -> None:
    page = person().new_page()
    page.goto("/c/running")
    tab_to(page, page.get_by_role("button", name="Start"))
    page.keyboard.press("Enter")
    expect(item(page)).to_be_visible()
    for _ in range(3):
        page.wait_for_timeout(READING_MS)
        tab_to(page, page.get_by_role("button", name="Funny", exact=True))
        page.keyboard.press("Space")
    tab_to(page, page.get_by_role("button", name="Finish"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("link", name="Suggest one").locator("visible=true"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_label("What should others vote on?"))
    page.keyboard.type("Cold comfort farm")
    tab_to(page, page.get_by_role("button", name="Send"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("waits to be looked at")


def test_the_desk_by_keys(live_server: LiveServer, person: Person) -> None:
    page = joined(live_server, person, "Ben of the keys")
    tab_to(page, page.get_by_role("link", name="New contest"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_label("Title"))
    page.keyboard.type("Which name?")
    tab_to(page, page.get_by_label("Or type or paste them"))
    page.keyboard.type("Minka\nTom\nFelix")
    tab_to(page, page.get_by_role("button", name="Create the contest"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Draft created")
    tab_to(page, page.get_by_role("button", name="Start voting", exact=True))
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()

    page.goto("/desk/contests/running/moderate")
    tab_to(page, page.get_by_role("button", name="Keep item i8"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Keep item i8")).to_have_count(0)
    page.goto("/desk/contests/running/proposals")
    tab_to(page, page.get_by_role("button", name="Take proposal").first)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Taken: the items are in the contest.")).to_be_visible()
