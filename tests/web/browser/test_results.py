"""The results page updates by itself, and says when it cannot."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from support.browser.live_server import LiveServer
from support.browser.rating import press, visit

Person = Callable[..., BrowserContext]


def test_results_move_while_people_vote(live_server: LiveServer, person: Person) -> None:
    contest = live_server.make_contest(items=["Apple", "Pear", "Plum", "Fig"])
    watcher, voter = person().new_page(), person().new_page()
    watcher.goto(f"/c/{contest}/results")
    expect(watcher.locator("#votes")).to_have_text("0")
    visit(voter, contest)
    loved = press(voter, "3")
    press(voter, "1")
    voter.goto("about:blank")
    expect(watcher.locator("#votes")).to_have_text("2")
    first = watcher.get_by_role("row").nth(1)
    expect(first).to_contain_text(loved)
    expect(first).to_contain_text("1.00")
    expect(first.locator(".strip .mean")).to_have_attribute("visibility", "visible")
    expect(watcher.locator("#claims")).to_contain_text("Not yet")


def test_the_strip_shows_the_numbers_of_its_row(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest(items=["Apple", "Pear"])
    visit(page, contest)
    page.keyboard.press("2")
    page.goto(f"/c/{contest}/results")
    live_server.wait_for_votes(contest, 1)
    row = page.get_by_role("row").nth(1)
    expect(row).to_contain_text("0.50")
    leader = live_server.results(contest)["lanes"][0]["leaders"][0]
    reach = row.locator(".reach")
    ends = [float(str(reach.get_attribute(end)).rstrip("%")) for end in ("x1", "x2")]
    assert [round((end - 3.5) / 93, 2) for end in ends] == [
        round(leader["lower"], 2),
        round(leader["upper"], 2),
    ]


def test_several_algorithms_stand_side_by_side(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest(algorithms={"lil-klucb": 0.5, "lucb++": 0.5})
    page.goto(f"/c/{contest}/results")
    for algorithm in ("lil-klucb", "lucb++"):
        expect(page.get_by_role("heading", name=algorithm)).to_be_visible()
    left, right = (lane.bounding_box() for lane in page.locator(".lane").all())
    assert left is not None
    assert right is not None
    assert left["y"] == right["y"]
    assert left["x"] + left["width"] < right["x"]


def test_lost_connections_are_told_and_forgotten(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest()
    page.goto(f"/c/{contest}/results")
    expect(page.locator("#votes")).to_have_text("0")
    page.context.set_offline(True)
    expect(page.get_by_text("No connection. These numbers are from")).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator("#stale")).to_be_hidden()


def test_nothing_new_is_answered_without_a_body(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest()
    page.goto(f"/c/{contest}/results")
    with page.expect_response(lambda answer: "/results?" in answer.url and answer.status == 304):
        expect(page.locator("#votes")).to_have_text("0")


def test_results_fit_a_phone(live_server: LiveServer, phone: Page) -> None:
    phone.goto(f"/c/{live_server.make_contest()}/results")
    expect(phone.get_by_role("row").nth(1)).to_be_attached()
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_list_leads_to_voting_and_results(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest(title="A very special contest")
    page.goto("/")
    page.get_by_role("link", name="Results: A very special contest").click()
    expect(page).to_have_url(f"{live_server.url}/c/{contest}/results")
    page.get_by_role("link", name="Vote").click()
    expect(page).to_have_url(f"{live_server.url}/c/{contest}")
