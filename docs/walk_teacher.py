"""A teacher's walk: 25 pupils with codes and phones, suggestions, the result on the wall."""

import numpy as np
from playwright.sync_api import Browser, Page, expect
from take_walks import CAPTIONS, Walk, button, desk_page, joins, phone_page

from plaudit import demo
from plaudit.client import Client

PUPILS = 25
CONTEST = "sauna"
ABOUT = """A lesson with 25 pupils and 40 captions for one drawing. Everybody votes on a phone with
a code of their own, may suggest a caption, and sees the result on the wall."""


class Lesson:
    """The walk; `page` is the teacher's, `phone` a pupil's."""

    def __init__(self, walk: Walk, page: Page, phone: Page) -> None:
        self.walk = walk
        self.page = page
        self.phone = phone
        self.codes: list[str] = []

    def form(self) -> None:
        """Steps 4 to 11: the form of the contest."""
        walk, page = self.walk, self.page
        walk.step(
            "Type the question.",
            page,
            lambda: walk.fill(page.get_by_label("Title"), "What is the snowman saying?"),
        )
        walk.step(
            "Choose the drawing.",
            page,
            lambda: walk.choose(page.get_by_label("Drawing", exact=True), demo.drawing_file()),
        )
        walk.step(
            "Paste the captions, one per line.",
            page,
            lambda: walk.fill(page.get_by_label("Or type or paste them"), "\n".join(CAPTIONS[:40])),
            part="#items",
        )
        walk.step(
            "Say how many pupils, minutes and winners: *What is within reach?*",
            page,
            self.reach,
            part="#reach",
        )
        walk.step(
            "Click *Choose* beside the promise that you want: the settings follow.",
            page,
            lambda: walk.click(page.locator("#reach-told .wanted button")),
            part="#reach",
        )
        walk.step(
            "Let pupils propose captions: you decide about each.",
            page,
            lambda: walk.click(page.locator("input[name=proposals][value=held]")),
            part="#proposals",
        )
        walk.step(
            "Let only those vote who have a code.",
            page,
            lambda: walk.click(page.locator("input[name=door][value=codes]")),
            part="#door",
        )
        walk.step("Give the link a short name and click *Create the contest*.", page, self.create)

    def reach(self) -> None:
        """Asks what a class can decide."""
        for field, value in (("people", PUPILS), ("minutes", 5), ("winners", 3)):
            self.walk.fill(self.page.locator(f"#{field}"), str(value))
        self.walk.click(button(self.page, "What is within reach?"))
        expect(self.page.locator("#reach-told .sentence")).to_contain_text("With 25 people")

    def create(self) -> None:
        """Makes the draft."""
        self.walk.fill(self.page.get_by_label("Name in the link"), CONTEST)
        self.walk.click(button(self.page, "Create the contest"))
        expect(self.page.get_by_role("status").first).to_contain_text("Draft created")

    def doors(self) -> None:
        """Steps 12 to 15: the sheet of codes, the start, the poster."""
        walk, page = self.walk, self.page

        def sheet() -> None:
            walk.click(page.get_by_role("link", name="Sheet to print"))
            self.codes = page.locator(".card-text").all_inner_texts()

        def back() -> None:
            walk.click(page.get_by_role("link", name="Run and share"))
            expect(button(page, "Start voting")).to_be_visible()

        def start() -> None:
            walk.click(button(page, "Start voting"))
            expect(button(page, "Pause")).to_be_visible()

        walk.step("Codes for all pupils are made. Click *Sheet to print*.", page, sheet)
        walk.step("Print it, cut it apart, give each pupil a card. *Run and share*.", page, back)
        walk.step("Click *Start voting*.", page, start)
        walk.step(
            "Put the poster on the wall.",
            page,
            lambda: walk.click(page.get_by_role("link", name="Poster to print")),
        )

    def on_the_phone(self) -> None:
        """Steps 16 to 20: what a pupil does."""
        walk, phone = self.walk, self.phone
        words = phone.locator("#item-box .words")

        def arrive() -> None:
            phone.goto(f"/c/{CONTEST}")
            walk.fill(phone.get_by_role("textbox", name="Your code"), self.codes[0])
            walk.click(button(phone, "Go on"))
            expect(words).to_be_visible()
            phone.wait_for_timeout(300)

        def suggest() -> None:
            walk.click(phone.get_by_role("link", name="Suggest one"))
            expect(phone.get_by_role("heading", name="Suggest an item")).to_be_visible()

        def send() -> None:
            walk.fill(phone.get_by_label("What should others vote on?"), "He came in from the cold")
            walk.click(button(phone, "Send"))
            expect(phone.get_by_role("status")).to_be_visible()

        walk.step("A pupil scans the card, or types the code.", phone, arrive)
        walk.step(
            "Reads a caption, and taps what it is.",
            phone,
            lambda: (walk.click(button(phone, "Funny")), phone.wait_for_timeout(400)),
        )
        walk.step(
            "Has second thoughts, and taps *Undo*.",
            phone,
            lambda: (
                walk.click(phone.locator("#undo")),
                phone.wait_for_timeout(400),
                walk.click(button(phone, "Somewhat funny")),
                phone.wait_for_timeout(400),
            ),
        )
        walk.step("Has an idea, and taps *Suggest one*.", phone, suggest)
        walk.step("Types it and taps *Send*.", phone, send)

    def on_the_wall(self, client: Client) -> None:
        """Steps 21 to 25: the teacher decides, the class votes, the result."""
        walk, page = self.walk, self.page

        def take() -> None:
            walk.click(page.get_by_role("link", name="Proposals ("))
            walk.click(page.get_by_role("button", name="Take proposal"))
            expect(page.get_by_text("Taken: the items are in the contest.")).to_be_visible()

        def watch() -> None:
            walk.click(page.get_by_role("link", name="Watch"))
            self.class_votes(client)
            page.reload()
            expect(page.get_by_text("Reading the votes")).to_have_count(0)

        def close() -> None:
            walk.click(page.get_by_role("link", name="Run and share"))
            walk.click(button(page, "Close"))
            expect(button(page, "Close")).to_have_count(0)

        walk.step(
            "*Back* from the poster: *Proposals (1)* says that a suggestion waits.",
            page,
            lambda: walk.click(page.get_by_role("link", name="Back")),
        )
        walk.step("Click it, then *Take*.", page, take)
        walk.step("Open *Watch* on the wall while the class votes.", page, watch)
        walk.step("When the lesson ends, click *Close* under *Run and share*.", page, close)
        walk.step(
            "Show the result on the wall with *See the page*.",
            page,
            lambda: walk.click(page.get_by_role("link", name="See the page")),
        )

    def class_votes(self, client: Client) -> None:
        """The other pupils rate all that they are asked, in turn."""
        draw, liked = np.random.default_rng(1), demo.qualities()
        pupils = [client.rater(CONTEST, code=code) for code in self.codes[1:]]
        votes = before = 0
        while not votes or votes > before:
            before = votes
            for pupil in pupils:
                for shown in pupil.ask(1):
                    pupil.vote(shown, int(draw.binomial(2, liked.get(shown.item, 0.3))))
                    votes += 1


def walk(chromium: Browser, url: str, link: str, database: str) -> None:
    """The whole walk, and its page."""
    made = Walk("teacher", "A lesson in 25 steps", ABOUT)
    lesson = Lesson(made, desk_page(chromium, url), phone_page(chromium, url))
    joins(made, lesson.page, link, "Ms Lee")
    lesson.form()
    lesson.doors()
    lesson.on_the_phone()
    with Client(url) as client:
        lesson.on_the_wall(client)
    made.write()
