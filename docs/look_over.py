"""Pictures of every page for a look over: `python docs/look_over.py FOLDER [WORD ...]`.

A real service with contests in every state, and every page of the desk and for raters on a phone
and a wide screen, light and dark, with what a check of each page complains of. WORDs choose pages
by their names. It takes some minutes, and leaves nothing but the pictures and complaints.txt.
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect
from take_pictures import browser, served

from plaudit import demo
from plaudit.scale import FUNNY, STARS, Scale
from plaudit.service.contest.settings import ContestSettings, Context, Lane, Level
from plaudit.service.desk.desk import Desk
from plaudit.store import open_store
from plaudit.store.contract import Item, Store
from plaudit.store.log import NONE, Answer, Kind

SIZES = {"phone": ViewportSize(width=360, height=740), "wide": ViewportSize(width=1440, height=900)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
CHECK = (
    Path(__file__).parent.parent.joinpath("tests/support/browser/accessible.js").read_text("utf-8")
)
PASSWORD = "four words put together"
CAPTIONS = demo.captions_file().read_text("utf-8").splitlines()
LONG = "This caption is far too long for any drawing, and yet somebody sent it in. "
TEXTS = [
    "أنا هنا لأذوب في صمت، فلا تزعجني من فضلك",
    "这里太热了，我想回家，可是我忘了带雨伞。",
    "暑すぎる。溶けそうだ。",
    "“Hot?” 🔥🔥🔥 👩‍👩‍👧‍👦 ☃️",
    "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 2,
    LONG * 12,
    "<b>Not bold</b> & “quoted” \\ 'so'",
    "Two\nlines",
]
TITLE = "Which of these unusually long and winding captions, sent in by our readers from all over "
COLOURS = ("#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00")
HOUR = 3_600_000


class World:
    """Contests in every state, written straight into the store that the service follows."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.desk = Desk(store)
        self.now = int(time.time() * 1000)
        self.random = np.random.default_rng(1)
        drawing = demo.drawing_file().read_bytes()
        self.drawing = Context(
            image=store.put_asset("image/svg+xml", drawing), alt="A snowman in a sauna"
        )

    def make(
        self,
        name: str,
        title: str,
        texts: list[str],
        *,
        scale: Scale = FUNNY,
        lanes: tuple[str, ...] = ("plaudit",),
        images: tuple[str, ...] = (),
        opened: bool = True,
        **given: Any,
    ) -> None:
        """A contest, open or a draft."""
        levels = tuple(map(Level, scale.labels, scale.values))
        settings = ContestSettings(title, levels, tuple(map(Lane, lanes)), **given)
        items = [Item(0, text) for text in texts] or [Item(0, "", image) for image in images]
        self.desk.create(name, settings, items, opened=opened)

    def vote(self, name: str, raters: int, each: int, *, best: int = 0) -> None:
        """Votes of honest raters, who like the first `best` items most, or the earlier the more."""
        items = len(self.store.items(name))
        answers = []
        for rater in range(raters):
            begun = self.now - int(48 * HOUR * (1 - rater / raters)) - 60_000
            key = rater.to_bytes(16, "big")
            for place, item in enumerate(self.random.permutation(items)[:each].tolist()):
                liked = 0.2 + 0.6 * 0.95**item if not best else 0.85 if item < best else 0.25
                level, lane = self.random.binomial(2, liked), int(self.random.integers(-1, 1))
                at, took = min(begun + place * 4000, self.now), int(self.random.lognormal(8, 0.5))
                answer = Answer(Kind.VOTE, key, item, int(level), lane, at, took, key[-8:])
                answers.append(answer)
        for begin in range(0, len(answers), 2000):
            self.store.append_answers(name, answers[begin : begin + 2000])

    def answer(self, name: str, rater: int, kind: int, item: int, level: int, took: int) -> None:
        """One answer of a rater, just now."""
        key = (10_000 + rater).to_bytes(16, "big")
        answer = Answer(kind, key, item, level, 0, self.now, took, b"12345678")
        self.store.append_answers(name, [answer])

    def build(self) -> None:
        """All contests."""
        self.make("running", "What is the snowman saying?", CAPTIONS[:80], context=self.drawing,
                  top=3, epsilon=0.03, delta=0.05)  # fmt: skip
        self.vote("running", 120, 25)
        self.make("a-draft", "How good is this name for a bakery?", CAPTIONS[:20], opened=False,
                  lanes=("plaudit", "lil-klucb"), scale=STARS, context=self.drawing)  # fmt: skip
        self.make("scheduled", "Which poster for the spring fair?", CAPTIONS[20:50],
                  opens=self.now + 72 * HOUR, closes=self.now + 240 * HOUR)  # fmt: skip
        self.make("paused", "Which headline?", CAPTIONS[:30], instructions="Read, then say.")
        self.vote("paused", 30, 10)
        self.desk.step("paused", "pause")
        self.make("decided", "Which name for the cat?", ["Minka", "Tom", "Sir Purr", "Felix"],
                  top=2, epsilon=0.5, delta=0.2)  # fmt: skip
        self.vote("decided", 80, 4, best=2)
        self.make("retired", "Last year's Christmas card", CAPTIONS[:12])
        self.vote("retired", 20, 8)
        self.desk.step("retired", "close")
        self.desk.step("retired", "retire")
        self._pictures()
        self._moderated()
        self.make("racing", "Three algorithms, one drawing", CAPTIONS[:60], top=5, uniform=0.1,
                  lanes=("plaudit", "lil-klucb", "uniform"), context=self.drawing)  # fmt: skip
        self.vote("racing", 90, 30)
        self.make("empty", "Nobody has voted on these", CAPTIONS[:10])
        many = [f"{CAPTIONS[number % 100]} ({number})" for number in range(10_000)]
        self.make("large", "Ten thousand captions", many)
        self.vote("large", 800, 40, best=60)
        self.make("strange", TITLE * 3, TEXTS, consent=LONG * 20, instructions=LONG * 3)
        self.vote("strange", 40, 8)
        self.make("arabic", "ماذا يقول رجل الثلج في الساونا؟", [TEXTS[0], *TEXTS[1:4]])

    def _pictures(self) -> None:
        shape = (
            '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}">'
            '<rect width="100%" height="100%" fill="{}"/></svg>'
        )
        sizes = ((300, 200), (200, 600), (900, 100), (64, 64), (400, 400))
        images = tuple(
            self.store.put_asset("image/svg+xml", shape.format(*size, colour).encode())
            for size, colour in zip(sizes, COLOURS, strict=True)
        )
        self.make("pictures", "Which drawing?", [], images=images)
        self.vote("pictures", 40, 5)

    def _moderated(self) -> None:
        again = ["Don't get up!", "Dont get up", "don’t get up!!"]
        self.make("moderated", "What does the bear say?", [*CAPTIONS[:57], *again], epsilon=0.05)
        self.vote("moderated", 80, 25)
        for rater in range(3):
            for item in range(40):
                self.answer("moderated", rater, Kind.VOTE, item, 2, 150)
        for rater in range(24):
            for item in range(12):
                self.answer("moderated", 10 + rater, Kind.VOTE, item, item % 3, 2000 + 100 * rater)
        for rater, item, reason in ((1, 7, 0), (2, 7, 0), (3, 7, 1), (4, 9, 2), (5, 11, 3)):
            self.answer("moderated", 50 + rater, Kind.FLAG, item, reason, NONE)
        self.desk.withdraw("moderated", [4])
        self.desk.replace("moderated", [20, 21], "Two that became one", "", keep_votes=True)
        self.desk.replace("moderated", [22], "A slip of the pen, mended", "", keep_votes=True)
        self.desk.exclude("moderated", 5)


