"""People at the desk in a real browser."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from playwright.sync_api import BrowserContext, Page, expect

from support.browser.live_server import PHONE, LiveServer, command_line
from support.browser.shapes import check, fits

Person = Callable[..., BrowserContext]
PASSWORD = "four words put together"
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def printed(server: LiveServer, *command: str) -> str:
    """The link that a command of `plaudit account` prints."""
    options = ["--database", server.database, "--public-url", server.url]
    return command_line("account", *command, *options)


def keep(page: Page, name: str) -> None:
    """Takes a picture of the page, if pictures are wanted."""
    if folder := os.environ.get("PLAUDIT_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def fill(page: Page, **fields: str) -> None:
    for name, value in fields.items():
        page.locator(f"#{name}").fill(value)


def seen(page: Page, name: str) -> None:
    """Checks that a page fits and is accessible, at all sizes and in both colour schemes."""
    desktop = page.viewport_size
    assert desktop is not None
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        check(page)
        assert fits(page)
        keep(page, f"{name}-{scheme}")
    page.set_viewport_size(PHONE)
    assert fits(page)
    for button in page.locator("button:visible, summary:visible, nav a:visible").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
    keep(page, f"{name}-phone")
    page.set_viewport_size({"width": 320, "height": 568})
    assert fits(page)
    page.set_viewport_size(desktop)
    page.emulate_media(color_scheme="light")


def joined(server: LiveServer, person: Person, name: str, **options: object) -> Page:
    """An owner of the desk, signed in."""
    page = person(**options).new_page()
    page.goto(printed(server, "invite", "--role", "owner"))
    fill(page, name=name, password=PASSWORD, again=PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    expect(page.get_by_text(f"Hello {name}")).to_be_visible()
    return page
