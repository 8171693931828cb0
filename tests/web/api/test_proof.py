"""Keys, checkpoints, proofs and receipts over HTTP: what a stranger gets, and can check alone."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from plaudit.proof.checkpoint import Checkpoint, bytes_of, open_checkpoint
from plaudit.proof.merkle import is_consistent, is_included
from plaudit.proof.note import PublicKey, SigningKey, read_vkey
from plaudit.proof.receipt import check_receipt, make_receipts, read_receipt
from plaudit.service.accounts.api_keys import SCOPES, key_hash
from plaudit.service.accounts.secret import Secret
from plaudit.service.clock import now_ms
from plaudit.service.desk.desk import Desk
from plaudit.service.notary.keys import open_keys, rotate_keys
from plaudit.store import open_store
from plaudit.store.contract import Item
from plaudit.store.people import ApiKey
from plaudit.web import site as web_site
from plaudit.web.app import Serving, make_app
from support.live_worker import NAME, create, settings

SECRET = "a secret for the tests of the web part"
API = f"/api/v1/contests/{NAME}"


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = str(tmp_path / "web.db")
    store = open_store(path)
    create(store, skip=True, flag=True, clock=now_ms)  # type: ignore[arg-type]
    texts = [Item(number, f"secret {number}") for number in range(3)]
    Desk(store).create("hidden", settings(), texts)
    store.put_key(ApiKey("all", key_hash("plaudit_all"), SCOPES, 0))
    store.close()
    return path


@pytest.fixture
def site(database: str) -> Iterator[TestClient]:
    with TestClient(make_app(Serving(database, SECRET, hosts=("testserver",)))) as client:
        yield client


def keys_of(site: TestClient) -> list[PublicKey]:
    lines = site.get("/.well-known/plaudit-keys").text.splitlines()
    return [read_vkey(line) for line in lines if not line.startswith("#")]


def answered(site: TestClient, kind: str = "votes", rater: dict[str, str] | None = None) -> str:
    """The receipt of a new answer."""
    rater = rater or new_rater(site)
    (item,) = site.post(f"{API}/ask", json={}, headers=rater).json()["items"]
    more: dict[str, Any] = {"votes": {"level": 2}, "flags": {"reason": "other"}}.get(kind, {})
    body = {"ticket": item["ticket"]} | more
    given: str = site.post(f"{API}/{kind}", json=body, headers=rater).json()["receipt"]
    return given


def new_rater(site: TestClient) -> dict[str, str]:
    token = site.post(f"{API}/raters", json={}).json()["rater"]
    site.cookies.clear()
    return {"x-plaudit-rater": token}


def desk(database: str, step: Callable[[Desk], Any]) -> int:
    """Takes a step as the command line does; returns the size of the log after it."""
    store = open_store(database)
    step(Desk(store).revoking())
    size = store.contest(NAME).position + 1
    store.close()
    return size


def latest(site: TestClient, *, size: int) -> Checkpoint:
    """The latest checkpoint, once it has this size, checked."""
    for _ in range(100):
        response = site.get(f"{API}/checkpoint")
        if response.status_code == 200:
            found = open_checkpoint(response.text, keys_of(site))
            if found.size >= size:
                assert response.headers["content-type"].startswith("text/plain")
                return found
        time.sleep(0.05)
    raise AssertionError("no checkpoint")


def checked(site: TestClient, receipt: str) -> dict[str, Any]:
    response = site.post(f"{API}/receipts", json={"receipt": receipt})
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    return body


def test_the_keys_are_at_a_stable_address(site: TestClient) -> None:
    (key,) = keys_of(site)
    shown = site.get("/api/v1/keys").json()
    assert shown["name"] == key.name
    assert [one["vkey"] for one in shown["keys"]] == [key.vkey]
    assert shown["keys"][0]["retired_at"] is None


def test_a_key_that_was_rotated_is_taken_over(site: TestClient, database: str) -> None:
    store = open_store(database)
    rotated = rotate_keys(store, Secret(SECRET.encode()))
    store.close()
    for _ in range(60):
        if len(keys_of(site)) == 2:
            break
        time.sleep(0.1)
    assert keys_of(site) == rotated.public
    assert site.get("/.well-known/plaudit-keys").text.splitlines()[1].startswith("# retired 20")
    assert check_receipt(read_receipt(answered(site)), keys_of(site)) == rotated.signing


def test_a_checkpoint_follows_every_step_and_is_proven_to_grow(
    site: TestClient, database: str
) -> None:
    first = latest(site, size=3)
    for _ in range(3):
        answered(site)
    second = latest(site, size=desk(database, lambda d: d.withdraw(NAME, [3])))
    third = latest(site, size=desk(database, lambda d: d.add_items(NAME, [Item(0, "new")])))
    assert (second.items, third.items, third.raters) == (12, 13, 3)
    pairs = ((first, second), (first, third), (second, third), (third, third))
    for old, new in pairs:
        address = f"{API}/proofs/consistency?from={old.size}&to={new.size}"
        body = site.get(address).json()
        assert (body["from"], body["to"]) == (old.size, new.size)
        path = [bytes_of(step) for step in body["path"]]
        assert is_consistent(old.size, new.size, path, old.root, new.root)
    assert site.get(f"{API}/proofs/consistency?from={first.size}").json()["to"] == third.size
    listed = site.get(f"{API}/checkpoints").json()
    assert not listed["more"]
    sizes = [one["size"] for one in listed["checkpoints"]]
    assert sizes == [third.size, second.size, first.size]
    assert open_checkpoint(listed["checkpoints"][1]["text"], keys_of(site)) == second
    assert listed["checkpoints"][1]["at"] == second.at
    page = site.get(f"{API}/checkpoints?limit=1&before={third.size}").json()
    assert [one["size"] for one in page["checkpoints"]] == [second.size]
    assert page["more"]


def test_every_answer_is_proven_by_its_receipt(site: TestClient, database: str) -> None:
    receipts = [answered(site, kind) for kind in ("votes", "skips", "flags", "votes")]
    end = latest(site, size=desk(database, lambda d: d.step(NAME, "pause")))
    for text, kind in zip(receipts, ("vote", "skip", "flag", "vote"), strict=True):
        receipt = read_receipt(text)
        check_receipt(receipt, keys_of(site))
        body = checked(site, text)
        assert (body["in_log"], body["kind"], body["position"]) == (True, kind, receipt.position)
        assert open_checkpoint(body["checkpoint"], keys_of(site)) == end
        path = [bytes_of(step) for step in body["path"]]
        assert is_included(receipt.leaf_hash, receipt.position, end.size, path, end.root)
        plain = site.get(f"{API}/proofs/inclusion?position={receipt.position}").json()
        assert plain == {"position": receipt.position, "size": end.size, "path": body["path"]}
        assert body["counts_for"] == ([body["item"]] if kind == "vote" else [])
        assert body["why_not"] == ("" if kind == "vote" else kind)
        assert body["level"] == (2 if kind == "vote" else None)
        assert body["text"] == f"caption {body['item']}"


def test_a_receipt_is_checked_before_the_next_checkpoint(site: TestClient) -> None:
    latest(site, size=3)
    body = checked(site, answered(site))
    assert body["in_log"]
    assert body["counts_for"] == [body["item"]]
    assert body["checkpoint"] == ""
    assert body["path"] == []


def test_a_receipt_says_why_a_vote_does_not_count(site: TestClient, database: str) -> None:
    rater, other = new_rater(site), new_rater(site)
    first = answered(site, rater=rater)
    second = answered(site, rater=rater)
    third = answered(site, rater=other)
    items = [checked(site, text)["item"] for text in (first, second)]

    def after(step: Callable[[Desk], Any], text: str) -> tuple[list[int], str, str]:
        size = desk(database, step)
        for _ in range(100):
            if site.get("/metrics").status_code and latest(site, size=size).size >= size:
                break
        for _ in range(100):
            body = checked(site, text)
            if body["why_not"] or body["counts_for"] not in ([items[0]], [items[1]]):
                break
            time.sleep(0.05)
        return body["counts_for"], body["why_not"], body["grounds"]

    merge = {"keep_votes": True}
    assert after(lambda d: d.replace(NAME, items, "both", **merge), second) == ([], "merged", "")
    assert checked(site, first)["counts_for"] == [12]
    assert after(lambda d: d.withdraw(NAME, [12]), first) == ([], "withdrawn", "")
    assert after(lambda d: d.exclude(NAME, 0, grounds="speed"), first) == ([], "excluded", "speed")
    assert after(lambda d: d.erase(NAME, 1), third) == ([], "erased", "")


def test_a_log_that_was_changed_is_told_to_whoever_has_a_receipt(
    site: TestClient, database: str
) -> None:
    """A receipt that the service has signed, of an entry that is not in its log."""
    text = answered(site)
    receipt = read_receipt(text)
    store = open_store(database)
    keys = open_keys(store, Secret(SECRET.encode()))
    store.close()
    changed = receipt.leaf[:41] + bytes([receipt.leaf[41] ^ 1]) + receipt.leaf[42:]
    (forged,) = make_receipts(keys.signing, NAME, receipt.position, [changed])
    beyond = bytes(16) + (999).to_bytes(8, "little") + b"\1" + bytes(32)
    (missing,) = make_receipts(keys.signing, NAME, 999, [beyond])
    for one in (forged, missing):
        body = checked(site, one)
        assert not body["in_log"]
        assert (body["counts_for"], body["checkpoint"], body["path"]) == ([], "", [])
    assert checked(site, text)["in_log"]


def refused(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def test_what_is_no_receipt_of_this_contest_is_refused(site: TestClient) -> None:
    text = answered(site)
    strange = SigningKey(keys_of(site)[0].name, b"x" * 32)
    (forged,) = make_receipts(strange, NAME, 3, [read_receipt(text).leaf])
    other = text.replace(f"{NAME}:", "other:")
    for wrong in (
        "",
        "hello",
        text[:-1],
        text[:-5] + "AAAAA",
        forged,
        other,
        "a:" * 9_000,
    ):
        response = site.post(f"{API}/receipts", json={"receipt": wrong})
        assert refused(response) == (400, "proof_refused")
    assert refused(site.post(f"{API}/receipts", json={"receipt": forged}))[1] == "proof_refused"
    assert "not of 'captions'" in site.post(f"{API}/receipts", json={"receipt": other}).text


def test_proofs_are_between_checkpoints_only(site: TestClient, database: str) -> None:
    latest(site, size=3)
    for address in (
        "proofs/consistency?from=2",
        "proofs/consistency?from=3&to=4",
        "proofs/inclusion?position=1&size=2",
        "proofs/inclusion?position=3",
    ):
        assert site.get(f"{API}/{address}").status_code == 404, address
    for address in (
        "proofs/consistency",
        "proofs/consistency?from=0",
        "proofs/consistency?from=-1",
        "proofs/consistency?from=99999999999999999999",
        "proofs/inclusion?size=3",
        "proofs/inclusion?position=x",
        "checkpoints?limit=101",
    ):
        assert refused(site.get(f"{API}/{address}")) == (400, "bad_request"), address
    latest(site, size=desk(database, lambda d: d.step(NAME, "pause")))
    assert refused(site.get(f"{API}/proofs/consistency?from=4&to=3")) == (400, "bad_request")


def test_a_draft_does_not_exist_for_strangers(site: TestClient) -> None:
    there = {"authorization": "Bearer plaudit_all"}
    api = "/api/v1/contests/hidden"
    for address in ("checkpoint", "checkpoints", "proofs/consistency?from=2"):
        assert refused(site.get(f"{api}/{address}")) == (404, "unknown_contest")
        for _ in range(100):
            if site.get(f"{api}/{address}", headers=there).status_code == 200:
                break
            time.sleep(0.05)
        assert site.get(f"{api}/{address}", headers=there).status_code == 200, address
    found = site.post(f"{api}/receipts", json={"receipt": "x"})
    assert refused(found) == (404, "unknown_contest")


def test_who_asks_too_often_must_wait(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_site, "PROOF_RATE", "3/hour")
    app = make_app(Serving(database, SECRET, hosts=("testserver",)))
    with TestClient(app) as site:
        codes = [site.get("/api/v1/keys").status_code for _ in range(4)]
        assert codes == [200, 200, 200, 429]
        assert refused(site.get(f"{API}/checkpoint")) == (429, "rate_limited")
        assert site.get("/.well-known/plaudit-keys").status_code == 200
