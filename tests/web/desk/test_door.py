"""The door at the desk, over HTTP: codes, the list, the key of links, the sheet and figures."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from plaudit.service.accounts.accounts import Accounts
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.accounts.secret import Secret
from plaudit.service.contest.replay import load_state
from plaudit.service.desk.desk import Desk
from plaudit.service.door.doorkeeper import Doorkeeper
from plaudit.store import Store, open_store
from plaudit.store.doors import Refusals
from plaudit.store.log import Answer, Kind
from plaudit.web import browser_sessions as sessions
from plaudit.web.app import Serving, make_app
from support.desk_site import SECRET, Browser, welcomed
from support.live_worker import NAME, START, create

DOOR = f"/desk/contests/{NAME}/door"
CHEAP = {"time_cost": 1, "memory_kib": 8}
KEEPER = Doorkeeper(Secret(SECRET.encode()), NAME)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(str(tmp_path / "desk.db"))
    create(store, 4)
    yield store
    store.close()


@pytest.fixture
def people(tmp_path: Path, store: Store) -> Iterator[list[Browser]]:
    """An owner and a viewer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sessions, "Passwords", lambda: Passwords(**CHEAP))
        app = make_app(Serving(str(tmp_path / "desk.db"), SECRET, hosts=("testserver",)))
        with TestClient(app, follow_redirects=False) as site:
            accounts = Accounts(store, Passwords(**CHEAP))
            yield [welcomed(site, accounts, *who) for who in (("Ana", "owner"), ("Vic", "viewer"))]


def epoch(browser: Browser) -> str:
    found = re.search(r'name="epoch" value="([0-9]+)"', browser.get(DOOR).text)
    assert found
    return found[1]


def send(browser: Browser, path: str, **fields: object) -> str:
    """Sends a form; where it leads, or the page that says what is wrong."""
    answer = browser.send(DOOR, f"{DOOR}/{path}", epoch=epoch(browser), **fields)
    return str(answer.headers.get("location") or answer.text)


def voted(store: Store, code: int) -> None:
    key = KEEPER.ids.coded_rater(code).key
    store.append_answers(NAME, [Answer(Kind.VOTE, key, 0, 1, 0, START, 900, b"", 3)])


def test_codes_are_made_downloaded_printed_and_revoked(people: list[Browser], store: Store) -> None:
    ana = people[0]
    assert send(ana, "make", count="5") == f"{DOOR}?done=codes-made"
    page = ana.get(DOOR).text
    texts = [KEEPER.codes.text(number) for number in range(1, 6)]
    assert all(text in page for text in texts)
    voted(store, 2)
    rows = list(csv.DictReader(io.StringIO(ana.get(f"{DOOR}/codes.csv").text)))
    assert [row["code"] for row in rows] == texts
    assert [row["state"] for row in rows] == ["unused", "used", *["unused"] * 3]
    assert rows[0]["link"].endswith(f"/c/{NAME}?code={texts[0]}")
    assert send(ana, "codes", step="revoke", code=["2", "4"]) == f"{DOOR}?done=codes-revoked"
    sheet = ana.get(f"{DOOR}/sheet").text
    assert sheet.count("<svg") == 3
    assert texts[0] in sheet
    assert texts[1] not in sheet
    page = ana.get(DOOR).text
    assert "Code 2 is revoked, but was used before" in page
    assert "4 is revoked, but" not in page
    assert send(ana, "codes", step="exclude", code="2") == f"{DOOR}?done=excluded"
    state = load_state(store, NAME)
    assert (state.excluded, state.grounds, state.revoked_codes) == ({0}, {0: "door"}, {2, 4})
    assert "is revoked, but was used before" not in ana.get(DOOR).text
    assert send(ana, "codes", step="reinstate", code="4") == f"{DOOR}?done=codes-reinstated"
    assert load_state(store, NAME).revoked_codes == {2}


def test_viewers_see_figures_and_no_codes(people: list[Browser], store: Store) -> None:
    ana, vic = people
    send(ana, "make", count="2")
    store.append_answers(NAME, [Answer(Kind.VOTE, b"a" * 16, 0, 1, 0, START, 900, b"", 1)])
    store.add_refusals([Refusals(NAME, 20_000, "code_unknown", 1_234)])
    page = vic.get(DOOR).text
    assert "the open door" in page
    assert "a wrong code" in page
    assert "1,234" in page
    key = KEEPER.link_keys.key(0)
    for secret in (KEEPER.codes.text(1), key, "Make codes", "Change the key"):
        assert secret not in page
    assert key in ana.get(DOOR).text
    for path in ("codes.csv", "sheet"):
        assert vic.get(f"{DOOR}/{path}").status_code == 403
    for path in ("make", "codes", "list", "link-key"):
        assert vic.send(DOOR, f"{DOOR}/{path}", count="1").status_code == 403
    assert load_state(store, NAME).codes == 2


