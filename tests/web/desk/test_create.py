"""Contests made, changed, run and published at the desk, over HTTP."""

import asyncio
import html
import json
import re

import pytest
from starlette.testclient import TestClient

from plaudit import demo
from plaudit.service.accounts.accounts import Accounts
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.accounts.roles import COMMAND_LINE, Actor
from plaudit.service.moderation.reviewed import flags_of, mark_reviewed
from plaudit.store import open_store
from plaudit.store.log import Answer, Kind
from plaudit.web import browser_sessions as door
from plaudit.web.app import Serving, make_app
from plaudit.web.desk import picture_rows
from plaudit.web.desk.contest_forms import MOST_BYTES
from support.desk_site import ORIGIN, Browser
from support.images import GIF, PNG
from support.live_worker import NAME, create
from support.zips import SCRIPT, zipped

CHEAP = Passwords(time_cost=1, memory_kib=8)
NEW = "/desk/new"
FORM = {
    "title": "What does the snowman say?",
    "items": "I melt for you\nNice weather\nCold feet",
    "scale": "funny",
    "lane": ["plaudit"],
    "share-plaudit": "1",
    "top": "1",
    "epsilon": "0.05",
    "delta": "0.01",
    "seed": "0",
    "uniform": "0",
    "skip": "yes",
    "results": "always",
    "code": "none",
    "step": "create",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A desk with an editor, a viewer, and a contest of the command line's."""
    path = str(tmp_path_factory.mktemp("desk") / "desk.db")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(door, "Passwords", lambda: CHEAP)
        store = open_store(path)
        create(store)
        with TestClient(make_app(Serving(path, "x" * 40, hosts=("testserver",)))) as client:
            yield Desk(client, store)
        store.close()


class Desk:
    """The editor's and the viewer's browsers, and the store behind them."""

    def __init__(self, client, store):
        self.store = store
        accounts = Accounts(store, CHEAP)
        accounts.welcome(accounts.first_link(), name="Owner", password="four words put together")
        self.editor, self.viewer = (
            self._joined(client, accounts, role) for role in ("editor", "viewer")
        )

    @staticmethod
    def _joined(client, accounts, role):
        browser = Browser(client)
        browser.welcome(accounts.invite(COMMAND_LINE, role), role.capitalize())
        return browser

    def send(self, path, page=NEW, files=None, **fields):
        """Sends a form as a browser with files does."""
        given = {"form_token": self.editor.token(page)} | fields
        return self.editor.client.post(path, data=given, files=files or EMPTY, headers=ORIGIN)

    def make(self, files=None, **fields):
        return self.send(NEW, files=files, **(FORM | fields))

    def made(self, **fields):
        """The name of a new contest."""
        response = self.make(**fields)
        assert response.status_code == 303, told(response)
        return re.fullmatch(
            r"/desk/contests/([^/]+)/run\?done=created.*", response.headers["location"]
        )[1]

    def seen(self, name):
        """The epoch that a form of the contest carries."""
        page = self.editor.get(f"/desk/contests/{name}/run").text
        return re.search(r'name="epoch" value="(\d+)"', page)[1]

    def step(self, name, path, **fields):
        """Sends a form of the page that runs a contest."""
        base = f"/desk/contests/{name}"
        given = {"epoch": self.seen(name)} | fields
        return self.editor.send(f"{base}/run", f"{base}/{path}", **given)


EMPTY = {"drawing": ("", b"")}


def told(response):
    """The text of a page."""
    return html.unescape(re.sub(r"<[^>]+>", "", response.text))


def test_a_contest_with_codes_has_one_for_everybody(desk):
    name = desk.made(door="codes", people="25", name="codes-for-all")
    page = desk.editor.get(f"/desk/contests/{name}/run")
    assert "There are 25 codes." in told(page)
    assert f'href="/desk/contests/{name}/door/sheet"' in page.text
    sheet = desk.editor.get(f"/desk/contests/{name}/door/sheet").text
    assert sheet.count('class="card-text"') == 25
    name = desk.made(door="codes", people="9" * 5000, name="codes-for-nobody")
    assert "there are none yet" in told(desk.editor.get(f"/desk/contests/{name}/run"))
    name = desk.made(people="25", name="no-codes")
    assert "code can vote" not in told(desk.editor.get(f"/desk/contests/{name}/run"))


def test_a_contest_from_nothing(desk):
    drawing = {"drawing": ("snowman.svg", demo.drawing_file().read_bytes())}
    name = desk.made(
        files=drawing, alt="A snowman", consent="Do you agree?", votes_per_visit="20", top="1",
        opens="2026-12-01T09:00", closes="2026-12-02T09:00", embed="https://example.org",
        code="own", completion_code="DONE", return_url="https://example.org/back", listed="yes",
    )  # fmt: skip
    assert name == "what-does-the-snowman-say"
    record = desk.store.contest(name)
    assert record.state == "draft"
    start = desk.editor.get("/").text
    assert FORM["title"] not in start
    settings = json.loads(record.settings)
    assert settings["epsilon"] == 0.05
    assert settings["votes_per_visit"] == 20
    assert settings["opens"] == 1796115600000
    assert settings["embed"] == ["https://example.org"]
    assert settings["completion_code"] == "DONE"
    assert settings["context"]["alt"] == "A snowman"
    assert desk.store.asset(settings["context"]["image"]).media_type == "image/svg+xml"
    # Boxes that are not ticked are not sent.
    assert settings["flag"] is False
    assert [item.text for item in desk.store.items(name)] == FORM["items"].split("\n")
    assert desk.store.deeds(contest=name, limit=1)[0].who == "Editor"


def test_the_form_keeps_what_was_typed_and_names_mistakes_at_their_fields(desk):
    response = desk.make(
        title="", epsilon="2", items="One\n\n" + "x" * 2001 + "\nTwo\x07", thanks="Thanks <b>"
    )
    assert response.status_code == 422
    assert "Thanks &lt;b&gt;" in response.text
    shown = told(response)
    assert "The title is missing" in shown
    assert "epsilon must lie in" in shown
    assert "Line 3: The item has 2,001 characters" in shown
    assert "Line 4: The item holds the control character U+0007" in shown
    assert 'id="epsilon-wrong"' in response.text
    assert 'aria-describedby="epsilon-hint epsilon-wrong"' in response.text


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"name": "Not A Name"}, "name", "cannot be a contest"),
        ({"name": NAME}, "name", "There is a contest"),
        ({"top": "3"}, "top", "top"),
        ({"goal": "all-good", "epsilon": "0"}, "goal", "epsilon must be above 0"),
        ({"goal": "all-good", "lane": ["at-lucb"]}, "algorithms", "does not go with it"),
        ({"delta": "0"}, "delta", "delta"),
        ({"scale": "custom", "labels": "Bad = 0\nGood"}, "labels", "has no number"),
        ({"lane": []}, "algorithms", "Tick at least one"),
        ({"opens": "2026-12-02T09:00", "closes": "2026-12-01T09:00"}, "closes", "later than opens"),
        ({"return_url": "javascript:alert(1)"}, "return_url", "https://"),
        ({"embed": "ftp://example.org"}, "embed", "embed names sites"),
        ({"code": "own"}, "completion_code", "Write the code"),
        ({"items": "Only one"}, "items", "at least 2 items"),
        ({"image": "ab" * 32}, "image", "There is no picture"),
    ],
)
def test_each_mistake_is_told(desk, fields, field, words):
    response = desk.make(**fields)
    assert response.status_code == 422
    assert re.search(rf'<a href="#{field}">[^<]*{re.escape(words)}', html.unescape(response.text))


