"""The routes, in process, for raters, programs and attackers."""

import asyncio
import csv
import io
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from plaudit.client import Client, ServiceError
from plaudit.service.accounts.api_keys import SCOPES, key_hash
from plaudit.service.accounts.secret import Secret
from plaudit.service.desk.desk import Desk
from plaudit.service.live.tickets import Signer
from plaudit.store import open_store
from plaudit.store.log import Answer, Kind
from plaudit.store.people import ApiKey
from plaudit.web import endpoint
from plaudit.web.app import ENDPOINTS, Serving, make_app
from plaudit.web.problem import Problem
from plaudit.web.wire.running import Done
from support.live_worker import NAME, create

SECRET = "a secret for the tests of the web part"
API = f"/api/v1/contests/{NAME}"
KEY = "plaudit_test_key"
ALL = {"authorization": f"Bearer {KEY}"}


@pytest.fixture
def database(tmp_path):
    path = str(tmp_path / "web.db")
    store = open_store(path)
    create(store)
    store.put_key(ApiKey("all", key_hash(KEY), SCOPES, 0))
    store.put_key(ApiKey("reader", key_hash("plaudit_reader"), ("read",), 0))
    store.close()
    return path


@pytest.fixture
def site(database):
    app = make_app(Serving(database, SECRET, hosts=("testserver",)))
    with TestClient(app) as client:
        yield client


def rater_of(site, **body):
    token = site.post(f"{API}/raters", json=body).json()["rater"]
    site.cookies.clear()
    return {"x-plaudit-rater": token}


def ask(site, rater, count=1, **body):
    return site.post(f"{API}/ask", json={"count": count, **body}, headers=rater)


def vote(site, rater, ticket, level=2):
    body = {"ticket": ticket, "level": level, "response_ms": 700}
    return site.post(f"{API}/votes", json=body, headers=rater)


def code_of(response):
    body = response.json()
    assert body.keys() == {"error"}
    assert body["error"].keys() == {"code", "message"}
    return response.status_code, body["error"]["code"]


def entries(database):
    store = open_store(database)
    found = store.entries(NAME)
    store.close()
    return found


def test_a_rater_asks_and_votes(site, database):
    rater = rater_of(site)
    asked = ask(site, rater, 3).json()
    assert len(asked["items"]) == 3
    assert (asked["answered"], asked["of"], asked["end"]) == (0, None, None)
    first = asked["items"][0]
    answer = vote(site, rater, first["ticket"])
    assert answer.json() == {
        "item": first["item"], "id": first["id"], "level": 2, "answered": 1,
        "receipt": answer.json()["receipt"],
    }  # fmt: skip
    assert answer.json()["receipt"].startswith(f"{NAME}:")
    again = vote(site, rater, first["ticket"], 0).json()
    assert again == answer.json(), "alone in its group, it has the same receipt"
    last = entries(database)[-1]
    assert (last.item, last.level, last.response_ms) == (first["item"], 2, last.response_ms)
    assert len(entries(database)) == 3


def test_the_cookie_is_enough_and_stays(site):
    first = site.post(f"{API}/raters", json={})
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    again = site.post(f"{API}/raters", json={})
    assert again.json() == first.json()
    assert site.post(f"{API}/ask", json={}).status_code == 200


def test_cookies_in_frames_on_safe_lines(tmp_path):
    path = str(tmp_path / "framed.db")
    store = open_store(path)
    create(store, embed=("https://example.org",))
    store.close()
    app = make_app(Serving(path, SECRET, hosts=("testserver",)))
    with TestClient(app, base_url="https://testserver") as site:
        cookie = site.post(f"{API}/raters", json={}).headers["set-cookie"]
        assert "SameSite=None; Partitioned; Secure" in cookie
        page = site.get(f"/c/{NAME}")
        policy = page.headers["content-security-policy"]
        assert policy.endswith("frame-ancestors 'self' https://example.org")
        assert "strict-transport-security" in page.headers


def test_external_ids_name_the_same_rater(site):
    one, two = rater_of(site, external="panel-1"), rater_of(site, external="panel-1")
    assert one == two
    assert one != rater_of(site, external="panel-2")