def test_the_list_is_typed_or_uploaded(people: list[Browser], store: Store) -> None:
    ana = people[0]
    assert send(ana, "list", step="add", ids="S-1\nS-2\n") == f"{DOOR}?done=listed"
    file = {"file": ("class.csv", "id,name\nS-3,Jos\u00e9\nS-1,Ann\n".encode(), "text/csv")}
    fields = {"form_token": ana.token(DOOR), "epoch": epoch(ana), "step": "add", "ids": ""}
    origin = {"origin": ana.base}
    answer = ana.client.post(f"{DOOR}/list", data=fields, files=file, headers=origin)
    assert answer.headers["location"] == f"{DOOR}?done=listed"
    wanted = {*KEEPER.guest_list.hashes(["S-1", "S-2", "S-3"])}
    assert load_state(store, NAME).listed == wanted
    assert "The list has 3 ids." in ana.get(DOOR).text
    assert send(ana, "list", step="remove", ids="S-2") == f"{DOOR}?done=unlisted"
    assert load_state(store, NAME).listed == wanted - {*KEEPER.guest_list.hashes(["S-2"])}
    assert "Type the ids" in send(ana, "list", step="add", ids="  \n")
    assert "Nothing to change" in send(ana, "list", step="remove", ids="S-9")
    wrong = {"file": ("x.txt", b"\xff\xfe", "text/plain")}
    fields |= {"form_token": ana.token(DOOR), "epoch": epoch(ana)}
    said = ana.client.post(f"{DOOR}/list", data=fields, files=wrong, headers=origin)
    assert "not UTF-8" in said.text
    assert "S-1" not in "".join(entry.payload for entry in store.events(NAME))


def test_the_key_of_links_is_changed(people: list[Browser], store: Store) -> None:
    ana = people[0]
    assert KEEPER.link_keys.key(0) in ana.get(DOOR).text
    assert send(ana, "link-key") == f"{DOOR}?done=link-key"
    page = ana.get(DOOR).text
    assert KEEPER.link_keys.key(1) in page
    assert KEEPER.link_keys.key(0) not in page


def test_what_is_wrong_is_said(people: list[Browser], store: Store) -> None:
    ana = people[0]
    assert "make 1 to 100,000" in send(ana, "make", count="0")
    assert "make 1 to 100,000" in send(ana, "make", count="1e9")
    assert "There are no codes yet" in send(ana, "codes", step="revoke", code="1")
    send(ana, "make", count="1")
    assert "No code was named" in send(ana, "codes", step="revoke")
    assert "No rater was named" in send(ana, "codes", step="exclude", code="1")
    stale = ana.send(DOOR, f"{DOOR}/make", epoch="1", count="3")
    assert stale.status_code == 409
    Desk(store).step(NAME, "close")
    Desk(store).step(NAME, "retire")
    assert load_state(store, NAME).codes == 1


def test_a_code_is_found_by_its_text_and_pages_follow(people: list[Browser]) -> None:
    ana = people[0]
    send(ana, "make", count="250")
    first = ana.get(DOOR).text
    assert KEEPER.codes.text(100) in first
    assert KEEPER.codes.text(101) not in first
    found = ana.get(DOOR, params={"from": KEEPER.codes.text(240).lower()}).text
    assert KEEPER.codes.text(240) in found
    assert KEEPER.codes.text(239) not in found
    for odd in ("", "nonsense", "999999", "-1", "\u0665"):
        assert ana.get(DOOR, params={"from": odd}).status_code == 200


def test_no_door_by_signing_in_without_a_provider(people: list[Browser], store: Store) -> None:
    ana = people[0]
    place = f"/desk/contests/{NAME}/settings"
    page = ana.get(place).text
    for form in (page, ana.get("/desk/new").text):
        assert 'name="door" value="codes"' in form
        assert 'name="door" value="sign-in"' not in form, "what cannot be saved is not offered"
        assert "--sign-in-issuer" in form, "it says how to get it"
    seen = re.search(r'name="epoch" value="([0-9]+)"', page)
    assert seen
    answer = ana.send(place, f"{place}/save", epoch=seen[1], title="T", door="sign-in")
    assert answer.status_code in (409, 422)
    assert "connected to no provider" in answer.text
    assert Desk(store).history(NAME).settings.door == "open"