def test_a_drawing_that_is_none_is_refused(desk):
    response = desk.make(files={"drawing": ("x.png", b"not a picture")})
    assert response.status_code == 422
    assert "not a picture that can be shown" in told(response)


def test_items_come_from_a_file_and_its_mistakes_are_named_by_line(desk):
    sheet = 'caption,votes\n"One, or so",3\n"Two\nlines",4\n'
    response = desk.make(files={"items_file": ("a.csv", sheet.encode())}, items="", step="check")
    assert response.status_code == 200
    assert "One, or so\nTwo⏎lines</textarea>" in response.text
    name = desk.made(files={"items_file": ("a.csv", sheet.encode())}, items="", name="from-a-file")
    assert [item.text for item in desk.store.items(name)] == ["One, or so", "Two\nlines"]

    for body, words in (
        (b"caption,votes\nOne,1\n,2\n", "b.csv, line 3: This item is empty"),
        (b"who,what\n1,2\n", "b.csv, line 1: No column is named text"),
        (b"who,what\n1,2\n", "of the columns. Call the one to show text."),
        (b"caption\nOne\nT\xff\n", "b.csv, line 3: This line is not UTF-8"),
    ):  # fmt: skip
        response = desk.make(files={"items_file": ("../b.csv", body)}, items="Kept\nas it was")
        assert response.status_code == 422
        assert words in told(response)
        assert "Kept\nas it was</textarea>" in response.text


