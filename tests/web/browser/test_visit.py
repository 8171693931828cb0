"""The beginning and the end of a visit: consent, links from panels, opening times, the code.

And what a visit weighs.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from support.browser.live_server import LiveServer
from support.browser.rating import READING_MS, item, press, shown, visit

Person = Callable[..., BrowserContext]
ROOT = Path(__file__).parents[3]


def test_consent_and_instructions_come_first_and_once(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest(consent="You may stop at any time.", instructions="Be kind.")
    page.goto(f"/c/{contest}")
    expect(page.get_by_text("You may stop at any time.")).to_be_visible()
    expect(page.locator("#start-instructions")).to_have_text("Be kind.")
    expect(item(page)).to_be_hidden()
    page.get_by_role("button", name="I agree, start").click()
    expect(item(page)).to_be_visible()
    visit(page, contest)


def test_a_visit_ends_with_thanks_code_and_way_back(
    live_server: LiveServer, person: Person
) -> None:
    contest = live_server.make_contest(
        votes_per_visit=3,
        thanks="You were great.",
        completion_code="PLUM-42",
        return_url="https://panel.example.org/done",
    )
    page = person(permissions=["clipboard-read", "clipboard-write"]).new_page()
    visit(page, contest)
    expect(page.locator("#count")).to_have_text("0 of 3")
    press(page, "3")
    expect(page.get_by_role("progressbar")).to_have_js_property("value", 1)
    press(page, "3")
    page.keyboard.press("3")
    expect(page.get_by_role("heading", name="That was the last one")).to_be_visible()
    # After five seconds the end page appears by itself.
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(page.get_by_text("You were great.")).to_be_visible()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "PLUM-42"
    back = page.get_by_role("link", name="Go back to finish")
    assert back.get_attribute("href") == "https://panel.example.org/done"
    page.reload()
    expect(page.locator("#code")).to_have_text("PLUM-42")
    page.get_by_role("button", name="Rate more").click()
    expect(item(page)).to_be_visible()
    expect(page.locator("#count")).to_have_text("0 of 3")
    page.wait_for_timeout(READING_MS)
    press(page, "1")
    expect(page.locator("#count")).to_have_text("1 of 3")


def test_the_last_answer_can_be_taken_back(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest(votes_per_visit=1)
    visit(page, contest)
    last = shown(page)
    page.keyboard.press("1")
    page.locator("#last-undo").click()
    expect(item(page)).to_have_text(last)
    page.wait_for_timeout(READING_MS)
    page.keyboard.press("3")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert live_server.results(contest)["lanes"][0]["leaders"][0]["mean"] == 1.0


def test_a_panels_id_is_used_and_leaves_the_address(
    live_server: LiveServer, person: Person
) -> None:
    """The same person from two browsers is one rater, and sees the same items."""
    contest = live_server.make_contest()
    pages = [person().new_page() for _ in range(2)]
    for page in pages:
        visit(page, contest, "?PROLIFIC_PID=abc123&STUDY_ID=7")
        assert page.url.endswith(f"/c/{contest}?STUDY_ID=7")
    first, second = pages
    voted = press(first, "3")
    first.goto("about:blank")
    live_server.wait_for_votes(contest, 1)
    visit(second, contest, "?PROLIFIC_PID=abc123")
    assert shown(second) != voted
    expect(second.locator("#count")).to_have_text("1 rated")


def test_turk_workers_preview_and_hand_in(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest(votes_per_visit=1, completion_code="PEAR-7")
    page.goto(f"/c/{contest}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
    expect(page.get_by_role("heading", name="This is a preview")).to_be_visible()
    place = "&assignmentId=A1&turkSubmitTo=https://workersandbox.mturk.com"
    visit(page, contest, f"?workerId=W1{place}")
    page.keyboard.press("3")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("button", name="Submit on Mechanical Turk")).to_be_visible()
    form = page.locator("#turk")
    action = "https://workersandbox.mturk.com/mturk/externalSubmit"
    expect(form).to_have_attribute("action", action)
    handed: list[str | None] = []
    page.route(
        "https://workersandbox.mturk.com/**",
        lambda route: (handed.append(route.request.post_data), route.fulfill(body="done")),
    )
    page.get_by_role("button", name="Submit on Mechanical Turk").click()
    page.wait_for_url("https://workersandbox.mturk.com/**")
    assert handed == ["assignmentId=A1&code=PEAR-7"]


def test_only_turk_itself_gets_the_form(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest(votes_per_visit=1)
    evil = "https://mturk.com.example.org"
    visit(page, contest, f"?workerId=W2&assignmentId=A1&turkSubmitTo={evil}")
    page.keyboard.press("3")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(page.locator("#turk")).to_be_hidden()


def test_a_pause_is_told_and_ends_by_itself(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest()
    page.clock.install()
    visit(page, contest)
    live_server.step(contest, "pause")
    press(page, "3")
    press(page, "3")
    expect(page.get_by_role("heading", name="A short break")).to_be_visible()
    live_server.step(contest, "open")
    # The service folds the step a moment later: the page may have to be loaded more than once.
    for _ in range(20):
        page.clock.fast_forward(30_000)
        if item(page).is_visible():
            break
        page.wait_for_timeout(500)
    expect(item(page)).to_be_visible()


def test_closed_and_unknown_contests(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest()
    live_server.step(contest, "close")
    page.goto(f"/c/{contest}")
    expect(page.get_by_role("heading", name="Voting is over")).to_be_visible()
    expect(page.get_by_role("link", name="See the results")).to_be_visible()
    answer = page.goto("/c/no-such-contest")
    assert answer is not None
    assert answer.status == 404
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_a_contest_that_opens_later_says_when(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest(opens="2099-05-04T09:00:00+00:00")
    page.goto(f"/c/{contest}")
    expect(page.get_by_text("Voting starts on")).to_contain_text("2099")


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