def test_skip_and_flag(site, database):
    rater = rater_of(site)
    first, second = ask(site, rater, 2).json()["items"]
    skipped = site.post(f"{API}/skips", json={"ticket": first["ticket"]}, headers=rater)
    assert skipped.json()["receipt"]
    assert skipped.json() | {"receipt": ""} == {
        "item": first["item"], "id": first["id"], "level": None, "answered": 0, "receipt": ""
    }  # fmt: skip
    body = {"ticket": second["ticket"], "reason": "duplicate"}
    flagged = site.post(f"{API}/flags", json=body, headers=rater)
    assert flagged.json()["answered"] == 0
    assert [entry.kind for entry in entries(database)[2:]] == [2, 3]
    assert entries(database)[-1].level == 1


BAD_BODIES = [
    b"",
    b"{",
    b"null",
    b"[]",
    b"3",
    b'"text"',
    b"{}",
    b'{"ticket": 5, "level": 1}',
    b'{"ticket": "x", "level": "1"}',
    b'{"ticket": "x", "level": 1.5}',
    b'{"ticket": "x", "level": -1}',
    b'{"ticket": "x", "level": 64}',
    b'{"ticket": "x", "level": true}',
    b'{"ticket": "x", "level": 1e400}',
    b'{"ticket": "x", "level": 1, "more": 2}',
    b'{"ticket": "", "level": 1}',
    b'{"ticket": "' + b"a" * 100 + b'", "level": 1}',
    b'{"ticket": "\xff\xfe", "level": 1}',
    b'{"ticket": "x", "level": 1, "response_ms": -5}',
    b'{"ticket": "x", "level": 1, "response_ms": 99999999999}',
    b"\x00\x01\x02",
    b"[" * 5000,
]


@pytest.mark.parametrize("body", BAD_BODIES, ids=range(len(BAD_BODIES)))
def test_bad_bodies_change_nothing(site, database, body):
    rater = rater_of(site)
    before = entries(database)
    response = site.post(f"{API}/votes", content=body, headers=rater)
    assert code_of(response)[0] == 400
    assert code_of(response)[1] in ("bad_json", "bad_request", "bad_ticket")
    assert entries(database) == before


def test_huge_bodies_are_refused(site, database):
    rater = rater_of(site)
    body = b'{"ticket": "' + b"x" * 70_000 + b'"}'
    assert code_of(site.post(f"{API}/votes", content=body, headers=rater)) == (413, "too_large")
    chunks = (b"x" * 10_000 for _ in range(20))
    assert code_of(site.post(f"{API}/votes", content=chunks, headers=rater)) == (413, "too_large")
    assert len(entries(database)) == 2


def test_bodies_that_never_arrive_are_given_up(monkeypatch):
    monkeypatch.setattr(endpoint, "LONGEST_SECONDS", 0.05)

    async def receive():
        await asyncio.sleep(60)

    # In a thread of its own: a browser's event loop may be running in this one.
    with ThreadPoolExecutor(1) as thread, pytest.raises(Problem, match="too long") as refused:
        thread.submit(asyncio.run, endpoint.read_body(receive, 0)).result()
    assert (refused.value.status, refused.value.code) == (408, "too_slow")


def test_head_is_answered_like_get(site):
    assert site.head(API).status_code == 200
    assert site.head("/").status_code == 200


def test_foreign_and_made_up_tickets(site, database):
    ann, bob = rater_of(site), rater_of(site)
    ticket = ask(site, ann).json()["items"][0]["ticket"]
    assert code_of(vote(site, bob, ticket)) == (400, "bad_ticket")
    other = Signer(Secret(b"another secret, 32 characters long"), NAME)
    stranger = other.new_rater()
    headers = {"x-plaudit-rater": other.token(stranger)}
    assert code_of(ask(site, headers)) == (401, "rater_required")
    assert code_of(ask(site, {"x-plaudit-rater": "00" * 32})) == (401, "rater_required")
    assert code_of(ask(site, {})) == (401, "rater_required")
    assert len(entries(database)) == 2


def test_unknown_contests_and_addresses(site):
    assert code_of(site.get("/api/v1/contests/nothing")) == (404, "unknown_contest")
    assert code_of(site.post("/api/v1/contests/nothing/raters", json={}))[1] == "unknown_contest"
    assert code_of(site.get("/api/v1/nothing")) == (404, "not_found")
    assert code_of(site.put(f"{API}/votes")) == (405, "method_not_allowed")
    page = site.get("/c/nothing")
    assert page.status_code == 404
    assert "text/html" in page.headers["content-type"]
    for path in (
        "/static/desk/../../app.py",
        "/static/desk/%2e%2e/desk_steps.py",
        "/assets/nothing",
        "/static/no.js",
    ):
        assert site.get(path).status_code == 404, path


