"""Raters who sign in through a real provider: one person is one rater, and nobody else gets in."""

import logging
import sqlite3
from urllib.parse import parse_qs, urlsplit

import pytest

from plaudit.errors import NotAllowed
from plaudit.service.accounts.api_keys import new_key
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.accounts.secret import Secret
from plaudit.service.contest.settings import SIGN_IN
from plaudit.service.desk.desk import Desk
from plaudit.service.door.rater_ids import SUBJECT
from plaudit.service.live.tickets import Signer
from plaudit.store import open_store
from plaudit.store.contract import Item
from plaudit.web import browser_sessions
from plaudit.web.app import Serving
from support.live_worker import settings
from support.provider.real import log_in, started
from support.provider.visitor import Visitor
from support.served_site import served
from support.service_process import free_port

SECRET = "x" * 40
CLOSED, OTHER, ANYBODY = "closed", "other", "anybody"


class Place:
    """A service with contests for those who sign in, and its provider."""

    def __init__(self, url, provider, store, path):
        self.url, self.provider, self.store, self.path = url, provider, store, path

    def visitor(self):
        return Visitor(self.url)

    def set_out(self, visitor, contest=CLOSED, query=""):
        answer = visitor.get(f"/c/{contest}/sign-in{query}")
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    def signed_in(self, who, contest=CLOSED):
        visitor = self.visitor()
        answer = visitor.get(log_in(self.set_out(visitor, contest), who))
        assert answer.headers["location"] == f"/c/{contest}?signed-in=1"
        return visitor


def token_of(visitor, contest=CLOSED):
    return visitor.http.cookies.get(f"plaudit-{contest}")


def ask(visitor, contest=CLOSED, **headers):
    return visitor.http.post(f"/api/v1/contests/{contest}/ask", json={"count": 3}, headers=headers)


def vote(visitor, contest=CLOSED, level=1):
    """Votes on the first item that is asked; returns its number."""
    shown = ask(visitor, contest).json()["items"][0]
    body = {"ticket": shown["ticket"], "level": level}
    answer = visitor.http.post(f"/api/v1/contests/{contest}/votes", json=body)
    assert answer.status_code == 200, answer.text
    return shown["item"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("door") / "door.db")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with pytest.MonkeyPatch.context() as patch, started(url) as provider:
        patch.setattr(browser_sessions, "Passwords", lambda: Passwords(time_cost=1, memory_kib=8))
        store = open_store(path)
        desk = Desk(store, signs_in=True)
        items = [Item(n, f"Item {n}") for n in range(40)]
        for name, door in ((CLOSED, SIGN_IN), (OTHER, SIGN_IN), (ANYBODY, "open")):
            desk.create(name, settings(door=door), items, opened=True)
        serving = Serving(path, SECRET, public_url=url, provider=provider.settings, address_rate="")
        with served(serving, port=port):
            yield Place(url, provider, store, path)
        store.close()


def test_nobody_gets_in_without_signing_in(place):
    visitor = place.visitor()
    for body in ({}, {"external": "ana"}, {"external": "ana", "signature": "0" * 64}):
        answer = visitor.http.post(f"/api/v1/contests/{CLOSED}/raters", json=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "sign_in_required")
    assert ask(visitor).json()["error"]["code"] == "sign_in_required"
    # Nor as a rater of another kind, whose token is otherwise good.
    signer = Signer(Secret(SECRET.encode()), CLOSED)
    for rater in (signer.new_rater(), signer.external_rater("ana")):
        answer = ask(visitor, **{"x-plaudit-rater": signer.token(rater)})
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "sign_in_required")


def test_one_person_is_one_rater_on_any_device(place):
    phone, laptop = place.signed_in("ana"), place.signed_in("ana")
    assert token_of(phone) == token_of(laptop)
    first = vote(phone)
    # The laptop goes on where the phone stopped: the same item does not come again.
    answer = ask(laptop).json()
    assert answer["answered"] == 1
    assert first not in [shown["item"] for shown in answer["items"]]
    ben = place.signed_in("ben")
    assert token_of(ben) != token_of(phone)
    assert ask(ben).json()["answered"] == 0


def test_the_rater_is_another_one_in_each_contest(place):
    here, there = place.signed_in("cleo", CLOSED), place.signed_in("cleo", OTHER)
    ids = [bytes.fromhex(token_of(here, CLOSED))[:16], bytes.fromhex(token_of(there, OTHER))[:16]]
    assert ids[0] != ids[1]
    assert {one[0] for one in ids} == {SUBJECT}
    # A token of one contest is nothing in another.
    answer = ask(there, CLOSED, **{"x-plaudit-rater": token_of(there, OTHER)})
    assert answer.status_code == 401


