"""The door over HTTP: who is let in, who is not, and what a stranger cannot find out."""

import time

import pytest
from starlette.testclient import TestClient

from plaudit.client import Client, ServiceError
from plaudit.service.accounts.api_keys import SCOPES, key_hash
from plaudit.service.accounts.secret import Secret
from plaudit.service.desk.desk import Desk
from plaudit.service.door.doorkeeper import Doorkeeper
from plaudit.service.door.links import signature_of
from plaudit.store import open_store
from plaudit.store.contract import Item
from plaudit.store.people import ApiKey
from plaudit.web.app import Serving, make_app
from plaudit.web.site import GUESS_RATE
from support.live_worker import NAME, create

SECRET = "a secret for all the tests of doors"
API = f"/api/v1/contests/{NAME}"
KEY = {"authorization": "Bearer plaudit_all"}
BRINGS = {"authorization": "Bearer plaudit_raters"}
DOOR = Doorkeeper(Secret(SECRET.encode()), NAME)


@pytest.fixture
def database(tmp_path):
    path = str(tmp_path / "door.db")
    store = open_store(path)
    create(store)
    store.put_key(ApiKey("all", key_hash("plaudit_all"), SCOPES, 0))
    store.put_key(ApiKey("panel", key_hash("plaudit_raters"), ("raters",), 0))
    store.put_key(ApiKey("reader", key_hash("plaudit_read"), ("read",), 0))
    store.close()
    return path


@pytest.fixture
def site(database):
    with TestClient(make_app(Serving(database, SECRET, hosts=("testserver",)))) as client:
        yield client


def post(site, path, body=None, *, headers=KEY):
    site.cookies.clear()
    answer = site.post(f"{API}{path}", json=body or {}, headers=headers)
    site.cookies.clear()
    return answer


def did(answer):
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


def step(site, path, body=None):
    """Takes a step, and waits until this worker has folded it."""
    done = did(post(site, path, body))
    for _ in range(200):
        listed = site.get("/api/v1/contests", headers=KEY).json()["contests"]
        if next(one for one in listed if one["name"] == NAME)["epoch"] >= done["epoch"]:
            return done
        time.sleep(0.02)
    raise AssertionError("the step was not folded")


def close_door(site, door):
    step(site, "/settings", {"set": {"door": door}})


def code(answer):
    return answer.status_code, answer.json()["error"]["code"]


def enter(site, headers=None, **body):
    return post(site, "/raters", body, headers=headers or {})


def token_of(answer):
    return {"x-plaudit-rater": did(answer)["rater"]}


def vote(site, token, level=2):
    asked = did(post(site, "/ask", headers=token))
    ticket = asked["items"][0]["ticket"]
    did(post(site, "/votes", {"ticket": ticket, "level": level}, headers=token))
    return asked["items"][0]["item"]


# Codes


def test_one_code_is_one_rater_on_any_device(site, database):
    close_door(site, "codes")
    step(site, "/codes", {"count": 3})
    shown = site.get(f"{API}/codes", headers=KEY).json()
    assert [one["state"] for one in shown["codes"]] == ["unused"] * 3
    text = shown["codes"][1]["code"]
    assert shown["codes"][1]["link"].endswith(f"/c/{NAME}?code={text}")
    phone = token_of(enter(site, code=text))
    first = vote(site, phone)
    laptop = token_of(enter(site, code=text.lower().replace("-", " ")))
    assert laptop == phone
    asked = did(post(site, "/ask", {"count": 10}, headers=laptop))
    assert asked["answered"] == 1
    assert first not in [item["item"] for item in asked["items"]]
    shown = site.get(f"{API}/codes", headers=KEY).json()
    assert [one["state"] for one in shown["codes"]] == ["unused", "used", "unused"]
    assert (shown["made"], shown["used"], shown["unused"], shown["revoked"]) == (3, 1, 2, 0)
    assert site.get(f"{API}/results", headers=KEY).json()["raters"] == 1


