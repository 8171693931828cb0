"""Excluding a rater from a decided contest in a real browser: what is lost is seen first."""

from playwright.sync_api import expect

from plaudit.store import open_store
from plaudit.store.log import Answer, Kind
from support.browser.desk import Person, joined, keep, seen
from support.browser.live_server import LiveServer
from support.browser.shapes import fits

CAPTIONS = ["The best of all.", "Not so good.", "Not good either.", "No."]
RATERS = 300
OWED = "The same with or without the excluded rater."


def fill(server: LiveServer, contest: str) -> None:
    """Enough votes for a verdict: all but rater 0 prefer the first item."""
    rows = [
        Answer(Kind.VOTE, rater.to_bytes(16, "big"), item, level, 0, 1_700_000_000_000, 900)
        for rater in range(RATERS)
        for item in range(len(CAPTIONS))
        for level in [2 if (item == 0) == (rater > 0) else 0]
    ]
    store = open_store(server.database)
    try:
        store.append_answers(contest, rows)
    finally:
        store.close()
    server.wait_for_votes(contest, len(rows))


def test_a_verdict_is_taken_back_only_after_a_second_word(
    live_server: LiveServer, person: Person
) -> None:
    contest = live_server.make_contest(title="What does the snowman say?", items=CAPTIONS)
    fill(live_server, contest)
    page = joined(live_server, person, "Excluder")
    page.goto(f"/desk/contests/{contest}/run")
    decided = page.locator(".claim.decided")
    for _ in range(20):
        if decided.count():
            break
        page.wait_for_timeout(250)
        page.reload()
    expect(decided).to_be_visible()
    page.goto(f"/desk/contests/{contest}/moderate/raters/0")
    expect(page.get_by_label("Because of")).to_have_value("votes")
    expect(page.get_by_text(OWED)).to_be_visible()
    seen(page, "exclude-grounds")
    page.get_by_role("button", name="Exclude rater 0").click()
    expect(page.get_by_role("heading", level=2)).to_have_text("This step takes back a verdict")
    expect(page.get_by_text("which names item i1.")).to_be_visible()
    seen(page, "revoke-verdict")
    assert fits(page)
    page.get_by_role("button", name="Take the verdict back and go on").click()
    expect(page.get_by_role("status").first).to_contain_text("Excluded")
    page.goto(f"/desk/contests/{contest}/run")
    for _ in range(20):
        if decided.count():
            break
        page.wait_for_timeout(250)
        page.reload()
    expect(decided).to_contain_text(OWED)
    expect(page.get_by_text("excluded rater 0 because of how they voted")).to_be_visible()
    keep(page, "publish-after-exclusion")
    page.goto(f"/c/{contest}/results")
    expect(page.locator(".claim small")).to_have_text(OWED)
