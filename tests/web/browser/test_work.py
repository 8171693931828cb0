"""Work for newcomers on the rater's page: solved in a worker, or on the page without one."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext, Page, expect

from support.browser.live_server import LiveServer
from support.browser.rating import item, visit, vote

# Runs before the scripts of the page: the browser has no workers.
NO_WORKERS = "delete window.Worker;"
# Slows down the answer to the work, so that a person would see what the page says meanwhile.
SLOW_WORKER = """
const Quick = window.Worker;
window.Worker = class extends Quick {
  postMessage(task) { setTimeout(() => super.postMessage(task), 1500); }
};
"""


def registrations(page: Page) -> list[tuple[int, Any]]:
    """The answers to the page's requests to be a rater, as they come: status and what was sent."""
    found: list[tuple[int, Any]] = []

    def note(response: Any) -> None:
        if response.url.endswith("/raters"):
            found.append((response.status, response.request.post_data_json))

    page.on("response", note)
    return found


def test_the_browser_works_and_the_rater_votes(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest(work="on")
    found = registrations(page)
    visit(page, contest)
    vote(page)
    live_server.wait_for_votes(contest, 1)
    assert [status for status, _ in found] == [428, 200]
    assert len(found[1][1]["work"]["nonces"]) == 16
    # Whoever comes back is known, and need not work again.
    page.reload()
    expect(item(page)).to_be_visible()
    assert [status for status, _ in found] == [428, 200, 200]


def test_a_household_notices_nothing_where_it_is_automatic(
    live_server: LiveServer, page: Page
) -> None:
    found = registrations(page)
    visit(page, live_server.make_contest())
    assert [status for status, _ in found] == [200]


def test_a_page_without_workers_solves_by_itself(
    live_server: LiveServer, person: Callable[..., BrowserContext]
) -> None:
    page = person().new_page()
    page.add_init_script(NO_WORKERS)
    found = registrations(page)
    visit(page, live_server.make_contest(work="on"))
    assert [status for status, _ in found] == [428, 200]


def test_a_worker_that_does_not_load_is_no_dead_end(live_server: LiveServer, page: Page) -> None:
    page.route("**/solver.js", lambda route: route.abort())
    visit(page, live_server.make_contest(work="on"))


def test_the_page_says_what_it_is_busy_with(live_server: LiveServer, page: Page) -> None:
    page.add_init_script(SLOW_WORKER)
    contest = live_server.make_contest(work="on")
    page.goto(f"/c/{contest}")
    expect(page.get_by_role("heading", name="One moment")).to_be_visible()
    expect(page.locator("#message-text")).to_contain_text("keeps robots out")
    assert page.locator("#message-text").get_attribute("aria-live") == "polite"
    expect(page.get_by_role("progressbar", name="One moment")).to_be_visible()
    expect(item(page)).to_be_visible()
    expect(page.locator("#screen-message")).to_be_hidden()


def test_work_is_not_lost_with_the_connection(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest(work="on")
    found = registrations(page)
    cut = []

    def drop_the_first_solution(route: Any) -> None:
        if not cut and "nonces" in (route.request.post_data or ""):
            cut.append(route.request.post_data_json)
            route.abort()
        else:
            route.continue_()

    page.route("**/raters", drop_the_first_solution)
    visit(page, contest)
    assert [status for status, _ in found] == [428, 200]
    assert found[1][1] == cut[0]


def test_an_external_rater_works_once_for_all_visits(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest(work="on")
    found = registrations(page)
    visit(page, contest, "?rater=ann")
    visit(page, contest, "?rater=ann")
    visit(page, contest, "?rater=bob")
    assert [status for status, _ in found] == [428, 200, 200, 428, 200]