def test_nobody_is_let_in_beside_the_codes(site):
    old = token_of(enter(site))
    panel = token_of(enter(site, external="PANEL-1"))
    vote(site, old)
    step(site, "/codes", {"count": 2})
    close_door(site, "codes")
    assert code(enter(site)) == (401, "code_required")
    assert code(enter(site, external="invented")) == (401, "code_required")
    assert code(enter(site, code="0000-0000-0000")) == (403, "code_unknown")
    assert code(enter(site, code=DOOR.codes.text(3))) == (403, "code_unknown")
    elsewhere = Doorkeeper(Secret(SECRET.encode()), "elsewhere").codes.text(1)
    assert code(enter(site, code=elsewhere)) == (403, "code_unknown")
    # Tokens made before the door closed, forged ones and none at all.
    for token in (old, panel):
        assert code(enter(site, token)) == (401, "code_required")
        for path, body in (("/ask", {}), ("/votes", {"ticket": "ab", "level": 0}),
                           ("/skips", {"ticket": "ab"}), ("/flags", {"ticket": "ab"})):  # fmt: skip
            assert code(post(site, path, body, headers=token)) == (401, "code_required")
    forged = {"x-plaudit-rater": "02" + "00" * 31}
    assert code(post(site, "/ask", headers=forged)) == (401, "code_required")
    stamped = {"x-plaudit-rater": old["x-plaudit-rater"][:32] + "02000000" + "00" * 16}
    assert code(post(site, "/ask", headers=stamped)) == (401, "code_required")


def test_a_ticket_from_before_the_door_closed_is_void(site):
    token = token_of(enter(site))
    ticket = did(post(site, "/ask", headers=token))["items"][0]["ticket"]
    close_door(site, "codes")
    refused = post(site, "/votes", {"ticket": ticket, "level": 1}, headers=token)
    assert code(refused) == (401, "code_required")
    assert site.get(f"{API}/results", headers=KEY).json()["votes"] == 0
    close_door(site, "open")
    did(post(site, "/votes", {"ticket": ticket, "level": 1}, headers=token))


def test_a_revoked_code_gets_in_no_more_and_its_votes_stay(site):
    step(site, "/codes", {"count": 2})
    close_door(site, "codes")
    text = DOOR.codes.text(1)
    token = token_of(enter(site, code=text))
    vote(site, token)
    ticket = did(post(site, "/ask", headers=token))["items"][0]["ticket"]
    step(site, "/codes/revoke", {"codes": [text]})
    assert code(enter(site, code=text)) == (403, "code_revoked")
    assert code(enter(site, token)) == (403, "code_revoked")
    assert code(post(site, "/ask", headers=token)) == (403, "code_revoked")
    again = post(site, "/votes", {"ticket": ticket, "level": 1}, headers=token)
    assert code(again) == (403, "code_revoked")
    site.cookies.set(f"plaudit-{NAME}", token["x-plaudit-rater"])
    assert code(site.post(f"{API}/ask", json={})) == (403, "code_revoked")
    assert site.get(f"{API}/results", headers=KEY).json()["votes"] == 1
    shown = site.get(f"{API}/codes", headers=KEY).json()
    assert [(one["state"], one["used"]) for one in shown["codes"]] == [
        ("revoked", True), ("unused", False),
    ]  # fmt: skip
    # Excluding the rater is another step, and takes the votes out.
    step(site, "/raters/exclude", {"raters": [DOOR.ids.coded_rater(1).key.hex()],
                                   "grounds": "door"})  # fmt: skip
    # Results are shared between readers for a moment.
    for _ in range(200):
        if site.get(f"{API}/results", headers=KEY).json()["votes"] == 0:
            break
        time.sleep(0.05)
    else:
        raise AssertionError("the votes of the excluded rater count")
    step(site, "/codes/reinstate", {"codes": [1]})
    did(post(site, "/ask", headers=token))


def test_guesses_are_bounded_by_address_and_told_nothing_afterwards(site):
    step(site, "/codes", {"count": 2})
    close_door(site, "codes")
    allowed = int(GUESS_RATE.partition("/")[0])
    for _ in range(allowed):
        assert code(enter(site, code="0000-0000-0000")) == (403, "code_unknown")
    late = enter(site, code=DOOR.codes.text(1))
    assert code(late) == (429, "too_many_guesses")
    assert late.headers["retry-after"]
    assert code(enter(site, code="0000-0000-0000")) == (429, "too_many_guesses")


def test_right_codes_are_never_too_many(site):
    """A whole school may share one address."""
    step(site, "/codes", {"count": 300})
    close_door(site, "codes")
    tokens = {did(enter(site, code=DOOR.codes.text(n)))["rater"] for n in range(1, 301)}
    assert len(tokens) == 300


