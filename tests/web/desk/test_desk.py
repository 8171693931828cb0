"""The desk over HTTP: links, signing in, forms, roles, cookies, and what attackers try."""

import re

import pytest
from starlette.testclient import TestClient

from plaudit.errors import InvalidInput
from plaudit.service.accounts.accounts import Accounts
from plaudit.service.accounts.api_keys import key_hash
from plaudit.service.accounts.lockout import FREE
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.accounts.roles import COMMAND_LINE
from plaudit.service.contest.settings import check_name
from plaudit.store import open_store
from plaudit.store.people import ApiKey
from plaudit.web import browser_sessions as door
from plaudit.web.app import Serving, make_app
from plaudit.web.desk.requests.request import safe_next
from plaudit.web.gate import _loggable
from support.desk_site import (
    ORIGIN,
    PASSWORD,
    SECRET,
    Browser,
    welcomed,
)
from support.live_worker import NAME, create

OTHER = "quite another password"
PAGES = ("/desk", "/desk/people", "/desk/keys", "/desk/account")
# Every step that changes something, with the least role for it.
STEPS = {
    "/desk/sign-out": "viewer",
    "/desk/account/password": "viewer",
    "/desk/account/sessions": "viewer",
    "/desk/people/invite": "owner",
    "/desk/people/reset": "owner",
    "/desk/people/role": "owner",
    "/desk/people/remove": "owner",
    "/desk/people/cancel": "owner",
    "/desk/keys/make": "owner",
    "/desk/keys/drop": "owner",
}


@pytest.fixture
def database(tmp_path):
    path = str(tmp_path / "desk.db")
    store = open_store(path)
    create(store)
    store.close()
    return path


@pytest.fixture
def store(database):
    store = open_store(database)
    yield store
    store.close()


@pytest.fixture
def accounts(store):
    return Accounts(store, Passwords(time_cost=1, memory_kib=8))


@pytest.fixture
def app(database):
    return make_app(Serving(database, SECRET, hosts=("testserver",)))


@pytest.fixture
def site(app):
    with TestClient(app, follow_redirects=False) as client:
        yield client


@pytest.fixture(autouse=True)
def cheap(monkeypatch):
    monkeypatch.setattr(door, "Passwords", lambda: Passwords(time_cost=1, memory_kib=8))


@pytest.fixture
def ana(site, accounts):
    return welcomed(site, accounts, "Ana", "owner")


@pytest.fixture
def bob(site, accounts, ana):
    return welcomed(site, accounts, "Bob", "editor")


@pytest.fixture
def vic(site, accounts, ana):
    return welcomed(site, accounts, "Vic", "viewer")


# Links


def test_the_first_link_leads_to_the_desk(site, accounts, store):
    token = accounts.first_link()
    ana = Browser(site)
    # A preview in a chat program opens the link too: that does not use it up.
    for _ in range(3):
        assert "first account" in ana.get(f"/desk/welcome/{token}").text
    assert ana.welcome(token, "Ana").headers["location"] == "/desk"
    assert store.account("ana").role == "owner"
    home = ana.get("/desk")
    assert home.status_code == 200
    assert f'href="/c/{NAME}"' in home.text
    assert 'aria-current="page">Contests' in home.text


def test_a_link_works_once(site, accounts, ana):
    token = accounts.invite(COMMAND_LINE, "owner")
    first, second = Browser(site), Browser(site)
    form_token = second.token(f"/desk/welcome/{token}")
    assert first.welcome(token, "Eve").status_code == 303
    fields = {"form_token": form_token, "name": "Mallory", "password": PASSWORD, "again": PASSWORD}
    late = second.client.post(f"/desk/welcome/{token}", data=fields, headers=ORIGIN)
    assert late.status_code == 410
    assert second.session is None
    assert second.get(f"/desk/welcome/{token}").status_code == 410


@pytest.mark.parametrize("token", ["x", "0" * 43, "%00", "é", "a" * 3000])
def test_links_that_never_were(site, token):
    response = site.get(f"/desk/welcome/{token}")
    assert response.status_code == 410
    assert "Ask for a new link" in response.text