def test_only_named_hosts_are_answered(site):
    response = site.get("/", headers={"host": "evil.example"})
    assert code_of(response) == (421, "unknown_host")


def test_every_answer_has_the_headers_that_protect(site):
    for path in ("/", f"/c/{NAME}", f"/c/{NAME}/results", "/docs", API, "/healthz", "/nothing"):
        headers = site.get(path).headers
        assert headers["x-content-type-options"] == "nosniff", path
        assert headers["referrer-policy"] == "no-referrer", path
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'"), path
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy


def test_pages_need_nothing_from_elsewhere_and_no_inline_code(site):
    for path in ("/", f"/c/{NAME}", f"/c/{NAME}/results", "/docs", "/c/nothing"):
        page = site.get(path)
        assert page.status_code == (404 if "nothing" in path else 200)
        # The API's page shows commands, which name the service.
        text = re.sub(r"(?s)<pre.*?</pre>", "", page.text)
        assert not re.search(r"https?://(?!www\.w3\.org)", text), path
        assert not re.search(r"<script(?![^>]*\ssrc=)", text), path
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", text), path


def test_texts_are_escaped(tmp_path):
    path = str(tmp_path / "escaped.db")
    store = open_store(path)
    create(store, title="<script>alert(1)</script>")
    store.close()
    with TestClient(make_app(Serving(path, SECRET, hosts=("testserver",)))) as site:
        for page in ("/", f"/c/{NAME}", f"/c/{NAME}/results"):
            text = site.get(page).text
            assert "<script>alert" not in text
            assert "&lt;script&gt;alert(1)" in text


def test_rates(database):
    serving = Serving(
        database, SECRET, hosts=("testserver",), rater_rate="5/hour", address_rate="3/hour"
    )
    with TestClient(make_app(serving)) as site:
        raters = [rater_of(site) for _ in range(3)]
        refused = site.post(f"{API}/raters", json={})
        assert code_of(refused) == (429, "rate_limited")
        assert refused.headers["retry-after"] == "2"
        assert site.post(f"{API}/raters", json={}, headers=ALL).status_code == 200
        codes = [ask(site, raters[0]).status_code for _ in range(6)]
        assert codes == [200] * 5 + [429]
        assert ask(site, raters[1]).status_code == 200


def test_consent_comes_first(tmp_path):
    path = str(tmp_path / "consent.db")
    store = open_store(path)
    create(store, consent="You agree?", votes_per_visit=1, thanks="Thanks", completion_code="XY1")
    store.close()
    with TestClient(make_app(Serving(path, SECRET, hosts=("testserver",)))) as site:
        rater = rater_of(site)
        assert code_of(ask(site, rater)) == (403, "consent_required")
        ticket = ask(site, rater, consent=True).json()["items"][0]["ticket"]
        vote(site, rater, ticket)
        end = ask(site, rater, consent=True).json()["end"]
        assert end == {
            "reason": "visit", "thanks": "Thanks", "code": "XY1", "return_url": "", "more": True,
            "results": True,
        }  # fmt: skip


def test_results_and_their_tag(site):
    first = site.get(f"{API}/results")
    assert first.json()["votes"] == 0
    assert len(first.json()["lanes"][0]["leaders"]) == 12
    tag = {"if-none-match": first.headers["etag"]}
    assert site.get(f"{API}/results", headers=tag).status_code == 304
    assert len(site.get(f"{API}/results?limit=3").json()["lanes"][0]["leaders"]) == 3
    for limit in ("0", "101", "-1", "x", "1e9", "9" * 50, "٣"):
        assert code_of(site.get(f"{API}/results", params={"limit": limit}))[0] == 400


def test_private_results_take_a_key(tmp_path):
    path = str(tmp_path / "private.db")
    store = open_store(path)
    create(store, public_results=False)
    store.put_key(ApiKey("reader", key_hash("plaudit_reader"), ("read",), 0))
    store.close()
    with TestClient(make_app(Serving(path, SECRET, hosts=("testserver",)))) as site:
        assert code_of(site.get(f"{API}/results")) == (401, "key_required")
        good = {"authorization": "Bearer plaudit_reader"}
        assert site.get(f"{API}/results", headers=good).status_code == 200
        assert site.get(f"/c/{NAME}/results").status_code == 404


