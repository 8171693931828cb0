"""Notices at the desk and over the API, of a real service to a real receiver."""

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from plaudit.service.accounts.accounts import Accounts
from plaudit.service.accounts.api_keys import key_hash
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.notices.settings import NoticeSettings
from plaudit.store import Store, open_store
from plaudit.store.people import ApiKey
from plaudit.web import browser_sessions as sessions
from plaudit.web.app import Serving, make_app
from support.desk_site import SECRET, Browser, welcomed
from support.live_worker import NAME, create
from support.network import receiver as acts
from support.network.receiver import Receiver, receiving

NOTICES = f"/desk/contests/{NAME}/notices"
API = f"/api/v1/contests/{NAME}"
CHEAP = {"time_cost": 1, "memory_kib": 8}
KEY = {"authorization": "Bearer plaudit_all"}


class Service:
    """The service, its people, and its store."""

    def __init__(self, site: TestClient, store: Store) -> None:
        self.site, self.store = site, store
        accounts = Accounts(store, Passwords(**CHEAP))
        people = (("Ana", "owner"), ("Ed", "editor"), ("Vic", "viewer"))
        self.ana, self.ed, self.vic = (welcomed(site, accounts, *who) for who in people)

    def send(self, path: str, body: Any) -> Any:
        return self.site.post(f"{API}/{path}", json=body, headers=KEY)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    database = str(tmp_path_factory.mktemp("notices") / "a.db")
    store = open_store(database)
    create(store, 4)
    for name, scopes in (("all", ("read", "manage")), ("read", ("read",))):
        store.put_key(ApiKey(name, key_hash(f"plaudit_{name}"), scopes, 0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sessions, "Passwords", lambda: Passwords(**CHEAP))
        settings = NoticeSettings(private=True)
        serving = Serving(database, SECRET, hosts=("testserver",), notices=settings)
        with TestClient(make_app(serving), follow_redirects=False) as site:
            yield Service(site, store)
    store.close()


@pytest.fixture
def receiver(service: Service) -> Iterator[Receiver]:
    with receiving() as found:
        yield found
    for one in service.store.destinations(NAME):
        service.store.drop_destination(NAME, one.number)


def until(happened: Callable[[], Any]) -> Any:
    for _ in range(600):
        if found := happened():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen")


def test_an_editor_adds_a_webhook_and_sees_what_comes_of_it(
    service: Service, receiver: Receiver
) -> None:
    ed = service.ed
    receiver.behaviours = [acts.answers(503, "retry-after: 9000")]
    form = {"way": "webhook", "address": receiver.url + "/hook", "kinds": ["closed", "opened"]}
    page = ed.send(NOTICES, f"{NOTICES}/add", **form).text
    secret = re.search(r">(whsec_[A-Za-z0-9+/=]+)</textarea>", page)
    assert secret
    assert "not shown again" in page
    (request,) = receiver.until(1)
    assert json.loads(request.body)["type"] == "test"
    until(lambda: "503" in ed.get(NOTICES).text)
    page = ed.get(NOTICES).text
    assert secret[1] not in page
    assert "waiting" in page
    number = service.store.deliveries(NAME, limit=1)[0].number
    again = ed.send(NOTICES, f"{NOTICES}/again", number=str(number))
    assert again.headers["location"] == f"{NOTICES}?done=sent-again"
    assert receiver.until(2)[1].id == request.id
    until(lambda: service.store.deliveries(NAME, limit=1)[0].state == "sent")
    assert "sent" in ed.get(NOTICES).text
    (one,) = service.store.destinations(NAME)
    gone = ed.send(NOTICES, f"{NOTICES}/remove", number=str(one.number))
    assert gone.headers["location"] == f"{NOTICES}?done=notices-off"
    assert receiver.url not in ed.get(NOTICES).text
    assert "sends no notices to 127.0.0.1 any more" in ed.get(f"/desk/contests/{NAME}/trail").text


def test_mistakes_are_told_at_their_field(service: Service, receiver: Receiver) -> None:
    def add(**form: Any) -> tuple[int, str]:
        answer = service.ana.send(NOTICES, f"{NOTICES}/add", **form)
        return answer.status_code, answer.text

    code, page = add(way="webhook", address="<nowhere>", kinds=["closed"])
    assert code == 422
    assert 'id="address-wrong"' in page
    assert "&lt;nowhere&gt;" in page
    assert "<nowhere>" not in page
    code, page = add(way="webhook", address=receiver.url)
    assert code == 422
    assert 'id="kinds-wrong"' in page
    code, page = add(way="mail", address="no mail", kinds=["closed"])
    assert code == 422
    assert "no mail address" in page
    code, page = add(way="mail", address="me@example.org", kinds=["closed"])
    assert code == 422
    assert "sends no mail" in page
    for step in ("again", "remove"):
        assert service.ana.send(NOTICES, f"{NOTICES}/{step}", number="999").status_code == 404
    assert service.store.destinations(NAME) == []


def test_only_editors_see_where_notices_go(service: Service) -> None:
    assert service.vic.get(NOTICES).status_code == 403
    for step in ("add", "remove", "again"):
        page = f"/desk/contests/{NAME}/trail"
        assert service.vic.send(page, f"{NOTICES}/{step}").status_code == 403
    stranger = Browser(service.site)
    assert stranger.get(NOTICES).status_code == 303


def test_programs_do_the_same_with_a_key(service: Service, receiver: Receiver) -> None:
    body = {"way": "webhook", "address": receiver.url, "kinds": ["verdict", "closed"]}
    made = service.send("destinations", body).json()
    assert made["secret"].startswith("whsec_")
    number = made["destination"]["number"]
    listed = service.site.get(f"{API}/destinations", headers=KEY).json()["destinations"]
    assert listed == [made["destination"]]
    assert made["secret"] not in service.site.get(f"{API}/destinations", headers=KEY).text
    receiver.until(1)

    def sent() -> Any:
        found = service.site.get(f"{API}/deliveries", headers=KEY).json()["deliveries"]
        return found if found and found[0]["state"] == "sent" else None

    (delivery,) = until(sent)
    assert delivery["body"]["type"] == "test"
    assert (delivery["tries"], delivery["outcome"]) == (1, "204")
    assert service.send("deliveries/again", {"number": delivery["number"]}).status_code == 200
    assert receiver.until(2)[1].id == delivery["id"]
    assert service.send("destinations", body).status_code == 409
    assert service.send("destinations", body | {"kinds": ["x"]}).status_code == 400
    assert service.send("destinations", body | {"address": "x"}).status_code == 400
    left = service.send("destinations/remove", {"number": number}).json()["destinations"]
    assert left == []
    for path in ("destinations/remove", "deliveries/again"):
        assert service.send(path, {"number": number}).status_code == 404
    reads = {"authorization": "Bearer plaudit_read"}
    for path in ("destinations", "deliveries"):
        assert service.site.get(f"{API}/{path}", headers=reads).status_code == 403
        assert service.site.get(f"{API}/{path}").status_code == 401


def test_what_happens_in_the_service_is_told(service: Service, receiver: Receiver) -> None:
    body = {"way": "webhook", "address": receiver.url, "kinds": ["closed", "opened"]}
    service.send("destinations", body)
    receiver.until(1)
    service.send("step", {"step": "close"})
    service.send("step", {"step": "reopen"})
    told = [json.loads(one.body) for one in receiver.until(3)]
    assert [one["type"] for one in told] == ["test", "closed", "opened"]
    assert told[1]["data"]["url"] == f"http://127.0.0.1:8000/c/{NAME}"


def test_a_database_alone_signs_nothing(service: Service, receiver: Receiver) -> None:
    """Neither the secret nor anything that makes it is in the store's files."""
    body = {"way": "webhook", "address": receiver.url, "kinds": ["closed"]}
    secret = service.send("destinations", body).json()["secret"]
    receiver.until(1)
    import base64

    raw = base64.b64decode(secret.removeprefix("whsec_"))
    folder = Path(service.store._database._path).parent  # type: ignore[attr-defined]
    for file in folder.iterdir():
        kept = file.read_bytes()
        assert secret.encode() not in kept
        assert raw not in kept
