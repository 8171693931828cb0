"""Moderation in a real browser: a flag, a robot among raters, duplicates; done and undone."""

import numpy as np
from playwright.sync_api import Page, expect

from plaudit.store import open_store
from plaudit.store.log import Answer, Kind
from support.browser.desk import Person, joined, keep, seen
from support.browser.live_server import LiveServer
from support.browser.rating import item, send_all, shown, visit
from support.browser.shapes import check, fits
from support.crowds import cheats, honest
from support.crowds import joined as together

CAPTIONS = [
    "I said a cold one, not a cold front.",
    "He melted under questioning.",
    "he melted, under questioning",
    "This is not what I meant by a warm welcome.",
    *(f"Caption number {number} of those who wait in the heat" for number in range(56)),
]


def key_of(rater: int) -> bytes:
    return int(rater).to_bytes(16, "big")


def fill(server: LiveServer, contest: str) -> int:
    """Votes of an honest crowd and one who always says the same; the number of that one."""
    crowd = together(
        honest(5, raters=80, votes=25, items=60, stern=0.2),
        cheats(5, "same", raters=1, votes=80, items=60, stern=0.2),
    )
    rows = [
        Answer(Kind.VOTE, key_of(rater), int(number), int(level), 0, int(at), int(taken))
        for at, _, rater, number, level, _, taken in zip(*crowd, strict=True)
    ]
    store = open_store(server.database)
    try:
        store.append_answers(contest, rows)
        found = store.rater(contest, key_of(80))
    finally:
        store.close()
    server.wait_for_votes(contest, len(rows))
    assert found is not None
    assert np.unique(crowd.rater).size == 81
    return found.number


def test_moderation(live_server: LiveServer, person: Person) -> None:
    contest = live_server.make_contest(title="What does the snowman say?", items=CAPTIONS)
    robot = fill(live_server, contest)
    rater = person().new_page()
    visit(rater, contest)
    flagged = shown(rater)
    rater.get_by_role("button", name="Flag").click()
    rater.get_by_role("button", name="Offensive").click()
    expect(item(rater)).not_to_have_text(flagged)
    send_all(rater)

    page = joined(live_server, person, "Moderator")
    page.goto(f"/desk/contests/{contest}/moderate")
    deal_with_flag(page, flagged)
    deal_with_robot(page, robot)
    merge(page)


def deal_with_flag(page: Page, text: str) -> None:
    flags = page.locator("#flags")
    expect(flags).to_contain_text(text)
    expect(flags).to_contain_text("1 flag: 1 offensive")
    seen(page, "moderate")
    flags.get_by_role("button", name="Withdraw item").click()
    expect(page.get_by_role("status")).to_contain_text("The item was withdrawn")
    expect(flags).to_contain_text("No flagged items.")
    page.get_by_role("button", name="Undo this step").click()
    expect(page.get_by_role("status")).to_have_text("The step was undone.")
    flags.get_by_role("button", name="Keep item").click()
    flags.get_by_text("Reviewed and kept: 1").click()
    expect(flags.get_by_role("button", name="Review item")).to_be_visible()


def deal_with_robot(page: Page, robot: int) -> None:
    raters = page.locator("#raters")
    expect(raters).to_contain_text("Answered “Funny”")
    raters.get_by_label(f"Tick rater {robot}").check()
    page.get_by_role("button", name="See the ranking without the ticked raters").click()
    expect(page.get_by_role("heading", level=2)).to_have_text("The ranking without this rater")
    keep(page, "moderate-several")
    assert fits(page)
    page.go_back()
    page.get_by_role("link", name=f"Look at rater {robot}").click()
    expect(page.get_by_role("table").first).to_contain_text("Place after")
    expect(page.get_by_role("img", name="How long each answer took")).to_be_visible()
    seen(page, "moderate-rater")
    page.get_by_role("button", name=f"Exclude rater {robot}").click()
    expect(page.get_by_role("status")).to_contain_text("Excluded")
    expect(page.get_by_text("None of this rater's votes count.")).to_be_visible()
    expect(page.get_by_role("heading", name="The ranking with this rater")).to_be_visible()
    keep(page, "moderate-excluded")
    page.get_by_role("link", name="All of moderation").click()
    expect(raters).to_contain_text("No suspicious raters found.")
    expect(page.locator("#out")).to_contain_text(f"Rater {robot}")


def merge(page: Page) -> None:
    page.get_by_role("link", name="Duplicates").click()
    expect(page.get_by_role("article")).to_have_count(1)
    page.get_by_text("Write a new text").click()
    seen(page, "moderate-duplicates")
    page.get_by_label("New text").fill("He melted under the questions.")
    page.get_by_role("button", name="Merge these 2: items i2, i3").click()
    expect(page.get_by_role("status")).to_contain_text("their votes added up")
    expect(page.get_by_text("No similar items found")).to_be_visible()
    page.get_by_role("button", name="Undo this step").click()
    page.get_by_role("button", name="These are different: items i2, i3").click()
    expect(page.get_by_text("Kept apart: 1")).to_be_visible()
    page.get_by_label("Their ids").fill("1, 4000")
    page.get_by_role("button", name="See them side by side").click()
    expect(page.get_by_label("Their ids")).to_have_value("1, 4000")
    expect(page.get_by_text("There is no item i4000")).to_be_visible()
    page.get_by_label("Their ids").fill("1, 4")
    page.get_by_role("button", name="See them side by side").click()
    expect(page.get_by_text("This is not what I meant")).to_be_visible()
    keep(page, "moderate-merge")
    check(page)
