"""What an attacker tries: forged words, other people's names, texts that break out, bombs."""

import gzip
import hashlib
import json
import logging
import socket
import struct
import tracemalloc

import msgspec
import pytest
from starlette.testclient import TestClient

from plaudit.errors import ArchiveDamaged, NotAllowed, StoreUnavailable
from plaudit.service.accounts.api_keys import SCOPES, key_hash
from plaudit.service.accounts.secret import Secret, read_secret_text
from plaudit.service.archive.format import contest_lines
from plaudit.service.archive.restore import restore_contest
from plaudit.service.contest.settings import Lane
from plaudit.service.desk.desk import Desk
from plaudit.service.door.networks import network_of
from plaudit.service.live.loading import load_contest
from plaudit.service.live.tickets import Signer, Ticket
from plaudit.service.live.worker import now_ms
from plaudit.store import open_store
from plaudit.store.contract import Item
from plaudit.store.log import Answer, Entry, Kind, chain, first_digest
from plaudit.store.people import ApiKey
from plaudit.web.app import Serving, make_app
from plaudit.web.problem import Problem
from plaudit.web.rates import Rate
from plaudit.web.site import Site
from support.live_worker import NAME, create
from support.postgres_server import postgres, postgres_url
from support.served_site import served

__all__ = ["postgres", "postgres_url"]

SECRET = "a secret for the tests of attackers"
API = f"/api/v1/contests/{NAME}"
KEY = {"authorization": "Bearer plaudit_all"}
EVIL_SITES = [
    "https://x.org; script-src *",
    "https://x.org *",
    "https://x.org\r\nset-cookie: a=b",
    "https://x.org/path",
    "*",
    "'unsafe-inline'",
    "javascript:alert(1)",
    "https://",
]
EVIL_LINKS = ["javascript:alert(1)", "data:text/html,x", "https://a.b/\r\nx", "//a.b", "https:///x"]


@pytest.fixture
def database(tmp_path):
    path = str(tmp_path / "attacked.db")
    store = open_store(path)
    create(store)
    store.put_key(ApiKey("all", key_hash("plaudit_all"), SCOPES, 0))
    store.close()
    return path


@pytest.fixture
def site(database):
    with TestClient(make_app(Serving(database, SECRET, hosts=("testserver",)))) as client:
        yield client


def refused(response, status=400):
    assert response.status_code == status, response.text
    return response.json()["error"]["message"]


def token_of(site, **body):
    token = site.post(f"{API}/raters", json=body).json()["rater"]
    site.cookies.clear()
    return {"x-plaudit-rater": token}


# Words that break out


@pytest.mark.parametrize("origin", EVIL_SITES)
def test_no_site_breaks_out_of_the_policy(site, database, origin):
    body = {"title": "T", "items": ["a", "b"], "embed": [origin]}
    refused(site.post("/api/v1/contests", json=body, headers=KEY))
    archive = export_with(database, embed=[origin])
    assert "embed" in refused(site.post("/api/v1/restore", content=archive, headers=KEY))


@pytest.mark.parametrize("link", EVIL_LINKS)
def test_no_link_runs_anything(site, database, link):
    body = {"title": "T", "items": ["a", "b"], "return_url": link}
    refused(site.post("/api/v1/contests", json=body, headers=KEY))
    archive = export_with(database, return_url=link)
    assert "return_url" in refused(site.post("/api/v1/restore", content=archive, headers=KEY))


def test_texts_stay_texts_in_json(site):
    evil = "</script><img src=x onerror=alert(1)>"
    body = {"name": "evil", "title": evil, "items": [evil, "b"], "context": {"text": evil}}
    assert site.post("/api/v1/contests", json=body, headers=KEY).status_code == 201
    for _ in range(100):
        shown = site.get("/api/v1/contests/evil", headers=KEY)
        if shown.status_code == 200:
            break
    assert shown.json()["title"] == evil
    assert shown.headers["content-type"] == "application/json"
    assert shown.headers["x-content-type-options"] == "nosniff"
    assert "<img src=x" not in site.get("/c/evil").text


# Pretending to be someone


