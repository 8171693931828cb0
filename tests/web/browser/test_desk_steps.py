"""Items, adding items and the trail in a real browser; two editors at once."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from plaudit.service.accounts.accounts import Accounts
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.accounts.roles import COMMAND_LINE
from plaudit.store import open_store
from plaudit.store.log import Answer, Kind
from support.browser.desk import PASSWORD, fill, seen
from support.browser.live_server import DESKTOP, LiveServer


def joined(server: LiveServer, browser: Browser, name: str, role: str) -> Any:
    """The signed-in state of someone new."""
    context = browser.new_context(base_url=server.url)
    page = context.new_page()
    store = open_store(server.database)
    token = Accounts(store, Passwords()).invite(COMMAND_LINE, role)
    store.close()
    page.goto(f"/desk/welcome/{token}")
    fill(page, name=name, password=PASSWORD, again=PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    expect(page.get_by_text(f"Hello {name}")).to_be_visible()
    kept = context.storage_state()
    context.close()
    return kept


@pytest.fixture(scope="module")
def states(live_server: LiveServer, browser: Browser) -> list[Any]:
    """Two editors and a viewer."""
    people = {"Ada": "editor", "Ben": "editor", "Vic": "viewer"}
    return [joined(live_server, browser, name, role) for name, role in people.items()]


@pytest.fixture
def people(person: Callable[..., Any], states: list[Any]) -> list[Page]:
    return [person(storage_state=state, viewport=DESKTOP).new_page() for state in states]


@pytest.fixture
def contest(live_server: LiveServer) -> str:
    name = live_server.make_contest(title="What does the snowman say?")
    store = open_store(live_server.database)
    voted = [
        Answer(Kind.VOTE, bytes([n, k]) * 8, k, (n + k) % 3, 0, 5, 900)
        for n in range(30)
        for k in range(3)
    ]
    store.append_answers(name, voted)
    store.close()
    live_server.wait_for_votes(name, len(voted))
    return name


def test_one_item_edited_withdrawn_and_brought_back(people: list[Page], contest: str) -> None:
    ada, _, vic = people
    base = f"/desk/contests/{contest}/items"
    ada.goto(f"{base}/1")
    expect(ada.get_by_role("table").first).to_contain_text("Funny")
    seen(ada, "item")
    ada.get_by_label("Text", exact=True).fill("Is it me, or is it getting warm in here?")
    ada.get_by_text("Typo fix").click()
    ada.get_by_role("button", name="Replace the item").click()
    expect(ada.get_by_role("status").first).to_contain_text("The item was replaced")
    expect(ada.locator(".item-text")).to_have_text("Is it me, or is it getting warm in here?")
    expect(ada.get_by_role("region", name="Votes by level")).to_contain_text("10")
    ada.get_by_role("link", name="item i2", exact=True).click()
    expect(ada.get_by_text("replaced it.")).to_be_visible()
    seen(ada, "item-replaced")
    ada.get_by_role("button", name="Bring back item i2").click()
    expect(ada.get_by_role("alert")).to_contain_text("stands for item i2")
    ada.goto(f"{base}/2")
    ada.get_by_role("button", name="Withdraw item i3").click()
    expect(ada.get_by_text("Withdrawn", exact=True)).to_be_visible()
    ada.get_by_role("button", name="Bring back item i3").click()
    expect(ada.get_by_text("In the contest")).to_be_visible()
    vic.goto(f"{base}/2")
    expect(vic.get_by_role("heading", name="Its history")).to_be_visible()
    expect(vic.get_by_role("button", name="Withdraw item i3")).to_have_count(0)


def test_items_are_added_and_the_trail_undoes_it(people: list[Page], contest: str) -> None:
    ada, _, vic = people
    base = f"/desk/contests/{contest}"
    ada.goto(f"{base}/items/add")
    ada.get_by_label("Items, one per line").fill("Chilly.\n" + "x" * 2_100)
    ada.get_by_role("button", name="Add the items").click()
    expect(ada.get_by_role("alert")).to_contain_text("Line 2")
    seen(ada, "add-mistake")
    ada.get_by_label("Items, one per line").fill("Chilly.\nchilly. \nI am melting!")
    ada.get_by_role("button", name="Add the items").click()
    expect(ada.get_by_text("Line 2 repeats line 1")).to_be_visible()
    seen(ada, "add-repeats")
    ada.get_by_role("button", name="Add the items").click()
    ada.wait_for_url("**/items?done=added")
    ada.goto(f"{base}/trail")
    expect(ada.get_by_text("90 answers of raters")).to_be_visible()
    ada.get_by_role("button", name="Undo step").first.click()
    expect(ada.get_by_role("status").first).to_contain_text("The step was undone.")
    expect(ada.locator(".trail .step").first).to_contain_text("Ada undid step")
    seen(ada, "trail")
    vic.goto(f"{base}/trail")
    expect(vic.get_by_text("Ada").first).to_be_visible()
    expect(vic.get_by_role("button", name="Undo step")).to_have_count(0)


def test_what_another_did_meanwhile_is_shown(people: list[Page], contest: str) -> None:
    ada, ben, _ = people
    base = f"/desk/contests/{contest}/items"
    ben.goto(f"{base}/0")
    ada.goto(f"{base}/2")
    ada.get_by_role("button", name="Withdraw item i3").click()
    expect(ada.get_by_text("Withdrawn", exact=True)).to_be_visible()
    ben.get_by_label("Text", exact=True).fill("Pass the carrot, please.")
    ben.get_by_text("New item: start without votes").click()
    ben.get_by_role("button", name="Replace the item").click()
    expect(ben.get_by_role("alert")).to_contain_text("None of your changes were saved")
    expect(ben.get_by_text("withdrew item i3")).to_be_visible()
    expect(ben.get_by_label("The item's text")).to_have_value("Pass the carrot, please.")
    seen(ben, "moved")
    ben.get_by_role("button", name="Send again").click()
    expect(ben.locator(".item-text")).to_have_text("Pass the carrot, please.")
