"""The courier with a real worker, a real store and real receivers: at least once, one at a time."""

import base64
import hashlib
import hmac
import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from plaudit.errors import InvalidInput, NotAllowed, NotPermitted, StoreUnavailable, UnknownItem
from plaudit.service.accounts.roles import COMMAND_LINE, NOBODY_KNOWN
from plaudit.service.desk.desk import Desk
from plaudit.service.desk.trail import trail_of
from plaudit.service.moderation.docket import Moderation
from plaudit.service.notices.address_book import MOST, AddressBook
from plaudit.service.notices.courier import LEASE, LEASE_MS, Courier
from plaudit.service.notices.settings import NoticeSettings
from plaudit.service.notices.sights import Sights
from plaudit.service.watch.answer_columns import AllColumns
from plaudit.store import Store, open_store
from plaudit.store.log import Answer, Kind
from plaudit.store.notices import FAILED, SENT, WAITING, Delivery
from support.live_worker import NAME, SECRET, WorkerUnderTest, create, working
from support.network import receiver as acts
from support.network.receiver import Received, Receiver, receiving

KINDS = ("verdict", "opened", "closed", "flagged", "suspicious", "stuck")
PRIVATE = NoticeSettings(private=True)
URL = "https://vote.example.org"


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Post:
    """A worker with its couriers, and the address book of its editors."""

    def __init__(self, worker: WorkerUnderTest) -> None:
        self.worker, self.store = worker, worker.store
        self.desk = Desk(self.store, clock=now_ms)
        self.book = AddressBook(self.store, SECRET, PRIVATE, public_url=URL, clock=now_ms)
        self._couriers: list[Courier] = []

    def courier(
        self, *, store: Store | None = None, waits: tuple[int, ...] = (20,) * 20
    ) -> Courier:
        moderation = Moderation(self.store, AllColumns())
        sights = Sights(self.store, self.worker.worker, moderation, self.worker._post)
        made = Courier(
            store or self.store, SECRET, sights, PRIVATE,
            public_url=URL, clock=now_ms, waits=waits, poll=0.02,
        )  # fmt: skip
        self._couriers.append(made)
        made.start()
        return made

    def add(self, receiver: Receiver, path: str = "/", *kinds: str) -> str:
        added = self.book.add(NAME, "webhook", receiver.url + path, kinds or KINDS, by=COMMAND_LINE)
        return added.secret

    def until(self, *states: str) -> list[Delivery]:
        """The deliveries, oldest first, once they have these states."""
        for _ in range(1500):
            found = self.store.deliveries(NAME, limit=99)[::-1]
            if [one.state for one in found] == list(states):
                return found
            time.sleep(0.02)
        raise AssertionError([(one.kind, one.state, one.outcome) for one in found])

    def close(self) -> None:
        for courier in self._couriers:
            courier.close()


@pytest.fixture
def post(tmp_path: Path) -> Iterator[Post]:
    database = str(tmp_path / "post.db")
    store = open_store(database)
    create(store, 30, clock=now_ms)  # type: ignore[arg-type]
    store.close()
    with working(database, now_ms) as worker:
        made = Post(worker)
        try:
            yield made
        finally:
            made.close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


def checked(request: Received, secret: str) -> dict[str, Any]:
    """The body, if the signature is right."""
    at = request.headers["webhook-timestamp"]
    signed = f"{request.id}.{at}.".encode() + request.body
    mac = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), signed, hashlib.sha256)
    assert request.headers["webhook-signature"] == "v1," + base64.b64encode(mac.digest()).decode()
    assert abs(int(at) - time.time()) < 60
    body: dict[str, Any] = json.loads(request.body)
    return body


def test_what_happens_is_told_and_signed(post: Post, receiver: Receiver) -> None:
    secret = post.add(receiver)
    post.courier()
    receiver.until(1)
    post.desk.step(NAME, "close")
    post.desk.step(NAME, "reopen")
    requests = receiver.until(3)
    bodies = [checked(request, secret) for request in requests]
    assert [body["type"] for body in bodies] == ["test", "closed", "opened"]
    assert len({request.id for request in requests}) == 3
    data = bodies[1]["data"]
    assert (data["contest"], data["title"]) == (NAME, "Captions")
    assert data["desk"] == f"{URL}/desk/contests/{NAME}"
    assert [one.outcome for one in post.until(SENT, SENT, SENT)] == ["204"] * 3
    with pytest.raises(AssertionError):
        checked(requests[0]._replace(body=requests[0].body + b" "), secret)


def test_a_receiver_that_fails_gets_it_again_with_the_same_id(
    post: Post, receiver: Receiver
) -> None:
    receiver.behaviours = [acts.answers(500), acts.hangs_up, acts.answers(302, "location: /x")]
    secret = post.add(receiver)
    post.courier()
    requests = receiver.until(4)
    assert {request.id for request in requests} == {requests[0].id}
    assert {request.body for request in requests} == {requests[0].body}
    for request in requests:
        checked(request, secret)
    (one,) = post.until(SENT)
    assert (one.tries, one.outcome) == (4, "204")


