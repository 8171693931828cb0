"""Receipts in the rater's browser: kept with each answer, and checked there against the log."""

import json
import sqlite3
import urllib.request
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from plaudit.proof.note import SigningKey
from plaudit.proof.receipt import make_receipts
from support.browser.desk import Person, keep, seen
from support.browser.live_server import PHONE, LiveServer, command_line
from support.browser.rating import press, send_all, visit, vote
from support.proof.receipts_of_before import OF_BEFORE, leaf


def kept(page: Page) -> list[dict[str, Any]]:
    """The receipts in the browser's storage."""
    found: list[str] = page.evaluate(
        "Object.keys(localStorage).filter(key => key.includes(':receipt:')).sort()"
        ".map(key => localStorage[key])"
    )
    return [json.loads(text) for text in found]


def covered(server: LiveServer, contest: str) -> None:
    """Returns once a checkpoint covers all entries: after a step of the desk there is one."""
    command_line("contest", "pause", contest, "--database", server.database)
    command_line("contest", "open", contest, "--database", server.database)

    def is_there() -> bool:
        with urllib.request.urlopen(f"{server.url}/api/v1/contests/{contest}/checkpoint") as answer:
            size = int(answer.read().decode().split("\n")[1])
        with sqlite3.connect(server.database) as database:
            (position,) = database.execute(
                "select position from contests where name = ?", (contest,)
            ).fetchone()
        return bool(size == position + 1)

    server._wait_until(is_there)


@pytest.fixture
def voted(live_server: LiveServer, page: Page) -> tuple[str, Page]:
    """A contest in which this browser has voted three times and skipped once."""
    contest = live_server.make_contest()
    visit(page, contest)
    for _ in range(3):
        vote(page)
    press(page, "s")
    send_all(page)
    return contest, page


def test_receipts_are_kept_and_checked(
    live_server: LiveServer, voted: tuple[str, Page], person: Person
) -> None:
    contest, page = voted
    receipts = kept(page)
    assert [one["kind"] for one in receipts] == ["votes", "votes", "votes", "skips"]
    assert all(one["receipt"].startswith(f"{contest}:") for one in receipts)
    assert all(one["text"].startswith("Caption number") for one in receipts)
    covered(live_server, contest)
    page.goto(f"/c/{contest}/receipts")
    expect(page.get_by_text("4 receipts are kept in this browser.")).to_be_visible()
    page.get_by_role("button", name="Check all").click()
    expect(page.locator("#summary")).to_have_text("All 4 answers are in the log, unchanged.")
    found = page.locator(".receipt .found")
    expect(page.locator(".receipt-head").nth(0)).to_contain_text("skipped")
    for place, one in enumerate(reversed(receipts)):
        expect(page.locator(".receipt-head").nth(place)).to_contain_text(one["text"])
    expect(page.locator(".receipt-head").nth(1)).to_contain_text("Funny")
    expect(found.nth(0)).to_contain_text("It is a skip, which counts for no item.")
    for place in (1, 2, 3):
        expect(found.nth(place)).to_contain_text("unchanged, and counts.")
        expect(found.nth(place)).to_contain_text("Checked against the log of")
        expect(found.nth(place)).to_have_attribute("data-state", "good")
    seen(page, "receipts")
    page.goto(f"/c/{contest}/proof")
    expect(page.locator("#checkpoint")).to_contain_text(f"/{contest}")
    seen(page, "proof")
    other = person().new_page()
    other.goto(f"{live_server.url}/c/{contest}/receipts")
    expect(other.get_by_text("This browser has no receipts")).to_be_visible()
    seen(other, "receipts-none")


def test_each_receipt_by_keyboard_on_a_phone(
    live_server: LiveServer, voted: tuple[str, Page]
) -> None:
    contest, page = voted
    covered(live_server, contest)
    page.set_viewport_size(PHONE)
    page.goto(f"/c/{contest}/receipts")
    button = page.get_by_role("button", name="Check", exact=True).nth(1)
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".receipt .found").nth(1)).to_contain_text("unchanged, and counts.")
    keep(page, "receipts-one-phone")
    receipt = kept(page)[0]["receipt"]
    page.locator("#pasted").fill(receipt)
    page.get_by_role("button", name="Check it").click()
    expect(page.locator("#pasted-found")).to_contain_text("unchanged, and counts.")
    flipped = receipt[:-10] + ("A" if receipt[-10] != "A" else "B") + receipt[-9:]
    for wrong, told in (
        (flipped, "this receipt was changed"),
        ("no receipt", "not a receipt"),
        (receipt.replace(contest, "other"), "of another contest: other"),
    ):
        page.locator("#pasted").fill(wrong)
        page.get_by_role("button", name="Check it").click()
        expect(page.locator("#pasted-found")).to_contain_text(told)
        expect(page.locator("#pasted-found")).to_have_attribute("data-state", "bad")
    page.get_by_role("button", name="Forget them").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget them").click()
    expect(page.get_by_text("This browser has no receipts")).to_be_visible()
    assert kept(page) == []