def test_a_ticket_is_good_for_one_rater_in_one_contest(site, database):
    signer, other = Signer(Secret(SECRET.encode()), NAME), Signer(Secret(SECRET.encode()), "b")
    ann, bob = signer.new_rater(), signer.new_rater()
    now = now_ms()
    good = signer.ticket(ann.key, Ticket(1, 0, now))
    headers = {"x-plaudit-rater": signer.token(ann)}

    def vote(ticket, rater=headers):
        return site.post(f"{API}/votes", json={"ticket": ticket, "level": 1}, headers=rater)

    foreign = other.ticket(ann.key, Ticket(1, 0, now))
    for forged in (
        foreign,
        signer.ticket(bob.key, Ticket(1, 0, now)),
        good.upper(),
        " " + good,
        good[:-2] + ("00" if good[-2:] != "00" else "01"),
        "02" + good[2:],
        signer.token(ann),
        signer.token(ann)[: len(good)],
    ):
        refused(vote(forged))
    refused(vote(good, {"x-plaudit-rater": other.token(ann)}), 401)
    refused(vote(good, {"x-plaudit-rater": good}), 401)
    refused(vote(signer.ticket(ann.key, Ticket(1, 0, now - 7 * 3600_000))), 410)
    refused(vote(signer.ticket(ann.key, Ticket(1, 0, now + 3600_000))), 410)
    store = open_store(database)
    assert len(store.entries(NAME)) == 2
    store.close()
    assert vote(good).status_code == 200


def test_an_api_key_is_no_rater_and_a_rater_no_api_key(site):
    rater = token_of(site)["x-plaudit-rater"]
    refused(site.get("/api/v1/contests", headers={"authorization": f"Bearer {rater}"}), 401)
    refused(site.post(f"{API}/ask", json={}, headers={"x-plaudit-rater": "plaudit_all"}), 401)
    for kind in ("Basic", "", "Token"):
        refused(site.get("/api/v1/contests", headers={"authorization": f"{kind} plaudit_all"}), 401)


def test_strangers_tokens_are_not_remembered():
    signer = Signer(Secret(SECRET.encode()), NAME)
    for number in range(50):
        assert signer.rater(f"{number}" * 30_000) is None
    assert signer._remembered.cache_info().currsize == 0
    rater = signer.new_rater()
    assert signer.rater(signer.token(rater)) == rater


@pytest.mark.parametrize("external", ["\x00", "a\nb", "'; DROP TABLE log; --", "é" * 200, "👩‍🔬"])
def test_external_ids_may_be_anything(site, external):
    assert token_of(site, external=external) == token_of(site, external=external)


def test_forwarded_headers_are_not_believed(database):
    serving = Serving(database, SECRET, hosts=("testserver",), address_rate="3/hour")
    with TestClient(make_app(serving)) as site:
        codes = []
        for number in range(5):
            headers = {"x-forwarded-for": f"192.0.2.{number}", "forwarded": f"for=192.0.2.{number}"}
            codes.append(site.post(f"{API}/raters", json={}, headers=headers).status_code)
            site.cookies.clear()
    assert codes == [200, 200, 200, 429, 429]


def test_a_household_with_ipv6_is_one_address():
    one, other = network_of("2001:db8:1:2::1"), network_of("2001:db8:1:2:ffff::9")
    assert one == other != network_of("2001:db8:1:3::1")
    assert network_of("::ffff:192.0.2.1") == "192.0.2.1"
    assert network_of("fe80::1%eth0") == "fe80::/64"
    site = Site.__new__(Site)
    site._address_rate = Rate("2/hour")
    for number in (1, 2):
        site.count_address(f"2001:db8::{number}")
    with pytest.raises(Problem, match="too fast"):
        site.count_address("2001:db8::3")


# What strangers may see


def test_figures_of_hidden_contests_take_a_key(site):
    hidden = {"title": "Hidden", "name": "hidden", "items": ["a", "b"], "listed": False}
    site.post("/api/v1/contests", json=hidden, headers=KEY)
    site.post("/api/v1/contests/hidden/step", json={"step": "open"}, headers=KEY)
    for _ in range(200):
        if 'contest="hidden"' in site.get("/metrics", headers=KEY).text:
            break
    else:
        raise AssertionError("a key shows all contests")
    public = site.get("/metrics").text
    assert "hidden" not in public
    assert f'contest="{NAME}"' in public
    refused(site.get("/metrics", headers={"authorization": "Bearer no"}), 401)


