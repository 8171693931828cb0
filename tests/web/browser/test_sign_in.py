"""Signing in through a real provider in a real browser: editors at the desk, raters who vote."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from support.browser.desk import PASSWORD, fill, joined, keep, printed, seen
from support.browser.live_server import DESKTOP, PHONE, LiveServer
from support.browser.rating import item, send_all, vote
from support.browser.shapes import check, fits
from support.provider.real import NAME, SECRET, RealProvider, started
from support.service_process import free_port

WITH = f"Sign in with {NAME}"


@pytest.fixture(scope="module")
def site(
    serve, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[LiveServer, RealProvider]]:
    """A service that is connected to a provider."""
    port = free_port()
    with (
        started(f"http://127.0.0.1:{port}") as provider,
        serve(
            tmp_path_factory.mktemp("signing-in"),
            port=port,
            PLAUDIT_SIGN_IN_ISSUER=provider.issuer,
            PLAUDIT_SIGN_IN_CLIENT=provider.settings.client,
            PLAUDIT_SIGN_IN_SECRET=SECRET,
            PLAUDIT_SIGN_IN_NAME=NAME,
        ) as server,
    ):
        yield server, provider


@pytest.fixture
def server(site: tuple[LiveServer, RealProvider]) -> LiveServer:
    return site[0]


@pytest.fixture
def live_server(server: LiveServer) -> LiveServer:
    """People of these tests are at this service."""
    return server


def log_in(page: Page, who: str) -> None:
    """Fills in the provider's own pages."""
    page.wait_for_url(re.compile("/interaction/"))
    page.locator("input[name=login]").fill(who)
    page.locator("input[name=password]").fill("any")
    page.locator("button[type=submit]").click()
    page.get_by_role("button", name="Continue").click()


def test_an_editor_joins_and_signs_in_with_the_provider(person, server: LiveServer) -> None:
    page = person().new_page()
    page.goto(printed(server, "link"))
    seen(page, "provider-welcome")
    page.locator("#name-there").fill("Ines")
    page.get_by_role("button", name=WITH).click()
    log_in(page, "ines")
    expect(page.get_by_text("Hello Ines")).to_be_visible()
    page.goto("/desk/account")
    expect(page.get_by_text("It is your only way in")).to_be_visible()
    seen(page, "provider-account-only")
    page.goto("/desk/people")
    expect(page.get_by_text(f"signs in with {NAME}, no password")).to_be_visible()
    page.locator("details.more summary").first.click()
    seen(page, "provider-people")
    page.goto("/desk/account")
    page.get_by_role("button", name="Sign out").first.click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()
    seen(page, "provider-sign-in")
    page.get_by_role("button", name=WITH).click()
    # The provider still knows who it is, and asks nothing.
    expect(page.get_by_text("Hello Ines")).to_be_visible()


def test_the_desk_is_signed_in_to_without_scripts(
    browser: Browser, server: LiveServer, person
) -> None:
    page = person(java_script_enabled=False).new_page()
    page.goto(printed(server, "invite", "--role", "editor"))
    page.locator("#name-there").fill("Plain")
    page.get_by_role("button", name=WITH).click()
    log_in(page, "plain")
    expect(page.get_by_text("Hello Plain")).to_be_visible()


