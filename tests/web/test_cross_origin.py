"""Pages of other sites: which may use the API for raters, and how browsers are told."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from plaudit.service.accounts.api_keys import SCOPES, key_hash
from plaudit.service.desk.desk import Desk
from plaudit.store import open_store
from plaudit.store.contract import Item
from plaudit.store.people import ApiKey
from plaudit.web.app import Serving, make_app
from plaudit.web.cross_origin import is_allowed
from support.live_worker import NAME, create, settings

SITE, OTHER = "https://www.example.org", "https://evil.example"
SECRET = "a secret for the tests of other sites"
HERE = f"/api/v1/contests/{NAME}"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    path: Path = tmp_path_factory.mktemp("origins")
    store = open_store(str(path / "a.db"))
    create(store, 4, embed=(SITE, "http://localhost:7000"))
    Desk(store).create("draft", settings(embed=(SITE,)), [Item(0, "a"), Item(1, "b")])
    Desk(store).create("alone", settings(), [Item(0, "a"), Item(1, "b")], opened=True)
    store.put_key(ApiKey("all", key_hash("plaudit_all"), SCOPES, 0))
    store.close()
    serving = Serving(str(path / "a.db"), SECRET, hosts=("testserver",))
    with TestClient(make_app(serving)) as client:
        yield client


def preflight(site: TestClient, path: str, origin: str, method: str = "POST") -> Any:
    asked = {"origin": origin, "access-control-request-method": method,
             "access-control-request-headers": "content-type,x-plaudit-rater"}  # fmt: skip
    return site.options(path, headers=asked)


def allowed(answer: Any) -> str:
    return str(answer.headers.get("access-control-allow-origin", ""))


def test_a_listed_site_is_told_what_it_may(site: TestClient) -> None:
    for origin in (SITE, "http://localhost:7000"):
        answer = preflight(site, f"{HERE}/votes", origin)
        assert (answer.status_code, answer.content) == (204, b"")
        assert allowed(answer) == origin
        assert answer.headers["access-control-allow-methods"] == "GET, POST"
        assert "x-plaudit-rater" in answer.headers["access-control-allow-headers"]
        assert "authorization" not in answer.headers["access-control-allow-headers"]
        assert "access-control-allow-credentials" not in answer.headers
        assert answer.headers["vary"] == "Origin"


@pytest.mark.parametrize(
    ("path", "origin"),
    [(f"{HERE}/votes", OTHER), (f"{HERE}/votes", "null"), (f"{HERE}/votes", "http://www.example.org"),
     (f"{HERE}/votes", SITE + ".evil.example"), (f"{HERE}/votes", SITE + ":8443"),
     ("/api/v1/contests/alone/votes", SITE), ("/api/v1/contests/draft/votes", SITE),
     ("/api/v1/contests/nothing/votes", SITE)],
)  # fmt: skip
def test_all_others_are_not(site: TestClient, path: str, origin: str) -> None:
    answer = preflight(site, path, origin)
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "site_not_listed"
    assert allowed(answer) == ""


def test_answers_and_errors_can_be_read_by_a_listed_site_only(site: TestClient) -> None:
    for origin, wanted in ((SITE, SITE), (OTHER, "")):
        headers = {"origin": origin}
        told = site.get(HERE, headers=headers)
        assert (told.status_code, allowed(told)) == (200, wanted)
        assert told.headers["vary"] == "Origin"
        refused = site.post(f"{HERE}/ask", json={}, headers=headers)
        assert (refused.status_code, allowed(refused)) == (401, wanted)
        wrong = site.get(f"{HERE}/nothing", headers=headers)
        assert (wrong.status_code, allowed(wrong)) == (404, wanted)
    results = site.get(f"{HERE}/results", headers={"origin": SITE})
    assert "etag" in results.headers["access-control-expose-headers"]


def test_a_rater_on_another_site_votes_with_a_token(site: TestClient) -> None:
    token = site.post(f"{HERE}/raters", json={}, headers={"origin": SITE}).json()["rater"]
    site.cookies.clear()
    who = {"origin": SITE, "x-plaudit-rater": token}
    shown = site.post(f"{HERE}/ask", json={}, headers=who).json()["items"][0]
    vote = {"ticket": shown["ticket"], "level": 1}
    given = site.post(f"{HERE}/votes", json=vote, headers=who)
    assert (given.json()["answered"], allowed(given)) == (1, SITE)


def test_keys_are_not_for_pages(site: TestClient) -> None:
    """What needs a key cannot be read by any page of another site."""
    headers = {"origin": SITE, "authorization": "Bearer plaudit_all"}
    for path in (f"{HERE}/trail", "/api/v1/contests"):
        answer = site.get(path, headers=headers)
        assert (answer.status_code, allowed(answer)) == (200, "")


def test_same_pages_need_nothing(site: TestClient) -> None:
    answer = site.get(HERE)
    assert "vary" not in answer.headers
    assert allowed(answer) == ""
    assert site.options(HERE).status_code == 405


def test_the_script_can_be_loaded_from_anywhere(site: TestClient) -> None:
    for name in ("public/plaudit.js", "public/newcomer.js", "public/shelf.js", "public/puzzle.js",
                 "shared/requests.js"):  # fmt: skip
        answer = site.get(f"/static/{name}", headers={"origin": OTHER})
        assert (answer.status_code, allowed(answer)) == (200, "*")
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
        # Nothing that the module needs may touch the page that it is on.
        assert "words.js" not in answer.text
        assert "getElementById" not in answer.text


def test_origins_are_compared_as_browsers_write_them() -> None:
    assert is_allowed("https://example.org", ["https://example.org:443"])
    assert is_allowed("http://localhost", ["http://localhost:80"])
    assert not is_allowed("https://example.org", [])
    assert not is_allowed("", ["https://example.org"])