def test_a_service_that_lies_is_found_by_the_browser(
    live_server: LiveServer, voted: tuple[str, Page]
) -> None:
    """Its answer is changed on the way: another path, an old signature, "it is there"."""
    contest, page = voted
    covered(live_server, contest)
    lies: list[dict[str, Any]] = [{"path": []}, {"in_log": False}, {"checkpoint": "no\n\nnote\n"}]
    for lie in lies:

        def answer(route: Route) -> None:
            if route.request.method != "POST":
                return route.continue_()
            reply = route.fetch()
            return route.fulfill(response=reply, json=reply.json() | lie)  # noqa: B023

        page.route("**/receipts", answer)
        page.goto(f"/c/{contest}/receipts")
        page.get_by_role("button", name="Check", exact=True).nth(1).click()
        found = page.locator(".receipt .found").nth(1)
        expect(found).to_have_attribute("data-state", "bad")
        page.unroute("**/receipts")
    keep(page, "receipts-lie")


def test_a_browser_without_ed25519_says_what_was_not_checked(
    live_server: LiveServer, voted: tuple[str, Page]
) -> None:
    contest, page = voted
    covered(live_server, contest)
    page.add_init_script(
        "const real = crypto.subtle.importKey.bind(crypto.subtle);"
        "crypto.subtle.importKey = (kind, key, name, ...rest) => name.name === 'Ed25519'"
        " ? Promise.reject(new DOMException('')) : real(kind, key, name, ...rest)"
    )
    page.goto(f"/c/{contest}/receipts")
    page.get_by_role("button", name="Check all").click()
    expect(page.locator("#summary")).to_have_text("4 receipts could not be checked in full.")
    expect(page.locator(".receipt .found").nth(1)).to_contain_text("only the path was checked")


def test_receipts_of_every_version_and_size_are_checked(
    live_server: LiveServer, page: Page
) -> None:
    key = SigningKey("plaudit-0123456789abcdef", b"k" * 32)
    made = [text for _, _, text in OF_BEFORE]
    for count, index in ((1, 0), (4, 3), (6, 5), (17, 16), (64, 37)):
        made.append(make_receipts(key, "snowman", 7, [leaf(7 + n) for n in range(count)])[index])
    changed = [text[:-3] + ("A" if text[-3] != "A" else "B") + text[-2:] for text in made]
    page.goto(f"{live_server.url}/healthz")
    found = page.evaluate(
        """async ([vkey, texts]) => {
          const { checkReceipt, readKeys, readReceipt } = await import("/static/public/proof.js");
          const keys = await readKeys(vkey);
          const told = async (text) => (await checkReceipt(readReceipt(text), keys)).signed;
          return Promise.all(texts.map(told));
        }""",
        [key.vkey, made + changed],
    )
    assert found == [True] * len(made) + [False] * len(changed)


def test_receipts_survive_the_outbox(live_server: LiveServer, page: Page) -> None:
    """An answer that waits for the connection gets its receipt when it is sent."""
    contest = live_server.make_contest()
    visit(page, contest)
    page.context.set_offline(True)
    vote(page)
    page.wait_for_timeout(6000)
    assert kept(page) == []
    page.context.set_offline(False)
    send_all(page)
    assert [one["kind"] for one in kept(page)] == ["votes"]


def test_only_so_many_are_kept(live_server: LiveServer, page: Page) -> None:
    contest = live_server.make_contest()
    visit(page, contest)
    vote(page)
    send_all(page)
    (one,) = kept(page)
    page.evaluate(
        "([contest, kept]) => { for (let n = 0; n < 520; n += 1) localStorage.setItem("
        "`plaudit:${contest}:receipt:${String(n).padStart(15, '0')}`, JSON.stringify(kept)); }",
        [contest, one],
    )
    vote(page)
    send_all(page)
    assert len(kept(page)) == 500