def test_figures_tell_strangers_no_versions(site):
    public = site.get("/metrics").text
    assert "plaudit_requests_total" in public
    assert "python" not in public
    assert "process_" not in public
    # Those who run the service see its memory, too.
    private = site.get("/metrics", headers=KEY).text
    assert "python_info" in private
    assert "plaudit_requests_total" in private
    assert private.count("# HELP plaudit_votes ") == 1


def test_a_refusal_leaves_one_line_and_no_traceback(site, caplog, monkeypatch):
    def away(*given):
        raise StoreUnavailable("The store went for a walk.")

    monkeypatch.setattr("plaudit.service.live.worker.Worker.get", away)
    with caplog.at_level(logging.WARNING, logger="plaudit"):
        for _ in range(20):
            assert site.get(API).status_code == 503
    (line,) = [record for record in caplog.records if "went for a walk" in record.getMessage()]
    assert line.exc_info is None


def test_errors_tell_nothing_and_logs_stay_one_line_a_request(site, caplog, monkeypatch):
    def broken(*given):
        raise RuntimeError("the password is swordfish")

    monkeypatch.setattr("plaudit.service.live.worker.Worker.get", broken)
    with caplog.at_level(logging.ERROR, logger="plaudit"):
        answer = site.get("/api/v1/contests/a%0aERROR%20forged")
    assert answer.status_code == 500
    assert "swordfish" not in answer.text
    assert "\n" not in caplog.records[0].getMessage()


# Addresses and methods


def test_other_methods_are_told_what_is_allowed(site):
    for path, allowed in (
        ("/api/v1/contests", "GET, POST"),
        (f"{API}/votes", "POST"),
        ("/", "GET, HEAD"),
    ):
        answer = site.request("DELETE", path)
        assert answer.status_code == 405
        assert sorted(answer.headers["allow"].split(", ")) == allowed.split(", ")


def test_a_slash_too_many_leads_nowhere(site):
    for path in ("/api/v1/contests/", f"{API}/votes/", "/c/captions/"):
        assert site.get(path, follow_redirects=False).status_code == 404


# Items and exports


def test_items_that_cannot_be_shown_do_not_join(site, database):
    for item in ({}, {"text": "  "}, {"text": "a\x07b"}, {"image": "ab" * 32}):
        refused(site.post(f"{API}/items", json={"items": [{"text": "x"}, item]}, headers=KEY))
    store = open_store(database)
    assert len(store.items(NAME)) == 12
    store.close()


def test_formulas_in_an_export_are_disarmed_on_request(site):
    site.post(f"{API}/items", json={"items": [{"text": "=1+1"}]}, headers=KEY)
    plain = site.get(f"{API}/export/items.csv", headers=KEY).text
    safe = site.get(f"{API}/export/items.csv?spreadsheet=true", headers=KEY).text
    assert ",=1+1," in plain
    assert ",'=1+1," in safe
    refused(site.get(f"{API}/export/items.csv?spreadsheet=1", headers=KEY))


def test_a_fixed_set_of_items_stays_as_it_is(tmp_path):
    store = open_store(str(tmp_path / "fixed.db"))
    create(store, lanes=(Lane("lil-klucb"), Lane("lil-ucb")), epsilon=0.0)
    desk = Desk(store)
    # Before the first vote the set may still grow; it is fixed from then on.
    early = desk.add_items(NAME, [Item(0, "early")]).position
    with pytest.raises(NotAllowed, match="lil-ucb"):
        desk.undo(NAME, early)
    store.append_answers(NAME, [Answer(Kind.VOTE, b"0" * 16, 0, 1, 0, 5, 5)])
    with pytest.raises(NotAllowed, match="lil-ucb"):
        desk.add_items(NAME, [Item(0, "new")])
    with pytest.raises(NotAllowed, match="lil-ucb"):
        desk.withdraw(NAME, [1])
    assert load_contest(store, NAME).contest.position == 4
    store.close()


