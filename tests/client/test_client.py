"""The client against the real app over real HTTP, on lines that break."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest

import plaudit.client.lines
from plaudit.client import LONGEST_WAIT, TRIES, AsyncClient, Client, ServiceError, waiting_time
from plaudit.crowd import Crowd
from plaudit.errors import PlauditError
from plaudit.service.accounts.api_keys import SCOPES, key_hash
from plaudit.service.desk.desk import Desk
from plaudit.service.live.worker import now_ms
from plaudit.simulation import parse_population
from plaudit.store import open_store
from plaudit.store.contract import Item
from plaudit.store.log import Kind
from plaudit.store.people import ApiKey
from plaudit.web.app import Serving
from support.live_worker import NAME, create, settings
from support.served_site import served

SECRET = "a secret for the tests of the client"
KEY = "plaudit_client"
PROPOSED, IDEAS = "proposed", "ideas"


class Site:
    """A service, and what its log says."""

    def __init__(self, url: str, database: str) -> None:
        self.url = url
        self._database = database

    def answers(self) -> list[tuple[int, int, int]]:
        store = open_store(self._database)
        entries = [entry for entry in store.entries(NAME) if entry.rater >= 0]
        store.close()
        return [(entry.kind, entry.item, entry.level) for entry in entries]

    def times(self) -> list[int]:
        store = open_store(self._database)
        taken = [entry.response_ms for entry in store.entries(NAME) if entry.rater >= 0]
        store.close()
        return taken


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    database = str(tmp_path_factory.mktemp("client") / "client.db")
    store = open_store(database)
    create(store, 40, clock=now_ms)
    texts = [Item(number, f"caption {number}") for number in range(4)]
    for name in (PROPOSED, IDEAS):
        Desk(store).create(name, settings(proposals="held"), texts, opened=True)
    store.put_key(ApiKey("all", key_hash(KEY), SCOPES, 0))
    store.close()
    with served(Serving(database, SECRET, rater_rate="", address_rate="")) as url:
        yield Site(url, database)


def test_proposals_are_sent_taken_and_refused(site: Site) -> None:
    with Client(site.url, key=KEY) as service:
        rater = service.rater(PROPOSED)
        rater.vote(rater.ask()[0], 1)
        first = rater.propose("The first of all proposals")
        assert rater.propose("The first of all proposals")["proposal"] == first["proposal"]
        assert rater.propose("The first of all the proposals")["standing"] == "near"

    async def others() -> dict[str, Any]:
        async with AsyncClient(site.url, key=KEY) as service:
            rater, desk = await service.rater(PROPOSED), service.desk(PROPOSED)
            await rater.vote((await rater.ask())[0], 1)
            second = await rater.propose("Something else entirely")
            waiting = (await desk.proposals(standing="waiting"))["proposals"]
            assert [one["proposal"] for one in waiting] == [first["proposal"], second["proposal"]]
            taken = await desk.take_proposals({first["proposal"]: "The first"})
            assert taken["id"] == "i5"
            await desk.refuse_proposals([second["proposal"]], reason="off-topic", note="Sorry")
            return await rater.own_proposals()

    (own,) = asyncio.run(others())["proposals"]
    assert (own["standing"], own["note"]) == ("refused", "Sorry")


def test_a_contest_is_run_through_the_client(site: Site, waits: list[float]) -> None:
    with Client(site.url, key=KEY) as service:
        desk = service.desk(NAME)
        new = desk.add_items(["late one", "late two"])
        merged = desk.merge([new["item"], new["item"] + 1], text="late", epoch=new["epoch"])
        anew = desk.edit(merged["item"], "later", keep_votes=False, epoch=merged["epoch"])
        out = desk.withdraw([anew["item"]], epoch=anew["epoch"])
        back = desk.bring_back([anew["item"]], epoch=out["epoch"])
        title = desk.settings()["settings"]["title"]
        changed = desk.change({"title": "Other"}, epoch=back["epoch"])
        assert desk.settings()["settings"]["title"] == "Other" != title
        desk.undo(changed["position"], epoch=changed["epoch"])
        assert desk.settings()["settings"]["title"] == title
        steps = [step["what"] for step in desk.trail(since=new["epoch"])["steps"]]
        assert steps[1:5] == [
            "changed title", "brought back item i44", "withdrew item i44",
            "replaced item i43 by item i44, which starts anew",
        ]  # fmt: skip
        with pytest.raises(ServiceError, match="changed meanwhile") as refused:
            desk.step("pause", epoch=new["epoch"])
        assert (refused.value.status, refused.value.code) == (409, "changed_meanwhile")
        assert [step["what"] for step in refused.value.steps] == steps
        assert refused.value.epoch == changed["epoch"] + 1
        for each in (desk.exclude, desk.readmit):
            with pytest.raises(ServiceError, match="no rater"):
                each(["0" * 32])
        with pytest.raises(ServiceError, match="no rater"):
            desk.erase("0" * 32)
        desk.withdraw([anew["item"]])


# What a plain install and the extra `service` bring, and the client does without.
NOT_THE_CLIENTS = (
    "numpy", "numba", "llvmlite", "scipy", "click", "rich", "starlette", "msgspec", "uvicorn",
    "jinja2", "babel", "argon2", "psycopg", "prometheus_client", "yaml", "multipart", "segno",
    "cryptography", "rfc8785",
)  # fmt: skip


def test_the_client_votes_where_there_is_nothing_but_http(site: Site) -> None:
    code = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({NOT_THE_CLIENTS}))\n"
        "from plaudit.client import Client\n"
        f"with Client({site.url!r}) as service:\n"
        f"    rater = service.rater({NAME!r})\n"
        "    for shown in rater.ask(2):\n"
        "        rater.vote(shown, level=1)\n"
    )
    before = len(site.answers())
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert len(site.answers()) == before + 2


def test_a_step_is_repeated_only_if_it_says_what_it_saw(waits: list[float]) -> None:
    with Client("http://127.0.0.1:9") as service:
        for epoch, times in ((None, 0), (3, TRIES - 1)):
            waits.clear()
            with pytest.raises(ServiceError, match="No answer"):
                service.desk(NAME).step("pause", epoch=epoch)
            assert len(waits) == times


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the client waited each time; it does not really."""
    waited: list[float] = []
    # In this module only: the service runs in the same process.
    monkeypatch.setattr(plaudit.client.lines, "time", SimpleNamespace(sleep=waited.append))
    return waited


