"""Takes the pictures of live/desk.md anew: `python docs/take_pictures.py [FOLDER]`.

A real service in a temporary folder, a real browser, and a simulated crowd. It needs Playwright,
Pillow and a Chromium of the system, takes about two minutes, and leaves nothing but the pictures.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from plaudit import demo
from plaudit.client import Client
from plaudit.store import open_store
from plaudit.store.log import Answer, Kind

FIGURES = Path(__file__).parent / "figures"
SCREEN = ViewportSize(width=1100, height=760)
PHONE = ViewportSize(width=390, height=760)
CONTEST = "sauna-snowman"
CAPTIONS = demo.captions_file().read_text("utf-8").splitlines()[:80]
# One that says the same as another, for the picture of duplicates that are found.
TWICE = "Don't get up, I'll be gone in a minute!"
# The buttons that stay in view at the end of a form would lie over what is above them.
STILL = ".ends { position: static !important } #forecast { padding: 1rem }"


def main() -> None:
    """Writes all pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FIGURES
    expect.set_options(timeout=300_000)  # the very first forecast compiles
    places: list[str] = []
    with served(places.append) as (url, first_link), browser() as chromium:
        page = chromium.new_page(
            viewport=SCREEN, base_url=url, bypass_csp=True, reduced_motion="reduce"
        )
        tour = Tour(page, folder)
        tour.sign_in(first_link)
        tour.create()
        tour.open()
        tour.vote_by_phone(chromium, url)
        with Client(url) as client:
            crowd_votes(places[0], CONTEST, range(1000, 1040), 15)
            tour.watch()
            cheat(client)
            tour.moderate()
            tour.undo()
            crowd_votes(places[0], CONTEST, range(2000, 2600), 40)
        tour.publish()


