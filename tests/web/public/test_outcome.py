"""The moment of the result over HTTP: page, picture and certificate, and who may see them."""

import re

import pytest
from starlette.testclient import TestClient

from plaudit.service.contest.settings import Context, Lane
from plaudit.service.desk.desk import Desk
from plaudit.store import open_store
from plaudit.store.log import Answer, Kind
from plaudit.web.app import Serving, make_app
from plaudit.web.charts.result_card import lines_of
from support.live_worker import NAME, START, create

SECRET = "a secret that only tests know....."
PAGE = f"/c/{NAME}/results"
API = f"/api/v1/contests/{NAME}"


def served(tmp_path, *, close=False, votes=60, **given):
    path = str(tmp_path / "outcome.db")
    store = open_store(path)
    picture = store.put_asset("image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg"/>')
    context = Context("", picture, "A drawing")
    plain = {"lanes": (Lane("plaudit"),), "epsilon": 0.3, "delta": 0.1, "context": context}
    create(store, 4, **(plain | given))
    for rater in range(votes):
        answers = [
            Answer(Kind.VOTE, bytes([1 + rater]) * 16, item, 2 if item == 2 else 0, 0, START, 900)
            for item in range(4)
        ]
        store.append_answers(NAME, answers)
    if close:
        Desk(store).step(NAME, "close")
    store.close()
    return TestClient(make_app(Serving(path, SECRET, hosts=("testserver",))))


def until_decided(site):
    for _ in range(200):
        if site.get(API).json()["decided"]:
            return
    pytest.fail("no verdict")


def test_a_decided_contest_begins_with_its_winner(tmp_path):
    with served(tmp_path, public_results="end") as site:
        until_decided(site)
        page = site.get(PAGE).text
        assert (
            page.index("The winner") < page.index("caption 2") < page.index("How this was decided")
        )
        assert "at most one of 10 contests" in page
        assert "60 people gave 240 votes on 4 entries" in page
        assert f'href="/c/{NAME}/certificate"' in page
        card = site.get(f"/c/{NAME}/result.svg?download=1")
        assert card.headers["content-type"] == "image/svg+xml"
        assert "attachment" in card.headers["content-disposition"]
        assert "“caption 2”" in card.text
        assert "data:image/svg+xml;base64," in card.text
        assert not re.search(r'(href|src)="(?!data:)', card.text), "nothing comes from elsewhere"
        certificate = site.get(f"/c/{NAME}/certificate").text
        assert "caption 2" in certificate
        digest = site.get(f"{API}/verdicts", headers={}).status_code
        assert digest == 401
        assert re.search(r"<code>[0-9a-f]{64}</code>", certificate)


def test_a_contest_that_ended_without_a_verdict_says_so(tmp_path):
    with served(tmp_path, close=True, votes=2, epsilon=0.0, public_results="end") as site:
        page = site.get(PAGE).text
        assert "The favourite so far" in page
        assert "before the result was certain" in page
        assert "The winner" not in page
        assert site.get(f"/c/{NAME}/certificate").status_code == 404
        assert "The favourite so far" in site.get(f"/c/{NAME}/result.svg").text


@pytest.mark.parametrize("when", ["end", "after-visit", False])
def test_results_that_are_not_public_yet_are_hidden_everywhere(tmp_path, when):
    with served(tmp_path, votes=2, epsilon=0.0, public_results=when) as site:
        for path in (PAGE, f"/c/{NAME}/result.svg", f"/c/{NAME}/certificate"):
            assert site.get(path).status_code == 404
        assert site.get(f"{API}/results").status_code == 401
        assert site.get(API).json()["public_results"] is False
        assert PAGE not in site.get("/").text
        assert "plaudit_votes" not in re.sub("# .*", "", site.get("/metrics").text)


def test_whoever_has_finished_a_visit_sees_the_results_sooner(tmp_path):
    given = {"votes": 2, "epsilon": 0.0, "votes_per_visit": 2, "public_results": "after-visit"}
    with served(tmp_path, **given) as site:
        site.post(f"{API}/raters", json={})
        asked = site.post(f"{API}/ask", json={"count": 2}).json()
        for item in asked["items"]:
            assert site.get(PAGE).status_code == 404
            site.post(f"{API}/votes", json={"ticket": item["ticket"], "level": 1})
        end = site.post(f"{API}/ask", json={"count": 2}).json()["end"]
        assert (end["reason"], end["results"]) == ("visit", True)
        assert site.get(PAGE).status_code == 200
        assert site.get(f"{API}/results").status_code == 200
        site.cookies.clear()
        assert site.get(PAGE).status_code == 404


@pytest.mark.parametrize("welcome", [True, False])
def test_an_editor_may_welcome_votes_after_the_verdict(tmp_path, welcome):
    with served(tmp_path, votes_after_verdict=welcome) as site:
        until_decided(site)
        site.post(f"{API}/raters", json={})
        asked = site.post(f"{API}/ask", json={"count": 4}).json()
        assert len(asked["items"]) == (4 if welcome else 0)
        if not welcome:
            assert asked["end"]["reason"] == "decided"
            return
        for item in asked["items"]:
            body = {"ticket": item["ticket"], "level": 0}
            assert site.post(f"{API}/votes", json=body).status_code == 200
        end = site.post(f"{API}/ask", json={}).json()["end"]
        assert (end["reason"], end["more"]) == ("all_seen", False)
        assert site.get(API).json()["decided"], "the verdict stands"


def test_the_start_page_has_groups_pictures_and_the_way_to_the_desk(tmp_path):
    with served(tmp_path, public_results="end") as site:
        until_decided(site)
        page = site.get("/").text
        assert re.search(r"<h2[^>]*>Decided</h2>", page)
        assert 'class="card-picture"' in page
        assert 'href="/desk"' in page


def test_long_words_and_scripts_without_spaces_are_broken():
    assert lines_of("x" * 40, 10) == ["x" * 19, "x" * 19, "xx"]
    assert lines_of("雪だるま" * 5, 10) == ["雪だるま雪だるま雪だ", "るま雪だるま雪だるま"]
    assert len(lines_of("word " * 400, 10)) == 8
