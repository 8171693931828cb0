"""Attacks on the desk: forged forms, odd texts, and pages that one must not see."""

import asyncio
import itertools
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from starlette.datastructures import Headers
from starlette.testclient import TestClient

from plaudit.service.accounts.accounts import Accounts
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.contest.settings import Level
from plaudit.service.desk.desk import Desk
from plaudit.service.intake.contest_file import name_from_title
from plaudit.service.intake.contest_form import read_form
from plaudit.service.intake.fields import MOST_MARKS, clean, is_crowded
from plaudit.service.intake.filled_form import DEFAULTS
from plaudit.service.intake.item_box import MOST_ITEMS, items_of_upload, review_items
from plaudit.service.intake.mistakes import ContestFileError
from plaudit.service.intake.near_duplicates import groups
from plaudit.service.watch import new_contest_forecasts
from plaudit.store import open_store
from plaudit.store.contract import Item
from plaudit.store.log import Answer, Kind
from plaudit.store.sqlite.schema import connect
from plaudit.web import browser_sessions as door
from plaudit.web import form_body
from plaudit.web.app import Serving, make_app, routes
from plaudit.web.problem import Problem
from support.desk_site import Browser, welcomed
from support.live_worker import NAME, create, settings

CHEAP = Passwords(time_cost=1, memory_kib=8)
HERE = f"/desk/contests/{NAME}"
FILLED = {"contest": NAME, "token": "a" * 43, "number": "0", "number:small": "0",
          "number:item": "i1", "lane": "0",
          "file": "items.csv", "chart": "labels"}  # fmt: skip
# Forms for those who are not signed in, and those that every account may send.
OPEN = {
    "/desk/sign-in", "/desk/sign-in/provider",
    "/desk/welcome/{token}", "/desk/welcome/{token}/provider",
}  # fmt: skip
OWN = {
    "/desk/sign-out", "/desk/account/password", "/desk/account/sessions",
    "/desk/account/link", "/desk/account/unlink",
}  # fmt: skip
# More combining marks than can be sorted in reasonable time.
MARKS = 200_000 * "\u0301" + 200_000 * "\u0323"


def paths(method):
    found = [r for r in routes() if r.path.startswith("/desk") and method in (r.methods or ())]
    return [route.path for route in found]


def filled(path):
    for name, value in FILLED.items():
        path = path.replace(f"{{{name}}}", value)
    assert "{" not in path
    return path


CHANGES = [path for path in paths("POST") if path not in OPEN]


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """A store, and browsers of an owner, a viewer, and someone who is not signed in."""
    path = str(tmp_path_factory.mktemp("desk") / "desk.db")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(door, "Passwords", lambda: CHEAP)
        store = open_store(path)
        create(store, 6)
        store.append_answers(NAME, [Answer(Kind.VOTE, bytes(16), 1, 2, 0, 5, 900)])
        with TestClient(make_app(Serving(path, "x" * 40, hosts=("testserver",)))) as client:
            accounts = Accounts(store, CHEAP)
            owner = welcomed(client, accounts, "Owner", "owner")
            viewer = welcomed(client, accounts, "Vic", "viewer")
            yield store, owner, viewer, Browser(client)
        store.close()


def state_of(store):
    return store.heads(), store.deeds(), store.accounts(), store.keys(), store.invitations()


# Every form, whoever wrote it


@pytest.mark.parametrize("path", CHANGES)
def test_a_form_takes_a_role_and_its_token(people, path):
    store, owner, viewer, nobody = people
    before, address = state_of(store), filled(path)
    response = nobody.client.post(address, data={"form_token": "0" * 64})
    assert (response.status_code, response.headers["location"]) == (303, "/desk/sign-in")
    assert owner.client.post(address, data={"form_token": "0" * 64}).status_code == 403
    given = {"form_token": owner.token("/desk")}
    foreign = {"origin": "https://elsewhere.example"}
    assert owner.client.post(address, data=given, headers=foreign).status_code == 403
    if path not in OWN:
        assert viewer.send("/desk", address).status_code == 403
    assert state_of(store) == before


@pytest.mark.parametrize("path", [path for path in CHANGES if "{contest}" in path])
def test_no_form_changes_a_contest_without_saying_what_was_seen(people, path):
    store, owner, *_ = people
    before = store.contest(NAME)
    fields = {"text": "New", "items": "1 2", "item": "1", "rater": "0", "step": "close",
              "sure": "yes", "votes": "anew", "results": "private", "title": "New",
              "position": "1"}  # fmt: skip
    assert owner.send("/desk", filled(path), **fields).status_code < 500
    assert store.contest(NAME) == before


def test_looking_changes_nothing(people):
    store, owner, *_ = people
    before = state_of(store)
    for path in paths("GET"):
        assert owner.get(filled(path)).status_code < 500, path
    assert state_of(store) == before


def test_numbers_in_addresses_may_be_anything(people):
    _, owner, _, nobody = people
    for number in ("9" * 5_000, "9" * 10, "-1", "٣"):
        for path in (f"{HERE}/items/{number}", f"{HERE}/moderate/raters/{number}"):
            assert nobody.get(path).status_code in (303, 404)
            assert owner.get(path).status_code == 404