class Tour:
    """An editor's way through the desk, with a picture at each step."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        self.folder = folder

    def sign_in(self, link: str) -> None:
        """Makes the first account."""
        self.page.goto(link)
        self.page.get_by_label("Name").fill("Ana")
        for field in ("#password", "#again"):
            self.page.locator(field).fill("four words put together")
        self.shoot("welcome", height=780)
        self.page.get_by_role("button", name="Make the account").click()
        expect(self.page.get_by_text("Hello Ana")).to_be_visible()

    def create(self) -> None:
        """Fills in the form, with its preview and forecast, and makes a draft."""
        page = self.page
        page.get_by_role("link", name="New contest").click()
        page.get_by_label("Title").fill("What is the snowman saying?")
        page.get_by_label("Drawing", exact=True).set_input_files(demo.drawing_file())
        page.get_by_label("The drawing in words").fill("A snowman sits in a sauna with two men.")
        page.get_by_label("Or type or paste them").fill("\n".join([*CAPTIONS, TWICE]))
        expect(page.get_by_text("The same: 1 group", exact=True)).to_be_visible()
        page.locator("#top").fill("3")
        page.get_by_label("How close is close enough").fill("0.1")
        page.get_by_label("Chance of being wrong").fill("0.05")
        page.get_by_label("Votes per visit").fill("40")
        page.get_by_label("Name in the link").fill(CONTEST)
        expect(page.frame_locator("#preview-frame").locator("#context-image")).to_be_visible()
        expect(page.frame_locator("#preview-frame").locator("#item-box")).to_contain_text("weight")
        page.evaluate("scrollTo(0, 0)")
        self.shoot("new", height=1040)
        page.locator("#people").fill("400")
        page.locator("#winners").fill("3")
        page.get_by_role("button", name="What is within reach?").click()
        expect(page.locator("#reach-told .sentence")).to_contain_text("With 400 people")
        self.shoot("reach", part="#reach")
        page.get_by_label("Raters a day").fill("50")
        page.get_by_role("button", name="Forecast votes and days").click()
        expect(page.locator("#forecast-told .sentence")).to_contain_text("with 50 raters a day")
        self.shoot("forecast", part="#forecast")
        page.get_by_role("button", name="Create the contest").click()
        expect(page.get_by_role("status").first).to_contain_text("Draft created")

    def open(self) -> None:
        """Opens the contest; the page has all ways to share it."""
        self.page.get_by_role("button", name="Start voting", exact=True).click()
        expect(self.page.get_by_role("button", name="Pause")).to_be_visible()
        self.shoot("run", height=1400)

    def vote_by_phone(self, chromium: Browser, url: str) -> None:
        """Sees what a rater sees, and flags an item."""
        phone = chromium.new_page(
            viewport=PHONE, base_url=url, is_mobile=True, has_touch=True, bypass_csp=True
        )
        phone.goto(f"/c/{CONTEST}")
        words = phone.locator("#item-box .words")
        expect(words).to_be_visible()
        Tour(phone, self.folder).shoot("rater")
        flagged = words.inner_text()
        phone.wait_for_timeout(300)  # the page takes no answer to what nobody can have read
        phone.get_by_role("button", name="Flag").click()
        phone.get_by_role("button", name="Offensive").click()
        expect(words).not_to_have_text(flagged)
        phone.wait_for_function(
            "() => !Object.keys(localStorage).some(key => key.includes(':answer:'))"
        )
        phone.close()

    def watch(self) -> None:
        """Sees the contest half way."""
        self.page.get_by_role("link", name="Watch").click()
        expect(self.page.get_by_text("Reading the votes")).to_have_count(0)
        expect(self.page.locator("[data-part=forecast-words]")).to_contain_text("more")
        self.shoot("watch", height=1000)

    def moderate(self) -> None:
        """Sees who cheats and what was flagged; deals with both."""
        page = self.page
        page.get_by_role("link", name="Moderate").click()
        self.shoot("moderate", height=1120)
        page.get_by_role("button", name="Withdraw item").click()
        expect(page.get_by_role("status").first).to_contain_text("withdrawn")
        page.get_by_role("link", name="Exclude rater").first.click()
        page.get_by_role("button", name="Exclude this rater").click()
        expect(page.get_by_role("status").first).to_contain_text("Excluded")

    def undo(self) -> None:
        """Brings the withdrawn item back."""
        page = self.page
        page.get_by_role("link", name="Trail").click()
        self.shoot("trail", height=760)
        page.get_by_role("button", name="withdrew item").click()
        expect(page.get_by_role("status").first).to_contain_text("undone")

    def publish(self) -> None:
        """Sees the verdict, with what is to publish and to take away."""
        self.page.get_by_role("link", name="Run and share").click()
        while not self.page.locator(".claim.decided").count():
            self.page.wait_for_timeout(500)
            self.page.reload()
        self.shoot("publish", part="section:has(#publish-title)")
        self.page.get_by_role("link", name="See the page").click()
        expect(self.page.locator(".moment")).to_be_visible()
        self.shoot("result", height=1500)

    def shoot(self, name: str, *, height: int = SCREEN["height"], part: str = "") -> None:
        """A picture of the top of the page, or of a part of it."""
        size = self.page.viewport_size or SCREEN
        self.page.set_viewport_size(ViewportSize(width=size["width"], height=height))
        shown = self.page.locator(part) if part else self.page
        taken = shown.screenshot(animations="disabled", style=STILL)
        self.page.set_viewport_size(size)
        with Image.open(BytesIO(taken)) as image:
            small = image.convert("RGB").quantize(200, kmeans=3)
            small.save(self.folder / f"desk-{name}.png", optimize=True)


@contextmanager
def served(
    before: Callable[[str], None] = lambda database: None, *options: str
) -> Iterator[tuple[str, str]]:
    """The address of a service of its own, and the link to the first account.

    `before` may write to its database, which is empty at first. Options are those of
    `plaudit serve`; with `--share` the address is that in the local network.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.txt"
        before(f"{folder}/desk.db")
        command = ["serve", "--database", f"{folder}/desk.db", "--port", port, "--address-rate", ""]
        command += options
        with log.open("w") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "plaudit", *command], stdout=out, stderr=subprocess.STDOUT
            )
        url = f"http://127.0.0.1:{port}"
        try:
            wait_for(url, process)
            link = next(w for w in log.read_text("utf-8").split() if "/desk/welcome/" in w)
            yield link.partition("/desk/")[0], link
        finally:
            process.terminate()
            process.wait(timeout=30)


def wait_for(url: str, process: "subprocess.Popen[bytes]") -> None:
    """Returns once the service answers."""
    while process.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/readyz", timeout=10).close()
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit("The service did not start: try `plaudit serve`.")


@contextmanager
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=arguments)
        yield chromium
        chromium.close()


def crowd_votes(database: str, contest: str, people: range, each: int) -> None:
    """Writes the votes of simulated people, who like some captions more than others."""
    draw, liked, now = np.random.default_rng(people.start), demo.qualities(), time.time()
    store = open_store(database)
    items = len(store.items(contest))
    # As in a race, what is good is asked about more often.
    asked = np.array([liked.get(item, 0.2) ** 2 for item in range(items)])
    answers = []
    for person in people:
        key = person.to_bytes(16, "big")
        for item in draw.choice(items, each, replace=False, p=asked / asked.sum()).tolist():
            level = int(draw.binomial(2, liked.get(item, 0.2)))
            when, took = int(1000 * now), int(draw.lognormal(8, 0.5))
            answers.append(Answer(Kind.VOTE, key, item, level, 0, when, took, key[-8:]))
    store.append_answers(contest, answers)
    store.close()


def cheat(client: Client) -> None:
    """One rater answers the same to everything, without reading."""
    rater = client.rater(CONTEST)
    while shown := rater.ask(1):
        time.sleep(0.1)
        rater.vote(shown[0], 2, response_ms=100)


if __name__ == "__main__":
    main()