def test_a_receiver_that_never_takes_it_is_given_up_and_can_be_tried_again(
    post: Post, receiver: Receiver
) -> None:
    receiver.behaviours = [acts.answers(500)] * 3
    post.add(receiver)
    courier = post.courier(waits=(1, 1))
    (failed,) = post.until(FAILED)
    assert (failed.tries, failed.outcome) == (3, "500")
    assert len(receiver.until(3)) == 3
    post.book.send_again(NAME, failed.number, by=COMMAND_LINE)
    courier.poke()
    assert receiver.until(4)[3].id == failed.id
    post.until(SENT)
    receiver.behaviours = [acts.answers(410)]
    post.book.send_again(NAME, failed.number, by=COMMAND_LINE)
    (gone,) = post.until(FAILED)
    assert (gone.tries, gone.outcome) == (1, "410")


def test_waits_grow_and_a_wish_to_wait_is_heard(post: Post, receiver: Receiver) -> None:
    receiver.behaviours = [acts.answers(503, "Retry-After: 3600")]
    post.add(receiver)
    post.courier()
    receiver.until(1)
    for _ in range(500):
        (one,) = post.until(WAITING)
        if one.tries:
            break
        time.sleep(0.01)
    assert one.due_at - now_ms() > 3_500_000


def test_one_that_hangs_holds_up_neither_others_nor_votes(post: Post, receiver: Receiver) -> None:
    with receiving() as hanging:
        hanging.behaviours = [acts.hangs] * 3
        post.add(hanging)
        post.add(receiver)
        post.courier()
        hanging.until(1)
        post.desk.step(NAME, "close")
        post.desk.step(NAME, "reopen")
        assert [json.loads(one.body)["type"] for one in receiver.until(3)] == [
            "test", "closed", "opened",
        ]  # fmt: skip
        assert post.worker.settled().contest.state == "open"
        began = time.monotonic()
        assert post.worker.vote_once(post.worker.new_rater(), lambda item: 1) is not None
        assert time.monotonic() - began < 5
        assert len(hanging.received) == 1
        began = time.monotonic()
        post.close()
        assert time.monotonic() - began < 5


def test_what_was_not_sent_is_sent_after_a_restart(post: Post, receiver: Receiver) -> None:
    """Steps of the time when nobody was there are told too, each once."""
    receiver.behaviours = [acts.hangs]
    post.add(receiver)
    post.courier()
    (first,) = receiver.until(1)
    post.close()
    post.desk.step(NAME, "close")
    post.desk.step(NAME, "reopen")
    post.courier()
    requests = receiver.until(4)
    assert requests[1].id == first.id
    kinds = [json.loads(one.body)["type"] for one in requests]
    assert kinds == ["test", "test", "closed", "opened"]
    post.until(SENT, SENT, SENT)


def test_of_two_couriers_one_sends(post: Post, receiver: Receiver) -> None:
    post.add(receiver)
    first, second = post.courier(), post.courier()
    receiver.until(1)
    holders = [each._lease._held_until > 0 for each in (first, second)]
    assert sorted(holders) == [False, True]
    for _ in range(3):
        post.desk.step(NAME, "close")
        post.desk.step(NAME, "reopen")
    requests = receiver.until(7)
    post.until(*[SENT] * 7)
    assert len(receiver.received) == len({one.id for one in requests}) == 7
    # Whoever holds the lease goes, and the other one takes over.
    [first, second][holders.index(True)].close()
    post.desk.step(NAME, "close")
    receiver.until(8)


def test_a_lease_of_one_who_died_runs_out(post: Post, receiver: Receiver) -> None:
    now = now_ms()
    assert post.store.take_lease(LEASE, "dead", now=now - LEASE_MS, until=now + 300)
    post.add(receiver)
    post.courier()
    receiver.until(1)
    assert now_ms() >= now + 300


def test_a_store_that_is_away_for_a_while_loses_nothing(post: Post, receiver: Receiver) -> None:
    class Away:
        """The store, which cannot be reached now and then."""

        def __init__(self, store: Store) -> None:
            self._store, self._random = store, random.Random(3)

        def __getattr__(self, name: str) -> Callable[..., Any]:
            def call(*given: Any, **named: Any) -> Any:
                if self._random.random() < 0.3:
                    raise StoreUnavailable("gone for a moment")
                return getattr(self._store, name)(*given, **named)

            return call

    post.add(receiver)
    post.courier(store=Away(post.store))  # type: ignore[arg-type]
    receiver.until(1)
    post.desk.step(NAME, "close")
    receiver.until(2)
    post.until(SENT, SENT)
    assert {json.loads(one.body)["type"] for one in receiver.received} == {"test", "closed"}