def test_an_open_door_does_not_say_whether_a_code_is_right(site):
    """Whoever has one stays who they are; too many guesses are not even looked at."""
    step(site, "/codes", {"count": 1})
    mine = did(enter(site, code=DOOR.codes.text(1)))["rater"]
    assert did(enter(site, code=DOOR.codes.text(1)))["rater"] == mine
    for _ in range(61):
        assert did(enter(site, code="0000-0000-0000"))["rater"][:2] == "00"
    assert did(enter(site, code=DOOR.codes.text(1)))["rater"] != mine


# The list and signed links


def test_only_ids_on_the_list_are_let_in(site):
    step(site, "/list", {"add": ["S-17", "Jos\u00e9", "S-18"]})
    close_door(site, "list")
    token = token_of(enter(site, external="Jose\u0301"))
    assert token == token_of(enter(site, external=" Jos\u00e9 "))
    vote(site, token)
    assert code(enter(site)) == (401, "id_required")
    assert code(enter(site, external="S-19")) == (403, "not_listed")
    assert code(enter(site, external="\uff33-17")) == (403, "not_listed")
    assert site.post(f"{API}/raters", content=b'{"external":"\\ud800"}').status_code == 400
    step(site, "/list", {"remove": ["Jos\u00e9"]})
    assert code(post(site, "/ask", headers=token)) == (403, "not_listed")
    same = post(site, "/list", {"add": ["S-17"]})
    assert code(same) == (409, "not_allowed")


def test_only_signed_ids_are_let_in(site):
    close_door(site, "links")
    shown = site.get(f"{API}/link-key", headers=KEY).json()
    signed = signature_of(shown["key"], NAME, "S-17")
    token = token_of(enter(site, external="S-17", signature=signed))
    vote(site, token)
    assert token == token_of(enter(site, external="S-17", signature=signed))
    assert code(enter(site, external="S-17")) == (401, "link_required")
    assert code(enter(site, external="S-18", signature=signed)) == (403, "link_refused")
    step(site, "/link-key")
    assert code(post(site, "/ask", headers=token)) == (403, "link_refused")
    assert code(enter(site, external="S-17", signature=signed)) == (403, "link_refused")
    newer = site.get(f"{API}/link-key", headers=KEY).json()
    assert newer["number"] == 1
    assert newer["key"] != shown["key"]
    signed = signature_of(newer["key"], NAME, "S-17")
    again = token_of(enter(site, external="S-17", signature=signed))
    assert did(post(site, "/ask", headers=again))["answered"] == 1


def test_an_id_taken_at_an_open_door_needs_a_signature_once_links_are_signed(site):
    token = token_of(enter(site, external="S-17"))
    close_door(site, "links")
    assert code(post(site, "/ask", headers=token)) == (401, "link_required")
    assert code(enter(site, token)) == (401, "link_required")


# Keys


@pytest.mark.parametrize("door", ["codes", "list", "links"])
def test_a_key_for_raters_brings_them_to_any_door(site, door):
    close_door(site, door)
    brought = token_of(enter(site, BRINGS, external="P-1"))
    vote(site, brought)
    vote(site, token_of(enter(site, BRINGS)))
    assert code(enter(site, {"authorization": "Bearer plaudit_read"})) == (403, "scope_missing")
    assert code(enter(site, {"authorization": "Bearer nobody"})) == (401, "key_unknown")
    found = site.get(f"{API}/door", headers=KEY).json()
    assert found["raters"] == {"key": 2}


def test_a_key_that_only_reads_sees_no_codes(site):
    step(site, "/codes", {"count": 1})
    read = {"authorization": "Bearer plaudit_read"}
    assert site.get(f"{API}/codes", headers=read).status_code == 403
    assert site.get(f"{API}/link-key", headers=read).status_code == 403
    assert site.get(f"{API}/codes").status_code == 401
    assert site.get(f"{API}/door", headers=read).json()["codes"] == 1


# What the desk sees


def test_refusals_and_raters_are_counted_by_door(site):
    token = token_of(enter(site))
    vote(site, token)
    step(site, "/codes", {"count": 1})
    close_door(site, "codes")
    enter(site)
    enter(site, code="0000-0000-0000")
    enter(site, code="0000-0000-0000")
    post(site, "/ask", headers=token)
    vote(site, token_of(enter(site, code=DOOR.codes.text(1))))
    for _ in range(200):
        found = site.get(f"{API}/door", headers=KEY).json()
        if found["turned_away"]:
            break
        time.sleep(0.1)
    assert found["raters"] == {"anybody": 1, "code": 1}
    counts = {line["reason"]: line["count"] for line in found["turned_away"]}
    assert counts == {"code_required": 2, "code_unknown": 2}
    assert (found["door"], found["codes"], found["revoked_codes"]) == ("codes", 1, 0)


