"""The page on phones, with long, tall and right-to-left content, and for assistive technology."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from plaudit import demo
from support.browser.live_server import PHONE, LiveServer
from support.browser.rating import item, press, shown, visit
from support.browser.shapes import check, fits

Person = Callable[..., BrowserContext]
LONG = "This caption is far too long for a drawing, and yet somebody sent it in. " * 6
TALL = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="3000">'
    '<rect width="300" height="3000"/></svg>'
)


def drawing_contest(server: LiveServer, **keys: object) -> str:
    context = {"image": str(demo.drawing_file()), "alt": "A snowman in a sauna"}
    folder = Path(server.database).parent
    (folder / "drawing.svg").write_bytes(demo.drawing_file().read_bytes())
    return server.make_contest(**({"context": context | {"image": "drawing.svg"}} | keys))


@pytest.mark.parametrize("size", [(390, 844), (320, 568), (844, 390)])
def test_answers_are_in_view_on_a_phone(
    live_server: LiveServer, person: Person, size: tuple[int, int]
) -> None:
    width, height = size
    someone = person(viewport={"width": width, "height": height}, has_touch=True, is_mobile=True)
    page = someone.new_page()
    visit(page, drawing_contest(live_server))
    assert fits(page)
    expect(item(page)).to_be_in_viewport()
    for button in page.locator(".bar button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        assert box["width"] >= 44
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
    before = shown(page)
    page.get_by_role("button", name="Funny", exact=True).tap()
    expect(item(page)).not_to_have_text(before)


def test_answers_stay_in_place_whatever_the_item(live_server: LiveServer, phone: Page) -> None:
    visit(phone, drawing_contest(live_server, items=["Short", LONG, "W" * 150, "Short again"]))
    button = phone.get_by_role("button", name="Funny", exact=True)
    boxes = []
    for _ in range(3):
        assert fits(phone)
        boxes.append(button.bounding_box())
        press(phone, "2")
    assert boxes[0] == boxes[1] == boxes[2]


def test_a_tall_drawing_leaves_room_for_the_item(live_server: LiveServer, phone: Page) -> None:
    (Path(live_server.database).parent / "tall.svg").write_text(TALL)
    visit(phone, live_server.make_contest(context={"image": "tall.svg", "alt": "A tower"}))
    expect(phone.get_by_role("img", name="A tower")).to_be_in_viewport()
    expect(item(phone)).to_be_in_viewport(ratio=1)


def test_right_to_left_text_runs_right_to_left(live_server: LiveServer, page: Page) -> None:
    texts = ["أنا هنا لأذوب في صمت", "“Hot?” 🔥"]
    visit(page, live_server.make_contest(title="ماذا يقول؟", items=texts))
    for _ in range(2):
        wanted = "rtl" if shown(page) == texts[0] else "ltr"
        assert item(page).evaluate("element => getComputedStyle(element).direction") == wanted
        page.keyboard.press("1")
        page.wait_for_timeout(300)
    title = page.get_by_role("heading", level=1)
    assert title.evaluate("element => getComputedStyle(element).direction") == "rtl"


def test_markup_in_items_is_text(live_server: LiveServer, page: Page) -> None:
    text = "<img src=x onerror=alert(1)> <b>&amp;</b>"
    visit(page, live_server.make_contest(title="<i>Which?</i>", items=[text, "plain"]))
    texts = {shown(page), press(page, "1") and shown(page)}
    assert text in texts
    expect(page.get_by_role("heading", level=1)).to_have_text("<i>Which?</i>")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_names_and_landmarks(live_server: LiveServer, person: Person, scheme: str) -> None:
    contest = drawing_contest(live_server, consent="Do you agree?", votes_per_visit=2)
    page = person(color_scheme=scheme, reduced_motion="reduce").new_page()
    page.goto(f"/c/{contest}")
    expect(page.locator("#start")).to_be_visible()
    check(page)
    page.locator("#start").click()
    expect(item(page)).to_be_visible()
    expect(page.get_by_role("img", name="A snowman in a sauna")).to_be_visible()
    check(page)
    page.wait_for_timeout(300)
    page.keyboard.press("f")
    check(page)
    page.keyboard.press("Escape")
    press(page, "3")
    page.keyboard.press("3")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    check(page)
    for path in ("/", f"/c/{contest}/results"):
        page.goto(path)
        expect(page.get_by_role("heading", level=2).first).to_be_visible()
        check(page)


def test_a_new_item_is_announced_and_focus_starts_at_the_item(
    live_server: LiveServer, page: Page
) -> None:
    visit(page, live_server.make_contest())
    assert page.evaluate("document.activeElement.id") == "item"
    assert item(page).evaluate("element => element.closest('[aria-live]').ariaLive") == "polite"


def test_without_script_a_sentence_says_so(live_server: LiveServer, person: Person) -> None:
    contest = live_server.make_contest()
    page = person(java_script_enabled=False, viewport=PHONE).new_page()
    for path in (f"/c/{contest}", f"/c/{contest}/results"):
        page.goto(path)
        box = page.locator("noscript p").first.bounding_box()
        assert box is not None
        assert box["height"] > 20