class Line(httpx2.BaseTransport):
    """A line that breaks as told: a fault for each of the next requests, None for none."""

    def __init__(self) -> None:
        self.faults: list[Callable[[httpx2.BaseTransport, httpx2.Request], Any] | None] = []
        self.sent = 0
        self._inner = httpx2.HTTPTransport()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        self.sent += 1
        fault = self.faults.pop(0) if self.faults else None
        if fault is not None:
            return fault(self._inner, request)
        return self._inner.handle_request(request)

    def close(self) -> None:
        self._inner.close()


def no_connection(line: httpx2.BaseTransport, request: httpx2.Request) -> Any:
    raise httpx2.ConnectError("refused")


def answer_lost(line: httpx2.BaseTransport, request: httpx2.Request) -> Any:
    line.handle_request(request).read()
    raise httpx2.ReadError("the line broke")


def status(code: int, **headers: str) -> Callable[[Any, Any], httpx2.Response]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda line, request: httpx2.Response(code, headers=named, text="not now")


@pytest.fixture
def line(site: Site) -> Iterator[tuple[Client, Line]]:
    transport = Line()
    with Client(site.url, http=httpx2.Client(base_url=site.url, transport=transport)) as client:
        yield client, transport


def test_a_rater_asks_votes_skips_and_flags(site: Site) -> None:
    before = len(site.answers())
    with Client(site.url) as client:
        rater = client.rater(NAME)
        one, two, three = rater.ask(3)
        assert rater.ask(3) == [one, two, three]
        assert rater.vote(one, 2, response_ms=900)["answered"] == 1
        assert rater.skip(two)["level"] is None
        assert rater.flag(three, "duplicate")["answered"] == 1
        assert rater.end is None
    assert site.answers()[before:] == [
        (Kind.VOTE, one.item, 2),
        (Kind.SKIP, two.item, -1),
        (Kind.FLAG, three.item, 1),
    ]


def test_two_raters_of_one_client_are_two(site: Site) -> None:
    with Client(site.url) as client:
        one, two = client.rater(NAME), client.rater(NAME)
        first = one.ask(1)[0]
        one.vote(first, 1)
        assert two.vote(two.ask(1)[0], 0)["answered"] == 1
        same = client.rater(NAME, external="panel-1"), client.rater(NAME, external="panel-1")
        assert same[0].ask(2) == same[1].ask(2)


def test_what_everyone_may_see_and_what_takes_a_key(site: Site) -> None:
    with Client(site.url) as client:
        assert client.contest(NAME)["items"] == 40
        assert len(client.results(NAME, limit=3)["lanes"][0]["leaders"]) == 3
        with pytest.raises(ServiceError) as refused:
            client.contests()
        assert (refused.value.status, refused.value.code) == (401, "key_required")
    with Client(site.url, key=KEY) as client:
        assert [each["name"] for each in client.contests()] == [NAME, PROPOSED, IDEAS]


