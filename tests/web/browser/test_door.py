"""The door in a real browser: codes on two devices, a revoked one, a sheet, the desk's page."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from support.browser.desk import joined, seen
from support.browser.live_server import DESKTOP, PHONE, LiveServer, command_line
from support.browser.rating import item, send_all, shown, visit, vote
from support.browser.shapes import check, fits


def codes_of(server: LiveServer, name: str, count: int) -> list[dict[str, Any]]:
    """New codes of a contest."""
    command_line("contest", "codes", "make", name, str(count), "--database", server.database)
    more = ["--database", server.database, "--url", server.url, "--json"]
    found: list[dict[str, Any]] = json.loads(command_line("contest", "codes", "show", name, *more))[
        "codes"
    ]
    return found


def field(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Your code")


def enter(page: Page, code: str) -> None:
    field(page).fill(code)
    page.get_by_role("button", name="Go on").click()


@pytest.fixture
def contest(live_server: LiveServer) -> str:
    return live_server.make_contest(title="Who wins the jury's prize?", door="codes")


def test_a_code_is_typed_and_goes_on_elsewhere(
    live_server: LiveServer, person: Callable[..., Any], contest: str
) -> None:
    code, other = codes_of(live_server, contest, 2)
    phone = person(viewport=PHONE).new_page()
    phone.goto(f"/c/{contest}")
    expect(phone.get_by_role("heading", name="Enter your code")).to_be_visible()
    expect(field(phone)).to_be_focused()
    check(phone)
    assert fits(phone)
    enter(phone, "0000-0000-0000")
    expect(phone.get_by_role("alert")).to_contain_text("does not work here")
    check(phone)
    enter(phone, code["code"].lower().replace("-", " "))
    expect(item(phone)).to_be_visible()
    phone.wait_for_timeout(300)
    first = vote(phone)
    send_all(phone)
    # The link on the laptop is the same rater, and the code leaves the address.
    laptop = person(viewport=DESKTOP).new_page()
    visit(laptop, contest, f"?code={code['code']}")
    assert "code=" not in laptop.url
    expect(laptop.locator("#count")).to_contain_text("1")
    for _ in range(5):
        assert vote(laptop) != first
    send_all(laptop)
    live_server.wait_for_votes(contest, 6)
    assert live_server.results(contest)["raters"] == 1
    # Somebody else may go on at the same device.
    laptop.locator("#about").click()
    laptop.get_by_role("button", name="Use another code").click()
    enter(laptop, other["code"])
    expect(laptop.locator("#count")).to_contain_text("0")


def test_a_revoked_code_meets_the_door_and_keeps_no_answer(
    live_server: LiveServer, person: Callable[..., Any], contest: str
) -> None:
    first, second = codes_of(live_server, contest, 2)
    page = person(viewport=PHONE).new_page()
    visit(page, contest, f"?code={first['code']}")
    vote(page)
    send_all(page)
    live_server.wait_for_votes(contest, 1)
    command_line("contest", "codes", "revoke", contest, "1", "--database", live_server.database)
    address = f"{live_server.url}/api/v1/contests/{contest}/raters"
    while page.request.post(address, data={"code": first["code"]}).status != 403:
        page.wait_for_timeout(100)
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("no longer works", timeout=15_000)
    enter(page, second["code"])
    expect(item(page)).to_be_visible()
    assert live_server.results(contest)["votes"] == 1


def test_an_open_page_meets_a_door_that_closes(
    live_server: LiveServer, person: Callable[..., Any]
) -> None:
    name = live_server.make_contest(title="Closing")
    page = person(viewport=PHONE).new_page()
    visit(page, name)
    vote(page)
    send_all(page)
    code = codes_of(live_server, name, 1)[0]
    command_line("contest", "change", name, "door=codes", "--database", live_server.database)
    while live_server.read(f"/api/v1/contests/{name}")["door"] != "codes":
        page.wait_for_timeout(100)
    page.get_by_role("button", name="Funny", exact=True).click()
    expect(page.get_by_role("heading", name="Enter your code")).to_be_visible(timeout=15_000)
    enter(page, code["code"])
    expect(item(page)).to_be_visible()
    assert shown(page)
    assert live_server.results(name)["votes"] == 1


@pytest.mark.parametrize(
    ("door", "query", "said"),
    [
        ("list", "", "for people on a list"),
        ("list", "?rater=nobody", "not on the list"),
        ("links", "", "come from its own site"),
        ("links", "?rater=a&signature=00", "incomplete or out of date"),
    ],
)
def test_whoever_is_not_let_in_reads_why(
    live_server: LiveServer, person: Callable[..., Any], door: str, query: str, said: str
) -> None:
    name = live_server.make_contest(title="Invited", door=door)
    page = person(viewport=PHONE).new_page()
    page.goto(f"/c/{name}{query}")
    expect(page.locator("#screen-door")).to_contain_text(said)
    expect(field(page)).to_be_hidden()
    check(page)


def test_the_desk_of_the_door_and_its_sheet(
    live_server: LiveServer, person: Callable[..., Any], contest: str
) -> None:
    page = joined(live_server, person, "Dora", viewport=DESKTOP)
    page.goto(f"/desk/contests/{contest}/door")
    page.get_by_label("How many more").fill("7")
    page.get_by_role("button", name="Make codes").click()
    expect(page.get_by_text("The codes were made.")).to_be_visible()
    page.get_by_role("checkbox", name="Code 3").check()
    page.get_by_role("button", name="Revoke the chosen codes").click()
    expect(page.get_by_text("Revoked: these codes get nobody in")).to_be_visible()
    seen(page, "door")
    page.get_by_role("link", name="Sheet to print").click()
    expect(page.locator(".card-code")).to_have_count(6)
    check(page)
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Print")).to_be_hidden()
    tops = [card.bounding_box()["y"] for card in page.locator(".card-code").all()]
    assert len(set(tops)) == 3, "two cards in a row"
