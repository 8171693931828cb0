"""Walks through Plaudit in 25 steps: `python docs/take_walks.py [teacher] [editor]`.

Each walk is done in a real browser, with a real service and a simulated crowd, and writes its page
in walks/ with a picture for each step, how many clicks it takes, and how long the pages take. What
it took before is in walks/before.json. It needs Playwright, Pillow and a Chromium of the system.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect
from take_pictures import STILL, browser, served

from plaudit import demo

DOCS = Path(__file__).parent
SCREEN, PHONE = ViewportSize(width=1000, height=700), ViewportSize(width=390, height=700)
CAPTIONS = demo.captions_file().read_text("utf-8").splitlines()
PASSWORD = "four words put together"
WIDTH = 640
# Pictures get rougher until they are this small.
MOST_BYTES = 25_000
# Clicks, fields and seconds of a step.
Effort = list[float]


class Walk:
    """Steps with their pictures; counts clicks, fields and seconds."""

    def __init__(self, name: str, title: str, about: str) -> None:
        self.name = name
        self.title = title
        self.about = about
        self.rows: list[tuple[str, int, int, float]] = []
        self.clicks = self.typed = 0
        self.folder = DOCS / "figures" / "walks"
        self.folder.mkdir(exist_ok=True)

    def click(self, what: Locator) -> None:
        """A click or a tap."""
        what.click()
        self.clicks += 1

    def fill(self, what: Locator, text: str) -> None:
        """A field, typed or pasted into."""
        what.fill(text)
        self.typed += 1

    def choose(self, what: Locator, file: Path) -> None:
        """A file, chosen with two clicks."""
        what.set_input_files(file)
        self.clicks += 2

    def step(self, said: str, page: Page, act: Callable[[], object], *, part: str = "") -> None:
        """Takes a step, then a picture of where it leads."""
        clicks, typed, began = self.clicks, self.typed, time.perf_counter()
        act()
        took = time.perf_counter() - began
        self.rows.append((said, self.clicks - clicks, self.typed - typed, took))
        if part:
            page.locator(part).first.scroll_into_view_if_needed()
        taken = page.screenshot(animations="disabled", style=STILL)
        with Image.open(BytesIO(taken)) as image:
            save(image, self.folder / f"{self.name}-{len(self.rows):02}.webp")

    def write(self) -> None:
        """The page of the walk."""
        before = json.loads((DOCS / "walks" / "before.json").read_text("utf-8"))[self.name]
        lines = [f"# {self.title}", "", self.about, "", *self._totals(before)]
        lines += ["", "| step | clicks | fields | seconds |", "|---|---|---|---|"]
        for number, (_, *now) in enumerate(self.rows, 1):
            lines.append(f"| {number} | {_cells(now, before[str(number)])} |")
        for number, (said, *_) in enumerate(self.rows, 1):
            picture = f"../figures/walks/{self.name}-{number:02}.webp"
            alt = said.split(":")[0].rstrip(".").replace("*", "").replace("`", "")
            was = before[str(number)]
            lines += ["", f"## {number}", said, ""]
            lines += [f"Before: {was}", ""] if isinstance(was, str) else []
            lines += [f"![{alt}]({picture})"]
        text = "\n".join([*lines, ""])
        (DOCS / "walks" / f"{self.name}.md").write_text(text, "utf-8")

    def _totals(self, before: "dict[str, Effort | str]") -> list[str]:
        """What the walk takes in all, and what the same steps took before."""
        could = {int(step): found for step, found in before.items() if isinstance(found, list)}
        now = [sum(row[place] for row in self.rows) for place in (1, 2, 3)]
        same = [sum(self.rows[n - 1][place] for n in could) for place in (1, 2, 3)]
        was = [sum(found[place] for found in could.values()) for place in (0, 1, 2)]
        steps = f"{len(could)} of the {len(self.rows)} steps"
        return [
            f"Now: {_effort(now)}.",
            f"Before, {steps} could be taken, with {_effort(was)}; now these take {_effort(same)}.",
            "Seconds are those of pages and simulated people; reading and typing come on top.",
            "The table has the figures of now and, after a stroke, of before.",
            "[Both walks](index.md) says how they were measured.",
        ]


def _effort(found: Sequence[float]) -> str:
    clicks, fields, seconds = found
    return f"{clicks:.0f} clicks, {fields:.0f} fields and {seconds:.0f} seconds"


def _cells(now: Sequence[float], before: "Effort | str") -> str:
    """The figures of a step, with those of before; a dash where it could not be taken."""
    was = ["–"] * 3 if isinstance(before, str) else [f"{each:g}" for each in before]
    clicks, fields, seconds = now
    shown = (f"{clicks:g}", f"{fields:g}", f"{seconds:.1f}")
    return " | ".join(f"{each} / {old}" for each, old in zip(shown, was, strict=True))


def save(image: Image.Image, file: Path) -> None:
    """Writes a small picture."""
    rgb = image.convert("RGB")
    if rgb.width > WIDTH:
        rgb = rgb.resize((WIDTH, round(rgb.height * WIDTH / rgb.width)))
    for quality in (70, 60, 50, 40, 30):
        rgb.save(file, "WEBP", quality=quality, method=6)
        if file.stat().st_size <= MOST_BYTES:
            return


def desk_page(chromium: Browser, url: str) -> Page:
    """A window of somebody at the desk."""
    return chromium.new_page(
        viewport=SCREEN, base_url=url, bypass_csp=True, reduced_motion="reduce"
    )


def phone_page(chromium: Browser, url: str) -> Page:
    """A phone."""
    return chromium.new_page(
        viewport=PHONE, base_url=url, is_mobile=True, has_touch=True, bypass_csp=True
    )


def button(page: Page, name: str) -> Locator:
    """A button by its name."""
    return page.get_by_role("button", name=name, exact=True)


def joins(walk: Walk, page: Page, link: str, name: str) -> None:
    """The first steps of both walks: an account, and an empty form."""
    walk.step("Start `plaudit serve --share` in a terminal and open the link that it prints.",
              page, lambda: page.goto(link))  # fmt: skip

    def account() -> None:
        walk.fill(page.get_by_label("Name"), name)
        for field in ("#password", "#again"):
            walk.fill(page.locator(field), PASSWORD)
        walk.click(button(page, "Make the account"))
        expect(page.get_by_text(f"Hello {name}")).to_be_visible()

    walk.step("Choose a name and a password.", page, account)
    walk.step("Click *New contest*.", page,
              lambda: walk.click(page.get_by_role("link", name="New contest")))  # fmt: skip


def main() -> None:
    """Takes the walks that are asked for, or both."""
    import walk_editor
    import walk_teacher

    expect.set_options(timeout=300_000)
    for name, walked in (("teacher", walk_teacher.walk), ("editor", walk_editor.walk)):
        if name in (sys.argv[1:] or ("teacher", "editor")):
            places: list[str] = []
            with served(places.append, "--share") as (url, link), browser() as chromium:
                walked(chromium, url, link, places[0])


if __name__ == "__main__":
    main()