def pages() -> Iterator[tuple[str, str]]:
    """Every page by its name."""
    desk = "/desk/contests/"
    yield from {"home": "/desk", "people": "/desk/people", "keys": "/desk/keys",
                "account": "/desk/account", "new": "/desk/new", "start": "/", "api": "/docs",
                "missing": "/nothing", "no-contest": "/c/nothing"}.items()  # fmt: skip
    names = ("running", "a-draft", "scheduled", "paused", "decided", "retired", "pictures",
             "moderated", "racing", "empty", "large", "strange", "arabic")  # fmt: skip
    for name in names:
        yield f"{name}-watch", f"{desk}{name}"
        yield f"{name}-items", f"{desk}{name}/items"
        yield f"{name}-moderate", f"{desk}{name}/moderate"
        yield f"{name}-run", f"{desk}{name}/run"
        yield f"{name}-rate", f"/c/{name}"
        yield f"{name}-results", f"/c/{name}/results"
    for name in ("running", "a-draft", "strange", "retired"):
        yield f"{name}-settings", f"{desk}{name}/settings"
        yield f"{name}-trail", f"{desk}{name}/trail"
        yield f"{name}-item", f"{desk}{name}/items/0"
    yield "moderated-trail", f"{desk}moderated/trail"
    for number in (4, 7, 20, 60):
        yield f"moderated-item-{number}", f"{desk}moderated/items/{number}"
    yield "pictures-item", f"{desk}pictures/items/1"
    yield "racing-item", f"{desk}racing/items/1"
    yield "strange-item-5", f"{desk}strange/items/5"
    yield "moderated-rater", f"{desk}moderated/moderate/raters/80"
    yield "moderated-rater-out", f"{desk}moderated/moderate/raters/5"
    yield "moderated-several", f"{desk}moderated/moderate/raters?rater=80&rater=81"
    yield "moderated-duplicates", f"{desk}moderated/moderate/duplicates"
    yield "moderated-merge", f"{desk}moderated/moderate/merge?numbers=58,59"
    yield "running-add", f"{desk}running/items/add"
    yield "running-poster", f"{desk}running/poster"
    yield "strange-poster", f"{desk}strange/poster"


