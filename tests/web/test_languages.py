"""A reader gets the language of the link, an earlier choice, the contest or the browser."""

import json
import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from plaudit import words
from plaudit.service.contest.settings import ContestSettings, Lane, Level
from plaudit.service.desk.desk import Desk
from plaudit.store import open_store
from plaudit.store.contract import Item
from plaudit.web.app import Serving, make_app
from plaudit.web.language import COOKIE, negotiated
from plaudit.words import LANGUAGES, catalogue_of

SECRET = "a secret for the tests of languages"
ARABIC, GERMAN, FRENCH = ({"accept-language": one} for one in ("ar", "de-AT,en;q=0.5", "fr"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    database = str(tmp_path_factory.mktemp("languages") / "languages.db")
    store, scale = open_store(database), (Level("No", 0.0), Level("Yes", 1.0))
    desk = Desk(store)
    for name, language, opened in (
        ("any", "automatic", True),
        ("japan", "ja", True),
        ("draft", "ja", False),
    ):
        settings = ContestSettings(
            title="Fruit", scale=scale, lanes=(Lane("plaudit"),), epsilon=0.05, language=language
        )
        items = [Item(number, text) for number, text in enumerate(("Fig", "Plum", "Pear"))]
        desk.create(name, settings, items, opened=opened)
    store.close()
    app = make_app(Serving(database, SECRET, hosts=("testserver",)))
    with TestClient(app, follow_redirects=False) as client:
        yield client


@pytest.fixture(autouse=True)
def no_cookies(site: TestClient) -> None:
    site.cookies.clear()


def shown(page: str) -> tuple[str, str]:
    """The language and the direction of a page."""
    found = re.search(r'<html lang="([^"]+)" dir="([^"]+)"', page)
    assert found
    return found[1], found[2]


def language(site: TestClient, path: str, **headers: str) -> str:
    return shown(site.get(path, headers=headers).text)[0]


@pytest.mark.parametrize(
    ("accepted", "wanted"),
    [
        ("", ""),
        ("*", ""),
        ("de", "de"),
        ("DE-at", "de"),
        ("da, en-GB;q=0.8, fr;q=0.9", "fr"),
        ("fr;q=0.5, es;q=0.5", "fr"),
        ("nl, pt;q=0.9", ""),
        ("de;q=0, ja;q=0.1", "ja"),
        ("de;q=zero, ja;q=0.1", "ja"),
        ("de;q=nan,ar", "ar"),
        ("en, " * 400 + "de", "en"),
        (";;q=,,=", ""),
        ("deutsch", ""),
    ],
)
def test_the_header_of_a_browser_is_weighed(accepted: str, wanted: str) -> None:
    assert negotiated(accepted) == wanted


def test_the_browser_decides_where_nobody_else_does(site: TestClient) -> None:
    assert language(site, "/c/any") == "en"
    assert shown(site.get("/c/any", headers=ARABIC).text) == ("ar", "rtl")
    assert shown(site.get("/c/any", headers=GERMAN).text) == ("de", "ltr")
    assert language(site, "/c/any") == "en"


def test_the_contest_comes_before_the_browser(site: TestClient) -> None:
    for path in ("", "/results", "/receipts", "/proof", "/wait"):
        assert language(site, f"/c/japan{path}", **GERMAN) == "ja"


def test_the_link_comes_first_and_is_remembered(site: TestClient) -> None:
    answer = site.get("/c/japan?lang=fr", headers=GERMAN)
    assert shown(answer.text)[0] == "fr"
    assert f"{COOKIE}=fr; Path=/; HttpOnly; SameSite=Lax" in answer.headers["set-cookie"]
    later = site.get("/c/japan/results", headers=GERMAN)
    assert shown(later.text)[0] == "fr"
    assert COOKIE not in later.headers.get("set-cookie", "")
    assert language(site, "/c/japan?lang=es") == "es"
    assert language(site, "/", **ARABIC) == "es"


def test_an_unknown_language_in_a_link_changes_nothing(site: TestClient) -> None:
    answer = site.get("/c/any?lang=tlh", headers=GERMAN)
    assert shown(answer.text)[0] == "de"
    assert COOKIE not in answer.headers.get("set-cookie", "")


def test_a_frame_on_another_site_gets_the_cookie_over_https(site: TestClient) -> None:
    answer = site.get("https://testserver/c/any?lang=de")
    assert "SameSite=None; Partitioned; Secure" in answer.headers["set-cookie"]


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_page_says_its_language_and_what_it_depends_on(site: TestClient, code: str) -> None:
    answer = site.get("/c/any/results", headers={"accept-language": code})
    assert answer.headers["content-language"] == code == shown(answer.text)[0]
    assert answer.headers["vary"] == "accept-language, cookie"
    assert answer.headers["cache-control"] == "no-cache"
    assert catalogue_of(code).texts.gettext("Raters") in answer.text
    texts = re.search(r'(?s)<script type="application/json" id="words">(.*?)</script>', answer.text)
    if code == "en":
        assert texts is None
    else:
        assert texts
        told = json.loads(texts[1])["texts"]
        assert told["Mean"] == catalogue_of(code).texts.gettext("Mean")


def test_pictures_and_scripts_depend_on_no_language(site: TestClient) -> None:
    answer = site.get("/static/public/rater.js?lang=de", headers=GERMAN)
    assert not {"content-language", "set-cookie"} & set(answer.headers)
    assert answer.headers["vary"] == "accept-encoding"


def test_errors_are_in_the_language_of_the_reader(site: TestClient) -> None:
    for path, text in (
        ("/nowhere", "There is nothing at this address. Check the link that you were given."),
        (
            "/c/none",
            "There is no contest at this address. Check the link that you were given.",
        ),
        ("/c/any/sign-in", "This contest does not ask you to sign in. Open its own page."),
    ):
        answer = site.get(path, headers=GERMAN)
        assert answer.status_code == 404
        assert catalogue_of("de").texts.gettext(text) in answer.text
        assert answer.headers["content-language"] == "de"


def test_the_language_of_a_draft_tells_strangers_nothing(site: TestClient) -> None:
    draft, none = (site.get(f"/c/{name}", headers=GERMAN) for name in ("draft", "none"))
    assert draft.status_code == none.status_code == 404
    assert draft.text.replace("draft", "none") == none.text


def test_programs_hear_english_unless_they_ask(site: TestClient) -> None:
    address = "/api/v1/contests/none"
    plain, asked = site.get(address), site.get(address, headers=GERMAN)
    assert "There is no contest" in plain.json()["error"]["message"]
    assert "Es gibt keinen Wettbewerb" in asked.json()["error"]["message"]
    assert plain.json()["error"]["code"] == asked.json()["error"]["code"]
    node = site.get(address, headers={"accept-language": "*"})
    assert node.json() == plain.json()


def test_results_are_cached_for_each_language(site: TestClient) -> None:
    address = "/api/v1/contests/any/results"
    found = {code: site.get(address, headers={"accept-language": code}) for code in LANGUAGES}
    sentences = {answer.json()["lanes"][0]["sentence"] for answer in found.values()}
    tags = {answer.headers["etag"] for answer in found.values()}
    assert len(sentences) == len(tags) == len(LANGUAGES)
    for code, answer in found.items():
        assert answer.headers["vary"] == "accept-language"
        known = {"if-none-match": answer.headers["etag"]}
        assert site.get(address, headers=known | {"accept-language": code}).status_code == 304
        other = "de" if code != "de" else "fr"
        assert site.get(address, headers=known | {"accept-language": other}).status_code == 200


def test_the_desk_speaks_the_language_of_the_service(site: TestClient) -> None:
    for path in ("/docs", "/desk/nowhere", "/desk/sign-in"):
        assert language(site, f"{path}?lang=de", **FRENCH) == "en"
    answer = site.get("/desk/sign-in?lang=de", headers=FRENCH)
    assert "languages" not in re.findall(r'<nav class="([^"]+)"', answer.text)


def test_the_service_has_a_language_for_all_who_ask_for_none(
    site: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "of_service", catalogue_of("es"))
    assert language(site, "/c/any") == language(site, "/c/any", **{"accept-language": "nl"}) == "es"
    assert language(site, "/c/any", **{"accept-language": "en"}) == "en"


def test_links_to_other_languages_keep_the_address_but_not_who_came(site: TestClient) -> None:
    page = site.get("/c/any?assignmentId=A1&workerId=W1&code=ABCD&lang=ja&x=%22%3E").text
    links = re.findall(r'<a href="([^"]+)" hreflang="(\w+)"', page)
    assert {code for _, code in links} == set(LANGUAGES) - {"ja"}
    assert ("?assignmentId=A1&amp;x=%22%3E&amp;lang=de", "de") in links
    assert "W1" not in page
    assert "ABCD" not in page
    assert '<span aria-current="true">日本語</span>' in page
