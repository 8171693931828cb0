"""Nothing is lost and nothing is doubled: cut networks, reloads, closed and second tabs."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, Route, expect

from support.browser.live_server import LiveServer
from support.browser.rating import READING_MS, item, press, send_all, shown, unsent, visit, vote

Person = Callable[..., BrowserContext]


def test_answers_wait_for_the_network(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest()
    visit(page, contest)
    page.context.set_offline(True)
    voted = [vote(page) for _ in range(3)]
    note = page.get_by_text("Saved here. It will be sent when the connection is back.")
    expect(note).to_be_visible()
    assert unsent(page) == 3
    page.context.set_offline(False)
    send_all(page)
    expect(note).to_be_hidden()
    live_server.wait_for_votes(contest, 3)
    assert shown(page) not in voted


def test_an_answer_whose_reply_is_lost_counts_once(live_server: LiveServer, page: Page) -> None:
    """The server has the vote, the page does not know: it sends it again."""
    contest = live_server.make_contest()
    visit(page, contest)
    lost: list[str] = []

    def lose_reply(route: Route) -> None:
        route.fetch()
        lost.append(route.request.post_data or "")
        if len(lost) < 3:
            route.abort()
        else:
            route.continue_()

    page.route("**/votes", lose_reply)
    press(page, "3")
    send_all(page)
    assert len(lost) == 3
    assert len(set(lost)) == 1
    assert live_server.results(contest)["votes"] == 1


def test_a_reload_shows_the_same_item(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest()
    visit(page, contest)
    vote(page)
    before = shown(page)
    visit(page, contest)
    assert shown(page) == before
    live_server.wait_for_votes(contest, 1)


def test_a_reload_does_not_show_what_waits_in_the_outbox(
    live_server: LiveServer, page: Page
) -> None:
    contest = live_server.make_contest()
    visit(page, contest)
    page.route("**/votes", lambda route: route.abort())
    voted = {vote(page), vote(page)}
    expected = shown(page)
    visit(page, contest)
    assert shown(page) == expected
    assert expected not in voted
    assert unsent(page) == 2
    page.unroute("**/votes")
    send_all(page)
    live_server.wait_for_votes(contest, 2)


def test_a_closed_tab_sends_what_it_held(live_server: LiveServer, person: Person) -> None:
    """Leaving the page must not wait for the end of the five seconds."""
    contest = live_server.make_contest()
    someone = person()
    page = someone.new_page()
    visit(page, contest)
    page.get_by_role("button", name="Funny", exact=True).click()
    page.goto("about:blank")
    live_server.wait_for_votes(contest, 1)


def test_answers_of_a_tab_that_died_go_out_at_the_next_visit(
    live_server: LiveServer, person: Person
) -> None:
    contest = live_server.make_contest()
    someone = person()
    page = someone.new_page()
    visit(page, contest)
    someone.set_offline(True)
    voted = [vote(page), vote(page)]
    page.close()
    someone.set_offline(False)
    page = someone.new_page()
    visit(page, contest)
    assert shown(page) not in voted
    send_all(page)
    live_server.wait_for_votes(contest, 2)


def test_two_tabs_never_ask_the_same(live_server: LiveServer, person: Person) -> None:
    contest = live_server.make_contest()
    someone = person()
    one, two = someone.new_page(), someone.new_page()
    visit(one, contest)
    visit(two, contest)
    assert shown(one) == shown(two)
    voted = vote(one)
    expect(item(two)).not_to_have_text(voted)
    two.wait_for_timeout(READING_MS)
    voted_two = vote(two)
    assert voted_two != voted
    expect(item(one)).not_to_have_text(voted_two)
    for page in (one, two):
        page.goto("about:blank")
    live_server.wait_for_votes(contest, 2)


def test_blocked_storage_still_votes(live_server: LiveServer, person: Person) -> None:
    """As in some frames: everything is kept in memory instead."""
    contest = live_server.make_contest()
    someone = person()
    someone.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('blocked'); }})"
    )
    page = someone.new_page()
    visit(page, contest)
    press(page, "3")
    press(page, "3")
    live_server.wait_for_votes(contest, 1)
    page.goto("about:blank")
    live_server.wait_for_votes(contest, 2)


def test_a_refused_answer_is_dropped_and_told(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest()
    visit(page, contest)
    error = {"error": {"code": "stale_ticket", "message": "Too old."}}
    page.route("**/votes", lambda route: route.fulfill(status=410, json=error), times=1)
    late = press(page, "3")
    press(page, "3")
    expect(page.get_by_text("One answer came too late to count.")).to_be_visible()
    send_all(page)
    live_server.wait_for_votes(contest, 1)
    leaders = live_server.results(contest)["lanes"][0]["leaders"]
    assert late not in {row["text"] for row in leaders if row["votes"]}


def test_a_busy_server_is_asked_again_later(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest()
    visit(page, contest)
    error = {"error": {"code": "try_again", "message": "Busy."}}
    busy = {"Retry-After": "1"}
    page.route(
        "**/votes", lambda route: route.fulfill(status=503, json=error, headers=busy), times=2
    )
    press(page, "3")
    press(page, "1")
    send_all(page)
    live_server.wait_for_votes(contest, 2)