@pytest.mark.parametrize("depth", [2_000, 100_000])
def test_deep_nesting_is_refused(site, depth):
    for body in (b"[" * depth + b"]" * depth, b'{"title":' * depth + b"1" + b"}" * depth):
        refused(site.post("/api/v1/contests", content=b'{"items":' + body + b"}", headers=KEY))
        refused(site.post("/api/v1/restore", content=body, headers=KEY))


def test_many_unknown_keys_make_a_short_answer(site):
    body = b'{"title":"T",%s"items":["a","b"]}' % b"".join(b'"k%d":1,' % n for n in range(10**5))
    message = refused(site.post("/api/v1/contests", content=body, headers=KEY))
    assert "and 980 more like these" in message
    long = {"x" * 1_000_000: 1, "title": "T", "items": ["a", "b"]}
    assert len(refused(site.post("/api/v1/contests", json=long, headers=KEY))) < 2_000


def test_a_picture_with_one_long_word_is_read_in_no_time(site):
    # A search that began anew at every letter would take an hour, and hold up everyone.
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><g fill="%s"/></svg>'
    answer = site.post("/api/v1/assets", content=svg % (b"a" * 4_000_000), headers=KEY)
    assert answer.status_code == 201
    refused(site.post("/api/v1/assets", content=svg % (b"a" * 5_000_000), headers=KEY), 413)


# Exports from elsewhere


def export_with(database, name="restored", change=lambda lines: None, **settings):
    """An export of the contest with other settings, sums and chain made right."""
    store = open_store(database)
    lines = [
        msgspec.json.decode(line) for line in b"".join(contest_lines(store, NAME)).splitlines()
    ]
    store.close()
    # A forger has no key: checkpoints and certificates are left out.
    header, rows = lines[0], [row for row in lines[1:-1] if row[0] not in ("checkpoint", "key")]
    record = header["record"]
    record["name"] = name
    given = msgspec.json.decode(record["settings"]) | settings
    record["settings"] = msgspec.json.encode(given, order="deterministic").decode()
    change([header, *rows])
    record["digest"] = _digest(record, rows).hex()
    body = msgspec.json.Encoder().encode_lines([header, *rows])
    kinds = ("item", "rater", "entry", "asset", "key", "checkpoint", "certificate")
    counts = {kind: sum(row[0] == kind for row in rows) for kind in kinds}
    footer = {"counts": counts, "sha256": hashlib.sha256(body).hexdigest()}
    return body + msgspec.json.encode(footer) + b"\n"


def _digest(record, rows):
    entries = [Entry._make(row[1:]) for row in rows if row[0] == "entry"]
    try:
        return chain(first_digest(record["name"], record["settings"]), entries)
    except struct.error:  # no digest of such an entry exists
        return bytes(32)


def test_the_forger_can_make_a_good_export(site, database):
    answer = site.post("/api/v1/restore", content=export_with(database), headers=KEY)
    assert answer.status_code == 201, answer.text


def _entry(lines, kind):
    return next(line for line in lines if line[0] == "entry" and line[2] == kind)


def _unknown_state(lines):
    lines[0]["record"]["state"] = "haunted"
    _entry(lines[1:], 15)[9] = '{"state":"haunted"}'


def _far_future(lines):
    _entry(lines[1:], 15)[3] = 2**62


def _verdict_for_nothing(lines):
    _entry(lines[1:], 15)[2] = 16
    _entry(lines[1:], 16)[9] = '{"lane":0,"delta":0.05,"winners":[99]}'
    lines[0]["record"]["state"] = "draft"


def _withdraw_half_an_item(lines):
    _entry(lines[1:], 15)[2] = 11
    _entry(lines[1:], 11)[9] = '{"items":[0.5]}'
    lines[0]["record"]["state"] = "draft"


def _withdraw_all(lines):
    _entry(lines[1:], 15)[2] = 11
    _entry(lines[1:], 11)[9] = json.dumps({"items": list(range(12))})
    lines[0]["record"]["state"] = "draft"


def _level_of_an_event(lines):
    _entry(lines[1:], 15)[6] = 2**40


FORGED = {
    "state": (_unknown_state, {}),
    "time": (_far_future, {}),
    "verdict": (_verdict_for_nothing, {}),
    "half an item": (_withdraw_half_an_item, {}),
    "no items left": (_withdraw_all, {}),
    "level": (_level_of_an_event, {}),
    "delta": (lambda lines: None, {"delta": 3.0}),
    "top": (lambda lines: None, {"top": 12}),
    "seed": (lambda lines: None, {"seed": -5}),
}