def shoot(page: Page, name: str, folder: Path) -> list[str]:
    """A picture of a page in all combinations; what is wrong with it."""
    found = []
    for size, viewport in SIZES.items():
        page.set_viewport_size(viewport)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            page.screenshot(path=folder / f"{name}-{size}-{scheme}.png", full_page=True)
            wrong = page.evaluate(CHECK) if scheme == "dark" or size == "wide" else []
            found += [f"{name} {size} {scheme}: {words}" for words in wrong]
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append(f"{name} {size}: wider than the screen")
    return found


def sign_in(context: BrowserContext, link: str) -> Page:
    """A page of the owner."""
    page = context.new_page()
    page.goto(link)
    page.get_by_label("Name").fill("Ana")
    for field in ("#password", "#again"):
        page.locator(field).fill(PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    expect(page.get_by_text("Hello Ana")).to_be_visible()
    return page


def build(database: str) -> None:
    """All contests, in a new database."""
    store = open_store(database)
    World(store).build()
    store.close()


def look(page: Page, folder: Path, words: list[str]) -> list[str]:
    """Takes pictures of the pages whose names have one of these words; what is wrong with them."""
    found: list[str] = []
    page.on("console", lambda told: found.append(told.text) if told.type == "error" else None)
    for name, path in pages():
        if not words or any(word in name for word in words):
            page.goto(path)
            page.wait_for_timeout(500)
            found += shoot(page, name, folder)
    return found


def main() -> None:
    """Writes all pictures, and what is wrong."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with served(build) as (url, link), browser() as chromium:
        page = sign_in(chromium.new_context(base_url=url), link)
        complaints = look(page, folder, sys.argv[2:])
    (folder / "complaints.txt").write_text("\n".join(complaints) + "\n", "utf-8")


if __name__ == "__main__":
    main()
