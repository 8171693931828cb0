"""Work for newcomers over HTTP: what the API asks for, and what an attacker tries there."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import uvicorn.middleware.proxy_headers
from starlette.testclient import TestClient

from plaudit.client import Client, ServiceError, work_done
from plaudit.service.accounts.api_keys import key_hash
from plaudit.service.desk.desk import Desk
from plaudit.service.door import work as schedule
from plaudit.store import open_store
from plaudit.store.contract import Item
from plaudit.store.people import ApiKey
from plaudit.web.app import Serving, make_app
from support.live_worker import NAME, create, settings

API = f"/api/v1/contests/{NAME}"
OTHER = "/api/v1/contests/other"
KEY = {"authorization": "Bearer plaudit_raters"}


@pytest.fixture(autouse=True)
def easy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puzzles that a test solves at once."""
    monkeypatch.setattr(schedule, "EASIEST_BITS", 4)


@pytest.fixture
def database(tmp_path: Any) -> str:
    path = str(tmp_path / "worked.db")
    store = open_store(path)
    create(store, work="automatic")
    texts = [Item(number, f"caption {number}") for number in range(12)]
    Desk(store).create("other", settings(work="on"), texts, opened=True)
    store.put_key(ApiKey("raters", key_hash("plaudit_raters"), ("raters",), 0))
    store.close()
    return path


def serving(database: str) -> Serving:
    secret = "a secret for the tests of work, and nothing else"
    return Serving(database, secret, hosts=("testserver",), address_rate="")


@pytest.fixture
def site(database: str) -> Iterator[TestClient]:
    with TestClient(make_app(serving(database))) as client:
        yield client


def post(site: TestClient, path: str = API, **body: Any) -> Any:
    site.cookies.clear()
    return site.post(f"{path}/raters", json=body)


def asked(response: Any) -> dict[str, Any]:
    assert response.status_code == 428, response.text
    assert response.json()["error"]["code"] == "work_required"
    work: dict[str, Any] = response.json()["error"]["work"]
    return work


def test_the_first_raters_of_a_network_come_in_freely_then_they_work(site: TestClient) -> None:
    tokens = {post(site).json()["rater"] for _ in range(8)}
    assert len(tokens) == 8
    work = asked(post(site))
    assert (work["puzzles"], work["bits"], work["wait_ms"]) == (16, 4, 20_000)
    done = post(site, work=work_done(work))
    assert done.status_code == 200
    assert f"plaudit-{NAME}={done.json()['rater']}" in done.headers["set-cookie"]
    # The rater votes like any other.
    headers = {"x-plaudit-rater": done.json()["rater"]}
    item = site.post(f"{API}/ask", json={}, headers=headers).json()["items"][0]
    vote = site.post(f"{API}/votes", json={"ticket": item["ticket"], "level": 1}, headers=headers)
    assert vote.status_code == 200


def test_a_replayed_solution_is_the_same_rater_and_counts_once(
    site: TestClient, database: str
) -> None:
    work = work_done(asked(post(site, OTHER)))
    tokens = {post(site, OTHER, work=work).json()["rater"] for _ in range(60)}
    assert len(tokens) == 1
    # Sixty raters would have made it harder.
    assert asked(post(site, OTHER))["bits"] == 4
    # Another worker knows nothing of it, and comes to the same rater.
    with TestClient(make_app(serving(database))) as worker:
        assert {post(worker, OTHER, work=work).json()["rater"]} == tokens


def test_a_solution_is_for_one_contest_and_one_external_id(site: TestClient) -> None:
    work = work_done(asked(post(site, OTHER)))
    assert post(site, OTHER, work=work).status_code == 200
    for _ in range(8):
        post(site)
    assert asked(post(site, work=work))["challenge"] != work["challenge"]
    assert asked(post(site, OTHER, external="ann", work=work))["challenge"] != work["challenge"]
    work = work_done(asked(post(site, OTHER, external="ann")))
    assert asked(post(site, OTHER, external="bob", work=work))["challenge"] != work["challenge"]
    assert post(site, OTHER, external="ann", work=work).status_code == 200


def test_invented_external_ids_are_no_way_around(site: TestClient) -> None:
    codes = [post(site, external=f"invented {n}").status_code for n in range(20)]
    assert codes == [200] * 8 + [428] * 12


def test_an_external_rater_who_came_in_once_need_not_work_again(
    site: TestClient, database: str
) -> None:
    work = work_done(asked(post(site, OTHER, external="ann")))
    token = post(site, OTHER, external="ann", work=work).json()["rater"]
    assert post(site, OTHER, external="ann").json()["rater"] == token
    headers = {"x-plaudit-rater": token}
    item = site.post(f"{OTHER}/ask", json={}, headers=headers).json()["items"][0]
    site.post(f"{OTHER}/votes", json={"ticket": item["ticket"], "level": 1}, headers=headers)
    with TestClient(make_app(serving(database))) as restarted:
        # The log knows who has voted; the token knows who has not.
        assert post(restarted, OTHER, external="ann").json()["rater"] == token
        asked(post(restarted, OTHER, external="bob"))
        body = {"external": "ann"}
        again = restarted.post(f"{OTHER}/raters", json=body, headers=headers)
        assert again.json()["rater"] == token