def test_refusals_are_written_when_the_service_stops(database):
    app = make_app(Serving(database, SECRET, hosts=("testserver",)))
    with TestClient(app) as site:
        close_door(site, "list")
        enter(site, external="x")
    store = open_store(database)
    assert [(one.reason, one.times) for one in store.refusals(NAME)] == [("not_listed", 1)]
    store.close()


def test_a_draft_with_codes_does_not_exist_for_strangers(site, database):
    store = open_store(database)
    desk = Desk(store)
    settings = desk.history(NAME).settings
    desk.create("draft", settings, [Item(0, "a"), Item(1, "b")])
    desk.change("draft", {"door": "codes"})
    desk.make_codes("draft", 1)
    store.close()
    for _ in range(200):
        if site.get("/api/v1/contests/draft", headers=KEY).status_code == 200:
            break
        time.sleep(0.02)
    text = Doorkeeper(Secret(SECRET.encode()), "draft").codes.text(1)
    for path in ("raters", "ask"):
        answer = site.post(
            f"/api/v1/contests/draft/{path}", json={"code": text} if path == "raters" else {}
        )
        assert answer.status_code == 404
    assert site.get("/api/v1/contests/draft/codes").status_code == 401
    assert site.get("/c/draft").status_code == 404


def test_no_contest_is_closed_by_signing_in_without_a_provider(site):
    answer = post(site, "/settings", {"set": {"door": "sign-in"}})
    assert code(answer) == (409, "not_allowed")
    assert "connected to no provider" in answer.json()["error"]["message"]
    body = {"title": "T", "items": ["a", "b"], "door": "sign-in"}
    made = site.post("/api/v1/contests", json=body, headers=KEY)
    assert made.status_code == 409


def test_steps_at_the_door_are_undone(site):
    step(site, "/codes", {"count": 2})
    revoked = step(site, "/codes/revoke", {"codes": [1, "2"]})
    step(site, "/undo", {"position": revoked["position"]})
    assert site.get(f"{API}/codes", headers=KEY).json()["revoked"] == 0
    put = step(site, "/list", {"add": ["a", "b"]})
    step(site, "/undo", {"position": put["position"]})
    assert site.get(f"{API}/door", headers=KEY).json()["listed"] == 0
    only_moderates = post(site, "/undo", {"position": put["position"]}, headers=BRINGS)
    assert only_moderates.status_code == 403


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        ("/codes/revoke", {"codes": [1]}, "There are no codes yet"),
        ("/codes/revoke", {"codes": ["nonsense"]}, "neither the number of a code"),
        ("/codes", {"count": 0}, "Expected `int` >= 1"),
        ("/codes", {"count": 100_001}, "Expected `int` <= 100000"),
        ("/list", {"add": ["a\x07"]}, "An id has 1 to 200"),
    ],
)
def test_mistakes_at_the_door_say_what_is_allowed(site, path, body, told):
    answer = post(site, path, body)
    assert answer.status_code == 400
    assert told in answer.json()["error"]["message"]


def test_the_client_knows_the_door(site):
    client = Client("http://testserver", http=_with_key(site))
    desk = client.desk(NAME)
    desk.change({"door": "codes"})
    desk.make_codes(2)
    codes = desk.codes()["codes"]
    desk.revoke_codes([2])
    for _ in range(200):
        try:
            client.rater(NAME, code=codes[1]["code"])
        except ServiceError as error:
            if error.code == "code_revoked":
                break
        time.sleep(0.02)
    rater = client.rater(NAME, code=codes[0]["code"])
    rater.vote(rater.ask()[0], 1)
    desk.reinstate_codes([2])
    desk.change_list(add=["a"])
    assert desk.link_key()["number"] == 0
    desk.change_link_key()
    assert desk.link_key()["number"] == 1
    found = desk.door()
    assert (found["raters"], found["listed"], found["codes"]) == ({"code": 1}, 1, 2)


def _with_key(site):
    site.headers.update(KEY)
    return site
