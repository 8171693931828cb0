"""Items, adding items and the trail at the desk, over HTTP; two editors at once."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from plaudit.service.accounts.accounts import Accounts
from plaudit.service.accounts.api_keys import new_key
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.accounts.roles import COMMAND_LINE
from plaudit.service.accounts.secret import Secret
from plaudit.service.contest.replay import load_state
from plaudit.service.desk.desk import Desk
from plaudit.service.desk.trail import trail_of
from plaudit.service.live.tickets import Signer
from plaudit.store import Store, open_store
from plaudit.store.contract import Item
from plaudit.store.log import Answer, Kind
from plaudit.web import browser_sessions as door
from plaudit.web.app import Serving, make_app
from plaudit.web.rendering import shown
from support.images import GIF, PNG
from support.live_worker import NAME, create, settings

SECRET = "a secret for the tests of steps at the desk"
PASSWORD = "four words put together"
BASE = f"/desk/contests/{NAME}"
CHEAP = {"time_cost": 1, "memory_kib": 8}


class Visitor:
    """Someone who is signed in at the desk, and sends forms from their pages."""

    def __init__(self, site: TestClient, store: Store, name: str, role: str) -> None:
        self.client = TestClient(site.app, follow_redirects=False)
        # One event loop as in a real service: what waits for a step is woken by it.
        self.client.portal = site.portal
        token = Accounts(store, Passwords(**CHEAP)).invite(COMMAND_LINE, role)
        given = {"name": name, "password": PASSWORD, "again": PASSWORD}
        assert self.send(f"/desk/welcome/{token}", **given).status_code == 303

    def get(self, path: str) -> httpx2.Response:
        return self.client.get(path)

    def send(self, page: str, action: str = "", **fields: str) -> httpx2.Response:
        """Sends a form of a page with what the page put into it."""
        text = self.get(page).text
        own = dict(re.findall(r'name="(form_token|epoch)" value="([0-9a-f]+)"', text))
        return self.post(action or page, **own | fields)

    def post(self, path: str, **fields: str) -> httpx2.Response:
        return self.client.post(path, data=fields, headers={"origin": "http://testserver"})


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("steps") / "desk.db"


@pytest.fixture(scope="module")
def store(path: Path) -> Iterator[Store]:
    store = open_store(str(path))
    create(store, 8)
    voted = [Answer(Kind.VOTE, bytes([n]) * 16, n % 4, n % 3, 0, 5, 9) for n in range(24)]
    store.append_answers(NAME, voted)
    yield store
    store.close()


@pytest.fixture(scope="module")
def site(path: Path, store: Store) -> Iterator[TestClient]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(door, "Passwords", lambda: Passwords(**CHEAP))
        app = make_app(Serving(str(path), SECRET, hosts=("testserver",)))
        with TestClient(app, follow_redirects=False) as client:
            yield client


@pytest.fixture(scope="module")
def ana(site: TestClient, store: Store) -> Visitor:
    return Visitor(site, store, "Ana", "owner")


@pytest.fixture(scope="module")
def bob(site: TestClient, store: Store, ana: Visitor) -> Visitor:
    return Visitor(site, store, "Bob", "editor")


@pytest.fixture(scope="module")
def victor(site: TestClient, store: Store, ana: Visitor) -> Visitor:
    return Visitor(site, store, "Victor", "viewer")


def last(store: Store) -> tuple[str, str]:
    step = trail_of(store, NAME).steps[0]
    return step.who, str(step.what)


def test_an_item_shows_how_it_stands(ana: Visitor) -> None:
    page = ana.get(f"{BASE}/items/1").text
    assert "caption 1" in page
    assert 'aria-current="true">Contests' in page
    assert re.search(r"Funny</th><td class=\"number\">2</td>", page)
    assert "undecided: may still win" in page
    assert "created the contest" not in page.split("How it stands")[0]
    assert ana.get(f"{BASE}/items/99").status_code == 404
    assert ana.get(f"{BASE}/items/-1").status_code == 404


def test_an_edit_with_votes_has_to_say_what_becomes_of_them(ana: Visitor, store: Store) -> None:
    page = f"{BASE}/items/0"
    before = store.contest(NAME)
    refused = ana.send(page, f"{page}/edit", text="caption <b>nought")
    assert refused.status_code == 422
    assert "Choose what happens to its votes" in refused.text
    assert "caption &lt;b&gt;nought</textarea>" in refused.text
    assert store.contest(NAME) == before
    done = ana.send(page, f"{page}/edit", text="caption <b>nought", votes="keep")
    assert done.headers["location"] == f"{BASE}/items/i9?done=edited"
    assert last(store) == ("Ana", "corrected item i1, now item i9, with its votes")
    shown = ana.get(f"{BASE}/items/i9?done=edited").text
    assert "caption &lt;b&gt;nought" in shown
    assert ">item i1</a>" in shown
    old = ana.get(page).text
    assert "Item i9</a> replaced it" in old
    assert ana.send(page, f"{page}/restore").status_code == 409


def test_an_edit_that_starts_anew_and_a_mistake(ana: Visitor, store: Store) -> None:
    page = f"{BASE}/items/1"
    empty = ana.send(page, f"{page}/edit", text="  ", votes="anew")
    assert (empty.status_code, "empty" in empty.text) == (422, True)
    same = ana.send(page, f"{page}/edit", text="caption 1", votes="anew")
    assert "says this already" in same.text
    ana.send(page, f"{page}/edit", text="another joke", votes="anew")
    assert "starts anew" in last(store)[1]
    assert "Nobody has voted on it yet" in ana.get(f"{BASE}/items/9").text


def test_withdraw_and_bring_back(ana: Visitor, store: Store) -> None:
    page = f"{BASE}/items/2"
    assert (
        ana.send(page, f"{page}/withdraw").headers["location"] == f"{BASE}/items/i3?done=withdrawn"
    )
    shown = ana.get(f"{page}?done=withdrawn").text
    assert "Withdrawn" in shown
    assert "Bring back item i3" in shown
    ana.send(page, f"{page}/restore")
    assert last(store) == ("Ana", "brought back item i3")


def test_items_are_added_from_the_box(ana: Visitor, store: Store) -> None:
    page = f"{BASE}/items/add"
    assert ana.send(page, items="  \n ").status_code == 422
    wrong = ana.send(page, items="fine\n" + "x" * 2_500)
    assert wrong.status_code == 422
    assert "Line 2" in wrong.text
    assert "fine" in wrong.text
    repeated = ana.send(page, items="new one\ncaption  3\nNEW one\nnew two")
    assert repeated.status_code == 200
    assert "Line 2 repeats item i4" in repeated.text
    assert "Line 3 repeats line 1" in repeated.text
    before = len(store.items(NAME))
    done = ana.send(page, items="new one\ncaption  3\nNEW one\nnew two", repeats="leave")
    assert done.headers["location"] == f"{BASE}/items?done=added"
    assert [item.text for item in store.items(NAME, first=before)] == ["new one", "new two"]


def test_items_are_added_from_a_file(ana: Visitor, store: Store) -> None:
    page = f"{BASE}/items/add"
    own = dict(re.findall(r'name="(form_token|epoch)" value="([0-9a-f]+)"', ana.get(page).text))

    def send(body: bytes, **more: str) -> httpx2.Response:
        files = {"items_file": ("new.csv", body, "text/csv")}
        origin = {"origin": "http://testserver"}
        return ana.client.post(page, data=own | more, files=files, headers=origin)

    assert "new.csv" in send(b"nothing,here\n1,2\n").text
    assert send(b"text\nfrom a file\n").status_code == 303
    assert store.items(NAME)[-1].text == "from a file"
    # With an old epoch, the page that sends them again has the items of the file.
    moved = send(b"text\nlate one\nlate two\n", items="typed")
    assert moved.status_code == 409
    assert "late one\nlate two</textarea>" in moved.text
    assert "added item" in moved.text


def send_files(who: Visitor, page: str, action: str, files: Any, **fields: Any) -> httpx2.Response:
    own = dict(re.findall(r'name="(form_token|epoch)" value="([0-9a-f]+)"', who.get(page).text))
    origin = {"origin": "http://testserver"}
    return who.client.post(action, data=own | fields, files=files, headers=origin)


def test_an_edit_of_a_picture_is_seen_before_it_is_done_and_undone(
    ana: Visitor, store: Store
) -> None:
    page = f"{BASE}/items/3"
    before = store.contest(NAME)
    seen = send_files(
        ana, page, f"{page}/edit", {"drawing": ("new.png", PNG)}, text="caption 3", votes="keep"
    )
    assert seen.status_code == 200
    assert "<h3>Before and after</h3>" in seen.text
    assert '<b id="drawn-name" dir="auto">new.png</b>' in seen.text
    assert 'value="keep" required checked' in seen.text
    assert store.contest(NAME) == before
    image = re.search(r'name="image" value="(\w{64})"', seen.text)
    assert image is not None
    wrong = send_files(ana, page, f"{page}/edit", {"drawing": ("new.png", b"?")}, text="x")
    assert (wrong.status_code, "not a picture" in wrong.text) == (422, True)
    done = ana.send(page, f"{page}/edit", text="caption 3", image=image[1], votes="keep")
    new = int(done.headers["location"].partition("?")[0].rpartition("/i")[2]) - 1
    assert store.items(NAME)[new] == (new, "caption 3", image[1])
    shown = ana.get(f"{BASE}/items/{new}").text
    assert f'src="/assets/{image[1]}" alt="The picture of item i{new + 1}"' in shown
    assert "Before: item i4" in shown
    # With its picture alone it is another item: the same text is no reason to refuse it.
    ana.send(
        f"{BASE}/items/{new}", f"{BASE}/items/{new}/edit", text="", image=image[1], votes="anew"
    )
    for number in (new + 1, new):
        what = "replaced" if number > new else "corrected"
        position = next(
            step.position for step in trail_of(store, NAME).steps if what in str(step.what)
        )
        ana.send(f"{BASE}/trail", f"{BASE}/trail/undo", position=str(position))
    assert "In the contest" in ana.get(page).text
    contest = load_state(store, NAME)
    assert {new, new + 1} <= contest.withdrawn
    assert 3 not in contest.withdrawn


def test_pictures_are_added_and_those_that_are_there_are_named(ana: Visitor, store: Store) -> None:
    page = f"{BASE}/items/add"
    files = [("pictures", ("cat.gif", GIF)), ("pictures", ("new.png", PNG))]
    seen = send_files(ana, page, page, files, items="")
    assert seen.status_code == 200
    assert "2 pictures were uploaded" in seen.text
    rows = re.findall(r'name="picture" value="([^"]*)"', seen.text)
    first = len(store.items(NAME))
    given: Any = {"picture": rows, "picture_text": ["Cat", "Dog"], "items": ""}
    assert ana.send(page, **given).status_code == 303
    assert [item.text for item in store.items(NAME, first=first)] == ["Cat", "Dog"]
    again = ana.send(page, **given | {"items": "Bird"})
    assert f"Picture 1 (cat.gif) repeats item i{first + 1}" in again.text
    done = ana.send(page, **given | {"items": "Bird", "repeats": "leave"})
    assert done.status_code == 303
    assert [item.text for item in store.items(NAME, first=first + 2)] == ["Bird"]
    stale = ana.send(page, **given | {"items": "Late", "repeats": "keep", "epoch": "1"})
    assert stale.status_code == 409
    assert stale.text.count('name="picture" value="') == 2
    assert 'name="picture_text" value="Dog"' in stale.text
    for path in ("items", f"items/{first}", "moderate"):
        assert "/assets/" in ana.get(f"{BASE}/{path}").text or path == "moderate"


def test_what_another_did_meanwhile_is_shown_and_nothing_is_lost(
    ana: Visitor, bob: Visitor, store: Store
) -> None:
    page = f"{BASE}/items/i4"
    seen = dict(re.findall(r'name="(form_token|epoch)" value="([0-9a-f]+)"', bob.get(page).text))
    ana.send(f"{BASE}/items/4", f"{BASE}/items/4/withdraw")
    before = store.contest(NAME)
    moved = bob.post(f"{page}/edit", **seen, text='quoth "he"', votes="keep")
    assert moved.status_code == 409
    assert store.contest(NAME) == before
    assert '<b dir="auto">Ana</b> <span dir="auto">withdrew item i5</span>' in moved.text
    assert "quoth &#34;he&#34;</textarea>" in moved.text
    kept = dict(re.findall(r'name="(\w+)" value="([^"]*)"', moved.text))
    assert kept["votes"] == "keep"
    assert int(kept["epoch"]) == before.epoch
    assert f'action="{page}/edit"' in moved.text
    sent = {name: kept[name] for name in ("form_token", "epoch", "votes")}
    again = bob.post(f"{page}/edit", **sent, text='quoth "he"')
    assert again.status_code == 303
    assert store.items(NAME)[-1].text == 'quoth "he"'
    assert last(store)[0] == "Bob"


def undo_of(page: str, what: str) -> dict[str, str]:
    """The fields of the button that undoes a step."""
    (form,) = [
        form for form in re.findall(r"<form.*?</form>", page, re.DOTALL) if f': {what}"' in form
    ]
    return dict(re.findall(r'name="(\w+)" value="([0-9a-f]+)"', form))


def test_the_trail_tells_who_did_what_and_undoes_it(bob: Visitor, store: Store) -> None:
    page = bob.get(f"{BASE}/trail").text
    assert "24 answers of raters" in page
    assert "Cannot be undone: This step created the contest." in page
    # The store has the number of the log, from 0; the page shows it from 1.
    fields = undo_of(page, "withdrew item i5")
    done = bob.post(f"{BASE}/trail/undo", **fields)
    assert done.headers["location"] == f"{BASE}/trail?done=undone"
    assert last(store) == ("Bob", f"undid step {fields['position']}: withdrew item i5")
    assert "Bring back" not in bob.get(f"{BASE}/items/4").text
    # The epoch is old; with the current one, the step cannot be undone twice.
    assert bob.post(f"{BASE}/trail/undo", **fields).status_code == 409
    now = undo_of(bob.get(f"{BASE}/trail").text, shown(trail_of(store, NAME).steps[0].what))
    twice = bob.post(f"{BASE}/trail/undo", **fields | {"epoch": now["epoch"]})
    assert (twice.status_code, "undone already" in twice.text) == (409, True)
    assert bob.get(f"{BASE}/trail?page=99").status_code == 200


def test_a_viewer_sees_all_and_changes_nothing(victor: Visitor, store: Store) -> None:
    before = store.contest(NAME)
    token = dict(re.findall(r'name="(form_token)" value="([0-9a-f]+)"', victor.get("/desk").text))
    for path in ("items/3", "trail"):
        page = victor.get(f"{BASE}/{path}")
        assert page.status_code == 200
        assert 'name="epoch"' not in page.text
    assert victor.get(f"{BASE}/items/add").status_code == 403
    steps: dict[str, Any] = {
        "items/add": {"items": "x"},
        "items/3/edit": {"text": "x", "votes": "keep"},
        "items/3/withdraw": {},
        "items/3/restore": {},
        "trail/undo": {"position": "3"},
    }
    for path, fields in steps.items():
        sent = victor.post(f"{BASE}/{path}", **token, epoch=str(before.epoch), **fields)
        assert sent.status_code == 403, path
    assert store.contest(NAME) == before


def test_a_strangers_form_changes_nothing(ana: Visitor, store: Store) -> None:
    before = store.contest(NAME)
    for path in ("items/add", "items/3/edit", "items/3/withdraw", "trail/undo"):
        sent = ana.post(f"{BASE}/{path}", epoch=str(before.epoch), items="x", position="3")
        assert sent.status_code == 403
    assert store.contest(NAME) == before


def test_steps_by_an_api_key_bear_its_name(site: TestClient, store: Store) -> None:
    key = new_key(store, "newsroom", ("moderate", "manage"))
    told = {"authorization": f"Bearer {key}"}
    path = f"/api/v1/contests/{NAME}"
    assert site.post(f"{path}/withdraw", json={"items": [5]}, headers=told).status_code == 200
    assert last(store) == ("API key newsroom", "withdrew item i6")
    assert site.post(f"{path}/step", json={"step": "pause"}, headers=told).status_code == 200
    assert last(store) == ("API key newsroom", "paused the contest")
    Desk(store).step(NAME, "open")
    assert last(store) == ("the command line", "started the contest")


def test_a_raters_first_answer_brings_an_origin(site: TestClient, store: Store) -> None:
    path = f"/api/v1/contests/{NAME}"
    token = site.post(f"{path}/raters", json={"external": None}).json()["rater"]
    headers = {"x-plaudit-rater": token}
    while site.get(path).json()["state"] != "open":
        pass
    for _ in range(2):
        asked = site.post(f"{path}/ask", json={"count": 1}, headers=headers).json()
        given = {"ticket": asked["items"][0]["ticket"], "level": 1}
        assert site.post(f"{path}/votes", json=given, headers=headers).status_code == 200
    *_, newest = store.raters(NAME)
    signer = Signer(Secret(SECRET.encode()), NAME)
    assert newest.origin == signer.origin("testclient")
    assert len(newest.origin) == 8
    assert signer.origin("192.0.2.7") != signer.origin("192.0.2.8")


def strangers_view(site: TestClient, name: str, **more: Any) -> list[tuple[int, str]]:
    """The answers of all addresses of a contest that need no key."""
    api, ticket = f"/api/v1/contests/{name}", {"ticket": "x"}
    signer = Signer(Secret(SECRET.encode()), name)
    token = {"x-plaudit-rater": signer.token(signer.new_rater())}
    answers = [
        *(site.get(path, **more) for path in (api, f"{api}/results", f"/c/{name}")),
        site.get(f"/c/{name}/results", **more),
        site.post(f"{api}/raters", json={}, **more),
        *(site.post(f"{api}/ask", json={}, headers=each) for each in ({}, token)),
        *(site.post(f"{api}/{each}", json=ticket, headers=token) for each in ("skips", "flags")),
        site.post(f"{api}/votes", json=ticket | {"level": 1}, headers=token),
    ]
    return [(answer.status_code, answer.text.replace(name, "NAME")) for answer in answers]


def test_a_draft_is_there_for_the_desk_alone(
    site: TestClient, store: Store, victor: Visitor
) -> None:
    texts = [Item(number, f"secret {number}") for number in range(3)]
    Desk(store).create("plan-b", settings(title="Plan B"), texts)
    site.cookies.clear()
    while victor.get("/api/v1/contests/plan-b").status_code != 200:
        pass
    assert strangers_view(site, "plan-b") == strangers_view(site, "no-such")
    assert {status for status, _ in strangers_view(site, "plan-b")} == {404}
    # Who is signed in sees what raters will; a key does, unless it is for raters alone.
    assert victor.get("/api/v1/contests/plan-b").json()["title"] == "Plan B"
    assert "Plan B" in victor.get("/c/plan-b").text
    for scope, status in (("manage", 200), ("read", 200), ("export", 200), ("raters", 404)):
        told = {"authorization": f"Bearer {new_key(store, scope, (scope,))}"}
        for _ in range(400):
            # Keys are read every two seconds.
            site.app._app.state.site._keys = (0.0, [])  # type: ignore[attr-defined]
            if (found := site.get("/api/v1/contests/plan-b", headers=told).status_code) == status:
                break
        assert found == status, scope
    wrong = {"authorization": "Bearer plaudit_wrong"}
    assert strangers_view(site, "plan-b", headers=wrong)[0][0] == 404
    Desk(store).step("plan-b", "open")
    while site.get("/api/v1/contests/plan-b").status_code != 200:
        pass
    assert strangers_view(site, "plan-b")[:5] != strangers_view(site, "no-such")[:5]


def test_a_retired_contest_shows_no_forms(ana: Visitor, store: Store) -> None:
    desk = Desk(store)
    for step in ("close", "retire"):
        desk.step(NAME, step)
    for _ in range(200):
        page = ana.get(f"{BASE}/items/3").text
        if "is retired" in page:
            break
    assert "is retired" in page
    assert 'name="epoch"' not in page
    assert "is retired" in ana.get(f"{BASE}/items/add").text
    assert "Add items" not in ana.get(f"{BASE}/items").text
    payload = json.loads(store.events(NAME)[-1].payload)
    assert payload == {"state": "retired"}
    assert undo_of(ana.get(f"{BASE}/trail").text, "retired the contest")