def test_a_link_that_is_too_old(site, accounts, store, ana):
    found = accounts.link(token := accounts.invite(COMMAND_LINE, "owner"))
    from plaudit.store.people import Deed

    store.drop_invitation(found.hash, deed=Deed(0, "", ""))
    store.put_invitation(found._replace(expires_at=1), deed=Deed(0, "", ""))
    assert Browser(site).get(f"/desk/welcome/{token}").status_code == 410


def test_mistakes_are_told_at_their_fields(site, accounts, store):
    token = accounts.first_link()
    path, browser = f"/desk/welcome/{token}", Browser(site)
    for fields, wrong in (
        ({"name": "", "password": PASSWORD, "again": PASSWORD}, "name"),
        ({"name": "Ana", "password": "short", "again": "short"}, "password"),
        ({"name": "Ana", "password": PASSWORD, "again": OTHER}, "again"),
    ):
        response = browser.send(path, **fields)
        assert response.status_code == 422
        assert f'id="{wrong}-wrong"' in response.text
        described = re.search(rf'<input id="{wrong}"[^>]*>', response.text)[0]
        assert 'aria-invalid="true"' in described
        assert f"{wrong}-wrong" in described
        assert PASSWORD not in response.text
    assert store.accounts() == []
    assert browser.welcome(token, "Ana").status_code == 303


def test_a_name_that_is_taken(site, accounts, ana):
    token = accounts.invite(COMMAND_LINE, "viewer")
    response = Browser(site).welcome(token, "aNA")
    assert response.status_code == 422
    assert 'id="name-wrong"' in response.text


def test_a_link_to_a_new_password(site, accounts, ana, bob, store):
    page = ana.send("/desk/people", "/desk/people/reset", account=store.account("bob").number)
    link = re.search(r"http://127\.0\.0\.1:8000/desk/welcome/([\w-]+)", page.text)
    old = bob.session
    assert bob.get("/desk").status_code == 200
    other = Browser(site)
    assert "Bob" in other.get(f"/desk/welcome/{link[1]}").text
    assert other.welcome(link[1], password=OTHER).status_code == 303
    assert bob.session == old
    assert bob.get("/desk").status_code == 303
    assert Browser(site).sign_in("bob", OTHER).status_code == 303


# Signing in


def test_signing_in_and_out(site, ana):
    browser = Browser(site)
    assert browser.get("/desk").headers["location"] == "/desk/sign-in?next=/desk"
    assert browser.sign_in("  aNa ").headers["location"] == "/desk"
    assert browser.get("/desk").status_code == 200
    token = browser.session
    out = browser.send("/desk", "/desk/sign-out")
    assert out.headers["location"] == "/desk/sign-in?done=signed-out"
    assert browser.session is None
    # The session is over, not only its cookie.
    browser.client.cookies.set("plaudit_desk", token)
    assert browser.get("/desk").status_code == 303
    assert ana.get("/desk").status_code == 200


def test_a_session_is_new_with_each_sign_in(site, ana):
    browser = Browser(site)
    browser.client.cookies.set("plaudit_desk", "planted", domain="testserver.local", path="/")
    browser.sign_in("ana")
    first = browser.session
    assert first != "planted"
    # Signed in again in the same browser, the first session is over.
    token = browser.token("/desk")
    browser.client.post(
        "/desk/sign-in",
        data={"form_token": token, "name": "ana", "password": PASSWORD},
        headers=ORIGIN,
    )
    assert browser.session not in ("planted", first)
    thief = Browser(site)
    for stolen in ("planted", first):
        thief.client.cookies.set("plaudit_desk", stolen)
        assert thief.get("/desk").status_code == 303


def test_a_wrong_name_and_a_wrong_password_look_the_same(site, ana):
    answers = [Browser(site).sign_in(name, OTHER) for name in ("ana", "eve")]
    assert [answer.status_code for answer in answers] == [401, 401]
    texts = [re.sub(r'value="[^"]*"', "", answer.text).replace(OTHER, "") for answer in answers]
    assert texts[0] == texts[1]
    assert "The name or the password is wrong." in texts[0]
    assert sorted(answers[0].headers) == sorted(answers[1].headers)


