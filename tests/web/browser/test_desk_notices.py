"""Notices at the desk in a real browser: an address is added, and its secret seen once."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from support.browser.desk import joined, seen
from support.browser.live_server import LiveServer
from support.network import receiver as acts
from support.network.receiver import receiving


def until_tried(page: Page) -> None:
    """Looks again until the page shows what came of the first try."""
    for _ in range(50):
        if page.locator("#sent").get_by_text("500").count():
            return
        page.wait_for_timeout(100)
        page.reload()
    raise AssertionError("nothing was tried")


def test_an_editor_hears_of_a_contest(
    serve: Callable[..., AbstractContextManager[LiveServer]],
    person: Callable[..., Any],
    tmp_path: Path,
) -> None:
    with serve(tmp_path, PLAUDIT_PRIVATE_WEBHOOKS="1") as server, receiving() as receiver:
        contest = server.make_contest()
        receiver.behaviours = [acts.answers(500, "retry-after: 3000")]
        page = joined(server, person, "Ana", base_url=server.url)
        page.goto(f"/desk/contests/{contest}")
        page.get_by_role("link", name="Notices").click()
        expect(page.get_by_text("Nowhere yet.")).to_be_visible()
        page.get_by_role("textbox", name="Address").fill(
            f"{receiver.url}/a/path/to/the/program/that/receives"
        )
        page.get_by_label("Voting begins").check()
        page.get_by_role("button", name="Add it").click()
        secret = page.get_by_role("textbox", name="Secret")
        expect(secret).to_have_value(re.compile("^whsec_"))
        seen(page, "notices-secret")
        receiver.until(1)
        page.get_by_role("link", name="Notices").click()
        expect(secret).to_have_count(0)
        until_tried(page)
        seen(page, "notices")
        page.get_by_role("button", name="Send again").click()
        expect(page.get_by_text("It is sent again.")).to_be_visible()
        assert receiver.until(2)[1].id == receiver.received[0].id
        page.get_by_role("button", name="Remove").click()
        expect(page.get_by_text("Nowhere yet.")).to_be_visible()
