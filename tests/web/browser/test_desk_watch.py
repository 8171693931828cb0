"""Watching a contest in a real browser: it updates by itself; items are found, sorted, turned."""

import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from plaudit.store import open_store
from plaudit.store.log import Answer, Kind
from support.browser.desk import joined, keep, seen
from support.browser.live_server import LiveServer

Person = Callable[..., BrowserContext]
# The last of these raters come just now.
START = time.time_ns() // 1_000_000 - 140 * 90_000
# Other contests on the same server have other titles.
TITLE = "What does the snowman say in the sauna?"
# Which value of a chart is being told.
PLACE = """
chart => [...chart.querySelectorAll("[data-told]")].findIndex((one) => one.matches(".told-now"))
"""
TEXTS = [
    *(f"Caption number {number}, about a snowman in a sauna" for number in range(128)),
    "مرحبا <b>&amp; snow",
    "W" * 120,
]


def vote(server: LiveServer, name: str, *, raters: range, each: int = 20, lanes: int = 1) -> None:
    """Votes as raters would give them: later items are funnier."""
    answers = []
    for rater in raters:
        for turn in range(each):
            item = (rater * 37 + turn * 11) % len(TEXTS)
            level = (rater * 7 + turn * 3 + (item > 100) * (turn % 3)) % 3
            level = 2 if item == 127 else min(level, 2)
            at = START + rater * 90_000 + turn * 4_000
            took = 700 + (rater * turn * 997) % 9_000
            key = rater.to_bytes(16, "big")
            lane = (rater + turn) % (lanes + 1) - 1 if lanes > 1 else 0
            answers.append(Answer(Kind.VOTE, key, item, level, lane, at, took))
    store = open_store(server.database)
    store.append_answers(name, answers)
    store.close()


@pytest.fixture(scope="module")
def contest(live_server: LiveServer) -> str:
    name = live_server.make_contest(title=TITLE, items=TEXTS, top=3, epsilon=0.2)
    vote(live_server, name, raters=range(120))
    live_server.wait_for_votes(name, 2400)
    return name


@pytest.fixture(scope="module")
def state(live_server: LiveServer, browser: Browser) -> Iterator[dict[str, object]]:
    """The cookies of someone who is signed in, made once."""
    context = browser.new_context(base_url=live_server.url)
    joined(live_server, lambda **options: context, "Watcher")
    yield {"storage_state": context.storage_state()}
    context.close()


def test_the_dashboard_updates_by_itself(
    live_server: LiveServer, person: Person, contest: str, state: dict[str, object]
) -> None:
    page = person(**state).new_page()
    page.goto("/desk")
    page.get_by_role("link", name=TITLE, exact=True).click()
    expect(page.locator("#votes")).to_have_text("2,400")
    expect(page.locator("svg.plot")).not_to_have_count(0)
    expect(page.get_by_role("img", name="Drift")).to_be_visible()
    page.get_by_text("The first few, as a table").click()
    link = page.get_by_role("link", name="CSV: Votes a minute")
    link.focus()
    page.evaluate("window.scrollTo(0, 300)")
    shown = page.get_by_role("img", name="Votes a minute").inner_html()
    vote(live_server, contest, raters=range(120, 140))
    expect(page.locator("#votes")).to_have_text("2,800")
    assert page.get_by_role("img", name="Votes a minute").inner_html() != shown
    assert page.evaluate("document.activeElement.id") == "pace-csv"
    assert page.evaluate("window.scrollY") == 300
    expect(page.locator("#shortlist")).to_have_attribute("open", "")
    # Whoever reads a chart by its arrow keys stays at the value that they came to.
    chart = page.get_by_role("img", name="Drift")
    chart.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    place = chart.evaluate(PLACE)
    assert place > 0
    before = chart.inner_html()
    vote(live_server, contest, raters=range(140, 160))
    expect(page.locator("#votes")).to_have_text("3,200")
    assert chart.inner_html() != before
    expect(chart).to_be_focused()
    assert chart.evaluate(PLACE) == place
    # Another chart is read from its first value; one that was put away stays so.
    other = page.get_by_role("img", name="Votes a minute")
    other.focus()
    assert other.evaluate(PLACE) == 0
    page.keyboard.press("Escape")
    vote(live_server, contest, raters=range(160, 170))
    expect(page.locator("#votes")).to_have_text("3,400")
    expect(other).to_be_focused()
    expect(page.locator(".chart-told")).to_be_hidden()
    page.get_by_role("button", name="Pause updates").click()
    expect(page.locator("#updates")).to_have_text("Updates are paused.")
    seen(page, "watch")
    # Whoever is signed out elsewhere is told.
    page.get_by_role("button", name="Pause updates").click()
    page.context.clear_cookies()
    expect(page.locator("#stale")).to_contain_text("You are signed out")