def test_guessing_is_slowed_down(site, ana):
    browser = Browser(site)
    codes = [browser.sign_in("ana", OTHER).status_code for _ in range(FREE["name"] + 1)]
    assert codes == [401] * FREE["name"] + [429]
    response = browser.sign_in("ana")
    assert response.status_code == 429
    assert 1 <= int(response.headers["retry-after"]) <= 5
    assert "Too many attempts" in response.text
    # Guesses of strangers do not lock out a browser that she used before.
    ana.send("/desk", "/desk/sign-out")
    assert ana.sign_in("ana").status_code == 303


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example",
        "https://evil.example/desk",
        "/\\evil.example",
        "/desk//evil.example",
        "/desk/../c/x",
        "/desk\r\nset-cookie: a=b",
        "javascript:alert(1)",
        "/desk@evil.example",
        "/deskevil",
        "",
    ],
)
def test_signing_in_leads_nowhere_else(site, ana, path):
    assert safe_next(path) == "/desk"
    browser = Browser(site)
    assert browser.sign_in("ana", next=path).headers["location"] == "/desk"
    assert browser.get("/desk/sign-in", params={"next": path}).headers["location"] == "/desk"


def test_signing_in_leads_on(site, ana):
    browser = Browser(site)
    assert browser.get("/desk/people").headers["location"] == "/desk/sign-in?next=/desk/people"
    assert browser.sign_in("ana", next="/desk/people").headers["location"] == "/desk/people"


def test_without_an_account_the_page_says_how(site):
    assert "plaudit account link" in site.get("/desk/sign-in").text


# Forms


@pytest.mark.parametrize("step", STEPS)
def test_a_form_needs_its_token(site, ana, bob, store, step):
    before = (store.accounts(), store.invitations(), store.deeds(), list(store.keys()))
    number = str(store.account("bob").number)
    fields = {"account": number, "role": "owner", "name": "bot", "scopes": "read"}
    fields |= {"old": PASSWORD, "password": OTHER, "again": OTHER}
    stolen = bob.token("/desk")
    for token in ({}, {"form_token": ""}, {"form_token": "0" * 48}, {"form_token": stolen}):
        response = ana.client.post(step, data=fields | token, headers=ORIGIN)
        assert response.status_code == 403, step
        assert "out of date" in response.text
    right = {"form_token": ana.token("/desk")}
    for origin in (
        "https://evil.example",
        "null",
        "http://testserver.evil.example",
        "http://testserver:81",
    ):
        response = ana.client.post(step, data=fields | right, headers={"origin": origin})
        assert response.status_code == 403, step
        assert "another site" in response.text
    assert before == (store.accounts(), store.invitations(), store.deeds(), list(store.keys()))
    assert ana.get("/desk").status_code == 200


def test_signing_in_needs_a_token_too(site, ana):
    fields = {"name": "ana", "password": PASSWORD}
    browser = Browser(site)
    assert browser.client.post("/desk/sign-in", data=fields, headers=ORIGIN).status_code == 403
    # Somebody else's form, planted without its cookie.
    token = Browser(site).token("/desk/sign-in")
    planted = browser.client.post(
        "/desk/sign-in", data=fields | {"form_token": token}, headers=ORIGIN
    )
    assert planted.status_code == 403
    assert browser.session is None


def test_a_token_ends_with_its_session(site, ana):
    token = ana.token("/desk")
    ana.send("/desk", "/desk/sign-out")
    ana.sign_in("ana")
    stale = ana.client.post("/desk/people/invite", data={"form_token": token}, headers=ORIGIN)
    assert stale.status_code == 403


def test_forms_of_other_shapes_are_refused(site, ana):
    token = ana.token("/desk")
    path = "/desk/people/invite"
    for given in (
        {"json": {"form_token": token, "role": "owner"}},
        {"content": f"form_token={token}&role=owner", "headers": {"content-type": "text/plain"}},
        {"data": {"form_token": token, **{f"f{n}": "" for n in range(100)}}},
        {
            "content": b"form_token=\xff",
            "headers": {"content-type": "application/x-www-form-urlencoded"},
        },
        {
            "content": b"form_token=%ff",
            "headers": {"content-type": "application/x-www-form-urlencoded"},
        },
    ):
        assert ana.client.post(path, **given).status_code == 400
    large = ana.client.post(path, data={"form_token": token, "role": "x" * 20_000})
    assert large.status_code == 413
    for step in STEPS:
        assert ana.get(step).status_code == 405


