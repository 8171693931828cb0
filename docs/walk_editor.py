"""An editor's walk: a drawing, a forecast, the vote, moderation, the verdict, a certificate."""

from playwright.sync_api import Browser, Page, expect
from take_pictures import crowd_votes
from take_walks import CAPTIONS, Walk, button, desk_page, joins, phone_page

from plaudit import demo

CONTEST = "sauna-snowman"
TWICE = "Don't get up, I'll be gone in a minute!"
ABOUT = (
    """A cartoon editor runs a caption contest, from an empty service to a certificate to print."""
)


class Issue:
    """The walk; `page` is the editor's, `phone` a reader's."""

    def __init__(self, walk: Walk, page: Page, phone: Page) -> None:
        self.walk = walk
        self.page = page
        self.phone = phone

    def form(self) -> None:
        """Steps 4 to 11: the form of the contest."""
        walk, page = self.walk, self.page
        walk.step(
            "Type the question.",
            page,
            lambda: walk.fill(page.get_by_label("Title"), "What is the snowman saying?"),
        )
        walk.step("Choose the drawing, and say in words what it shows.", page, self.draw)
        walk.step(
            "Paste the captions. Two that say the same are shown.",
            page,
            self.paste,
            part="#items-review",
        )
        walk.step(
            "See what readers will see: the preview follows the form.",
            page,
            lambda: walk.click(button(page, "End")),
            part="#preview",
        )
        walk.step(
            "Say how many people will vote, for how long, on how many winners.",
            page,
            self.reach,
            part="#reach",
        )
        walk.step(
            "Click *Choose* beside a promise: the settings follow.",
            page,
            lambda: walk.click(page.locator("#reach-told .wanted button")),
            part="#reach",
        )
        walk.step("Ask for a forecast of votes and days.", page, self.forecast, part="#forecast")
        walk.step("Click *Create the contest*.", page, self.create)

    def draw(self) -> None:
        """The drawing and its words."""
        self.walk.choose(self.page.get_by_label("Drawing", exact=True), demo.drawing_file())
        words = "A snowman sits in a sauna with two men."
        self.walk.fill(self.page.get_by_label("The drawing in words"), words)

    def paste(self) -> None:
        """The captions, one of them twice."""
        text = "\n".join([*CAPTIONS[:60], TWICE])
        self.walk.fill(self.page.get_by_label("Or type or paste them"), text)
        expect(self.page.get_by_text("The same: 1 group", exact=True)).to_be_visible()

    def reach(self) -> None:
        """What 400 readers can decide."""
        for field, value in (("people", 400), ("minutes", 5), ("winners", 3)):
            self.walk.fill(self.page.locator(f"#{field}"), str(value))
        self.walk.click(button(self.page, "What is within reach?"))
        expect(self.page.locator("#reach-told .sentence")).to_contain_text("With 400 people")

    def forecast(self) -> None:
        """Votes and days."""
        self.walk.fill(self.page.get_by_label("Raters a day"), "100")
        self.walk.click(button(self.page, "Forecast votes and days"))
        expect(self.page.locator("#forecast-told .sentence")).to_contain_text("with 100 raters")

    def create(self) -> None:
        """Makes the draft."""
        self.walk.fill(self.page.get_by_label("Name in the link"), CONTEST)
        self.walk.click(button(self.page, "Create the contest"))
        expect(self.page.get_by_role("status").first).to_contain_text("Draft created")

    def run(self) -> None:
        """Steps 12 to 16: start, share, and what a reader does."""
        walk, page, phone = self.walk, self.page, self.phone
        words = phone.locator("#item-box .words")

        def start() -> None:
            walk.click(button(page, "Start voting"))
            expect(button(page, "Pause")).to_be_visible()

        def arrive() -> None:
            phone.goto(f"/c/{CONTEST}")
            expect(words).to_be_visible()
            phone.wait_for_timeout(300)

        def flag() -> None:
            walk.click(phone.get_by_role("button", name="Flag"))
            walk.click(button(phone, "Offensive"))
            phone.wait_for_timeout(400)
            phone.wait_for_function(
                "() => !Object.keys(localStorage).some(key => key.includes(':answer:'))"
            )

        walk.step("Click *Start voting*.", page, start)
        walk.step(
            "Copy the link for the newsletter.",
            page,
            lambda: walk.click(page.get_by_role("button", name="Copy the link")),
            part="#share-title",
        )
        walk.step("A reader opens it on a phone.", phone, arrive)
        walk.step(
            "One tap is a vote.",
            phone,
            lambda: (walk.click(button(phone, "Funny")), phone.wait_for_timeout(400)),
        )
        walk.step("What is not fit to print is flagged.", phone, flag)

    def watch(self, database: str) -> None:
        """Steps 17 to 21: what waits, watching, moderation and undoing."""
        walk, page = self.walk, self.page

        def home() -> None:
            crowd_votes(database, CONTEST, range(1000, 1040), 15)
            page.goto("/desk")
            expect(page.get_by_role("link", name="1 flagged item waits for you")).to_be_visible()

        def withdraw() -> None:
            walk.click(page.get_by_role("button", name="Withdraw item"))
            expect(page.get_by_role("status").first).to_contain_text("withdrawn")

        def undo() -> None:
            walk.click(button(page, "Undo this step"))
            expect(page.get_by_role("status").first).to_contain_text("undone")

        def look() -> None:
            walk.click(page.get_by_role("link", name="Watch"))
            expect(page.get_by_text("Reading the votes")).to_have_count(0)
            expect(page.locator("[data-part=forecast-words]")).to_contain_text("more")

        walk.step("A day later, the desk's first page says what waits.", page, home)
        walk.step(
            "Click it: the flagged caption.",
            page,
            lambda: walk.click(page.get_by_role("link", name="1 flagged item waits for you")),
        )
        walk.step("Click *Withdraw*.", page, withdraw)
        walk.step("Think again: *Undo this step*.", page, undo)
        walk.step("Open *Watch*: the answer so far comes first.", page, look)

    def publish(self, database: str) -> None:
        """Steps 22 to 25: the verdict, and what to take away."""
        walk, page = self.walk, self.page

        def decided() -> None:
            crowd_votes(database, CONTEST, range(2000, 2600), 40)
            for _ in range(60):
                page.reload()
                if page.locator(".moment").count():
                    return
                page.wait_for_timeout(500)

        def picture() -> None:
            with page.expect_download():
                walk.click(button(page, "Picture to share (PNG)"))

        walk.step("When it is decided, the same page begins with the winners.", page, decided)
        walk.step("Click *Picture to share (PNG)*.", page, picture, part=".moment .actions")
        walk.step(
            "Click *Certificate to print*.",
            page,
            lambda: walk.click(page.get_by_role("link", name="Certificate to print").first),
        )
        walk.step(
            "*Back* leads to the page that readers see.",
            page,
            lambda: walk.click(page.get_by_role("link", name="Back")),
        )


def walk(chromium: Browser, url: str, link: str, database: str) -> None:
    """The whole walk, and its page."""
    made = Walk("editor", "A caption contest in 25 steps", ABOUT)
    issue = Issue(made, desk_page(chromium, url), phone_page(chromium, url))
    joins(made, issue.page, link, "Ana")
    issue.form()
    issue.run()
    issue.watch(database)
    issue.publish(database)
    made.write()