def test_duplicates_are_shown_first_then_merged_or_kept(desk):
    items = "Well, at least we have each other\nBrr\nbrr!\nAt least we have each other\nSnow\nsnow"
    response = desk.make(items=items, name="merged")
    assert response.status_code == 200
    assert "ecide which to merge" in response.text
    groups = re.findall(r'name="shown" value="(\w+)"', response.text)
    assert len(groups) == 3
    ticked = re.findall(r'name="merge" value="(\w+)" data-kind="\w+" checked', response.text)
    assert ticked == groups[:2]
    brr, _, near = groups
    name = desk.made(items=items, name="merged", shown=groups, merge=[brr, near])
    assert [item.text for item in desk.store.items(name)] == [
        "Well, at least we have each other", "Brr", "Snow", "snow",
    ]  # fmt: skip
    # A group of duplicates that is new must be confirmed too.
    response = desk.make(items=f"{items}\nCold\ncold", name="m", shown=groups, merge=[])
    assert "ecide which to merge" in response.text


def test_a_script_gets_the_parts(desk):
    part = desk.send("/desk/new/items", items="One\nTwo\nONE")
    assert part.status_code == 200
    assert "<html" not in part.text
    assert "<b>2 items</b>. From 3 lines" in part.text
    found = desk.send("/desk/new/file", files={"items_file": ("x.txt", b"One\nTwo")}).json()
    assert found == {"items": "One\nTwo", "mistakes": []}
    drawing = demo.drawing_file().read_bytes()
    found = desk.send("/desk/new/drawing", files={"drawing": ("x", drawing)}).json()
    assert desk.editor.get(f"/assets/{found['image']}").content == drawing
    assert desk.send("/desk/new/drawing").json()["wrong"]


def chosen(*files):
    """Files as a browser sends those of one field."""
    return [("pictures", file) for file in files]


def rows_in(response):
    """The rows of pictures on a page, as it would send them again."""
    patterns = {
        "picture": r'name="picture" value="([^"]*)"',
        "picture_text": r'name="picture_text"[^>]*>\n([^<]*)</textarea>',
        "picture_gone": r'name="picture_gone" value="(\d+)" checked',
    }
    return {
        name: [html.unescape(found) for found in re.findall(pattern, response.text)]
        for name, pattern in patterns.items()
    }


def test_pictures_are_looked_over_then_become_items(desk):
    files = chosen(("cat_one.png", PNG), ("cat.png", PNG), ("dog.gif", GIF))
    response = desk.make(files=files, items="Just a text", name="pictured")
    assert response.status_code == 200
    assert "3 pictures were added." in response.text
    assert "the same picture as 1" in response.text
    assert "<b>3 items</b>: 1 text, 2 pictures" in response.text
    rows = rows_in(response)
    assert rows["picture_text"] == ["cat one", "cat", "dog"]
    assert rows["picture_gone"] == ["1"]
    rows["picture_text"][0] = "A cat & <b>"
    again = desk.make(items="Just a text", name="pictured", step="check", **rows)
    assert rows_in(again) == rows
    name = desk.made(items="Just a text", name="pictured", **rows)
    texts = [(item.text, bool(item.image)) for item in desk.store.items(name)]
    assert texts == [("Just a text", False), ("A cat & <b>", True), ("dog", True)]
    shown = desk.editor.get(f"/assets/{desk.store.items(name)[2].image}")
    assert shown.content == GIF


