"""A live worker: receipts with every answer, signed certificates, checkpoints after events."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from plaudit.proof.checkpoint import open_checkpoint
from plaudit.proof.merkle import is_included, root_of
from plaudit.proof.note import check_signed, read_signature
from plaudit.proof.receipt import check_receipt, read_receipt
from plaudit.service.contest.certificate import SIGNED_FORMAT
from plaudit.service.desk.desk import Desk
from plaudit.service.live.recent import Recent
from plaudit.service.notary.certificates import certificate_text
from plaudit.store import open_store
from plaudit.store.log import Answer, Kind, unpacked
from support.live_worker import NAME, WorkerUnderTest, create, working
from support.proof.notarised import leaves_of, voted


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[WorkerUnderTest]:
    path = str(tmp_path / "votes.db")
    store = open_store(path)
    create(store, items=4, flag=True, skip=True)
    store.close()
    with working(path) as worker:
        yield worker
    worker.store.close()


def signed(worker: WorkerUnderTest) -> list[dict[str, Any]]:
    return [msgspec.json.decode(each.body) for each in worker.store.certificates(NAME)]


def check_certificate(worker: WorkerUnderTest, body: dict[str, Any]) -> None:
    keys = worker.worker.notary.keys
    check_signed(certificate_text(body), [read_signature(body["signature"])], keys.public)
    found = open_checkpoint(body["checkpoint"], keys.public)
    assert body["format"] == SIGNED_FORMAT
    assert body["origin"] == found.origin == f"{keys.name}/{NAME}"
    assert found.size == body["judged_at"] + 1
    assert found.root == root_of(leaves_of(worker.store)[: found.size])
    assert body["items_digest"] == found.items_digest.hex()
    assert body["raters_digest"] == found.raters_digest.hex()


def test_every_answer_has_a_receipt_of_its_leaf(worker: WorkerUnderTest) -> None:
    rater, keys = worker.new_rater(), worker.worker.notary.keys
    for kind, level in ((Kind.VOTE, 2), (Kind.SKIP, -1), (Kind.FLAG, 0)):
        (item, ticket), *_ = worker.ask(rater).items
        given = worker.answer(rater, ticket, level, kind)
        found = read_receipt(given.text)
        assert check_receipt(found, keys.public) == keys.signing
        assert found.contest == NAME
        entry = unpacked(found.packed)
        assert (entry.position, entry.kind) == (given.position, kind)
        assert (entry.item, entry.level) == (item.number, level)
        assert worker.store.entries(NAME, after=entry.position - 1, limit=1) == [entry]
        assert found.leaf_hash == leaves_of(worker.store)[entry.position]


def test_an_answer_sent_again_gets_the_same_receipt(worker: WorkerUnderTest) -> None:
    rater = worker.new_rater()
    (_, ticket), *_ = worker.ask(rater).items
    first = worker.answer(rater, ticket, 1)
    again = worker.answer(rater, ticket, 2)
    assert not again.fresh
    assert read_receipt(again.text).leaf == read_receipt(first.text).leaf
    check_receipt(read_receipt(again.text), worker.worker.notary.keys.public)


def test_an_answer_sent_again_much_later_gets_no_receipt(worker: WorkerUnderTest) -> None:
    rater = worker.new_rater()
    (_, ticket), *_ = worker.ask(rater).items
    worker.answer(rater, ticket, 1)
    worker.live.recent = Recent()
    assert worker.answer(rater, ticket, 1).text == ""


def test_answers_of_one_group_share_a_signature(worker: WorkerUnderTest) -> None:
    raters = [worker.new_rater() for _ in range(70)]
    texts: list[str] = []
    threads = []
    for rater in raters:
        (_, ticket), *_ = worker.ask(rater).items
        send = lambda r=rater, t=ticket: texts.append(worker.answer(r, t, 1).text)  # noqa: E731
        threads.append(threading.Thread(target=send))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = [read_receipt(text) for text in texts]
    leaves = leaves_of(worker.store)
    assert len({one.position for one in found}) == 70
    for one in found:
        check_receipt(one, worker.worker.notary.keys.public)
        assert leaves[one.position] == one.leaf_hash
        assert one.count <= 64


def test_a_verdict_is_signed_with_its_checkpoint(worker: WorkerUnderTest) -> None:
    while not worker.live.all_decided:
        rater = worker.new_rater()
        while worker.vote_once(rater, lambda item: 2 if item == 1 else 0) is not None:
            pass
        worker.settled()
        if worker.live.verdict_due():
            worker.until_decided()
    (body,) = signed(worker)
    assert body["winners"] == [1]
    check_certificate(worker, body)
    worker.settled()
    worker.close()
    # One at the verdict, and one after its event.
    event = worker.store.events(NAME)[-1]
    kept = {one.size for one in worker.store.checkpoints(NAME)}
    assert {body["judged_at"] + 1, event.position + 1} <= kept
    changed = body | {"winners": [2]}
    assert certificate_text(changed) != certificate_text(body)


def test_steps_of_the_desk_get_a_checkpoint_soon(worker: WorkerUnderTest) -> None:
    voted(worker.store, range(5))
    entry = Desk(worker.store).step(NAME, "pause")
    worker.settled()
    pause = threading.Event()
    for _ in range(200):
        latest = worker.worker.notary.checkpoints.latest(NAME)
        if latest is not None and latest.size == entry.position + 1:
            break
        pause.wait(0.05)
    assert latest is not None
    found = open_checkpoint(latest.body, worker.worker.notary.keys.public)
    tree = worker.worker.notary.checkpoints.tree(NAME)
    path = tree.inclusion(entry.position, found.size)
    leaf = leaves_of(worker.store)[entry.position]
    assert is_included(leaf, entry.position, found.size, path, found.root)


def test_answers_are_given_even_without_a_receipt(
    worker: WorkerUnderTest, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(worker.worker.notary._leaves, NAME, None)
    rater = worker.new_rater()
    (_, ticket), *_ = worker.ask(rater).items
    given = worker.answer(rater, ticket, 1)
    assert given.fresh
    assert given.text == ""
    assert "No receipts" in caplog.text


def test_a_certificate_rests_on_the_votes_of_its_verdict(worker: WorkerUnderTest) -> None:
    """Whoever asks may find a verdict first; who writes it may have more votes by then."""
    live = worker.live
    # Another worker looks for verdicts; this one only finds one, as a rater asks.
    looks = live.verdict_due
    live.verdict_due = list  # type: ignore[method-assign]
    rater = worker.new_rater()
    while not looks():
        if worker.vote_once(rater, lambda item: 2 if item == 1 else 0) is None:
            rater = worker.new_rater()
        worker.settled()
    judged_at = live.contest.position
    late = [Answer(Kind.VOTE, bytes([n]) * 16, 0, 1, 0, 1_700_000_000_000, 900) for n in range(4)]
    worker.store.append_answers(NAME, late[:2])
    worker.settled()
    assert live.contest.position == judged_at + 2
    live.verdict_due = looks  # type: ignore[method-assign]
    worker.store.append_answers(NAME, late[2:])
    worker.until_decided()
    (body,) = signed(worker)
    assert body["judged_at"] == judged_at
    assert body["votes"] == sum(map(sum, body["counts"]))