def test_everything_but_a_raters_own_takes_a_key_with_its_scope(site):
    known = [endpoint for endpoint in ENDPOINTS if endpoint.scope]
    assert {endpoint.scope for endpoint in known} == {*SCOPES} - {"raters"}
    for each in known:
        path = each.path.replace("{contest}", NAME).replace("{file}", "votes.csv")
        assert code_of(site.request(each.method, path)) == (401, "key_required"), path
        wrong = {"authorization": "Bearer plaudit_wrong"}
        assert code_of(site.request(each.method, path, headers=wrong)) == (401, "key_unknown")
        if each.scope != "read":
            reader = {"authorization": "Bearer plaudit_reader"}
            refused = site.request(each.method, path, headers=reader)
            assert code_of(refused) == (403, "scope_missing"), path


def test_a_contest_from_creation_to_retirement(site):
    body = {
        "name": "fresh", "title": "Fresh", "scale": "thumbs", "items": ["one", "two", "three"],
        "epsilon": 0.2,
    }  # fmt: skip
    made = site.post("/api/v1/contests", json=body, headers=ALL)
    assert (made.status_code, made.json()["state"]) == (201, "draft")
    assert code_of(site.post("/api/v1/contests", json=body, headers=ALL))[1] == "contest_exists"
    steps = [("open", "open"), ("pause", "paused"), ("open", "open"), ("close", "closed")]
    for step, state in [*steps, ("reopen", "open"), ("close", "closed"), ("retire", "retired")]:
        done = site.post("/api/v1/contests/fresh/step", json={"step": step}, headers=ALL)
        assert done.json()["state"] == state
    again = site.post("/api/v1/contests/fresh/step", json={"step": "open"}, headers=ALL)
    assert code_of(again) == (409, "not_allowed")


def test_mistakes_in_a_new_contest_are_named(site):
    body = {"title": "Bad", "items": ["one"], "scale": "thumb", "colour": "red"}
    refused = site.post("/api/v1/contests", json=body, headers=ALL)
    assert code_of(refused) == (400, "bad_request")
    message = refused.json()["error"]["message"]
    for part in ("thumb", "colour", "at least 2 items"):
        assert part in message


def test_moderation_by_the_api(site, database):
    rater = rater_of(site)
    for _ in range(4):
        item = ask(site, rater).json()["items"][0]
        vote(site, rater, item["ticket"])
    lines = site.get(f"{API}/export/votes.csv", headers=ALL).text.splitlines()
    column = lines[0].split(",").index("rater")
    hash_ = lines[1].split(",")[column]
    for verb in ("exclude", "readmit", "erase"):
        body = {"rater": hash_}
        assert site.post(f"{API}/raters/{verb}", json=body, headers=ALL).status_code == 200
    assert code_of(site.post(f"{API}/raters/erase", json={"rater": hash_}, headers=ALL))[0] == 400
    done = site.post(f"{API}/withdraw", json={"items": [1, 2]}, headers=ALL)
    assert done.json()["position"] == len(entries(database))
    unknown = site.post(f"{API}/withdraw", json={"items": [999]}, headers=ALL)
    assert code_of(unknown) == (404, "unknown_item")
    more = site.post(f"{API}/items", json={"items": [{"text": "new one"}]}, headers=ALL)
    assert more.status_code == 200


def post(site, path, status=200, key=ALL, **body):
    response = site.post(f"{API}/{path}", json=body, headers=key)
    assert response.status_code == status, response.text
    return response.json() if status == 200 else response.json()["error"]


def test_items_are_merged_edited_and_brought_back_by_the_api(site, database):
    rater = rater_of(site)
    vote(site, rater, ask(site, rater).json()["items"][0]["ticket"])
    merged = post(site, "merge", items=[4, 2])
    assert (merged["item"], merged["contest"], merged["state"]) == (12, NAME, "open")
    edited = post(site, "edit", item=12, text="better said", votes="keep", epoch=merged["epoch"])
    assert (edited["item"], edited["epoch"]) == (13, merged["epoch"] + 1)
    anew = post(site, "edit", item=3, text="another", votes="anew")
    assert anew["item"] == 14
    assert post(site, "edit", 400, item=3, text="no word on votes")["code"] == "bad_request"
    assert "Withdrawn" in post(site, "edit", 409, item=3, text="gone", votes="keep")["message"]
    assert "says this already" in post(site, "edit", 409, item=1, votes="keep")["message"]
    post(site, "withdraw", items=[5, 6])
    back = post(site, "bring-back", items=[6, 5, 7])
    assert (back["item"], back["position"]) == (None, len(entries(database)))
    assert "stands for" in post(site, "bring-back", 409, items=[2])["message"]
    assert post(site, "merge", 404, items=[1, 999])["code"] == "unknown_item"
    texts = site.get(f"{API}/export/items.csv", headers=ALL).text.splitlines()
    assert [line.split(",")[1] for line in texts[13:16]] == ["caption 4", "better said", "another"]