@pytest.mark.parametrize("what", FORGED)
def test_an_export_that_no_worker_could_load_is_refused(site, database, what):
    change, settings = FORGED[what]
    archive = export_with(database, change=change, **settings)
    message = refused(site.post("/api/v1/restore", content=archive, headers=KEY))
    assert "damaged" in message
    listed = site.get("/api/v1/contests", headers=KEY).json()["contests"]
    assert [each["name"] for each in listed] == [NAME]


def test_a_bomb_of_zeros_takes_little_memory(tmp_path):
    bomb = gzip.compress(bytes(128 * 2**20), 1)
    store = open_store(str(tmp_path / "bombed.db"))
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveDamaged, match="more than"):
            restore_contest(store, [bomb])
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        store.close()
    assert most < 64 * 2**20


# The secret's file


def test_the_secret_is_private_whole_and_stays(tmp_path):
    path = tmp_path / "votes.db.secret"
    text = read_secret_text(path)
    assert len(text) == 64
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_secret_text(path) == text
    assert [each.name for each in tmp_path.iterdir()] == ["votes.db.secret"]


def test_a_secret_is_not_written_through_a_link(tmp_path):
    target = tmp_path / "elsewhere"
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(ValueError, match="Cannot read the secret"):
        read_secret_text(tmp_path / "link")
    assert not target.exists()


def test_a_secret_that_is_not_text_is_refused(tmp_path):
    (tmp_path / "bad").write_bytes(b"\xff\xfe" * 30)
    with pytest.raises(ValueError, match="not text"):
        read_secret_text(tmp_path / "bad")


# On the wire


def answer_to(url, *parts):
    """The answer of the service to raw bytes; "" if it closes the connection."""
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), 30) as line:
        try:
            for part in parts:
                line.sendall(part)
            return line.recv(1000).decode()
        except ConnectionError:
            return ""


@pytest.fixture
def url(database):
    with served(Serving(database, SECRET)) as url:
        yield url


def test_headers_that_never_end_are_cut_off(url):
    begin = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    assert "200 OK" in answer_to(url, begin, b"X-Long: " + b"a" * 50_000, b"\r\n\r\n")
    piece = b"a" * 2**17
    assert answer_to(url, begin, b"X-Long: ", *[piece] * 200) == ""
    many = (b"X-%d: %s\r\n" % (number, b"a" * 1000) for number in range(20_000))
    assert answer_to(url, begin, *many) == ""
    assert answer_to(url, b"GET /", *[piece] * 200) == ""
    # A long body is not a long head, and the next request on the connection is read anew.
    post = b"POST /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % (2**20)
    assert "405" in answer_to(url, post + bytes(2**18), bytes(2**20 - 2**18))


def test_a_broken_request_gets_400(url):
    assert "400" in answer_to(url, b"\x16\x03\x01 not http\r\n\r\n")
    assert "400" in answer_to(url, b"GET / HTTP/1.1\r\nHost: a\r\nBad\x00: x\r\n\r\n")


# The same on PostgreSQL, which takes no NUL in a text


def test_odd_names_on_postgresql(postgres_url):
    store = open_store(postgres_url)
    create(store)
    store.put_key(ApiKey("all", key_hash("plaudit_all"), SCOPES, 0))
    store.close()
    serving = Serving(postgres_url, SECRET, hosts=("testserver",))
    with TestClient(make_app(serving)) as site:
        for name in ("%00", "a%00b", "%27%3B--", "%ED%A0%80", "%FF"):
            assert site.get(f"/assets/{name}").status_code == 404
            for path in (f"{name}/verdicts", f"{name}/export/votes.csv", f"{name}/export/{name}"):
                refused(site.get(f"/api/v1/contests/{path}", headers=KEY), 404)
            body = {"step": "pause"}
            refused(site.post(f"/api/v1/contests/{name}/step", json=body, headers=KEY), 404)
        for text in ("a\x00b", "\x00"):
            refused(site.post(f"{API}/items", json={"items": [{"text": text}]}, headers=KEY))
            assert token_of(site, external=text) == token_of(site, external=text)
