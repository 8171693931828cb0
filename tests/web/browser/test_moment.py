"""The moment of the result, the truth at the end of a visit, and the form of a new contest."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from plaudit.client import Client
from plaudit.crowd import Crowd
from support.browser.desk import joined, seen
from support.browser.live_server import LiveServer
from support.browser.rating import READING_MS, item, press, shown, visit
from support.browser.shapes import check, fits

Person = Callable[..., BrowserContext]


@pytest.fixture(scope="module")
def decided(live_server: LiveServer) -> str:
    """A contest with a verdict."""
    contest = live_server.make_contest(
        title="Which is funniest?", items=["A fine joke", "No joke", "Hm"], results="end",
        epsilon=0.4, delta=0.2, tolerance=0, votes_per_visit=3,
    )  # fmt: skip
    with Client(live_server.url) as client:
        means = {0: 0.95, 1: 0.1, 2: 0.1}
        crowd = Crowd(client, contest, raters=4, qualities=means, think_seconds=0.0)
        crowd.run(until=lambda: crowd.votes > 3000, threads=2)
        assert crowd.decided.is_set()
    return contest


def test_a_result_is_seen_shared_and_printed(
    decided: str, person: Person, tmp_path: Path, live_server: LiveServer
) -> None:
    page = person().new_page()
    page.goto(f"/c/{decided}/results")
    expect(page.get_by_text("The winner", exact=True)).to_be_visible()
    expect(page.locator(".moment-line.first")).to_have_text("A fine joke")
    expect(page.locator("#claims")).to_be_hidden()
    seen(page, "result")
    with page.expect_download() as got:
        page.get_by_role("button", name="Picture to share (PNG)").click()
    got.value.save_as(tmp_path / "result.png")
    assert (tmp_path / "result.png").read_bytes().startswith(b"\x89PNG")
    page.get_by_text("How this was decided").click()
    expect(page.locator("#claims")).to_contain_text("no other item is more than 0.4 better")
    expect(page.locator("#lanes .lane > table tbody tr")).to_have_count(3)
    page.get_by_role("link", name="Certificate to print").click()
    expect(page.get_by_role("heading", name="Which is funniest?")).to_be_visible()
    check(page)
    assert fits(page)


def test_the_desk_begins_with_the_result(
    decided: str, person: Person, live_server: LiveServer
) -> None:
    page = joined(live_server, person, "Ada of the result")
    page.goto(f"/desk/contests/{decided}")
    expect(page.locator(".moment-line.first")).to_have_text("A fine joke")
    page.get_by_role("button", name="Pause updates").click()
    page.get_by_role("img", name="Scores of the items").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".chart-told")).to_be_visible()
    first = page.locator(".chart-told").inner_text()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".chart-told")).not_to_have_text(first)


def test_skips_are_no_votes_and_the_end_is_true(live_server: LiveServer, phone: Page) -> None:
    """Four items and a visit of three: one is skipped, and the visit still has three votes."""
    stars = live_server.make_contest(items=list("abcd"), scale="stars", votes_per_visit=3)
    visit(phone, stars)
    assert fits(phone)
    expect(phone.get_by_role("button", name="5 stars")).to_contain_text("★★★★★")
    phone.keyboard.press("?")
    expect(phone.get_by_role("heading", name="How to vote")).to_be_visible()
    phone.keyboard.press("Escape")
    phone.wait_for_timeout(READING_MS)
    skipped = shown(phone)
    phone.get_by_role("button", name="Flag").click()
    phone.get_by_role("button", name="Something else").click()
    expect(phone.locator("#note")).to_contain_text("will look at it")
    expect(item(phone)).not_to_have_text(skipped)
    expect(phone.locator("#count")).to_have_text("0 of 3")
    voted = []
    for _ in range(2):
        phone.wait_for_timeout(READING_MS)
        voted.append(press(phone, "5"))
    phone.wait_for_timeout(READING_MS)
    expect(item(phone)).to_be_visible()
    voted.append(shown(phone))
    phone.keyboard.press("5")
    phone.get_by_role("button", name="Finish").click()
    expect(phone.locator("#end-why")).to_have_text("You rated 3 items in this visit.")
    expect(phone.locator("#count")).to_have_text("3 of 3")
    assert {*voted, skipped} == {*"abcd"}
    expect(phone.get_by_role("button", name="Rate more")).to_be_hidden()


def test_a_form_survives_a_reload_and_a_draft_can_be_deleted(
    live_server: LiveServer, person: Person
) -> None:
    page = joined(live_server, person, "Eve of the form")
    page.goto("/desk/new")
    page.locator("#title").fill("Kept for later")
    page.locator("#items").fill("one\ntwo\nthree")
    page.get_by_label("Never: only people at this desk").check()
    page.wait_for_timeout(700)
    page.reload()
    expect(page.locator("#title")).to_have_value("Kept for later")
    expect(page.locator("#items")).to_have_value("one\ntwo\nthree")
    expect(page.get_by_label("Never: only people at this desk")).to_be_checked()
    expect(page.locator("#kept")).to_be_visible()
    page.locator("#people").fill("40")
    page.get_by_role("button", name="What is within reach?").click()
    page.locator("#reach-told").get_by_role("button", name="Choose").first.click(timeout=200_000)
    assert float(page.locator("#epsilon").input_value()) > 0.05
    page.get_by_role("button", name="Create the contest").click()
    expect(page.get_by_text("Draft created")).to_be_visible()
    # Its script forgets the form.
    page.wait_for_load_state("load")
    page.goto("/desk/new")
    expect(page.locator("#title")).to_have_value("")
    page.goto("/desk/contests/kept-for-later/run")
    expect(page.locator("#reach")).to_contain_text("this computer only")
    page.get_by_role("button", name="Delete the draft").click()
    expect(page.get_by_text("The draft was deleted")).to_be_visible()
    expect(page.get_by_role("heading", name="Kept for later")).to_be_hidden()
    assert page.request.get("/c/kept-for-later").status in (200, 404)