# Looking where one must not


def test_who_voted_what_is_for_editors(people):
    _, owner, viewer, _ = people
    for path in ("/moderate/raters/0", "/moderate/raters?rater=0", "/export/votes.csv"):
        assert owner.get(HERE + path).status_code == 200
        assert viewer.get(HERE + path).status_code == 403
    page = viewer.get(f"{HERE}/moderate")
    assert page.status_code == 200
    assert "/moderate/raters" not in page.text


def test_results_of_a_contest_that_has_not_begun_are_not_public(tmp_path):
    path, now = str(tmp_path / "draft.db"), 1_700_000_000_000
    store = open_store(path)
    items = [Item(number, f"caption {number}") for number in range(3)]
    Desk(store).create(NAME, settings(), items)
    Desk(store).create("early", settings(opens=4_000_000_000_000), items, opened=True)
    with TestClient(make_app(Serving(path, "x" * 40, hosts=("testserver",)))) as client:
        # A draft is invisible.
        for name, page, private in ((NAME, 404, 404), ("early", 200, 401)):
            assert client.get(f"/c/{name}").status_code == page
            assert client.get(f"/c/{name}/results").status_code == 404
            assert client.get(f"/api/v1/contests/{name}/results").status_code == private
        assert "/results" not in client.get("/").text
        live = client.app._app.state.site.worker.get("early")
        assert live.shows_results(4_000_000_000_000)
        # Once people have voted, a later opening time hides nothing.
        store.append_answers("early", [Answer(Kind.VOTE, bytes(16), 1, 2, 0, now, 900)])
        for _ in range(1000):
            if live.contest.begun:
                break
            client.get("/healthz")
        assert client.get("/c/early/results").status_code == 200
    store.close()


def test_erased_keys_and_origins_are_not_left_in_the_file(tmp_path):
    path, key, origin = tmp_path / "erase.db", b"the key 16 bytes", b"origin 8"
    store = open_store(str(path))
    create(store)
    others = [Answer(Kind.VOTE, n.to_bytes(16, "big"), 1, 2, 0, 5, 900) for n in range(1, 40)]
    mine = Answer(Kind.VOTE, key, 1, 2, 0, 5, 900, origin)
    store.append_answers(NAME, [*others, mine])
    store.close()
    assert key in path.read_bytes()
    # Some builds of SQLite overwrite what is deleted, others only if asked to.
    with closing(connect(path)) as connection:
        assert connection.execute("PRAGMA secure_delete").fetchone() == (1,)
    store = open_store(str(path))
    Desk(store).erase(NAME, key.hex())
    store.close()
    left = path.read_bytes()
    assert key not in left
    assert origin not in left


def test_a_forecast_is_told_no_secret(monkeypatch):
    monkeypatch.setenv("PLAUDIT_SERVING", "the secret")
    monkeypatch.setenv("PGPASSWORD", "the password")
    monkeypatch.setenv("PLAUDIT_DATA", "/data")
    seen = {}

    def start(command, **given):
        seen.update(given, command=command)
        raise OSError

    monkeypatch.setattr(new_contest_forecasts.subprocess, "Popen", start)
    made = new_contest_forecasts.NewContestForecasts()
    made.ask(new_contest_forecasts.ForecastInput(2, (0.0, 1.0), 0.1, 0.1, 1, "plaudit", 1), by=1)
    made._shared.close()
    assert seen["env"].keys() >= {"PATH", "PLAUDIT_DATA"}
    assert not {"PLAUDIT_SERVING", "PGPASSWORD"} & seen["env"].keys()
    # Nothing is imported from the folder that the service runs in.
    assert "-P" in seen["command"]


@pytest.mark.parametrize("levels", ["a,b", "0,2", "-1,1", "0,1e999", "0"])
def test_levels_that_are_none_start_no_process(people, monkeypatch, levels):
    _, owner, *_ = people
    query = "items=9&delta=0.1&epsilon=0.1&top=1&votes_a_rater=9&raters_a_day=9"
    monkeypatch.setattr(
        new_contest_forecasts.NewContestForecasts,
        "ask",
        lambda *given, **by: pytest.fail("it was asked for"),
    )
    assert owner.get(f"/desk/forecast?{query}&levels={levels}").status_code == 400


# Texts and forms that take for ever


def test_a_letter_with_many_marks_is_refused_before_they_are_put_in_order(monkeypatch):
    longest = itertools.count()
    sorting = unicodedata.normalize

    def normalize(form, text):
        assert len(text) < 1_000, next(longest)
        return sorting(form, text)

    monkeypatch.setattr(unicodedata, "normalize", normalize)
    assert is_crowded(MARKS)
    assert clean(f" e{MARKS}\r\n") == f"e{MARKS}"
    few = "e" + MOST_MARKS * "\u0301"
    assert not is_crowded(f"{few}{few}")
    assert clean(few) == sorting("NFC", few)
    review = review_items(f"fine\nZ{MARKS[-1500:]}\nZ{MARKS}")
    assert [mistake.line for mistake in review.mistakes] == [2, 3]
    assert "more than 60 accents" in review.mistakes[0].message
    assert groups([f"a{MARKS}", "b"]) == []
    assert name_from_title(f"Title{MARKS}") == "title"
    found = read_form(DEFAULTS | {"title": f"T{MARKS}", "thanks": f"T{MARKS[:9000]}"}, items=0,
                      is_there=lambda hash: True)  # fmt: skip
    assert found.keys() == {"title", "thanks"}


