"""A rater suggests an item on a phone, an editor takes it, and another rater votes on it."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from support.browser.desk import joined, keep, seen
from support.browser.live_server import PHONE, LiveServer
from support.browser.rating import READING_MS, item, visit, vote
from support.browser.shapes import check, fits

Person = Callable[..., BrowserContext]
WORDS = "He came in from the cold"


def suggest(page: Page, text: str) -> None:
    page.get_by_label("What should others vote on?").fill(text)
    page.get_by_role("button", name="Send").click()


def test_suggested_on_a_phone_taken_at_the_desk_and_voted_on(
    live_server: LiveServer, person: Person
) -> None:
    contest = live_server.make_contest(
        proposals="held", items=["Snow joke", "Ice work if you can get it", "Cold comfort"]
    )
    author = person(viewport=PHONE).new_page()
    visit(author, contest)
    assert fits(author)
    keep(author, "suggest-link-phone")
    vote(author)
    author.get_by_role("link", name="Suggest one").click()
    expect(author.get_by_role("heading", name="Suggest an item")).to_be_visible()
    check(author)
    assert fits(author)
    # The same is refused, the near is shown, offline nothing is lost.
    suggest(author, "snow JOKE!")
    expect(author.get_by_role("alert")).to_contain_text("in the contest already")
    check(author)
    suggest(author, "Ice works if you can get it")
    expect(author.get_by_text("Is it one of these?")).to_be_visible()
    check(author)
    assert fits(author)
    keep(author, "suggest-near-phone")
    author.context.set_offline(True)
    author.get_by_label("What should others vote on?").fill(WORDS)
    author.get_by_role("button", name="No, send mine").click()
    expect(author.get_by_text("You are offline, so nothing was sent.")).to_be_visible()
    author.context.set_offline(False)
    # By keys alone: from the text to the button.
    author.get_by_label("What should others vote on?").focus()
    author.keyboard.press("Tab")
    author.keyboard.press("Enter")
    expect(author.get_by_role("status")).to_contain_text("waits to be looked at")
    expect(author.get_by_text(WORDS)).to_be_visible()
    keep(author, "suggest-sent-phone")

    ana = joined(live_server, person, "Ana of the proposals")
    expect(ana.get_by_role("link", name="1 proposal waits for you")).to_be_visible()
    ana.get_by_role("link", name="1 proposal waits for you").click()
    seen(ana, "desk-proposals")
    ana.set_viewport_size(PHONE)
    ana.get_by_role("textbox", name="Text of proposal").fill(f"{WORDS}.")
    ana.get_by_role("button", name="Take proposal").click()
    expect(ana.get_by_text("Taken: the items are in the contest.")).to_be_visible()
    expect(ana.get_by_role("link", name="In the contest as item i4")).to_be_visible()

    author.reload()
    expect(author.get_by_text("It is in the contest, as item i4.")).to_be_visible()
    # The same by a script, as on other sites.
    said = author.evaluate(
        """async (name) => {
          const { Contest } = await import("/static/public/plaudit.js");
          const contest = new Contest(name);
          const own = await contest.ownProposals();
          const again = await contest.propose("Snow joke").catch((refusal) => refusal.code);
          return [own.left, own.proposals[0].id, again];
        }""",
        contest,
    )
    assert said == [2, "i4", "item_known"]
    other = person(viewport=PHONE).new_page()
    visit(other, contest)
    heard = {vote(other) for _ in range(3)} | {item(other).inner_text()}
    assert f"{WORDS}." in heard
    # Its author is not asked about it.
    author.get_by_role("link", name="Voting page").click()
    expect(item(author)).to_be_visible()
    author.wait_for_timeout(READING_MS)
    own = {vote(author)}
    expect(item(author)).to_be_visible()
    own.add(item(author).inner_text())
    assert f"{WORDS}." not in own