def test_the_algorithms_side_by_side(
    live_server: LiveServer, person: Person, state: dict[str, object]
) -> None:
    name = live_server.make_contest(
        title="Which of two ways?", items=TEXTS, algorithms={"lil-klucb": 0.6, "lucb++": 0.4},
        uniform=0.2,
    )  # fmt: skip
    vote(live_server, name, raters=range(60), lanes=2)
    live_server.wait_for_votes(name, 1200)
    page = person(**state).new_page()
    page.goto(f"/desk/contests/{name}")
    expect(page.get_by_role("table", name="Algorithms").get_by_role("row")).to_have_count(3)
    expect(page.get_by_role("heading", name="lucb++ 800 votes")).to_be_visible()
    seen(page, "watch-two")


def rows(page: Page) -> list[str]:
    return page.locator(".items-table tbody tr th").all_inner_texts()


def test_items_filter_sort_and_page(person: Person, contest: str, state: dict[str, object]) -> None:
    page = person(**state).new_page()
    page.goto(f"/desk/contests/{contest}/items")
    expect(page.locator("#found")).to_have_text("130 of 130 items")
    seen(page, "items")
    page.locator("#after").click()
    expect(page.get_by_text("Page 2 of 3")).to_be_visible()
    page.get_by_label("Find a text").press_sequentially("number 12")
    expect(page.locator("#found")).to_have_text("10 of 130 items")
    expect(page.get_by_label("Find a text")).to_be_focused()
    page.get_by_role("link", name="Id", exact=True).click()
    expect(page.locator("[aria-sort=ascending]")).to_have_text("Id▲")
    expect(page.locator(".items-table tbody th").first).to_contain_text("number 12,")
    page.get_by_role("link", name="Id", exact=True).click()
    expect(page.locator(".items-table tbody th").first).to_contain_text("number 127,")
    assert page.evaluate("document.activeElement.id") == "by-number"
    page.reload()
    assert len(rows(page)) == 10
    assert "number 127," in rows(page)[0]
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV of all items found").click()
    text = download.value.path().read_text(encoding="utf-8-sig")
    assert text.count("Caption number ") == 10
    page.get_by_label("Find a text").fill("")
    page.get_by_label("Standing").select_option("withdrawn")
    expect(page.locator("#found")).to_have_text("0 of 130 items")
    expect(page.get_by_text("No items found")).to_be_visible()


def test_items_and_dashboard_without_script(
    person: Person, contest: str, state: dict[str, object]
) -> None:
    page = person(java_script_enabled=False, **state).new_page()
    page.goto(f"/desk/contests/{contest}")
    expect(page.locator("#updates noscript")).to_be_visible()
    page.get_by_role("link", name="Items", exact=True).click()
    page.get_by_label("Find a text").fill("snow مرحبا")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("#found")).to_have_text("1 of 130 items")
    assert rows(page) == [TEXTS[128]]
    page.get_by_label("Find a text").fill("")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="Next").click()
    page.get_by_role("link", name="Next").click()
    expect(page.locator(".items-table tbody tr")).to_have_count(30)


def test_a_figure_stands_alone(person: Person, contest: str, state: dict[str, object]) -> None:
    page = person(**state, viewport={"width": 760, "height": 1600}).new_page()
    for name in ("leaders", "drift", "labels", "means"):
        page.goto(f"/desk/contests/{contest}/charts/{name}.svg")
        line = page.locator(".reach, .line, .bar").first
        colour = line.evaluate("one => [getComputedStyle(one).stroke, getComputedStyle(one).fill]")
        assert "rgb(36, 72, 197)" in colour or "rgb(168, 76, 6)" in colour
    page.goto(f"/desk/contests/{contest}/items")
    for name in ("leaders", "drift", "labels", "means"):
        page.evaluate(
            """async (source) => {
              const image = new Image();
              image.src = source;
              await image.decode();
              document.body.replaceChildren(image);
            }""",
            f"/desk/contests/{contest}/charts/{name}.svg",
        )
        keep(page, f"figure-{name}")