def test_settings_by_the_api(site):
    shown = site.get(f"{API}/settings", headers=ALL).json()
    assert shown["settings"]["algorithms"] == {"lil-klucb": 1.0}
    assert shown["settings"]["scale"] == {"Unfunny": 0.0, "Somewhat funny": 0.5, "Funny": 1.0}
    assert "title" in shown["changeable"]
    assert "delta" not in shown["changeable"]
    given = {"title": "  New   title ", "closes": "2030-01-01T00:00:00+01:00", "results": "never"}
    done = post(site, "settings", set=given, epoch=shown["epoch"])
    now = site.get(f"{API}/settings", headers=ALL).json()
    assert now["epoch"] == done["epoch"] == shown["epoch"] + 1
    changed = {key: now["settings"][key] for key in given}
    assert changed == given | {"title": "New title", "closes": "2029-12-31T23:00:00+00:00"}
    same = {key for key, value in shown["settings"].items() if now["settings"][key] != value}
    assert same == given.keys(), "nothing else changed"
    post(site, "settings", set={"closes": None})
    assert site.get(f"{API}/settings", headers=ALL).json()["settings"]["closes"] is None
    refused = post(site, "settings", 409, set={"algorithm": "lucb++"})
    assert "algorithms cannot change any more" in refused["message"]
    assert "No changes" in post(site, "settings", 409, set={"title": "New title"})["message"]
    assert "zone" in post(site, "settings", 400, set={"opens": "tomorrow"})["message"]
    assert post(site, "settings", 400, set={"items": ["x"]})["code"] == "bad_request"
    body = {"name": "fresh", "title": "Fresh", "items": ["one", "two", "three"]}
    site.post("/api/v1/contests", json=body, headers=ALL)
    free = {"top": 2, "scale": "thumbs", "algorithms": ["plaudit", "lil-klucb"]}
    path = "/api/v1/contests/fresh/settings"
    assert site.post(path, json={"set": free}, headers=ALL).status_code == 200
    top = site.post(path, json={"set": {"top": 3}}, headers=ALL)
    assert code_of(top)[0] == 400, "as many as there are items"


def test_the_trail_and_undoing_by_the_api(site, database):
    gone = post(site, "withdraw", items=[1])
    paused = post(site, "step", step="pause", epoch=gone["epoch"])
    trail = site.get(f"{API}/trail", headers=ALL).json()
    assert [step["what"] for step in trail["steps"]][:2] == [
        "paused the contest", "withdrew item i2",
    ]  # fmt: skip
    assert {step["who"] for step in trail["steps"][:2]} == {"API key all"}
    assert trail["epoch"] == paused["epoch"]
    assert trail["steps"][-1]["fixed"] == "This step created the contest."
    since = site.get(f"{API}/trail?since={gone['epoch']}", headers=ALL).json()["steps"]
    assert [step["position"] for step in since] == [paused["position"]]
    assert len(site.get(f"{API}/trail?limit=1", headers=ALL).json()["steps"]) == 1
    assert code_of(site.get(f"{API}/trail?limit=0", headers=ALL)) == (400, "bad_request")
    undone = post(site, "undo", position=gone["position"])
    assert undone["epoch"] == paused["epoch"] + 1
    assert "undone already" in post(site, "undo", 409, position=gone["position"])["message"]
    assert "no step" in post(site, "undo", 400, position=999)["message"]
    # A moderator can undo steps of moderators; undoing a manager's step takes a manager.
    store = open_store(database)
    store.put_key(ApiKey("mod", key_hash("plaudit_mod"), ("moderate",), 0))
    store.close()
    with TestClient(make_app(Serving(database, SECRET, hosts=("testserver",)))) as second:
        key = {"authorization": "Bearer plaudit_mod"}
        refused = post(second, "undo", 403, key, position=paused["position"])
        assert refused["code"] == "scope_missing"
        post(second, "undo", key=key, position=undone["position"])
        assert post(second, "raters/erase", 403, key, rater="0" * 32)["code"] == "scope_missing"