def test_each_gets_what_it_wants(post: Post, receiver: Receiver) -> None:
    post.add(receiver, "/closed", "closed")
    post.add(receiver, "/opened", "opened")
    post.courier()
    receiver.until(2)
    post.desk.step(NAME, "close")
    post.desk.step(NAME, "reopen")
    found = receiver.until(4)[2:]
    told = {(one.line.split()[1], json.loads(one.body)["type"]) for one in found}
    assert told == {("/closed", "closed"), ("/opened", "opened")}


def test_a_rater_who_is_too_fast_is_told_of(post: Post, receiver: Receiver) -> None:
    """Forty people, one of them a robot, found by the tests that moderators see."""
    chance = random.Random(7)
    answers = [
        Answer(Kind.VOTE, bytes([rater]) * 16, item, chance.randrange(3), 0, now_ms(),
               30 if rater == 1 else chance.randrange(1500, 6000))
        for rater in range(40)
        for item in range(30)
    ]  # fmt: skip
    post.store.append_answers(NAME, answers)
    post.worker.settled()
    post.add(receiver, "/", "suspicious")
    post.courier()
    bodies = [json.loads(one.body) for one in receiver.until(2)]
    (told,) = [body for body in bodies if body["type"] == "suspicious"]
    assert (told["data"]["raters"], told["data"]["new"]) == (1, 1)
    assert sum(told["data"]["tests"].values()) == 1


def test_what_editors_may_and_may_not(post: Post, receiver: Receiver) -> None:
    post.add(receiver)
    with pytest.raises(NotAllowed, match="already"):
        post.add(receiver)
    with pytest.raises(NotPermitted):
        post.book.add(NAME, "webhook", "https://x.org", KINDS, by=NOBODY_KNOWN)
    for way, address, kinds in (
        ("pigeon", "https://x.org", KINDS), ("webhook", "x.org", KINDS), ("mail", "x.org", KINDS),
        ("webhook", "https://x.org", ()), ("webhook", "https://x.org", ("weather",)),
    ):  # fmt: skip
        with pytest.raises(InvalidInput):
            post.book.add(NAME, way, address, kinds, by=COMMAND_LINE)
    for number in range(1, MOST):
        post.add(receiver, f"/{number}")
    with pytest.raises(NotAllowed, match="10 addresses"):
        post.add(receiver, "/more")
    first = post.book.destinations(NAME)[0]
    post.book.remove(NAME, first.number, by=COMMAND_LINE)
    for step in (post.book.remove, post.book.send_again):
        with pytest.raises(UnknownItem):
            step(NAME, first.number, by=COMMAND_LINE)
    said = [str(step.what) for step in trail_of(post.store, NAME).steps]
    assert "sends no notices to 127.0.0.1 any more" in said
    assert f"sends notices ({', '.join(KINDS)}) to 127.0.0.1 by webhook" in said


def test_addresses_are_public_unless_the_service_says_so(post: Post, receiver: Receiver) -> None:
    """Also for what was added while it was allowed."""
    strict = AddressBook(post.store, SECRET, NoticeSettings(), public_url=URL)
    with pytest.raises(InvalidInput):
        strict.add(NAME, "webhook", receiver.url, KINDS, by=COMMAND_LINE)
    strict.add(NAME, "webhook", "https://127.0.0.1/", KINDS, by=COMMAND_LINE)
    moderation = Moderation(post.store, AllColumns())
    sights = Sights(post.store, post.worker.worker, moderation, post.worker._post)
    courier = Courier(post.store, SECRET, sights, NoticeSettings(), public_url=URL, waits=(),
                      poll=0.02)  # fmt: skip
    courier.start()
    try:
        (one,) = post.until(FAILED)
    finally:
        courier.close()
    assert "private network" in one.outcome


def test_the_past_is_not_news_to_the_first_destination(post: Post, receiver: Receiver) -> None:
    post.desk.step(NAME, "close")
    post.add(receiver, "/a")
    post.courier()
    receiver.until(1)
    (only,) = post.book.destinations(NAME)
    post.book.remove(NAME, only.number, by=COMMAND_LINE)
    post.desk.step(NAME, "reopen")
    post.desk.step(NAME, "close")
    post.add(receiver, "/b")
    receiver.until(2)
    post.desk.step(NAME, "reopen")
    kinds = [json.loads(one.body)["type"] for one in receiver.until(3)]
    assert kinds == ["test", "test", "opened"]


def test_no_thread_is_left_behind(post: Post, receiver: Receiver) -> None:
    post.add(receiver)
    post.courier()
    receiver.until(1)
    post.until(SENT)
    post.close()
    assert not [one for one in threading.enumerate() if one.name == "plaudit-courier"]
