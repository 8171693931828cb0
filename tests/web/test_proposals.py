"""Proposals over HTTP: raters propose by API and page, editors decide, strangers get nowhere."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from plaudit.service.accounts.accounts import Accounts
from plaudit.service.accounts.api_keys import key_hash
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.accounts.roles import COMMAND_LINE
from plaudit.service.desk.desk import Desk
from plaudit.store import Store, open_store
from plaudit.store.contract import Item
from plaudit.store.people import ApiKey
from plaudit.web import browser_sessions as door
from plaudit.web.app import Serving, make_app
from plaudit.web.rates import Rate
from support.live_worker import settings

SECRET = "a secret for the tests of proposals"
PASSWORD = "four words put together"
CHEAP = {"time_cost": 1, "memory_kib": 8}
EVIL = "<script>alert('x')</script> & \"co\""
KEYS = {scope: {"authorization": f"Bearer plaudit_{scope}"} for scope in ("read", "manage")}
KEYS["moderate"] = {"authorization": "Bearer plaudit_moderate"}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("proposals") / "site.db"


@pytest.fixture(scope="module")
def store(path: Path) -> Iterator[Store]:
    store = open_store(str(path))
    for scope in KEYS:
        store.put_key(ApiKey(scope, key_hash(f"plaudit_{scope}"), (scope,), 0))
    yield store
    store.close()


@pytest.fixture(scope="module")
def site(path: Path, store: Store) -> Iterator[TestClient]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(door, "Passwords", lambda: Passwords(**CHEAP))
        given = {"hosts": ("testserver",), "rater_rate": "", "address_rate": ""}
        with TestClient(
            make_app(Serving(str(path), SECRET, **given)),  # type: ignore[arg-type]
            follow_redirects=False,
        ) as client:
            yield client


class Contest:
    """A contest of its own, and the raters who come."""

    def __init__(self, site: TestClient, store: Store, name: str, **given: Any) -> None:
        self.site, self.store, self.name = site, store, name
        self.desk = Desk(store)
        texts = [Item(number, f"{'abcdef'[number] * 8} {number}") for number in range(6)]
        self.desk.create(name, settings(**{"proposals": "held"} | given), texts, opened=True)
        self.follow()

    def follow(self) -> None:
        """Waits until the service knows what was done here."""
        wanted = self.store.contest(self.name).epoch
        for _ in range(200):
            self.site.app._app.state.site.worker.catch_up()  # type: ignore[attr-defined]
            shown = self.site.get("/api/v1/contests", headers=KEYS["read"]).json()["contests"]
            if any(one["name"] == self.name and one["epoch"] >= wanted for one in shown):
                return
        raise AssertionError("the service does not follow")

    @property
    def api(self) -> str:
        return f"/api/v1/contests/{self.name}"

    def rater(self, *, votes: int = 1, **given: Any) -> dict[str, str]:
        """A new rater who has voted."""
        answer = self.site.post(f"{self.api}/raters", json=given)
        assert answer.status_code == 200, answer.text
        self.site.cookies.clear()
        who = {"x-plaudit-rater": answer.json()["rater"]}
        for _ in range(votes):
            asked = self.site.post(f"{self.api}/ask", json={}, headers=who).json()["items"]
            vote = {"ticket": asked[0]["ticket"], "level": 1}
            assert self.site.post(f"{self.api}/votes", json=vote, headers=who).is_success
        return who

    def propose(self, who: dict[str, str], text: str, **more: Any) -> httpx2.Response:
        body = {"text": text} | more
        return self.site.post(f"{self.api}/proposals", json=body, headers=who)


def code(response: httpx2.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def test_a_proposal_is_sent_taken_and_voted_on(site: TestClient, store: Store) -> None:
    contest = Contest(site, store, "whole-way")
    author, other = contest.rater(), contest.rater()
    assert contest.site.get(contest.api).json()["proposals"] == "held"
    sent = contest.propose(author, "The snowman melts into his role").json()
    assert sent["standing"] == "waiting"
    near = contest.propose(author, "The snowman melted into his role").json()
    assert (near["standing"], near["proposal"], near["near"][0]["id"]) == ("near", None, None)
    again = contest.propose(author, "The snowman melted into his role", anyway=True).json()
    queue = site.get(f"{contest.api}/proposals", headers=KEYS["read"]).json()
    assert (queue["waiting"], len(queue["proposals"])) == (2, 2)
    take = {"proposals": [{"proposal": sent["proposal"]}], "epoch": queue["epoch"]}
    done = site.post(f"{contest.api}/proposals/take", json=take, headers=KEYS["manage"])
    assert done.json()["id"] == "i7", done.text
    refuse = {"proposals": [again["proposal"]], "reason": "duplicate", "note": EVIL}
    done = site.post(f"{contest.api}/proposals/refuse", json=refuse, headers=KEYS["moderate"])
    assert done.status_code == 200
    own = site.get(f"{contest.api}/proposals/own", headers=author).json()
    assert [line["sentence"] for line in own["proposals"]] == [
        "It is in the contest, as item i7.",
        "It was not taken. It says the same as another item.",
    ]
    assert own["left"] == 1
    german = site.get(f"{contest.api}/proposals/own", headers=author | {"accept-language": "de"})
    assert "i7" in german.json()["proposals"][0]["sentence"]
    asked = site.post(f"{contest.api}/ask", json={"count": 10}, headers=other).json()["items"]
    assert "i7" in [item["id"] for item in asked]
    asked = site.post(f"{contest.api}/ask", json={"count": 10}, headers=author).json()["items"]
    assert "i7" not in [item["id"] for item in asked]
    only = site.get(f"{contest.api}/proposals?standing=taken", headers=KEYS["read"]).json()
    assert [line["id"] for line in only["proposals"]] == ["i7"]
    file = site.get(f"{contest.api}/export/proposals.csv", headers=KEYS["read"])
    assert file.status_code == 403


def test_who_may_do_what(site: TestClient, store: Store) -> None:
    contest = Contest(site, store, "who-may", door="codes")
    contest.desk.make_codes("who-may", 1)
    contest.follow()
    assert code(contest.propose({}, "A stranger's joke"))[0] == 401
    open_one = Contest(site, store, "who-may-open")
    assert code(open_one.propose({}, "A stranger's joke")) == (401, "rater_required")
    new = open_one.rater(votes=0)
    assert code(open_one.propose(new, "Before the first vote")) == (403, "vote_first")
    # A token of one contest is worth nothing in another.
    assert code(contest.propose(open_one.rater(), "From elsewhere"))[0] in (401, 403)
    take = {"proposals": [{"proposal": 3}]}
    for headers in ({}, KEYS["read"], KEYS["moderate"]):
        answer = site.post(f"{open_one.api}/proposals/take", json=take, headers=headers)
        assert answer.status_code in (401, 403)
    refuse = {"proposals": [3]}
    for headers in ({}, KEYS["read"], KEYS["manage"]):
        answer = site.post(f"{open_one.api}/proposals/refuse", json=refuse, headers=headers)
        assert answer.status_code in (401, 403)
    assert site.get(f"{open_one.api}/proposals").status_code == 401
    assert site.get(f"{open_one.api}/trail").status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        {"text": ""},
        {"text": "x" * 2001},
        {"text": "a\x00b"},
        {"text": 5},
        {},
        {"text": "a", "rater": 3},
        {"text": "a", "anyway": "yes"},
    ],
)
def test_what_is_no_proposal_is_refused(site: TestClient, store: Store, body: Any) -> None:
    name = "nothing-wrong"
    if name not in [one.name for one in store.contests()]:
        Contest(site, store, name)
    contest = Contest.__new__(Contest)
    contest.site, contest.store, contest.name = site, store, name
    who = contest.rater()
    answer = site.post(f"{contest.api}/proposals", json=body, headers=who)
    assert answer.status_code == 400


def test_a_rater_cannot_ask_too_often(site: TestClient, store: Store) -> None:
    contest = Contest(site, store, "too-often")
    who = contest.rater()
    heard = [contest.propose(who, "aaaaaaaa 0").status_code for _ in range(25)]
    assert heard == [409] * 20 + [429] * 5


def test_many_raters_of_one_address_cannot_propose_too_often(
    site: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    contest = Contest(site, store, "one-address")
    service = site.app._app.state.site  # type: ignore[attr-defined]
    monkeypatch.setattr(service, "_proposal_address_rate", Rate("3/hour"))
    heard = [contest.propose(contest.rater(), f"{'ghijk'[n] * 9}") for n in range(5)]
    assert [one.status_code for one in heard] == [200, 200, 200, 429, 429]
    assert heard[-1].headers["retry-after"] == "2"


def test_the_page_works_without_a_script(site: TestClient, store: Store) -> None:
    contest = Contest(site, store, "plain-page")
    page = f"/c/{contest.name}/suggest"
    assert "Rate an item first" in site.get(page).text
    who = contest.rater()
    site.cookies.set(f"plaudit-{contest.name}", who["x-plaudit-rater"])
    try:
        answer = site.get(page)
        assert "You may suggest 3 more items." in answer.text
        # Or the form would hide its origin; at a plain http address browsers say nothing else.
        assert answer.headers["referrer-policy"] == "same-origin"
        sent = site.post(page, data={"text": EVIL}, headers={"origin": "http://testserver"})
        assert (sent.status_code, sent.headers["location"]) == (303, f"{page}?sent=waiting")
        shown = site.get(sent.headers["location"]).text
        assert "waits to be looked at" in shown
        assert EVIL not in shown
        assert "&lt;script&gt;" in shown
        near = site.post(page, data={"text": EVIL + "!"})
        assert near.status_code == 409  # it differs by a sign that does not matter
        near = site.post(page, data={"text": EVIL + " dear"})
        assert near.status_code == 200
        assert "Is it one of these?" in near.text
        assert EVIL not in near.text
        sent = site.post(page, data={"text": EVIL + " dear", "anyway": "yes"})
        assert sent.status_code == 303
        empty = site.post(page, data={"text": " "})
        assert empty.status_code == 400
        assert "Write something first." in empty.text
        for headers in (
            {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site"},
            {"origin": "https://evil.example"},
            {"origin": "null"},
        ):
            foreign = site.post(page, data={"text": "From another site"}, headers=headers)
            assert foreign.status_code == 403
        assert len(store.events(contest.name)) == 4
    finally:
        site.cookies.clear()
    # A frame that gets no cookie sends the token in the form; without both nothing happens.
    framed = {"text": "From a frame", "rater": who["x-plaudit-rater"]}
    assert site.post(page, data=framed).status_code == 303
    assert site.post(page, data={"text": "From nobody"}).status_code == 401


class Visitor:
    """Someone who is signed in at the desk."""

    def __init__(self, site: TestClient, store: Store, name: str, role: str) -> None:
        self.client = TestClient(site.app, follow_redirects=False)
        self.client.portal = site.portal
        token = Accounts(store, Passwords(**CHEAP)).invite(COMMAND_LINE, role)
        given = {"name": name, "password": PASSWORD, "again": PASSWORD}
        assert self.send(f"/desk/welcome/{token}", **given).status_code == 303

    def send(self, page: str, action: str = "", **fields: Any) -> httpx2.Response:
        text = self.client.get(page).text
        own = dict(re.findall(r'name="(form_token|epoch)" value="([0-9a-f]+)"', text))
        headers = {"origin": "http://testserver"}
        return self.client.post(action or page, data=own | fields, headers=headers)


def test_the_queue_at_the_desk(site: TestClient, store: Store) -> None:
    ana = Visitor(site, store, "Ana", "owner")
    victor = Visitor(site, store, "Victor", "viewer")
    contest = Contest(site, store, "at-the-desk", proposals_each=9)
    base = f"/desk/contests/{contest.name}/proposals"
    who = contest.rater()
    texts = ("bbbbbbbb 1 dear", EVIL, "Quite another", "The last of them")
    numbers = [contest.propose(who, text, anyway=True).json()["proposal"] for text in texts]
    home = ana.client.get("/desk").text
    assert "4 proposals wait for you" in home
    assert "4 proposals wait for you" in ana.client.get(f"/desk/contests/{contest.name}").text
    page = ana.client.get(base).text
    assert "Items that are near:" in page
    assert ">i2</a>" in page
    assert EVIL not in page
    assert "&lt;script&gt;" in page
    seen = victor.client.get(base)
    assert seen.status_code == 200
    assert f"{base}/take" not in seen.text
    # One is corrected and taken by its own button, though another is ticked.
    first = {"only": str(numbers[0]), "proposal": str(numbers[2]), f"text-{numbers[0]}": "Better"}
    taken = ana.send(base, f"{base}/take", **first)
    assert taken.status_code == 303, taken.text
    assert store.items(contest.name, first=6)[0].text == "Better"
    page = ana.client.get(taken.headers["location"]).text
    assert "Taken: the items are in the contest." in page
    assert "It was corrected:" in page
    # Two are refused at once, and that is undone.
    several = {"proposal": [str(n) for n in numbers[2:]], "reason": "off-topic", "note": EVIL}
    refused = ana.send(base, f"{base}/refuse", **several)
    assert refused.status_code == 303
    page = ana.client.get(base).text
    assert page.count("It does not fit this contest.") == 3  # two rows and the choice
    assert EVIL not in page
    step = refused.headers["location"].rpartition("=")[2]
    assert ana.send(base, f"{base}/undo", step=step).status_code == 303
    assert "3 proposals wait for you" in ana.client.get("/desk").text
    # What makes no sense is said on the page, and changes nothing.
    none = ana.send(base, f"{base}/take")
    assert (none.status_code, "name at least one" in none.text) == (409, True)
    twice = ana.send(base, f"{base}/take", only=str(numbers[0]))
    assert (twice.status_code, "was decided already" in twice.text) == (409, True)
    events = len(store.events(contest.name))
    # Viewers, forms of other sites and forms without a token change nothing.
    only = {"only": str(numbers[1])}
    assert victor.send(base, f"{base}/take", **only).status_code == 403
    assert ana.client.post(f"{base}/take", data=only).status_code == 403
    foreign = {"origin": "https://evil.example"}
    assert ana.client.post(f"{base}/take", data=only, headers=foreign).status_code == 403
    assert len(store.events(contest.name)) == events
    many = {"proposal": [str(n) for n in numbers[1:]]}
    assert ana.send(base, f"{base}/take", **many).status_code == 303
    assert [item.text for item in store.items(contest.name, first=7)] == list(texts[1:])
    assert "wait for you" not in ana.client.get("/desk").text.partition(contest.name)[2][:900]
    trail = ana.client.get(f"/desk/contests/{contest.name}/trail").text
    assert EVIL not in trail
    file = ana.client.get(f"/desk/contests/{contest.name}/export/proposals.csv")
    assert file.text.count("taken") == 4


def test_a_contest_without_proposals_has_no_tab(site: TestClient, store: Store) -> None:
    eve = Visitor(site, store, "Eve", "editor")
    contest = Contest(site, store, "no-tab", proposals="off")
    page = eve.client.get(f"/desk/contests/{contest.name}").text
    assert "/proposals" not in page
    who = contest.rater()
    assert code(contest.propose(who, "A joke for nobody")) == (409, "proposals_off")
    assert "takes no suggestions" in site.get(f"/c/{contest.name}/suggest").text