# Roles


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_no_role_can_raise_itself(site, accounts, ana, store, role):
    eve = welcomed(site, accounts, "Eve", role)
    number = str(store.account("eve").number)
    before = (store.accounts(), store.invitations(), store.deeds(), list(store.keys()))
    for step, wanted in STEPS.items():
        if wanted == "owner":
            response = eve.send(
                "/desk", step, account=number, role="owner", name="bot", scopes="manage"
            )
            assert response.status_code == 403, step
            assert "Ask an owner" in response.text
    for path in ("/desk/people", "/desk/keys"):
        assert eve.get(path).status_code == 403
    assert before == (store.accounts(), store.invitations(), store.deeds(), list(store.keys()))
    home = eve.get("/desk").text
    assert "/desk/people" not in home
    assert "/desk/keys" not in home


def test_strangers_are_sent_to_the_door(site, ana, store):
    before = store.deeds()
    for path in PAGES:
        assert Browser(site).get(path).headers["location"].startswith("/desk/sign-in?next=")
    for step in STEPS:
        sent = Browser(site).client.post(step, data={"role": "owner"}, headers=ORIGIN)
        assert (sent.status_code, sent.headers["location"]) == (303, "/desk/sign-in")
    assert store.deeds() == before


def test_an_owner_invites_and_takes_back(site, ana, store):
    page = ana.send("/desk/people", "/desk/people/invite", role="viewer")
    assert page.status_code == 200
    token = re.search(r"/desk/welcome/([\w-]+)", page.text)[1]
    # It is shown once, and the database does not have it.
    again = ana.get("/desk/people").text
    assert token not in again
    hash = re.search(r'name="link" value="([0-9a-f]{64})"', again)[1]
    taken = ana.send("/desk/people", "/desk/people/cancel", link=hash)
    assert taken.headers["location"] == "/desk/people?done=cancelled"
    assert Browser(site).get(f"/desk/welcome/{token}").status_code == 410
    assert ana.send("/desk/people", "/desk/people/cancel", link=hash).status_code == 409
    assert ana.send("/desk/people", "/desk/people/invite", role="king").status_code == 422
    assert "invited a new viewer" in again


def test_roles_and_removal_hold_at_once(site, ana, bob, store):
    number = str(store.account("bob").number)
    ana.send("/desk/people", "/desk/people/role", account=number, role="owner")
    assert bob.get("/desk/people").status_code == 200
    ana.send("/desk/people", "/desk/people/role", account=number, role="viewer")
    assert bob.get("/desk/people").status_code == 403
    done = ana.send("/desk/people", "/desk/people/remove", account=number)
    assert done.headers["location"] == "/desk/people?done=removed"
    assert bob.get("/desk").status_code == 303
    gone = ana.send("/desk/people", "/desk/people/remove", account=number)
    assert gone.status_code == 409
    assert "removed" in gone.text


def test_the_last_owner_stays(site, ana, bob, store):
    number = str(store.account("ana").number)
    for step in ("role", "remove"):
        response = ana.send("/desk/people", f"/desk/people/{step}", account=number, role="viewer")
        assert response.status_code == 409
        assert "last owner" in response.text
    assert store.account("ana").role == "owner"


def test_names_are_text(site, accounts, ana):
    for name in ("O'Neil", "Zoë"):
        welcomed(site, accounts, name, "viewer")
    page = ana.get("/desk/people").text
    assert "O&#39;Neil" in page
    assert "Zoë" in page
    assert "<script>" not in page


# Keys


def test_a_key_is_shown_once_and_works(site, ana, store):
    fields = {"name": " news  room ", "scopes": ["read", "export"]}
    page = ana.send("/desk/keys", "/desk/keys/make", **fields)
    text = re.search(r">(plaudit_[\w-]+)</textarea>", page.text)[1]
    assert text not in ana.get("/desk/keys").text
    kept = store.keys()
    assert [(key.name, key.scopes) for key in kept] == [("news room", ("read", "export"))]
    assert kept[0].hash == key_hash(text)
    key = {"authorization": f"Bearer {text}"}
    assert site.get("/api/v1/contests", headers=key).status_code == 200
    done = ana.send("/desk/keys", "/desk/keys/drop", key="news room")
    assert done.headers["location"] == "/desk/keys?done=revoked"
    assert store.keys() == []
    assert ana.send("/desk/keys", "/desk/keys/drop", key="news room").status_code == 400


