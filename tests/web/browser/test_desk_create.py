"""The desk in a real browser: a contest from nothing to its verdict, its settings, sharing."""

import os
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from plaudit import demo
from plaudit.client import Client
from support.browser.desk import PASSWORD, fill, keep, printed, seen
from support.browser.live_server import DESKTOP, LiveServer
from support.browser.rating import item, vote

ITEMS = [
    "I told you it was a dry heat.",
    "Well, at least we have each other.",
    "At least we have each other!",
    "I told you: it was a DRY heat",
    "Pass the carrot.",
]


@pytest.fixture(scope="module")
def state(live_server: LiveServer, browser: Browser) -> Any:
    """The signed-in state of an editor, for all tests here."""
    context = browser.new_context(base_url=live_server.url)
    page = context.new_page()
    page.goto(printed(live_server, "invite", "--role", "editor"))
    fill(page, name="Maker", password=PASSWORD, again=PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    expect(page.get_by_text("Hello Maker")).to_be_visible()
    kept = context.storage_state()
    context.close()
    return kept


@pytest.fixture
def editor(person: Callable[..., Any], state: Any) -> Page:
    page: Page = person(storage_state=state, viewport=DESKTOP).new_page()
    return page


def test_from_nothing_to_the_first_vote(
    live_server: LiveServer, editor: Page, person: Callable[..., Any]
) -> None:
    editor.goto("/desk")
    editor.get_by_role("link", name="New contest").click()
    preview = editor.frame_locator("#preview-frame")
    editor.get_by_label("Title").fill("What does the snowman say?")
    expect(preview.get_by_role("heading", level=1)).to_have_text("What does the snowman say?")
    editor.get_by_label("Drawing", exact=True).set_input_files(demo.drawing_file())
    expect(preview.locator("#context-image")).to_be_visible()
    editor.get_by_label("The drawing in words").fill("A snowman in a sauna")
    editor.get_by_text("Stars: 1 star").click()
    expect(preview.get_by_role("button", name="5 stars")).to_be_visible()
    editor.get_by_text("Funny: Unfunny").click()

    editor.get_by_label("Or type or paste them").fill("\n".join(ITEMS))
    expect(editor.locator("#items-count")).to_have_text("5 items")
    expect(preview.locator("#item-box")).to_contain_text("dry heat")
    expect(editor.get_by_text("The same: 1 group", exact=True)).to_be_visible()
    expect(editor.get_by_text("Nearly the same: 1 group")).to_be_visible()
    expect(editor.locator("#items-review b").first).to_have_text("4 items")
    editor.get_by_role("checkbox", name="Merge: Well, at least").check()
    expect(editor.locator("#items-review b").first).to_have_text("3 items")
    assert editor.evaluate("document.activeElement.tagName") != "IFRAME"

    editor.get_by_label("Instructions").fill("Read the caption, then say how funny it is.")
    editor.get_by_role("button", name="Start").click()
    expect(preview.get_by_role("button", name="Start")).to_be_visible()
    editor.get_by_role("button", name="Voting").click()
    preview.get_by_role("button", name="Funny", exact=True).click()
    expect(preview.locator("#item-box")).to_contain_text("at least")
    editor.get_by_label("Raters a day").fill("40")
    editor.get_by_role("button", name="Forecast votes and days").click()
    expect(editor.locator("#forecast-told .forecast")).to_be_visible()
    if os.environ.get("PLAUDIT_SCREENSHOTS"):
        sentence = editor.locator("#forecast-told .sentence")
        expect(sentence).to_contain_text("with 40 raters a day", timeout=240_000)
    seen(editor, "new")
    editor.get_by_role("button", name="Create the contest").click()

    expect(editor.get_by_role("status").first).to_contain_text("Draft created")
    # The script that makes the forecast in this page has run once this button is there.
    expect(editor.get_by_role("button", name="Copy the link")).to_be_visible()
    editor.get_by_label("Raters a day").fill("70")
    editor.get_by_role("button", name="Forecast votes and days").click()
    expect(editor.locator(".told .forecast")).to_contain_text("captions of past cartoon contests")
    keep(editor, "run-draft")
    editor.get_by_role("button", name="Start voting", exact=True).click()
    expect(editor.get_by_role("status").first).to_have_text("The contest is running.")
    expect(editor.get_by_role("button", name="Pause")).to_be_visible()
    editor.wait_for_load_state()
    picture = editor.get_by_alt_text("QR code of the link")
    assert picture.evaluate("image => image.complete && image.naturalWidth > 0")
    editor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    editor.get_by_role("button", name="Copy the link").click()
    expect(editor.get_by_role("button", name="Copy the link")).to_have_text("Copied")
    link = editor.evaluate("navigator.clipboard.readText()")
    assert link == f"{live_server.url}/c/what-does-the-snowman-say"
    seen(editor, "run-open")

    rater = person().new_page()
    rater.goto(link)
    rater.get_by_role("button", name="Start").click()
    expect(item(rater)).to_be_visible()
    rater.wait_for_timeout(300)
    assert vote(rater) in ITEMS
    live_server.wait_for_votes("what-does-the-snowman-say", 1)
    editor.get_by_role("link", name="Poster to print").click()
    expect(editor.get_by_role("heading", level=1)).to_have_text("What does the snowman say?")
    keep(editor, "poster")


def test_what_is_pasted_before_the_script_is_there_is_checked(editor: Page) -> None:
    held: list[Route] = []
    editor.route("**/static/desk/create.js", lambda route: held.append(route))
    editor.goto("/desk/new", wait_until="commit")
    editor.get_by_label("Or type or paste them").fill("Ice to see you\nice to see you!")
    while not held:
        editor.wait_for_timeout(20)
    held[0].continue_()
    expect(editor.get_by_text("The same: 1 group", exact=True)).to_be_visible()
    editor.unroute_all()


def test_mistakes_are_named_by_line_also_without_script(
    person: Callable[..., Any], state: Any, editor: Page, tmp_path: Path
) -> None:
    editor.goto("/desk/new")
    editor.get_by_label("Or type or paste them").fill("One\n\n" + "x" * 2001)
    wrong = editor.locator("#items-review .wrong")
    expect(wrong).to_contain_text("Line 3: The item has 2,001 characters")
    editor.get_by_role("button", name="Show line 3").click()
    chosen = "[document.activeElement.selectionStart, document.activeElement.selectionEnd]"
    assert editor.evaluate(chosen) == [5, 2006]
    keep(editor, "new-mistake")
    sheet = tmp_path / "captions.csv"
    sheet.write_text("caption,votes\nOne,1\n,2\n")
    editor.get_by_label("From a file").set_input_files(sheet)
    expect(editor.locator("#file-told")).to_contain_text("captions.csv, line 3: This item is empty")

    plain = person(storage_state=state, java_script_enabled=False).new_page()
    plain.goto("/desk/new")
    plain.get_by_label("Title").fill("Without script")
    plain.get_by_label("From a file").set_input_files(sheet)
    plain.get_by_role("button", name="Check").click()
    expect(plain.get_by_text("captions.csv, line 3")).to_be_visible()
    sheet.write_text("caption,votes\nOne,1\none,2\nTwo,3\n")
    plain.get_by_label("From a file").set_input_files(sheet)
    plain.get_by_role("button", name="Create the contest").click()
    expect(plain.get_by_text("Some items are similar")).to_be_visible()
    expect(plain.get_by_label("Title")).to_have_value("Without script")
    seen_plain = plain.get_by_role("link", name="Forecast votes and days")
    expect(seen_plain).to_be_visible()
    keep(plain, "new-without-script")
    plain.get_by_role("button", name="Create the contest").click()
    expect(plain.get_by_role("heading", level=1)).to_have_text("Without script")
    plain.get_by_role("button", name="Start voting", exact=True).click()
    expect(plain.get_by_text("The contest is running.")).to_be_visible()


def drawn(folder: Path, name: str, colour: str) -> Path:
    """A small picture in a file."""
    path = folder / name
    shape = f'<rect width="300" height="200" fill="{colour}"/><circle cx="150" cy="100" r="70"/>'
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 200">{shape}</svg>')
    return path


def test_pictures_become_items_are_voted_on_and_edited(
    live_server: LiveServer, editor: Page, person: Callable[..., Any], state: Any, tmp_path: Path
) -> None:
    red, blue = drawn(tmp_path, "red_moon.svg", "#c33"), drawn(tmp_path, "blue-moon.svg", "#36c")
    copy, gold = drawn(tmp_path, "red copy.svg", "#c33"), drawn(tmp_path, "gold.svg", "#e7b416")
    bad = tmp_path / "script.svg"
    bad.write_text('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')
    archive = tmp_path / "more.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.write(gold, "in/gold.svg")
        packed.writestr("texts.csv", "image,text\ngold.svg,Gold at noon\n,Only words\n")

    editor.goto("/desk/new")
    preview = editor.frame_locator("#preview-frame")
    editor.get_by_label("Title").fill("Which moon for the cover?")
    editor.get_by_label("Pictures", exact=True).set_input_files([red, blue, copy, bad])
    expect(editor.locator("#pictures-told")).to_contain_text("3 pictures added")
    expect(editor.locator("#pictures-told .wrong")).to_contain_text("script.svg: ")
    expect(editor.get_by_label("Leave out picture 3")).to_be_checked()
    keep(editor, "new-pictures-mistake")
    expect(editor.locator("#items-review b")).to_have_text("2 items")
    editor.get_by_label("Text of picture 1").fill("Red moon, rising")
    expect(preview.locator("#item-box img")).to_be_visible()
    expect(preview.locator("#item-box .words")).to_have_text("Red moon, rising")
    editor.get_by_label("Pictures", exact=True).set_input_files(archive)
    expect(editor.get_by_label("Text of picture 4")).to_have_value("Gold at noon")
    expect(editor.get_by_label("Text of picture 1")).to_have_value("Red moon, rising")
    expect(editor.get_by_label("Or type or paste them")).to_have_value("Only words")
    expect(editor.locator("#items-review b")).to_have_text("4 items")
    editor.get_by_label("Drawing", exact=True).set_input_files(demo.drawing_file())
    expect(editor.locator("#drawn-name")).to_have_text(demo.drawing_file().name)
    seen(editor, "new-pictures")
    editor.get_by_role("button", name="Create the contest").click()
    expect(editor.get_by_role("status").first).to_contain_text("Draft created")
    editor.get_by_role("button", name="Start voting", exact=True).click()
    contest = "which-moon-for-the-cover"

    rater = person().new_page()
    rater.goto(f"/c/{contest}")
    expect(item(rater)).to_be_visible()
    rater.wait_for_timeout(300)
    asked = {vote(rater) for _ in range(4)}
    assert asked == {"Red moon, rising", "blue moon", "Gold at noon", "Only words"}
    live_server.wait_for_votes(contest, 4)

    editor.goto(f"/desk/contests/{contest}/items")
    editor.get_by_role("link", name="blue moon").click()
    expect(editor.get_by_role("heading", name="Item i3")).to_be_visible()
    editor.wait_for_load_state()
    assert editor.locator(".item-picture").evaluate("one => one.complete && one.naturalWidth > 0")
    teal = drawn(tmp_path, "teal.svg", "#0a7d6c")
    editor.get_by_label("Picture", exact=True).set_input_files(teal)
    expect(editor.locator("#drawn-name")).to_have_text("teal.svg")
    expect(editor.get_by_role("heading", name="Before and after")).to_be_visible()
    expect(editor.locator("#after img")).to_be_visible()
    editor.get_by_text("New item: start without votes").click()
    seen(editor, "item-picture")
    editor.get_by_role("button", name="Replace the item").click()
    expect(editor.get_by_role("heading", name="Item i5")).to_be_visible()
    editor.get_by_text("Before and after").first.click()
    expect(editor.get_by_text("Before: item i3")).to_be_visible()
    keep(editor, "item-picture-replaced")
    editor.goto(f"/desk/contests/{contest}/trail")
    expect(editor.get_by_text("replaced item i3 by item i5, which starts anew")).to_be_visible()
    editor.get_by_role("button", name="Undo").first.click()
    expect(editor.get_by_text("The step was undone.")).to_be_visible()

    plain = person(storage_state=state, java_script_enabled=False).new_page()
    plain.goto(f"/desk/contests/{contest}/items/add")
    plain.get_by_label("Pictures", exact=True).set_input_files([teal, red])
    plain.get_by_role("button", name="Add the items").click()
    expect(plain.get_by_text("2 pictures were uploaded")).to_be_visible()
    expect(plain.get_by_text("Picture 2 (red_moon.svg) repeats item i2")).to_be_visible()
    plain.get_by_label("Text of picture 1").fill("Teal")
    keep(plain, "items-add-pictures")
    plain.get_by_role("button", name="Add the items").click()
    expect(plain.get_by_role("status").first).to_have_text("The items were added.")
    plain.goto(f"/desk/contests/{contest}/items/5")
    expect(plain.locator(".item-text")).to_have_text("Teal")
    expect(plain.get_by_alt_text("The picture of item i6")).to_be_visible()


def test_settings_of_an_open_contest(live_server: LiveServer, editor: Page) -> None:
    contest = live_server.make_contest(title="How good is this name?", thanks="Bye")
    editor.goto(f"/desk/contests/{contest}/settings")
    expect(editor.get_by_text("The goal is fixed")).to_be_visible()
    expect(editor.get_by_label("How many winners")).to_be_disabled()
    preview = editor.frame_locator("#preview-frame")
    editor.get_by_role("button", name="End").click()
    editor.get_by_label("Thanks").fill("Thank you, and come again.")
    expect(preview.locator("#end-text")).to_have_text("Thank you, and come again.")
    editor.get_by_label("Way back").evaluate("field => field.closest('details').open = true")
    editor.get_by_label("Way back").fill("nowhere")
    editor.get_by_role("button", name="Save the settings").click()
    expect(editor.locator("#return_url-wrong")).to_contain_text("https://")
    keep(editor, "settings-wrong")
    editor.wait_for_load_state()
    editor.get_by_label("Way back").fill("")
    editor.get_by_role("button", name="Save the settings").click()
    expect(editor.get_by_role("status").first).to_have_text("The settings were changed.")
    seen(editor, "settings")
    expect(editor.get_by_label("Thanks")).to_have_value("Thank you, and come again.")


def test_times_are_those_of_the_editor(
    live_server: LiveServer, person: Callable[..., Any], state: Any
) -> None:
    contest = live_server.make_contest(title="When?")
    run, about = f"/desk/contests/{contest}/run", f"/api/v1/contests/{contest}"
    berlin = person(storage_state=state, timezone_id="Europe/Berlin", locale="en-GB").new_page()
    berlin.goto(run)
    opens, closes = berlin.locator("#opens"), berlin.locator("#closes")
    expect(berlin.get_by_label("Begins (Europe/Berlin)")).to_be_visible()
    # Clocks are set forward from 02:00 to 03:00 that day.
    opens.fill("2027-03-28T02:30")
    expect(berlin.locator("#opens-told")).to_contain_text("Clocks in Europe/Berlin skip this time")
    berlin.get_by_role("button", name="Set the times").click()
    assert live_server.read(about)["opens"] is None
    keep(berlin, "times-skipped")
    opens.fill("2027-03-28T03:30")
    # Clocks are set back from 03:00 to 02:00 that day.
    closes.fill("2027-10-31T02:30")
    expect(berlin.locator("#closes-told")).to_contain_text("show this time twice")
    berlin.get_by_label("Which of the two: Closes").select_option(index=1)
    seen(berlin, "times-twice")
    berlin.get_by_role("button", name="Set the times").click()
    expect(berlin.get_by_role("status").first).to_have_text("The times were set.")
    expect(closes).to_have_value("2027-10-31T02:30")
    expect(berlin.get_by_label("Which of the two: Closes")).to_contain_text("02:30 CET")
    told = live_server.read(about)
    assert told["opens"] == 1806197400000  # 01:30 UTC
    assert told["closes"] == 1824946200000  # 01:30 UTC, an hour after the first of the two
    berlin.goto(f"/desk/contests/{contest}/trail")
    first = berlin.locator("time").first
    expect(first).to_have_text(re.compile(r"\d:\d\d CES?T$"))
    expect(first).to_have_attribute("title", re.compile(r"\d:\d\d UTC$"))

    plain = person(storage_state=state, java_script_enabled=False).new_page()
    plain.goto(run)
    expect(plain.get_by_label("Begins (UTC)")).to_have_value("2027-03-28T01:30")


def test_a_verdict_is_published(live_server: LiveServer, editor: Page) -> None:
    contest = live_server.make_contest(
        title="Which name for the cat?",
        items=["Minka", "Tom", "Sir Purr", "Felix", "Whiskers", "Luna"],
        top=2,
        epsilon=0.5,
        delta=0.2,
    )
    decide(live_server, contest)
    editor.goto(f"/desk/contests/{contest}/run")
    claim = "no other item is more than 0.5 better than any of these 2."
    liars = "That is so even if any 3 raters were dishonest."
    told = f"With at least 80 % confidence, {claim} {liars}"
    expect(editor.locator(".claim")).to_have_text(told)
    expect(editor.locator(".winners li")).to_have_count(2)
    expect(editor.locator("#state")).to_have_text("Decided")
    expect(editor.get_by_text("The verdict stands, so raters are not asked")).to_be_visible()
    with editor.expect_download() as download:
        editor.get_by_role("link", name="Certificate (JSON)").click()
    assert download.value.suggested_filename == f"{contest}-certificate-0.json"
    assert '"winners": [' in Path(download.value.path()).read_text()
    with editor.expect_download() as download:
        editor.get_by_role("link", name="Votes", exact=True).click()
    assert Path(download.value.path()).read_text("utf-8-sig").startswith("position,time,rater")
    editor.get_by_role("button", name="Close").click()
    expect(editor.get_by_role("button", name="Retire")).to_be_visible()
    keep(editor, "run-closed")
    editor.get_by_label("Never: only people at this desk").check()
    editor.get_by_role("button", name="Save").click()
    expect(editor.get_by_text("The results are private: only")).to_be_visible()
    editor.get_by_role("radio", name="At the end: once").check()
    editor.get_by_role("button", name="Save").click()
    editor.get_by_role("link", name="See the page").click()
    expect(editor.get_by_text("The 2 winners")).to_be_visible()
    editor.get_by_text("How this was decided").click()
    expect(editor.locator("#claims")).to_contain_text(claim)
    editor.get_by_text("How good the first few certainly are").click()
    expect(
        editor.get_by_role("row", name="1 Minka").or_(editor.get_by_role("row", name="1 Tom"))
    ).to_be_visible()
    seen(editor, "results-decided")


def decide(server: LiveServer, contest: str) -> None:
    """Raters who all love the first two vote until there is a verdict."""
    with Client(server.url) as client:
        for _ in range(200):
            rater = client.rater(contest)
            for shown in rater.ask(6):
                rater.vote(shown, 2 if shown.item < 2 else 0)
            if client.results(contest)["lanes"][0]["decided"]:
                return
    pytest.fail("there is no verdict")