def test_an_archive_with_a_sheet_and_mistakes_by_file(desk):
    sheet = b"image,text\ndog.gif,My dog\n,Only words\n"
    packed = zipped({"in/cat.png": PNG, "dog.gif": GIF, "bad.svg": SCRIPT, "texts.csv": sheet})
    files = chosen(("all.zip", packed), ("notes.doc", b"?"), ("none.png", b""))
    response = desk.make(files=files, items="", name="packed")
    assert response.status_code == 422
    assert "3 mistakes in the pictures" in told(response)
    for words in ("bad.svg: ", "notes.doc: The file is not a picture", "none.png: This file is e"):
        assert words in told(response)
    rows = rows_in(response)
    assert rows["picture_text"] == ["My dog", "cat"]
    assert "Only words</textarea>" in response.text
    name = desk.made(items="Only words", name="packed", **rows)
    assert [item.text for item in desk.store.items(name)] == ["Only words", "My dog", "cat"]
    # The form is checked again: a hash that nobody sent, a text that is too long.
    rows = {"picture": [f"{'ab' * 32} x.png", "no row at all"], "picture_text": ["x" * 2_001]}
    response = desk.make(**rows)
    assert response.status_code == 422
    assert "x.png: There is no picture" in told(response)
    assert "x.png: The item has 2,001 characters" in told(response)


def test_a_script_gets_rows_that_go_on_from_those_there_are(desk, monkeypatch):
    real = picture_rows.read_files

    def away(*given, **named):
        # Raters are answered by the event loop: nothing is unpacked there.
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        return real(*given, **named)

    monkeypatch.setattr(picture_rows, "read_files", away)
    path = "/desk/new/pictures"
    first = desk.send(path, files=chosen(("a.png", PNG), ("x", b"no"))).json()
    assert (first["rows"].count("<li"), first["items"]) == (1, "")
    assert [words.partition(":")[0] for words in first["mistakes"]] == ["x"]
    kept = re.findall(r'name="picture" value="([^"]*)"', first["rows"])
    files = chosen(("b.png", PNG), ("t.csv", b"text\nWords\n"))
    second = desk.send(path, files=files, picture=kept, picture_text=["a"]).json()
    assert 'id="picture-1"' in second["rows"]
    assert "the same picture as 1" in second["rows"]
    assert second["items"] == "Words"
    part = desk.send("/desk/new/items", items="One", picture=kept)
    assert "<b>2 items</b>" in part.text
    forged = desk.editor.client.post(path, files=chosen(("a.png", PNG)), headers=ORIGIN)
    assert forged.status_code == 403
    assert desk.viewer.send("/desk", path).status_code == 403


def test_too_many_files_are_told_so(desk):
    files = chosen(*((f"{n}.png", b"x") for n in range(501)))
    assert "You sent 501 files. At most 500" in told(desk.make(files=files))
    response = desk.make(files=chosen(*((f"{n}.png", b"") for n in range(2_001))))
    assert response.status_code == 413
    assert "more than 2,000 files" in told(response)


def test_a_drawing_that_is_kept_has_its_name_and_can_be_taken_away(desk):
    drawing = {"drawing": ("C:\\pictures\\snow man.png", PNG)}
    response = desk.make(files=drawing, step="check")
    assert '<b id="drawn-name" dir="auto">snow man.png</b>' in response.text
    image = re.search(r'id="image" name="image" value="(\w{64})"', response.text)[1]
    again = desk.make(step="check", image=image, image_name="snow man.png")
    assert "snow man.png</b>" in again.text
    gone = desk.make(step="check", image=image, image_name="snow man.png", no_drawing="yes")
    assert 'id="drawn" hidden' in gone.text
    assert image not in gone.text


def test_only_the_preview_may_be_framed_and_only_by_us(desk):
    page, preview = desk.editor.get(NEW), desk.editor.get("/desk/preview")
    assert "frame-src 'self'" in page.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert "frame-ancestors 'self'" in preview.headers["content-security-policy"]
    assert "preview.js" in preview.text
    assert "rater.js" not in preview.text


def test_ten_thousand_items_are_taken_and_more_bytes_are_not(desk):
    items = "\n".join(f"Caption {number} with a few words of its own" for number in range(10_000))
    response = desk.make(items=items, name="many", step="check")
    assert response.status_code == 200
    assert "<b>10,000 items</b>" in response.text
    response = desk.send("/desk/new/file", items="x" * (MOST_BYTES + 1))
    assert response.status_code == 413
    assert "more than 17 MB" in told(response)