def test_a_known_rater_stays_who_they_are_without_work(site: TestClient) -> None:
    token = post(site, OTHER, work=work_done(asked(post(site, OTHER)))).json()["rater"]
    site.cookies.clear()
    again = site.post(f"{OTHER}/raters", json={}, headers={"x-plaudit-rater": token})
    assert again.json()["rater"] == token


def test_a_key_for_raters_does_without(site: TestClient) -> None:
    for number in range(60):
        site.cookies.clear()
        body = {"external": f"panel {number}"} if number % 2 else {}
        assert site.post(f"{OTHER}/raters", json=body, headers=KEY).status_code == 200
    # Those who came with the key are not counted against the network of whoever holds it.
    assert asked(post(site, OTHER))["bits"] == 4


def test_many_at_once_count_as_many(site: TestClient) -> None:
    def external(number: int) -> int:
        body = {"external": f"at once {number}"}
        return int(site.post(f"{API}/raters", json=body).status_code)

    with ThreadPoolExecutor(16) as threads:
        codes = list(threads.map(external, range(64)))
    assert codes.count(200) == 8


def test_a_forwarded_address_from_a_stranger_is_not_believed(site: TestClient) -> None:
    codes = []
    for number in range(20):
        site.cookies.clear()
        forwarded = {"x-forwarded-for": f"198.51.100.{number}", "forwarded": f"for=10.0.0.{number}"}
        codes.append(site.post(f"{API}/raters", json={}, headers=forwarded).status_code)
    assert codes == [200] * 8 + [428] * 12


def test_behind_a_proxy_the_nearest_address_that_is_no_proxy_counts(database: str) -> None:
    """As `plaudit serve --proxy testclient` runs it, with a proxy that appends what it sees."""
    app = uvicorn.middleware.proxy_headers.ProxyHeadersMiddleware(
        make_app(serving(database)), trusted_hosts=["testclient"]
    )
    with TestClient(app) as proxied:
        codes = []
        for number in range(20):
            proxied.cookies.clear()
            # The sender wrote the first part; the proxy added the second.
            forwarded = {"x-forwarded-for": f"198.51.100.{number}, 203.0.113.9"}
            codes.append(proxied.post(f"{API}/raters", json={}, headers=forwarded).status_code)
        assert codes == [200] * 8 + [428] * 12
        elsewhere = {"x-forwarded-for": "203.0.113.77"}
        assert proxied.post(f"{API}/raters", json={}, headers=elsewhere).status_code == 200


@pytest.mark.parametrize(
    "work",
    [
        {"challenge": "", "nonces": []},
        {"challenge": "x" * 201},
        {"challenge": "x", "nonces": [-1]},
        {"challenge": "x", "nonces": [2**53]},
        {"challenge": "x", "nonces": [0] * 17},
        {"challenge": "x", "nonces": ["1"]},
        {"nonces": [1]},
        {"challenge": "x", "bits": 1},
    ],
)
def test_work_of_another_shape_is_refused(site: TestClient, work: dict[str, Any]) -> None:
    assert post(site, OTHER, work=work).status_code == 400


def test_the_client_works_by_itself(site: TestClient) -> None:
    site.cookies.clear()
    client = Client("http://testserver", http=site)
    for _ in range(45):
        site.cookies.clear()
        assert client.rater(NAME).ask(1)
    assert asked(post(site))["bits"] == 5


def test_the_client_says_what_else_is_wrong(site: TestClient) -> None:
    with pytest.raises(ServiceError) as raised:
        Client("http://testserver", http=site).rater("nowhere")
    assert raised.value.code == "unknown_contest"
    assert raised.value.work is None


# Waiting without a script


def test_a_browser_without_scripts_waits_and_is_let_in(
    site: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = site.get("/c/other/wait")
    assert "Please wait about 21 seconds" in page.text
    assert "plaudit-other" not in page.headers.get("set-cookie", "")
    again = re.search(r'content="21; url=(/c/other/wait\?challenge=[0-9a-f]{64})"', page.text)
    assert again is not None
    assert "One moment" in site.get(again[1]).text
    work = site.app._app.state.site.work  # type: ignore[attr-defined]
    later = work._clock() + 20_000
    monkeypatch.setattr(work, "_clock", lambda: later)
    came = site.get(again[1])
    assert "You are in" in came.text
    assert "refresh" not in came.text
    token = re.search("plaudit-other=([0-9a-f]{64})", came.headers["set-cookie"])
    assert token is not None
    assert site.post(f"{OTHER}/ask", json={}, headers={"x-plaudit-rater": token[1]}).is_success
    # Whoever is in is told so, and is not made a second rater.
    assert "set-cookie" not in site.get("/c/other/wait").headers


def test_waiting_is_no_way_around_another_door(database: str) -> None:
    store = open_store(database)
    texts = [Item(number, f"caption {number}") for number in range(3)]
    Desk(store).create("closed", settings(door="codes", work="off"), texts, opened=True)
    store.close()
    with TestClient(make_app(serving(database))) as client:
        answer = client.get("/c/closed/wait", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/c/closed")
        assert "set-cookie" not in answer.headers