FAULTS = {
    "no connection": no_connection,
    "answer lost": answer_lost,
    "store away": status(503, retry_after="2"),
    "too fast": status(429, retry_after="2"),
    "proxy": status(502),
    "slow": status(504),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_call_is_repeated_and_counts_once(
    site: Site, line: tuple[Client, Line], fault: str, waits: list[float]
) -> None:
    client, transport = line
    rater = client.rater(NAME)
    shown = rater.ask(1)[0]
    before, sent = len(site.answers()), transport.sent
    transport.faults = [FAULTS[fault], FAULTS[fault]]
    answer = rater.vote(shown, 2)
    assert answer.pop("receipt").startswith(f"{NAME}:")
    assert answer == {"item": shown.item, "id": shown.id, "level": 2, "answered": 1}
    assert transport.sent == sent + 3
    assert site.answers()[before:] == [(Kind.VOTE, shown.item, 2)]
    assert waits == ([2.0, 2.0] if fault in WISHES else [0.2, 0.4])


WISHES = ("store away", "too fast")


def test_a_lost_answer_does_not_change_the_next_question(line: tuple[Client, Line]) -> None:
    client, transport = line
    rater = client.rater(NAME)
    transport.faults = [answer_lost]
    shown = rater.ask(2)
    assert rater.ask(2) == shown


def test_it_gives_up_in_the_end(line: tuple[Client, Line], waits: list[float]) -> None:
    client, transport = line
    transport.faults = [no_connection] * 50
    with pytest.raises(ServiceError, match="No answer from the service") as gone:
        client.contest(NAME)
    assert (gone.value.status, gone.value.code) == (0, "unreachable")
    assert isinstance(gone.value, PlauditError)
    assert transport.sent == TRIES
    assert waits == sorted(waits)
    transport.faults = [status(503)] * 50
    with pytest.raises(ServiceError) as away:
        client.contest(NAME)
    assert away.value.status == 503


def test_what_is_refused_is_not_repeated(line: tuple[Client, Line], waits: list[float]) -> None:
    client, transport = line
    with pytest.raises(ServiceError) as refused:
        client.rater("nothing")
    assert (refused.value.status, refused.value.code) == (404, "unknown_contest")
    assert "no contest" in str(refused.value)
    rater = client.rater(NAME)
    shown = rater.ask(1)[0]
    sent = transport.sent
    with pytest.raises(ServiceError) as refused:
        rater.vote(shown._replace(ticket="00"), 1)
    assert refused.value.code == "bad_ticket"
    with pytest.raises(ServiceError) as refused:
        rater.vote(shown, 63)
    assert (refused.value.status, refused.value.code) == (400, "bad_request")
    assert transport.sent == sent + 2
    assert not waits


@pytest.mark.parametrize("body", ["<html>", "[]", "null", '{"error": 3}', '{"error": {}}', ""])
def test_an_answer_of_something_else(line: tuple[Client, Line], body: str) -> None:
    client, transport = line
    transport.faults = [lambda inner, request: httpx2.Response(418, text=body)]
    with pytest.raises(ServiceError, match="418") as strange:
        client.contest(NAME)
    assert (strange.value.status, strange.value.code) == (418, "unknown")


def test_waiting_has_an_end() -> None:
    assert [waiting_time(attempt) for attempt in (0, 1, 2)] == [0.2, 0.4, 0.8]
    assert waiting_time(100) == LONGEST_WAIT
    assert waiting_time(0, asked="9" * 300) == LONGEST_WAIT
    assert waiting_time(0, asked="Wed, 21 Oct 2026 07:28:00 GMT") == 0.2


def test_fakes_of_a_crowd_give_the_best_item_the_lowest_label(site: Site) -> None:
    """All twenty are fakes who know how good the items are; everyone else would vote it up."""
    before = len(site.answers())
    people = parse_population("knock-out:20")
    qualities = {item: 1.0 if item == 7 else 0.9 for item in range(60)}
    with Client(site.url) as client:
        crowd = Crowd(
            client, NAME, raters=20, think_seconds=0.0, people=people, qualities=qualities, seed=1
        )
        crowd.run(until=lambda: crowd.votes >= 160, threads=4)
    votes = site.answers()[before:]
    best = [level for _, item, level in votes if item == 7]
    assert best
    assert set(best) == {0}
    assert sum(level for _, item, level in votes if item != 7) > len(votes)


def test_a_crowd_looks_before_it_votes(site: Site) -> None:
    before = len(site.times())
    with Client(site.url) as client:
        crowd = Crowd(client, NAME, raters=20, think_seconds=0.5, seed=1)
        crowd.run(until=lambda: crowd.votes >= 40, threads=4)
    taken = site.times()[before:]
    assert len(taken) >= 40
    # The service takes no time for true that is longer than it was; 2 in 100 think so briefly.
    assert sum(each < 10 for each in taken) <= len(taken) // 8


def test_a_crowd_proposes_a_little_where_it_may(site: Site) -> None:
    ideas = ["One of its own", "Another one entirely"]
    with Client(site.url, key=KEY) as client:
        crowd = Crowd(client, IDEAS, raters=20, think_seconds=0.0, ideas=ideas, seed=1)
        crowd.run(until=lambda: crowd.votes >= 300, threads=4)
        proposed = client.desk(IDEAS).proposals()["proposals"]
    assert sorted(one["text"] for one in proposed) == sorted(ideas)
    assert len({one["rater"] for one in proposed}) == 2