def test_mistakes_with_keys(site, ana, store):
    store.put_key(ApiKey("bot", b"", ("read",), 0))
    for fields, wrong in (
        ({"name": "bot", "scopes": "read"}, "name-wrong"),
        ({"name": "", "scopes": "read"}, "name-wrong"),
        ({"name": "new"}, "scopes-wrong"),
        ({"name": "new", "scopes": "everything"}, "scopes-wrong"),
    ):
        response = ana.send("/desk/keys", "/desk/keys/make", **fields)
        assert response.status_code == 422
        assert f'id="{wrong}"' in response.text
    assert len(store.keys()) == 1


# One's account


def test_a_new_password(site, ana):
    other = Browser(site)
    other.sign_in("ana")
    before = ana.session
    fields = {"old": PASSWORD, "password": OTHER, "again": OTHER}
    path, action = "/desk/account", "/desk/account/password"
    for wrong, field in (
        ({"old": OTHER}, "old"),
        ({"password": "short", "again": "short"}, "password"),
        ({"again": "x"}, "again"),
    ):
        response = ana.send(path, action, **fields | wrong)
        assert response.status_code == 422
        assert f'id="{field}-wrong"' in response.text
    assert other.get("/desk").status_code == 200
    done = ana.send(path, action, **fields)
    assert done.headers["location"] == "/desk/account?done=password"
    assert other.get("/desk").status_code == 303
    assert ana.session != before
    assert "Your password was changed" in ana.get(done.headers["location"]).text
    assert Browser(site).sign_in("ana").status_code == 401
    assert Browser(site).sign_in("ana", OTHER).status_code == 303


def test_sessions_are_listed_and_ended(site, ana, bob):
    others = [Browser(site) for _ in range(3)]
    for other in others:
        other.client.headers["user-agent"] = "Firefox on Linux"
        other.sign_in("ana")
    page = ana.get("/desk/account").text
    assert page.count("Firefox on Linux</b>") == 3
    assert page.count("(this browser)") == 1
    ids = re.findall(r'name="session" value="([0-9a-f]{64})"', page)
    assert len(ids) == 3
    ana.send("/desk/account", "/desk/account/sessions", session=ids[0])
    assert sum(other.get("/desk").status_code == 200 for other in others) == 2
    # Nobody ends a session of another one.
    bob.send("/desk/account", "/desk/account/sessions", session=ids[1])
    bob.send("/desk/account", "/desk/account/sessions")
    assert sum(other.get("/desk").status_code == 200 for other in others) == 2
    ana.send("/desk/account", "/desk/account/sessions")
    assert sum(other.get("/desk").status_code == 200 for other in others) == 0
    assert ana.get("/desk").status_code == 200


# Headers and cookies


def test_what_a_page_asks_by_itself_keeps_no_session_alive(site, ana, store, monkeypatch):
    monkeypatch.setattr("plaudit.service.accounts.sessions.NOTED_MS", 0)
    account = next(one for one in store.accounts() if one.name == "Ana")
    (session,) = store.sessions(account.number)
    query = "items=9&delta=0.1&epsilon=0.9&top=1&raters_a_day=1&votes_a_rater=1&levels=0"
    for path in (f"/desk/contests/{NAME}/board", f"/desk/forecast/part?{query}"):
        assert ana.get(path).status_code in (200, 400)
        assert store.sessions(account.number) == [session], path
    ana.get("/desk")
    assert store.sessions(account.number)[0].seen_at > session.seen_at


# Only scripts from the service's own files may run.
FOREIGN_SCRIPT = r'<script(?! type="module" src="/static/[a-z]+/[a-z-]+\.js"></script>)'