def test_a_viewer_looks_and_changes_nothing(desk):
    assert desk.viewer.get(NEW).status_code == 403
    name = desk.made(name="looked-at")
    page = desk.viewer.get(f"/desk/contests/{name}/run")
    assert page.status_code == 200
    assert 'name="step"' not in page.text
    assert "Votes</a>" not in page.text
    settings = desk.viewer.get(f"/desk/contests/{name}/settings")
    assert '<fieldset class="fixed">' not in settings.text
    base = f"/desk/contests/{name}"
    for path in ("/run/step", "/run/times", "/run/public", "/settings/save"):
        assert desk.viewer.send("/desk", f"{base}{path}", step="open").status_code == 403
    assert desk.store.contest(name).state == "draft"


def test_steps_and_what_they_say(desk):
    name = desk.made(name="stepped")
    for step, state in (
        ("open", "open"), ("pause", "paused"), ("open", "open"), ("close", "closed"),
        ("reopen", "open"), ("close", "closed"), ("retire", "retired"), ("unretire", "closed"),
    ):  # fmt: skip
        page = desk.editor.get(f"/desk/contests/{name}/run").text
        assert f'value="{step}"' in page
        response = desk.step(name, "run/step", step=step)
        assert response.headers["location"] == f"/desk/contests/{name}/run?done={step}"
        assert desk.store.contest(name).state == state
        assert f'badge-{state}"' in desk.editor.get(f"/desk/contests/{name}/run").text
        groups = desk.viewer.get("/desk").text.split('id="group-')
        (group,) = (part.split('"')[0] for part in groups if f'/desk/contests/{name}"' in part)
        assert group == {"closed": "closed", "retired": "retired"}.get(state, "live")
    response = desk.step(name, "run/step", step="pause")
    assert response.status_code == 409
    assert "Cannot pause" in told(response)
    assert desk.step(name, "run/step", step="dance").status_code == 400


def test_a_form_that_others_overtook_changes_nothing(desk):
    name = desk.made(name="overtaken")
    old = desk.seen(name)
    desk.step(name, "run/step", step="open")
    response = desk.step(name, "run/step", step="close", epoch=old)
    assert response.status_code == 409
    assert desk.store.contest(name).state == "open"
    response = desk.step(name, "run/public", results="private", epoch=old)
    assert response.status_code == 409
    response = desk.step(name, "run/times", opens="2036-12-01T10:00+01:00", closes="", epoch=old)
    assert response.status_code == 409
    assert re.search(r'name="opens" type="datetime-local" value="2036-12-01T09:00"', response.text)


def test_times_and_publication(desk):
    name = desk.made(name="timed", listed="yes", results="always")
    response = desk.step(name, "run/times", opens="2036-12-02T09:00", closes="2036-12-01T09:00")
    assert response.status_code == 422
    assert "The closing time must be later than opens" in told(response)
    assert 'value="2036-12-02T09:00"' in response.text
    desk.step(name, "run/times", opens="2036-12-01T09:00", closes="")
    assert 'value="2036-12-01T09:00"' in desk.editor.get(f"/desk/contests/{name}/run").text
    desk.step(
        name, "run/times", opens="2036-12-01T10:00:00+01:00", closes="2036-12-02T09:00:00.000Z"
    )
    page = desk.editor.get(f"/desk/contests/{name}/run").text
    assert 'value="2036-12-01T09:00"' in page
    assert 'value="2036-12-02T09:00"' in page
    assert '<time datetime="2036-12-01T09:00:00Z">1 Dec 2036, 09:00 UTC</time>' in (
        desk.viewer.get(f"/desk/contests/{name}/run").text
    )
    desk.step(name, "run/step", step="open")
    assert (
        "nobody can vote before the time when it begins"
        in desk.editor.get(f"/desk/contests/{name}/run").text
    )
    about = desk.editor.get(f"/api/v1/contests/{name}").json()
    assert about["opens"] == 2111734800000
    # Before the start nobody sees its items.
    page = desk.editor.get(f"/c/{name}/results")
    assert page.status_code == 404
    assert "will be public once it has begun" in page.text
    assert f'href="/c/{name}" aria-label="Voting page: ' in desk.editor.get("/").text
    assert "once the contest has begun" in desk.editor.get(f"/desk/contests/{name}/run").text
    desk.step(name, "run/times", opens="", closes="")
    assert desk.editor.get(f"/c/{name}/results").status_code == 200
    assert f'href="/c/{name}" aria-label="Vote: ' in desk.editor.get("/").text
    desk.step(name, "run/public", results="never")
    page = desk.editor.get(f"/c/{name}/results")
    assert page.status_code == 404
    assert "not public yet" not in page.text
    desk.step(name, "run/public", results="end")
    page = desk.editor.get(f"/c/{name}/results")
    assert page.status_code == 404
    assert "once it is decided or over" in page.text
    assert "<h1>Not public</h1>" in page.text
    assert f'href="/c/{name}">Voting page' in page.text
    assert f"/c/{name}/results" not in desk.editor.get("/").text
    desk.step(name, "run/step", step="close")
    assert desk.editor.get(f"/c/{name}/results").status_code == 200
    # Nobody is let in to wait where voting is over.
    wait = desk.editor.client.get(f"/c/{name}/wait", follow_redirects=False)
    assert (wait.status_code, wait.headers["location"]) == (303, f"/c/{name}")