def test_millions_of_lines_are_not_kept(monkeypatch):
    kept = []
    monkeypatch.setattr(
        "plaudit.service.intake.item_box.clean", lambda text: kept.append(text) or text
    )
    text = "a\n" * 3 * MOST_ITEMS
    review = review_items(text)
    assert len(kept) == MOST_ITEMS + 1
    assert f"more than {MOST_ITEMS:,} items" in review.mistakes[0].message
    with pytest.raises(ContestFileError, match="more than 20,000 items"):
        items_of_upload("a.txt", text.encode())
    assert [item.text for item in review_items("a\r\nb\rc\n\nd").items] == ["a", "b", "c", "d"]
    assert review_items("a\r\nb\rc\n\nd").lines == [1, 2, 3, 5]


class Sent:
    """A form as the server gets it."""

    def __init__(self, kind, body):
        self.headers = Headers({"content-type": kind})
        self._body = body

    async def receive(self):
        return {"type": "http.request", "body": self._body, "more_body": False}


def read(kind, body):
    # On a thread of its own: a browser test before this one may have left a loop running here.
    with ThreadPoolExecutor(1) as thread:
        work = form_body.read_form(Sent(kind, body), 2**20, 100)
        return thread.submit(asyncio.run, work).result()


@pytest.mark.parametrize("charset", ["punycode", '"idna"', "utf-8"])
def test_a_form_names_no_way_to_decode_it(charset):
    body = b'--B\r\nContent-Disposition: form-data; name="a"\r\n\r\nbcher-kva\r\n--B--\r\n'
    assert read("multipart/form-data; boundary=B", body) == ([("a", "bcher-kva")], [])
    with pytest.raises(Problem):
        read(f"multipart/form-data; boundary=B; Charset={charset}", body)


@pytest.mark.parametrize(
    ("files", "fields", "status"), [(4, 100, None), (5, 9, 413), (4, 101, 400)]
)
def test_too_many_files_are_told_apart_from_too_many_fields(files, fields, status):
    part = b'--B\r\nContent-Disposition: form-data; name="a"%s\r\n\r\nx\r\n'
    body = fields * (part % b"") + files * (part % b'; filename="Too many files"') + b"--B--\r\n"
    if status is None:
        assert [len(found) for found in read("multipart/form-data; boundary=B", body)] == [100, 4]
        return
    with pytest.raises(Problem) as caught:
        read("multipart/form-data; boundary=B", body)
    assert caught.value.status == status


def test_a_large_form_is_decoded_away_from_the_event_loop(monkeypatch):
    on_the_loop = []
    known = form_body.parse_qsl

    def parse_qsl(*given, **named):
        on_the_loop.append(asyncio._get_running_loop() is not None)
        return known(*given, **named)

    monkeypatch.setattr(form_body, "parse_qsl", parse_qsl)
    kind = "application/x-www-form-urlencoded"
    assert read(kind, b"a=%41") == ([("a", "A")], [])
    assert read(kind, b"a=" + 40_000 * b"%41") == ([("a", 40_000 * "A")], [])
    assert on_the_loop == [True, False]
    with pytest.raises(Problem):
        read(kind, b"a=" + 40_000 * b"%ff")


def test_an_item_is_text_wherever_it_is_shown(tmp_path):
    """Items, labels and titles with signs that mean something in HTML, SVG and CSV."""
    evil = "=<script>x</script>\"'&"
    path = str(tmp_path / "evil.db")
    store = open_store(path)
    items = [Item(number, f"{evil}{number * '.'}") for number in range(3)]
    scale = (Level("no", 0.0), Level(evil, 1.0))
    Desk(store).create(NAME, settings(title=evil, scale=scale), items, opened=True)
    store.append_answers(NAME, [Answer(Kind.VOTE, bytes(16), 0, 1, 0, 5, 900),
                                Answer(Kind.FLAG, bytes(16), 1, 0, 0, 5, 900)])  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(door, "Passwords", lambda: CHEAP)
        with TestClient(make_app(Serving(path, "x" * 40, hosts=("testserver",)))) as client:
            accounts = Accounts(store, CHEAP)
            owner = welcomed(client, accounts, "Eve", "owner")
            for page in paths("GET"):
                if page not in OPEN:
                    text = owner.get(filled(page)).text
                    if ".csv" not in page and "/export/" not in page:
                        assert "<script>x" not in text, page
            for file in (
                "items.csv",
                "charts/leaders.csv",
                "charts/labels.csv",
                "export/items.csv",
                "export/votes.csv",
            ):
                cells = owner.get(f"{HERE}/{file}").text.replace('"', "").replace("\n", ",")
                assert not any(cell.startswith("=") for cell in cells.split(",")), file
    store.close()