def test_a_step_on_what_was_not_seen_is_refused_with_what_was_done(site, database):
    seen = site.get("/api/v1/contests", headers=ALL).json()["contests"][0]["epoch"]
    bodies = {
        "step": {"step": "pause"}, "items": {"items": [{"text": "x"}]}, "undo": {"position": 3},
        "withdraw": {"items": [2]}, "bring-back": {"items": [1]}, "merge": {"items": [2, 3]},
        "edit": {"item": 2, "text": "x", "votes": "anew"}, "settings": {"set": {"title": "x"}},
        "raters/exclude": {"raters": ["0" * 32]}, "raters/readmit": {"rater": "0" * 32},
        "raters/erase": {"rater": "0" * 32}, "codes": {"count": 1}, "list": {"add": ["a"]},
        "codes/revoke": {"codes": [1]}, "codes/reinstate": {"codes": [1]}, "link-key": {},
        "proposals/take": {"proposals": [{"proposal": 3}]}, "proposals/refuse": {"proposals": [3]},
    }  # fmt: skip
    gone = post(site, "withdraw", items=[1])
    before = entries(database)
    steps = [e.path for e in ENDPOINTS if e.gives is Done and "{contest}" in e.path]
    assert {path.removeprefix("/api/v1/contests/{contest}/") for path in steps} == bodies.keys()
    for path, body in bodies.items():
        error = post(site, path, 409, **body, epoch=seen)
        assert (error["code"], error["epoch"]) == ("changed_meanwhile", gone["epoch"]), path
        [step] = error["steps"]
        assert (step["who"], step["what"]) == ("API key all", "withdrew item i2")
        assert "API key all withdrew item i2" in error["message"]
    assert entries(database) == before


def test_several_raters_are_one_step_by_the_api(site):
    for _ in range(2):
        rater = rater_of(site)
        vote(site, rater, ask(site, rater).json()["items"][0]["ticket"])
    rows = csv.DictReader(io.StringIO(site.get(f"{API}/export/votes.csv", headers=ALL).text))
    raters = sorted({row["rater"] for row in rows})
    done = post(site, "raters/exclude", raters=raters)
    steps = site.get(f"{API}/trail", headers=ALL).json()["steps"]
    assert steps[0]["what"] == "excluded raters 0 and 1 because of how they voted"
    again = post(site, "raters/exclude", 409, rater=raters[0])
    assert "already" in again["message"]
    post(site, "undo", position=done["position"], epoch=done["epoch"])
    assert "None of these" in post(site, "raters/readmit", 409, raters=raters)["message"]
    assert "at least one" in post(site, "raters/exclude", 400)["message"]
    post(site, "raters/exclude", rater=raters[1])
    post(site, "raters/readmit", rater=raters[1])


def enough_votes(database):
    """Votes for a verdict: rater 0 dissented and is excluded, 300 others agree."""
    store = open_store(database)
    fair = [(rater, item, 2 if item == 0 else 0) for rater in range(1, 301) for item in range(12)]
    rows = [(0, 0, 0), (0, 1, 2), *fair]
    answers = [
        Answer(Kind.VOTE, rater.to_bytes(16, "big"), item, level, 0, 5, 900)
        for rater, item, level in rows
    ]
    store.append_answers(NAME, answers)
    Desk(store).exclude(NAME, 0)
    store.close()