def settings_form(desk, name):
    """The fields that the page of settings would send."""
    page = desk.editor.get(f"/desk/contests/{name}/settings").text
    seen = html.unescape(re.search(r'name="seen" value="([^"]*)"', page)[1])
    epoch = re.search(r'name="epoch" value="(\d+)"', page)[1]
    given = {key: value for key, value in json.loads(seen).items() if value}
    lanes = {"lane": ["plaudit"], "share-plaudit": "1"}
    return given | lanes | {"epoch": epoch, "seen": seen}


def save(desk, name, **fields):
    path = f"/desk/contests/{name}/settings"
    return desk.send(f"{path}/save", page=path, **(settings_form(desk, name) | fields))


def test_a_drawing_outlives_a_change_by_others(desk):
    name = desk.made(name="redrawn")
    form = settings_form(desk, name)
    desk.step(name, "run/step", step="open")
    path = f"/desk/contests/{name}/settings"
    drawing = {"drawing": ("new.png", PNG)}
    moved = desk.send(f"{path}/save", page=path, files=drawing, **form)
    assert moved.status_code == 409
    image = re.search(r'name="image" value="(\w{64})"', moved.text)[1]
    assert desk.store.asset(image).body == PNG


def test_a_draft_changes_in_all_and_an_open_contest_in_what_it_may(desk):
    name = desk.made(name="changed")
    assert save(desk, name).headers["location"].endswith("?done=same")
    response = save(desk, name, top="2", title="Another title", scale="stars")
    assert response.headers["location"].endswith("?done=saved")
    about = desk.editor.get(f"/api/v1/contests/{name}").json()
    assert about["title"] == "Another title"
    assert len(about["scale"]) == 5
    desk.step(name, "run/step", step="open")

    page = desk.editor.get(f"/desk/contests/{name}/settings").text
    assert "The goal is fixed" in page
    # Fixed settings stay, whatever a browser sends.
    response = save(desk, name, title="A third title", top="1", scale="thumbs", thanks="Bye")
    assert response.headers["location"].endswith("?done=saved")
    about = desk.editor.get(f"/api/v1/contests/{name}").json()
    assert about["title"] == "A third title"
    assert len(about["scale"]) == 5
    response = save(desk, name, return_url="nowhere", thanks="Kept")
    assert response.status_code == 422
    assert ">\nKept</textarea>" in response.text


def test_two_editors_change_settings_and_both_changes_stand(desk):
    name = desk.made(name="two-editors")
    mine = settings_form(desk, name)
    assert save(desk, name, title="Their title").status_code == 303
    path = f"/desk/contests/{name}/settings"
    response = desk.send(f"{path}/save", page=path, **(mine | {"thanks": "My thanks"}))
    assert response.status_code == 409
    assert "changed the title" in told(response) or "title" in told(response)
    kept = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', response.text)
    kept += re.findall(r'<textarea [^>]*name="([^"]+)"[^>]*>\n([^<]*)<', response.text)
    again = {key: html.unescape(value) for key, value in kept}
    assert again["thanks"] == "My thanks"
    response = desk.editor.client.post(f"{path}/save", data=again, headers=ORIGIN)
    assert response.headers["location"].endswith("?done=saved")
    page = desk.editor.get(path).text
    assert "Their title" in page
    assert "My thanks</textarea>" in page


