"""The JavaScript client on a page of another site, in a real browser: allowed and refused."""

import http.server
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from plaudit.service.accounts.secret import Secret
from plaudit.service.desk.desk import Desk
from plaudit.service.door.doorkeeper import Doorkeeper
from plaudit.store import open_store
from plaudit.store.log import Kind
from support.browser.live_server import LiveServer

ROOT = next(place for place in Path(__file__).parents if (place / "pyproject.toml").is_file())
PAGE = re.search(
    r"```html\n(.*?)```", (ROOT / "docs/live/javascript.md").read_text("utf-8"), re.DOTALL
)
assert PAGE


@contextmanager
def another_site(text: Callable[[], str]) -> Iterator[str]:
    """A site on another port of this machine, with one page; that is another origin."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = text().encode()
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *given: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class Elsewhere:
    """Another site with the example of the documentation, for a contest of the service."""

    def __init__(self, server: LiveServer) -> None:
        self.server, self.contest, self.pass_ = server, "", "{}"

    def html(self) -> str:
        assert PAGE
        text = PAGE[1].replace("http://127.0.0.1:8000", self.server.url)
        text = text.replace('"snowman"', f'"{self.contest}"')
        return text.replace("contest.comeIn()", f"contest.comeIn({self.pass_})")

    def votes(self) -> list[tuple[int, int]]:
        store = open_store(self.server.database)
        found = [entry for entry in store.entries(self.contest) if entry.kind == Kind.VOTE]
        store.close()
        return [(entry.rater, entry.level) for entry in found]

    def make(self, **keys: Any) -> None:
        self.contest = self.server.make_contest(**keys)


@pytest.fixture
def elsewhere(live_server: LiveServer) -> Iterator[tuple[Elsewhere, str]]:
    made = Elsewhere(live_server)
    with another_site(made.html) as url:
        yield made, url


def vote(page: Page, times: int) -> None:
    for _ in range(times):
        expect(page.locator("#item")).not_to_be_empty()
        before = page.locator("#item").inner_text()
        page.get_by_role("button", name="Somewhat funny").click()
        expect(page.locator("#item")).not_to_have_text(before)


def test_people_vote_on_a_site_that_the_contest_lists(
    elsewhere: tuple[Elsewhere, str], person: Callable[..., BrowserContext]
) -> None:
    made, url = elsewhere
    made.make(embed=[url], votes_per_visit=4, thanks="Merci!")
    context = person()
    page = context.new_page()
    page.goto(url)
    expect(page.locator("#title")).to_have_text("Which is best?")
    vote(page, 2)
    # A page that is loaded again is the same rater, with the same item.
    shown = page.locator("#item").inner_text()
    page.reload()
    expect(page.locator("#item")).to_have_text(shown)
    # An answer that is lost after it was sent is sent again, and counts once.
    lost: list[str] = []

    def lose(route: Any) -> None:
        if not lost:
            lost.append(route.request.post_data)
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/votes", lose)
    vote(page, 2)
    expect(page.locator("#item")).to_have_text("Merci!")
    assert len(lost) == 1
    assert made.votes() == [(0, 1)] * 4
    assert context.cookies() == []


def test_a_site_that_is_not_listed_gets_nothing(
    elsewhere: tuple[Elsewhere, str], person: Callable[..., BrowserContext]
) -> None:
    made, url = elsewhere
    made.make(embed=["https://www.example.org"])
    page = person().new_page()
    page.goto(url)
    expect(page.locator("#note")).to_have_text("There is no connection.")
    assert page.locator("#title").inner_text() == ""
    # Nor can a page send what browsers send without asking, and learn of it.
    tried = page.evaluate(
        """async (address) => {
             try { return (await fetch(address, { method: "POST", body: "{}" })).status; }
             catch (error) { return error.name; }
           }""",
        f"{made.server.url}/api/v1/contests/{made.contest}/raters",
    )
    assert tried == "TypeError"
    assert made.votes() == []


def test_a_rater_works_and_passes_the_door_from_elsewhere(
    elsewhere: tuple[Elsewhere, str], person: Callable[..., BrowserContext]
) -> None:
    made, url = elsewhere
    made.make(embed=[url], door="codes")
    store = open_store(made.server.database)
    Desk(store).make_codes(made.contest, 1)
    store.close()
    page = person().new_page()
    page.goto(url)
    expect(page.locator("#note")).to_contain_text("code")
    secret = Secret(Path(f"{made.server.database}.secret").read_text("utf-8").encode())
    made.pass_ = f'{{ code: "{Doorkeeper(secret, made.contest).codes.text(1)}" }}'
    page.goto(url)
    vote(page, 1)
    assert len(made.votes()) == 1
    # Work, which no worker can do for a page of another site.
    made.pass_ = "{}"
    made.make(embed=[url], work="on")
    page = person().new_page()
    page.goto(url)
    vote(page, 1)
    assert len(made.votes()) == 1