def test_a_verdict_is_not_taken_back_unseen_by_the_api(database):
    enough_votes(database)
    app = make_app(Serving(database, SECRET, hosts=("testserver",)))
    with TestClient(app) as site:
        for _ in range(200):
            lane = site.get(f"{API}/results").json()["lanes"][0]
            if lane["decided"]:
                break
            time.sleep(0.05)
        assert lane["exclusions"] == {
            "raters": 1, "by_votes": 1, "same": True,
            "sentence": "The same with or without the excluded rater.",
        }  # fmt: skip
        page = site.get(f"/c/{NAME}/results").text
        assert "<small>The same with or without the excluded rater.</small>" in page
        before = entries(database)
        for path, body in {
            "withdraw": {"items": [3]}, "items": {"items": [{"text": "x"}]},
            "raters/exclude": {"rater": "0" * 31 + "7", "grounds": "robot"},
            "raters/readmit": {"rater": "0" * 32}, "raters/erase": {"rater": "0" * 31 + "7"},
            "merge": {"items": [2, 3]}, "edit": {"item": 2, "text": "x", "votes": "anew"},
        }.items():  # fmt: skip
            error = post(site, path, 409, **body)
            assert error["code"] == "verdict_stands", path
            assert "names item i1." in error["message"]
        assert entries(database) == before
        assert (
            "grounds"
            in post(site, "raters/exclude", 400, rater="0" * 32, grounds="luck")["message"]
        )
        desk = Client("", http=with_key(site)).desk(NAME)
        with pytest.raises(ServiceError, match="take back") as refused:
            desk.exclude(["0" * 31 + "7"], grounds="robot")
        assert (refused.value.status, refused.value.code) == (409, "verdict_stands")
        done = desk.revoking().exclude(["0" * 31 + "7"], grounds="robot")
        step = next(s for s in desk.trail()["steps"] if s["position"] == done["position"])
        assert step["what"] == "excluded rater 7 as a known robot"


def with_key(site):
    site.headers.update(ALL)
    return site


def test_pictures_are_checked_by_content(site):
    good = b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><rect width="1"/></svg>'
    kept = site.post("/api/v1/assets", content=good, headers=ALL)
    assert (kept.status_code, kept.json()["media_type"]) == (201, "image/svg+xml")
    shown = site.get(f"/assets/{kept.json()['hash']}")
    assert shown.content == good
    assert "sandbox" in shown.headers["content-security-policy"]
    bad = good.replace(b"<rect", b"<script>alert(1)</script><rect")
    assert code_of(site.post("/api/v1/assets", content=bad, headers=ALL))[0] == 400
    html = b"<html><script>alert(1)</script></html>"
    assert code_of(site.post("/api/v1/assets", content=html, headers=ALL))[0] == 400


def test_export_and_restore_by_the_api(site, tmp_path):
    rater = rater_of(site)
    for item in ask(site, rater, 5).json()["items"]:
        vote(site, rater, item["ticket"])
    whole = site.get(f"{API}/export/contest.jsonl.gz", headers=ALL).content
    taken = site.post("/api/v1/restore", content=whole, headers=ALL)
    assert code_of(taken) == (409, "contest_exists")
    assert code_of(site.post("/api/v1/restore", content=whole[:-9], headers=ALL))[0] in (400, 409)
    other = str(tmp_path / "other.db")
    store = open_store(other)
    store.put_key(ApiKey("all", key_hash(KEY), SCOPES, 0))
    store.close()
    with TestClient(make_app(Serving(other, SECRET, hosts=("testserver",)))) as second:
        damaged = second.post("/api/v1/restore", content=whole[:-9], headers=ALL)
        assert code_of(damaged) == (400, "archive_damaged")
        made = second.post("/api/v1/restore", content=whole, headers=ALL)
        assert made.status_code == 201
        theirs = second.get(f"{API}/export/votes.csv", headers=ALL).content
        assert theirs == site.get(f"{API}/export/votes.csv", headers=ALL).content
    assert code_of(site.get(f"{API}/export/nothing", headers=ALL)) == (404, "not_found")


def test_health_and_metrics(site):
    rater = rater_of(site)
    vote(site, rater, ask(site, rater).json()["items"][0]["ticket"])
    assert site.get("/healthz").json() == {"status": "alive"}
    assert site.get("/readyz").json() == {"status": "ready"}
    text = site.get("/metrics").text
    assert f'plaudit_votes{{contest="{NAME}"}} 1.0' in text
    assert "plaudit_answers_total" in text


def test_the_document_names_every_endpoint(site):
    document = site.get("/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    for each in ENDPOINTS:
        operation = document["paths"][each.path][each.method.lower()]
        assert operation["summary"]
    text = json.dumps(document)
    for name in re.findall(r'"#/components/schemas/(\w+)"', text):
        assert name in document["components"]["schemas"]
    page = site.get("/docs").text.replace("<wbr>", "")
    assert all(each.path in page for each in ENDPOINTS)
    assert "`" not in page, "marks of another format are no words"