def test_pages_of_the_desk_are_kept_nowhere(site, ana):
    for path in (*PAGES, "/desk/sign-in", "/desk/welcome/x"):
        headers = ana.get(path).headers
        assert headers["cache-control"] == "no-store", path
        policies = headers.get_list("referrer-policy")
        assert policies in (["same-origin"], ["no-referrer"]), path
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
    for path in PAGES:
        text = ana.get(path).text
        assert not re.search(FOREIGN_SCRIPT + r"|<style|\sstyle=|\son\w+=", text)
        assert ana.get(path).headers["referrer-policy"] == "same-origin"
    assert site.get("/").headers["referrer-policy"] == "no-referrer"


def test_cookies_over_http(site, ana):
    browser = Browser(site)
    form = browser.get("/desk/sign-in").headers.get_list("set-cookie")
    given = form + browser.sign_in("ana").headers.get_list("set-cookie")
    assert [cookie.partition("=")[0] for cookie in given] == [
        "plaudit_form",
        "plaudit_desk",
        "plaudit_device",
    ]
    for cookie in given:
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert "Path=/" in cookie
        assert "Domain" not in cookie
        assert "Secure" not in cookie


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_cookies_behind_https(database, accounts, scheme):
    """With and without a proxy that says so."""
    serving = Serving(database, SECRET, public_url="https://vote.example.org")
    with TestClient(make_app(serving), follow_redirects=False) as site:
        browser = Browser(site, base=f"{scheme}://vote.example.org")
        browser.base = "https://vote.example.org"
        path = f"/desk/welcome/{accounts.first_link()}"
        page = browser.get(path)
        cookies = page.headers.get_list("set-cookie")
        token = re.search(r'name="form_token" value="([0-9a-f]+)"', page.text)[1]
        # A client that sees http keeps Secure cookies to itself; a proxy's browser does not.
        form = cookies[0].partition(";")[0]
        response = browser.client.post(
            path,
            data={"form_token": token, "name": "Ana", "password": PASSWORD, "again": PASSWORD},
            headers={"origin": browser.base, "cookie": form},
        )
        assert response.status_code == 303
        cookies += response.headers.get_list("set-cookie")
        assert len(cookies) == 3
        for cookie in cookies:
            assert cookie.startswith("__Host-plaudit_")
            assert "Secure" in cookie
            assert "Path=/" in cookie
            assert "Domain" not in cookie
        session = next(c for c in cookies if "plaudit_desk=" in c).partition(";")[0]
        assert browser.get("/desk", headers={"cookie": session}).status_code == 200
        # A cookie without the prefix may have been set by somebody else.
        plain = session.removeprefix("__Host-")
        assert browser.get("/desk", headers={"cookie": plain}).status_code == 303


def test_raters_never_meet_sessions(site, ana, monkeypatch):
    def asked(*_):
        raise AssertionError("the rater's path looked at sessions")

    monkeypatch.setattr(site.app._app.state.browsers.sessions, "find", asked)
    monkeypatch.setattr(site.app._app.state.browsers.store, "session", asked)
    cookie = {"cookie": f"plaudit_desk={ana.session}"}
    rater = site.post(f"/api/v1/contests/{NAME}/raters", json={}, headers=cookie).json()["rater"]
    headers = cookie | {"x-plaudit-rater": rater}
    asked_for = site.post(f"/api/v1/contests/{NAME}/ask", json={"count": 1}, headers=headers)
    ticket = asked_for.json()["items"][0]["ticket"]
    vote = {"ticket": ticket, "level": 1}
    assert (
        site.post(f"/api/v1/contests/{NAME}/votes", json=vote, headers=headers).status_code == 200
    )
    for path in ("/", f"/c/{NAME}", f"/c/{NAME}/results"):
        assert site.get(path, headers=cookie).status_code == 200


@pytest.mark.parametrize("name", [door.SESSION, door.DEVICE, door.FORM])
def test_no_contest_has_a_cookie_of_the_desk(name):
    with pytest.raises(InvalidInput):
        check_name(name.removeprefix("plaudit-"))
    assert not name.startswith("plaudit-")


def test_a_session_is_no_key_for_the_api(site, ana):
    cookie = {"cookie": f"plaudit_desk={ana.session}"}
    assert site.get("/api/v1/contests", headers=cookie).status_code == 401


def test_links_are_not_logged():
    assert _loggable("/desk/welcome/secret") == "/desk/welcome/"
    assert _loggable("/desk/people") == "/desk/people"
