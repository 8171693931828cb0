"""A real service and a real browser: `plaudit serve` in a process of its own, and Chromium."""

import asyncio
import os
import shutil
import subprocess
import sys
import time
import urllib.error
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")
pytest.importorskip("starlette", reason="the browser tests need plaudit[service]")

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from support.browser.all_pages import fill
from support.browser.live_server import DESKTOP, PHONE, LiveServer, command_line
from support.service_process import free_port

HERE = Path(__file__).parent
# The first is Chromium without a window, which takes the least.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests in a browser are for `make test`, not for the inner loop."""
    for each in items:
        if each.path.parent == HERE:
            each.add_marker(pytest.mark.slow)


@pytest.fixture(scope="package")
def live_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """One service for all tests in a row: each makes its own contests and accounts."""
    with serving(tmp_path_factory.mktemp("service")) as server:
        yield server


@pytest.fixture(scope="package")
def full_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A service with contests in all states, with the sheet of components, and a provider."""
    folder = tmp_path_factory.mktemp("all-pages")
    fill(str(folder / "contest.db"))
    with serving(
        folder,
        "--look",
        PLAUDIT_SIGN_IN_ISSUER="http://127.0.0.1:9",
        PLAUDIT_SIGN_IN_CLIENT="plaudit",
        PLAUDIT_SIGN_IN_SECRET="a secret",
        PLAUDIT_SIGN_IN_NAME="Example University",
    ) as server:
        command_line("contest", "codes", "make", "codes", "6", "--database", server.database)
        yield server


@pytest.fixture
def new_server(tmp_path: Path) -> Iterator[LiveServer]:
    """A service that nobody has used, for a test of its first minutes."""
    with serving(tmp_path) as server:
        yield server


@pytest.fixture(scope="session")
def serve() -> Callable[..., AbstractContextManager[LiveServer]]:
    """Starts a service of another kind; see `serving`."""
    return serving


@contextmanager
def serving(folder: Path, *options: str, port: int = 0, **environment: str) -> Iterator[LiveServer]:
    """`plaudit serve` with the database in this folder, until the block ends."""
    port = port or free_port()
    server = LiveServer(f"http://127.0.0.1:{port}", str(folder / "contest.db"))
    command = [sys.executable, "-m", "plaudit", "serve", "--database", server.database]
    with server.log.open("w+") as log:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port), "--rater-rate", "", *options],
            stdout=log,
            stderr=subprocess.STDOUT,
            env=os.environ | {"PLAUDIT_SECRET": ""} | environment,
        )
        try:
            _wait_for_start(server, process)
            yield server
        finally:
            process.terminate()
            process.wait(timeout=30)


def _wait_for_start(server: LiveServer, process: "subprocess.Popen[Any]") -> None:
    for _ in range(6000):
        try:
            server.read("/readyz")
            return
        except urllib.error.URLError:
            if process.poll() is not None:
                break
            time.sleep(0.05)
    pytest.fail(f"the service did not start:\n{server.log.read_text()}")


class _Loop:
    """The loop of Playwright, which is said to run as long as the browser does."""

    kept: asyncio.AbstractEventLoop | None = None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Playwright goes on where it was."""
    asyncio._set_running_loop(_Loop.kept)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_teardown() -> Iterator[None]:
    """Other tests of this process may start loops of their own."""
    yield
    _Loop.kept = asyncio._get_running_loop()
    asyncio._set_running_loop(None)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip(f"the browser tests need one of {', '.join(NAMES)}")
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    expect.set_options(timeout=40_000)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield started
        started.close()


@pytest.fixture
def person(browser: Browser, live_server: LiveServer) -> Iterator[Callable[..., BrowserContext]]:
    """Makes people with a browser of their own; their pages must not complain."""
    made: list[BrowserContext] = []
    complaints: list[str] = []

    def make(**options: Any) -> BrowserContext:
        options = {"viewport": DESKTOP, "base_url": live_server.url} | options
        context = browser.new_context(**options)
        context.set_default_timeout(40_000)
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        context.on("console", lambda message: _note_blocked(message.text, complaints))
        made.append(context)
        return context

    yield make
    for context in made:
        context.close()
    assert complaints == []


def _note_blocked(text: str, complaints: list[str]) -> None:
    if "Content Security Policy" in text:
        complaints.append(text)


@pytest.fixture
def page(person: Callable[..., BrowserContext]) -> Page:
    return person().new_page()


@pytest.fixture
def phone(person: Callable[..., BrowserContext]) -> Page:
    return person(viewport=PHONE, has_touch=True, is_mobile=True).new_page()