def test_files_by_role(desk):
    base = f"/desk/contests/{NAME}/export"
    for file in ("items.csv", "summary.csv", "votes.csv", "contest.jsonl.gz"):
        found = desk.editor.get(f"{base}/{file}")
        assert found.status_code == 200
        assert found.headers["content-disposition"] == f'attachment; filename="{NAME}-{file}"'
        allowed = file in ("items.csv", "summary.csv")
        assert desk.viewer.get(f"{base}/{file}").status_code == (200 if allowed else 403)
    assert desk.editor.get(f"{base}/secrets.csv").status_code == 404
    assert desk.editor.get(f"/desk/contests/{NAME}/certificate/0").status_code == 404


def test_share(desk):
    found = desk.viewer.get(f"/desk/contests/{NAME}/qr.svg")
    assert found.headers["content-type"] == "image/svg+xml"
    assert b"#fff" in found.content
    page = desk.viewer.get(f"/desk/contests/{NAME}/run").text
    assert f'value="http://127.0.0.1:8000/c/{NAME}"' in page
    assert f"/c/{NAME}&#34; title=" in page or f'/c/{NAME}" title=' in page
    poster = desk.viewer.get(f"/desk/contests/{NAME}/poster").text
    assert f"http://127.0.0.1:8000/c/{NAME}" in poster


def test_a_forecast_is_made_beside_everything_else(desk):
    query = "items=12&levels=0,1&delta=0.1&epsilon=0.3&top=1&algorithm=plaudit"
    address = f"/desk/forecast?{query}&raters_a_day=50&votes_a_rater=10"
    assert 'http-equiv="refresh"' in desk.viewer.get(address).text
    for _ in range(600):
        part = desk.viewer.get(address.replace("forecast?", "forecast/part?")).text
        if 'data-done="yes"' in part:
            break
        desk.viewer.client.get("/healthz")
        pause()
    assert re.search(r"About [\d,]+ votes: \d+ days? with 50 raters a day and 10 votes", part)
    assert 'class="wanted"' in part
    assert 'http-equiv="refresh"' not in desk.viewer.get(address).text
    # The second waits for the first, so it needs no place of its own.
    both = desk.viewer.get(f"{address}&algorithm=lil-klucb&share=0.75&share=0.25").text
    assert "<b>lil-klucb</b>, which gets 25 % of the votes" in both
    assert (both.count("Simulating contests"), both.count("Comes next")) == (1, 1)
    assert desk.viewer.get(f"{address}&algorithm=lil-klucb&share=1").status_code == 400
    refused = desk.viewer.get(f"{address}&goal=all-good")
    assert (refused.status_code, "no forecast" in refused.text) == (422, True)
    for wrong in ("items=1", "top=12", "levels=0", "algorithm=none", "delta=x", "epsilon=nan"):
        key = wrong.partition("=")[0]
        changed = re.sub(rf"\b{key}=[^&]*", wrong, address)
        assert desk.viewer.get(changed).status_code == 400


def pause():
    import threading

    threading.Event().wait(0.1)


def test_a_deleted_draft_is_in_no_list_and_nobody_else_sees_it(desk):
    name = desk.made(name="slip", title="A slip")
    response = desk.step(name, "run/step", step="delete")
    assert response.headers["location"] == "/desk?done=delete"
    home = desk.editor.get("/desk").text
    assert home.index("Deleted drafts") < home.index("A slip")
    assert "A slip" not in desk.editor.get("/").text
    page = desk.editor.get(f"/desk/contests/{name}/run").text
    assert "Bring it back" in page
    assert "Set the times" not in page
    desk.step(name, "run/step", step="undelete")
    assert "Start voting" in desk.editor.get(f"/desk/contests/{name}/run").text


def test_the_list_says_what_waits_and_how_long_is_left(desk):
    name = desk.made(name="flagged", title="Flagged one", closes="2036-12-01T09:00")
    desk.step(name, "run/step", step="open")
    flags = [
        Answer(Kind.FLAG, bytes([7]) * 16, item, 0, 0, desk.store.contest(name).created_at, 900)
        for item in (0, 1)
    ]
    desk.store.append_answers(name, flags)
    for _ in range(500):
        home = desk.editor.get("/desk").text
        if "flagged items wait for you" in home:
            break
    assert "2 flagged items wait for you" in home
    assert "years left" in home or "days left" in home
    mark_reviewed(desk.store, name, flags_of(0), position=99, by=Actor(1, "Ed", "editor"))
    assert "1 flagged item waits for you" in desk.editor.get("/desk").text
