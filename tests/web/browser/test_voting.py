"""Votes, skips, flags and undo on the rater's page, by mouse and by keyboard."""

import pytest
from playwright.sync_api import Page, expect

from support.browser.live_server import LiveServer
from support.browser.rating import READING_MS, item, press, send_all, shown, unsent, visit, vote


def counts(server: LiveServer, contest: str) -> dict[str, int]:
    """Votes by item text."""
    leaders = server.results(contest)["lanes"][0]["leaders"]
    return {leader["text"]: leader["votes"] for leader in leaders if leader["votes"]}


def test_votes_by_click_arrive_once_each(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest()
    visit(page, contest)
    voted = [vote(page, "Funny"), vote(page, "Unfunny"), vote(page, "Somewhat funny")]
    assert len(set(voted)) == 3
    expect(page.locator("#count")).to_have_text("3 rated")
    live_server.wait_for_votes(contest, 3)
    assert counts(live_server, contest) == dict.fromkeys(voted, 1)


def test_votes_carry_the_level_of_their_button_and_key(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest()
    visit(page, contest)
    means = {vote(page, "Somewhat funny"): 0.5, press(page, "3"): 1.0, press(page, "1"): 0.0}
    live_server.wait_for_votes(contest, 3)
    leaders = live_server.results(contest)["lanes"][0]["leaders"]
    assert {row["text"]: row["mean"] for row in leaders if row["votes"]} == means


def test_response_time_is_from_showing_to_answering(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest()
    visit(page, contest)
    with page.expect_request("**/votes") as sent:
        page.wait_for_timeout(700)
        vote(page)
    assert 700 <= sent.value.post_data_json["response_ms"] < 15_000


def test_undo_takes_back_before_anything_is_sent(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest()
    visit(page, contest)
    undone = vote(page, "Unfunny")
    assert unsent(page) == 1
    page.get_by_role("button", name="Undo").click()
    expect(item(page)).to_have_text(undone)
    expect(page.locator("#count")).to_have_text("0 rated")
    assert unsent(page) == 0
    page.wait_for_timeout(READING_MS)
    vote(page, "Funny")
    live_server.wait_for_votes(contest, 1)
    best = live_server.results(contest)["lanes"][0]["leaders"][0]
    assert (best["text"], best["mean"]) == (undone, 1.0)


@pytest.mark.parametrize("key", ["u", "Control+z"])
def test_undo_by_key(live_server: LiveServer, page: Page, key: str) -> None:
    visit(page, live_server.make_contest())
    undone = press(page, "2")
    assert press(page, key) != undone
    assert shown(page) == undone


def test_undo_ends_with_the_next_answer(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest()
    visit(page, contest)
    press(page, "1")
    second = press(page, "1")
    live_server.wait_for_votes(contest, 1)
    press(page, "u")
    assert shown(page) == second
    page.keyboard.press("u")
    assert shown(page) == second


def test_skip_and_flag_are_recorded_and_do_not_come_back(
    live_server: LiveServer, page: Page
) -> None:
    contest = live_server.make_contest(items=["One", "Two", "Three", "Four"])
    visit(page, contest)
    page.get_by_role("button", name="Skip").click()
    page.wait_for_timeout(READING_MS)
    page.get_by_role("button", name="Flag").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    with page.expect_request("**/flags") as sent:
        dialog.get_by_role("button", name="Same as another one").click()
        page.wait_for_timeout(READING_MS)
        press(page, "3")
    assert sent.value.post_data_json["reason"] == "duplicate"
    page.keyboard.press("3")
    expect(page.get_by_role("heading", name="That was the last one")).to_be_visible()
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="You have seen them all")).to_be_visible()
    results = live_server.results(contest)
    assert (results["votes"], results["skips"], results["flags"]) == (2, 1, 1)


def test_skips_used_up_are_said_and_come_back_with_votes(
    live_server: LiveServer, page: Page
) -> None:
    contest = live_server.make_contest()
    visit(page, contest)
    for _ in range(5):
        press(page, "s")
    before = shown(page)
    skip, flag = (page.get_by_role("button", name=name) for name in ("Skip", "Flag"))
    expect(skip).to_have_attribute("aria-disabled", "true")
    expect(flag).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("s")
    expect(page.get_by_role("status")).to_contain_text("Please vote on this one")
    page.keyboard.press("f")
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert shown(page) == before
    vote(page)
    expect(skip).to_have_attribute("aria-disabled", "false")
    press(page, "s")
    expect(skip).to_have_attribute("aria-disabled", "true")
    # Undoing the last skip gives it back.
    page.keyboard.press("u")
    expect(skip).to_have_attribute("aria-disabled", "false")
    page.wait_for_timeout(READING_MS)
    press(page, "3")
    send_all(page)
    results = live_server.results(contest)
    assert (results["votes"], results["skips"]) == (2, 5)


def test_skips_of_two_tabs_are_counted_together(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest()
    visit(page, contest)
    for _ in range(4):
        press(page, "s")
    second = page.context.new_page()
    visit(second, contest)
    for tab in (page, second):
        press(tab, "s")
    for tab in (page, second):
        tab.evaluate("window.dispatchEvent(new Event('pagehide'))")
        send_all(tab)
    assert live_server.results(contest)["skips"] == 5
    for tab in (page, second):
        expect(item(tab)).to_be_visible()


def test_cancelling_a_flag_leaves_the_item(live_server: LiveServer, page: Page) -> None:
    visit(page, live_server.make_contest())
    before = shown(page)
    page.keyboard.press("f")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert (shown(page), unsent(page)) == (before, 0)


def test_contests_without_skip_and_flag_have_no_such_keys(
    live_server: LiveServer, page: Page
) -> None:
    visit(page, live_server.make_contest(skip=False, flag=False))
    before = shown(page)
    for key in "sf":
        page.keyboard.press(key)
    expect(page.get_by_role("button", name="Skip")).to_be_hidden()
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert shown(page) == before


def test_held_keys_modifiers_and_haste_do_not_vote(live_server: LiveServer, page: Page) -> None:
    visit(page, live_server.make_contest())
    before = shown(page)
    for keys in ("Control+1", "Alt+1", "Meta+1", "9"):
        page.keyboard.press(keys)
    assert shown(page) == before
    page.keyboard.down("1")
    page.wait_for_timeout(READING_MS)
    page.keyboard.down("1")
    page.keyboard.up("1")
    assert unsent(page) == 1
    page.wait_for_timeout(READING_MS)
    button = page.get_by_role("button", name="Funny", exact=True)
    button.dblclick()
    expect(page.locator("#count")).to_have_text("2 rated")


def test_single_keys_can_be_switched_off(live_server: LiveServer, page: Page) -> None:
    visit(page, live_server.make_contest())
    page.get_by_role("button", name="Instructions and keys").click()
    page.get_by_label("Answer with single keys").uncheck()
    page.get_by_role("button", name="Close").click()
    before = shown(page)
    page.keyboard.press("1")
    assert shown(page) == before
    assert vote(page) == before


def test_keyboard_alone_is_enough(live_server: LiveServer, page: Page) -> None:
    """Tab reaches each answer, Enter gives it, and the focus stays where it was."""
    visit(page, live_server.make_contest(instructions="", skip=True))
    before = shown(page)
    names = []
    for _ in range(3):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.innerText.split('\\n')[0]"))
    assert names == ["Unfunny", "Somewhat funny", "Funny"]
    page.keyboard.press("Enter")
    expect(item(page)).not_to_have_text(before)
    assert page.evaluate("document.activeElement.dataset.level") == "2"
    assert unsent(page) == 1
    send_all(page)