def test_nothing_of_the_token_is_kept_logged_or_shown(place, caplog):
    caplog.set_level(logging.DEBUG)
    visitor = place.signed_in("very-unusual-subject")
    vote(visitor)
    page = visitor.get(f"/c/{CLOSED}").text
    connection = sqlite3.connect(place.path)
    dump = "\n".join(connection.iterdump())
    connection.close()
    for text in ("very-unusual-subject", "example.org", "The name of"):
        assert text not in dump
        assert text not in page
        assert text not in caplog.text
    assert "eyJ" not in dump
    assert all(len(cookie.value) < 100 for cookie in visitor.http.cookies.jar)


def test_the_way_in_by_the_door_is_counted(place):
    vote(place.signed_in("counted"))
    assert set(place.store.raters_by_door(CLOSED)) == {6}


def test_a_state_or_code_of_somebody_else_makes_nobody_a_rater(place):
    attacker, victim = place.visitor(), place.visitor()
    back = log_in(place.set_out(attacker), "attacker")
    assert victim.get(back).status_code == 403
    state = parse_qs(urlsplit(place.set_out(victim)).query)["state"][0]
    code = parse_qs(urlsplit(back).query)["code"][0]
    query = {"state": state, "code": code, "iss": place.provider.issuer}
    answer = victim.get("/sign-in/return", params=query)
    assert answer.status_code == 403
    assert f'href="/c/{CLOSED}"' in answer.text
    assert token_of(victim) is None


def test_a_rater_has_not_signed_in_at_the_desk_and_the_other_way_round(place):
    """The errand says what for; a code of one kind is no use for the other."""
    visitor = place.signed_in("only-a-rater")
    assert visitor.session is None
    assert visitor.get("/desk").headers["location"].startswith("/desk/sign-in")


def test_a_contest_without_this_door_sends_nobody_away(place):
    answer = place.visitor().get(f"/c/{ANYBODY}/sign-in")
    assert answer.status_code == 404
    assert "does not ask you to sign in" in answer.text
    assert place.visitor().get("/c/none/sign-in").status_code == 404


def test_whoever_signs_out_leaves_the_browser_to_the_next(place):
    visitor = place.signed_in("first")
    one = token_of(visitor)
    for evil in ({"origin": "https://evil.example"}, {"origin": "null"}):
        for site in ({}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}):
            answer = visitor.http.post(f"/c/{CLOSED}/sign-out", headers=evil | site)
            assert answer.status_code == 403
    assert token_of(visitor) == one
    answer = visitor.http.post(f"/c/{CLOSED}/sign-out", headers={"origin": place.url})
    assert answer.headers["location"] == f"/c/{CLOSED}?someone-else=1"
    assert token_of(visitor) is None
    assert visitor.get(f"/c/{CLOSED}/sign-out").status_code == 405
    address = place.set_out(visitor, query="?someone-else=1")
    assert parse_qs(urlsplit(address).query)["prompt"] == ["login"]
    visitor.get(log_in(address, "second"))
    assert token_of(visitor) not in (None, one)


def test_at_another_address_one_is_sent_to_the_public_one(place):
    port = place.url.rpartition(":")[2]
    answer = Visitor(f"http://localhost:{port}").get(f"/c/{CLOSED}/sign-in")
    assert answer.headers["location"] == f"{place.url}/c/{CLOSED}/sign-in"
    assert "set-cookie" not in answer.headers


def test_a_key_that_brings_raters_still_does(place):
    """Whoever runs the contest may let a program bring raters, at any door."""
    key = new_key(place.store, "panel", ("raters",))
    given = {"authorization": f"Bearer {key}"}
    answer = place.visitor().http.post(
        f"/api/v1/contests/{CLOSED}/raters", json={"external": "x"}, headers=given
    )
    assert answer.status_code == 200


def test_a_service_without_a_provider_has_no_such_door(tmp_path):
    path = str(tmp_path / "door.db")
    store = open_store(path)
    items = [Item(n, f"Item {n}") for n in range(6)]
    with pytest.raises(NotAllowed, match="connected to no provider"):
        Desk(store).create(CLOSED, settings(door=SIGN_IN), items, opened=True)
    # One that had a provider once says so.
    Desk(store, signs_in=True).create(CLOSED, settings(door=SIGN_IN), items, opened=True)
    with served(Serving(path, SECRET)) as url:
        visitor = Visitor(url)
        answer = visitor.get(f"/c/{CLOSED}/sign-in")
        assert answer.status_code == 404
        assert "not connected to a provider" in answer.text
        assert visitor.get("/sign-in/return?code=x&state=y").status_code == 404
        assert "Sign in with" not in visitor.get("/desk/sign-in").text
    store.close()