def test_an_account_is_linked_and_unlinked(person, server: LiveServer) -> None:
    page = person().new_page()
    page.goto(printed(server, "invite", "--role", "editor"))
    fill(page, name="Lin", password=PASSWORD, again=PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    page.goto("/desk/account")
    seen(page, "provider-account-link")
    page.locator("#link-password").fill(PASSWORD)
    page.get_by_role("button", name="Link my account").click()
    log_in(page, "lin")
    expect(page.get_by_text("Your account is linked.")).to_be_visible()
    seen(page, "provider-account-linked")
    page.get_by_role("button", name="Unlink").click()
    expect(page.get_by_text("Your account is no longer linked")).to_be_visible()


def test_an_owner_names_who_somebody_is(person, server: LiveServer) -> None:
    page = joined(server, person, "Olga")
    page.goto("/desk/people")
    row = page.locator("li", has=page.get_by_text("Olga", exact=True)).first
    row.locator("summary").click()
    seen(page, "provider-people-subject")
    row.get_by_label(f"Subject at {NAME}").fill("olga")
    page.get_by_role("button", name="Link Olga to the provider").click()
    expect(page.get_by_text("The account is linked.")).to_be_visible()
    page.get_by_role("button", name="Sign out").first.click()
    page.get_by_role("button", name=WITH).click()
    log_in(page, "olga")
    expect(page.get_by_text("Hello Olga")).to_be_visible()


def test_a_stranger_is_told_what_to_do(person, server: LiveServer) -> None:
    printed(server, "invite", "--role", "editor")
    page = person().new_page()
    page.goto("/desk/sign-in")
    page.get_by_role("button", name=WITH).click()
    log_in(page, "stranger")
    expect(page.get_by_text("no account here is linked to you")).to_be_visible()
    check(page)
    keep(page, "provider-stranger")
    page.get_by_role("link", name="Start again").click()
    expect(page.get_by_role("button", name=WITH)).to_be_visible()


def wait_at_door(page: Page, contest: str) -> None:
    page.goto(f"/c/{contest}")
    expect(page.get_by_role("link", name=WITH)).to_be_visible()


def test_a_rater_signs_in_votes_and_goes_on_elsewhere(person, server: LiveServer) -> None:
    contest = server.make_contest(door="sign-in")
    laptop = person().new_page()
    wait_at_door(laptop, contest)
    check(laptop)
    assert fits(laptop)
    keep(laptop, "provider-rater-door")
    laptop.get_by_role("link", name=WITH).click()
    log_in(laptop, "ana")
    expect(item(laptop)).to_be_visible()
    assert laptop.url == f"{server.url}/c/{contest}", "nothing of the sign-in stays in the address"
    laptop.wait_for_timeout(300)
    voted = [vote(laptop) for _ in range(3)]
    laptop.wait_for_timeout(5_500)
    send_all(laptop)
    server.wait_for_votes(contest, 3)
    keep(laptop, "provider-rater-votes")
    phone = person(viewport=PHONE, has_touch=True, is_mobile=True).new_page()
    wait_at_door(phone, contest)
    keep(phone, "provider-rater-door-phone")
    phone.get_by_role("link", name=WITH).click()
    log_in(phone, "ana")
    expect(phone.locator("#count")).to_contain_text("3")
    assert item(phone).inner_text() not in voted


def test_the_next_person_at_a_shared_computer_is_another_rater(person, server: LiveServer) -> None:
    contest = server.make_contest(door="sign-in")
    context = person()
    page = context.new_page()
    wait_at_door(page, contest)
    page.get_by_role("link", name=WITH).click()
    log_in(page, "first")
    expect(item(page)).to_be_visible()
    first = rater(context, contest)
    page.locator("#about").click()
    keep(page, "provider-rater-about")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name=WITH)).to_be_visible()
    page.get_by_role("link", name=WITH).click()
    # The provider knows the first one still, and asks nevertheless.
    page.wait_for_url(re.compile("/interaction/"))
    log_in(page, "second")
    expect(item(page)).to_be_visible()
    assert rater(context, contest) != first


def rater(context: BrowserContext, contest: str) -> str:
    (found,) = [c["value"] for c in context.cookies() if c["name"] == f"plaudit-{contest}"]
    return found


@contextmanager
def embedding(address: str) -> Iterator[str]:
    """Another site, which shows a page in a frame."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f'<h1>A site</h1><iframe src="{shown[0]}" width="900" height="600">'.encode()
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *given: object) -> None:
            pass

    shown = [address]
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://localhost:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def test_in_a_frame_of_another_site_one_votes_in_a_tab_of_its_own(
    person, server: LiveServer
) -> None:
    contest = f"contest-{server.made + 1}"
    with embedding(f"{server.url}/c/{contest}") as another:
        assert server.make_contest(door="sign-in", embed=[another]) == contest
        context = person(viewport=DESKTOP)
        page = context.new_page()
        page.goto(another)
        frame = page.frame_locator("iframe")
        expect(frame.get_by_text("you vote there")).to_be_visible()
        keep(page, "provider-rater-frame")
        with context.expect_page() as opened:
            frame.get_by_role("link", name=WITH).click()
        tab = opened.value
        log_in(tab, "framed")
        expect(item(tab)).to_be_visible()
