"""Exclusions at the desk: their grounds, what they do to a verdict, and who decided."""

import html
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

from plaudit.phrase import Phrase
from plaudit.service.accounts.accounts import Accounts
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.contest.replay import load_state
from plaudit.service.desk.desk import Desk
from plaudit.service.moderation.grounds_found import grounds_of
from plaudit.service.moderation.suspicion import BURST, Reason, Suspect
from plaudit.service.moderation.suspicion_words import FAST
from plaudit.store import Store, open_store
from plaudit.store.log import Answer, Kind
from plaudit.web import browser_sessions as door
from plaudit.web.app import Serving, make_app
from support.desk_site import SECRET, Browser, welcomed
from support.live_worker import NAME, START, create

BASE = f"/desk/contests/{NAME}"
MODERATE = f"{BASE}/moderate"
CHEAP = {"time_cost": 1, "memory_kib": 8}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """300 raters agree that item 0 is best; rater 0 and rater 1 dissent, and rater 0 is out."""
    store = open_store(str(tmp_path / "desk.db"))
    create(store, 4)
    rows = [
        Answer(Kind.VOTE, rater.to_bytes(16, "big"), item, level, 0, START, 900)
        for rater in range(300)
        for item in range(4)
        for level in [2 if (item == 0) != (rater < 2) else 0]
    ]
    store.append_answers(NAME, rows)
    Desk(store).exclude(NAME, 0)
    yield store
    store.close()


@pytest.fixture
def ana(tmp_path: Path, store: Store) -> Iterator[Browser]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(door, "Passwords", lambda: Passwords(**CHEAP))
        app = make_app(Serving(str(tmp_path / "desk.db"), SECRET, hosts=("testserver",)))
        with TestClient(app, follow_redirects=False) as site:
            browser = welcomed(site, Accounts(store, Passwords(**CHEAP)), "Ana", "owner")
            until_decided(store)
            until_shown(browser, store)
            yield browser


def wait_for(condition: Callable[[], object]) -> None:
    for _ in range(200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen")


def until_shown(who: Browser, store: Store) -> None:
    """Waits until pages show the contest as its log has it."""
    epoch = f'name="epoch" value="{load_state(store, NAME).epoch}"'
    wait_for(lambda: epoch in who.get(f"{BASE}/trail").text)


def until_decided(store: Store) -> None:
    wait_for(lambda: load_state(store, NAME).verdicts)


def fields_of(page: str) -> dict[str, str]:
    """The fields of the form that agrees to lose a verdict."""
    form = page[page.index('name="revoke_verdict"') - 2000 :]
    form = form[form.rindex("<form", 0, 2000) :]
    found = re.findall(r'name="(\w+)" value="([^"]*)"', form[: form.index("</form>")])
    return {name: html.unescape(value) for name, value in found}


def exclude(who: Browser, **fields: str) -> httpx2.Response:
    page = who.get(f"{MODERATE}/raters/1").text
    own = dict(re.findall(r'name="(form_token|epoch)" value="([0-9a-f]+)"', page))
    return post(who, f"{MODERATE}/raters/exclude", **own | {"raters": "1"} | fields)


def post(who: Browser, path: str, **fields: str) -> httpx2.Response:
    return who.client.post(path, data=fields, headers={"origin": "http://testserver"})


def test_a_verdict_is_lost_only_after_the_page_named_it(ana: Browser, store: Store) -> None:
    before = store.contest(NAME)
    asked = exclude(ana, grounds="speed")
    assert asked.status_code == 409
    assert "This step takes back a verdict" in asked.text
    # People count items from 1.
    assert "names item i1." in asked.text
    assert store.contest(NAME) == before
    given = fields_of(asked.text)
    assert (given["revoke_verdict"], given["grounds"], given["raters"]) == ("yes", "speed", "1")
    assert post(ana, f"{MODERATE}/raters/exclude", **given).status_code == 303
    contest = load_state(store, NAME)
    assert contest.grounds == {0: "votes", 1: "speed"}
    until_decided(store)
    until_shown(ana, store)
    # Undoing takes it back again, and asks again.
    trail = ana.get(f"{BASE}/trail").text
    own = dict(re.findall(r'name="(form_token|epoch)" value="([0-9a-f]+)"', trail))
    step = re.search(r'name="position" value="([0-9]+)"', trail)
    assert step is not None
    undone = post(ana, f"{BASE}/trail/undo", **own, position=step[1])
    assert undone.status_code == 409
    assert "This step takes back a verdict" in undone.text
    again = fields_of(undone.text)
    assert post(ana, f"{BASE}/trail/undo", **again).status_code == 303
    assert load_state(store, NAME).excluded == {0}


def test_consent_is_not_carried_over_a_change_that_came_meanwhile(
    ana: Browser, store: Store
) -> None:
    given = fields_of(exclude(ana).text)
    Desk(store).change(NAME, {"title": "Another title"})
    moved = post(ana, f"{MODERATE}/raters/exclude", **given)
    assert moved.status_code == 409
    assert "changed while you were editing" in moved.text
    assert "revoke_verdict" not in moved.text


def test_every_page_says_what_the_verdict_owes(ana: Browser) -> None:
    owed = "The same with or without the excluded rater."
    who = "excluded rater 0 because of how they voted"
    run = ana.get(f"{BASE}/run").text
    assert f"<small>{owed}</small>" in run
    assert who in run
    assert "the command line" in run
    wait_for(lambda: f'/moderate#out">{owed}</a>' in ana.get(f"{BASE}/board").text)
    assert who in ana.get(MODERATE).text
    rater = ana.get(f"{MODERATE}/raters/1").text
    assert owed in rater
    assert "The same with or without the 2 excluded raters." in rater
    assert '<option value="votes" selected>' in rater
    several = ana.get(f"{MODERATE}/raters?raters=1+2").text
    assert "The same with or without the 3 excluded raters." in several
    public = ana.get(f"/c/{NAME}/results").text
    assert f"<small>{owed}</small>" in public


def test_the_grounds_that_the_tests_found_are_kept_for_each(ana: Browser, store: Store) -> None:
    asked = exclude(ana, raters="5 6 7", grounds="each", found="speed address")
    given = fields_of(asked.text)
    assert post(ana, f"{MODERATE}/raters/exclude", **given).status_code == 303
    grounds = load_state(store, NAME).grounds
    assert grounds == {0: "votes", 5: "speed", 6: "address", 7: "votes"}


def test_grounds_that_do_not_exist_are_refused(ana: Browser, store: Store) -> None:
    before = store.contest(NAME)
    refused = exclude(ana, grounds="luck")
    assert refused.status_code == 409
    assert "There is no grounds named" in refused.text
    assert store.contest(NAME) == before


def test_grounds_follow_from_the_tests() -> None:
    def named(*tests: str) -> Suspect:
        return Suspect(1, 20, tuple(Reason(test, Phrase(""), 0.001) for test in tests))

    assert grounds_of(None) == "votes"
    assert grounds_of(named("same answer")) == "votes"
    assert grounds_of(named("same answer", FAST)) == "speed"
    assert grounds_of(named("against everyone", BURST)) == "address"
    assert grounds_of(named(BURST, FAST)) == "speed"
