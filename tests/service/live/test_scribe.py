"""The scribe writes for all workers of a machine, and nobody depends on it."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from plaudit.errors import NotOpen
from plaudit.service.desk.desk import Desk
from plaudit.service.live import follower, handover, scribe, tail
from plaudit.service.live.handover import Handover, is_own
from plaudit.service.live.scribe import Scribe
from plaudit.service.live.tail import Tail
from plaudit.service.live.worker import now_ms
from plaudit.store import open_store
from plaudit.store.contract import Appended, Store
from plaudit.store.log import Answer, Kind, chain, first_digest, packed
from plaudit.web.processes.scribing import scribe_socket
from support.live_worker import NAME, create, working


def vote(rater: int, item: int, level: int = 1) -> Answer:
    return Answer(Kind.VOTE, rater.to_bytes(16, "big"), item, level, 0, 1_000 + item, 500)


@contextmanager
def listening() -> Iterator[tuple[socket.socket, str]]:
    """A socket that workers can connect to, and its address."""
    made = scribe_socket()
    assert made is not None
    with made:
        yield made, made.getsockname().decode()


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = str(tmp_path / "votes.db")
    store = open_store(path)
    create(store, 12)
    store.close()
    return path


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    opened = open_store(database)
    yield opened
    opened.close()


@pytest.fixture
def address(store: Store) -> Iterator[str]:
    """The address of a scribe that runs on a thread."""
    with listening() as (meeting, found):
        threading.Thread(target=Scribe(store, meeting).run, daemon=True).start()
        yield found


class NoStore:
    """A store that must not be asked."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"the store was asked for {name}")


def nothing_but(address: str) -> Handover:
    """One that can write by the scribe alone."""
    return Handover(NoStore(), address)  # type: ignore[arg-type]


def test_a_group_is_written_as_the_store_would(store: Store, address: str) -> None:
    ours = nothing_but(address)
    first = ours.append_answers(NAME, [vote(1, 0, 2), vote(2, 0), vote(1, 0, 1)])
    assert [receipt.fresh for receipt in first.receipts] == [True, True, False]
    assert list(first.entries) == store.entries(NAME, after=first.entries[0].position - 1)
    again = ours.append_answers(NAME, [vote(2, 0)])
    assert list(again.entries) == []
    assert again.receipts == [replace(first.receipts[1], fresh=False)]
    assert first.digest == store.contest(NAME).digest


def test_groups_of_many_threads_go_together_and_each_hears_of_its_own(
    store: Store, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    append = store.append_answers

    def counted(name: str, answers: Any) -> Appended:
        sizes.append(len(answers))
        return append(name, answers)

    monkeypatch.setattr(store, "append_answers", counted)
    ours, heard = nothing_but(address), dict[int, list[Any]]()

    def bring(rater: int) -> None:
        heard[rater] = [ours.append_answers(NAME, [vote(rater, item)]) for item in range(10)]

    threads = [threading.Thread(target=bring, args=(rater,)) for rater in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log = {entry.position: entry for entry in store.entries(NAME)}
    for told in heard.values():
        assert [each.entries[0].item for each in told] == list(range(10))
        assert len({each.receipts[0].rater for each in told}) == 1
        for each in told:
            assert [log[entry.position] for entry in each.entries] == list(each.entries)
            assert b"".join(each.packed) == b"".join(packed(each.entries))
    assert sum(sizes) == 60
    assert len(sizes) < 60


class Line:
    """A line to a worker that remembers what it heard."""

    def reply(self, message: bytes) -> None:
        self.heard = handover._read_written(message).appended()


def test_of_a_common_group_each_hears_of_its_own(store: Store) -> None:
    """Also where somebody sent an answer twice, so that there are fewer entries than answers."""
    groups = [[vote(1, 0), vote(1, 0), vote(1, 1)], [vote(2, 0)], [vote(2, 0), vote(3, 4)]]
    lines = [Line() for _ in groups]
    brought = [scribe._Brought(*each) for each in zip(lines, groups, strict=True)]  # type: ignore[arg-type]
    appended = store.append_answers(NAME, [answer for group in groups for answer in group])
    scribe._Lane(NAME, store)._tell(brought, appended)
    assert [receipt for line in lines for receipt in line.heard.receipts] == appended.receipts
    own = [list(line.heard.entries) for line in lines]
    assert own == [appended.entries[:2], appended.entries[2:3], appended.entries[3:]]
    assert [line.heard.digest for line in lines] == [None, None, appended.digest]


def test_the_latest_entries_come_from_memory_until_somebody_else_writes(
    store: Store, address: str
) -> None:
    ours, start = nothing_but(address), store.contest(NAME).position
    for item in range(3):
        ours.append_answers(NAME, [vote(rater, item) for rater in range(4)])
    for after in (start, start + 2, start + 4):
        found = ours.entries_after(NAME, after)
        assert found is not None
        wanted = store.entries(NAME, after=after)
        # Whole groups are handed out: what is folded already is skipped.
        assert list(found.entries)[-len(wanted) :] == wanted
        assert found.digest == store.contest(NAME).digest
    assert ours.entries_after(NAME, start - 1) is None
    assert ours.entries_after(NAME, store.contest(NAME).position) is None
    store.append_answers(NAME, [vote(9, 9)])
    after = store.contest(NAME).position
    ours.append_answers(NAME, [vote(9, 10)])
    assert ours.entries_after(NAME, start) is None
    found = ours.entries_after(NAME, after)
    assert found is not None
    assert list(found.entries) == store.entries(NAME, after=after)


def test_a_tail_forgets_what_is_old(monkeypatch: pytest.MonkeyPatch, store: Store) -> None:
    monkeypatch.setattr(tail, "KEPT_ENTRIES", 4)
    kept, start = Tail(), store.contest(NAME).position
    for item in range(6):
        appended = store.append_answers(NAME, [vote(1, item), vote(2, item)])
        kept.add(appended, b"".join(appended.packed))
    assert kept.after(start) == handover.REFUSED
    assert len(kept.after(start + 8)) == 32 + 4 * 41
    # Never more at once than a message holds.
    monkeypatch.setattr(tail, "MOST_ENTRIES", 2)
    digest, given = kept.after(start + 8)[:32], kept.after(start + 8)[32:]
    record = store.contest(NAME)
    entries = store.entries(NAME, limit=start + 10)
    assert digest == chain(first_digest(NAME, record.settings), entries)
    assert len(given) == 2 * 41


def test_the_thread_of_an_idle_contest_ends_and_another_begins(
    store: Store, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scribe, "IDLE_SECONDS", 0.0)
    monkeypatch.setattr(scribe, "BEAT_SECONDS", 0.01)
    ours = nothing_but(address)
    for item in range(3):
        assert ours.append_answers(NAME, [vote(1, item)]).entries
        until(lambda: ours.entries_after(NAME, store.contest(NAME).position - 1) is None)


def until(found: Callable[[], bool]) -> None:
    """Returns once something is so."""
    pause = threading.Event()
    while not found():
        pause.wait(0.01)


def test_a_refused_group_gets_the_stores_own_error(store: Store, address: str) -> None:
    Desk(store).step(NAME, "close")
    with pytest.raises(NotOpen, match="closed"):
        Handover(store, address).append_answers(NAME, [vote(1, 1)])


def test_without_a_scribe_the_store_is_written(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None was named; nobody is at the address; somebody is, and says nothing."""
    monkeypatch.setattr(handover, "SILENT_SECONDS", 0.05)
    with listening() as (_, silent):
        for item, address in enumerate(("", "\0plaudit-nobody", silent)):
            ours = Handover(store, address)
            assert ours.append_answers(NAME, [vote(1, item)]).receipts[0].fresh
            assert ours.entries_after(NAME, 0) is None


def test_a_scribe_that_died_after_writing_counts_a_vote_once(store: Store) -> None:
    with listening() as (meeting, address):

        def write_and_die() -> None:
            line, _ = meeting.accept()
            store.append_answers(NAME, scribe._read(line.recv(10_000)).answers)
            line.close()

        dying = threading.Thread(target=write_and_die)
        dying.start()
        told = Handover(store, address).append_answers(NAME, [vote(1, 1), vote(2, 1)])
        dying.join()
    assert [receipt.fresh for receipt in told.receipts] == [False, False]
    assert len([entry for entry in store.entries(NAME) if entry.kind == Kind.VOTE]) == 2


def test_who_speaks_nonsense_is_not_listened_to(store: Store, address: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as line:
        line.connect(address)
        assert is_own(line)
        line.send(b"GET / HTTP/1.1")
        line.settimeout(10)
        assert line.recv(100) == b""
    assert nothing_but(address).append_answers(NAME, [vote(1, 1)]).entries


def test_workers_with_a_scribe_agree(database: str, store: Store, address: str) -> None:
    """They vote in turn, so that each has to read what the other wrote."""
    workers = [working(database, clock=now_ms, scribe=address) for _ in range(2)]
    with workers[0] as here, workers[1] as there:
        raters = [worker.new_rater() for worker in (here, there)]
        for _ in range(5):
            for worker, rater in zip((here, there), raters, strict=True):
                assert worker.vote_once(rater, lambda item: item % 3) is not None
        states = [worker.settled().contest for worker in (here, there)]
        assert (states[0].counts == states[1].counts).all()
        assert states[0].counts.sum() == 10
        assert states[0].digest == states[1].digest == store.contest(NAME).digest


def test_one_of_those_who_follow_looks_for_verdicts(
    store: Store, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one; another one once it is gone, or asks for the same entries again and again."""
    monkeypatch.setattr(scribe, "STUCK_SECONDS", 60.0)
    workers, start = [nothing_but(address) for _ in range(3)], store.contest(NAME).position
    workers[0].append_answers(NAME, [vote(1, item) for item in range(4)])

    def who_looks(after: int) -> list[bool]:
        return [found.looks for each in workers if (found := each.entries_after(NAME, after))]

    assert who_looks(start) == [True, False, False]
    assert who_looks(start + 1) == [True, False, False]
    # The line of a thread ends with what holds it.
    del workers[0]
    until(lambda: who_looks(start + 1) == [True, False])
    monkeypatch.setattr(scribe, "STUCK_SECONDS", 0.0)
    assert who_looks(start + 1) == [True, True]
    monkeypatch.setattr(scribe, "STUCK_SECONDS", 60.0)
    assert who_looks(start + 2) == [False, True]


def test_who_gets_ahead_goes_on_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scribe, "STUCK_SECONDS", 1.0)
    judge, first, second = scribe._Judge(), object(), object()
    for step in range(5):
        assert judge.is_at(first, 10 * step, 0.9 * step)  # type: ignore[arg-type]
        assert not judge.is_at(second, 10 * step + 99, 0.9 * step)  # type: ignore[arg-type]
    # It asks, but for the same entries again.
    assert judge.is_at(first, 40, 4.5)  # type: ignore[arg-type]
    assert judge.is_at(second, 99, 4.7)  # type: ignore[arg-type]
    assert not judge.is_at(first, 40, 4.8)  # type: ignore[arg-type]
    judge.leave(first)  # type: ignore[arg-type]
    assert not judge.is_at(first, 50, 4.8)  # type: ignore[arg-type]
    judge.leave(second)  # type: ignore[arg-type]
    assert judge.is_at(first, 50, 4.8)  # type: ignore[arg-type]


def test_a_verdict_is_found_by_whoever_is_left(
    database: str, store: Store, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that was to look never does; the other looks once nothing more comes."""
    monkeypatch.setattr(follower, "LOOK_SECONDS", 0.2)
    # Nobody hears that it is to look.
    monkeypatch.setattr(handover, "LOOK", b"")
    with working(database, clock=now_ms, scribe=address) as here:
        position = store.contest(NAME).position
        few = [
            Answer(Kind.VOTE, bytes([n] * 16), n % 12, 2 * (n % 12 == 5), 0, 1, 5)
            for n in range(240)
        ]
        nothing_but(address).append_answers(NAME, few)
        here.settled()
        until(lambda: bool(store.certificates(NAME)))
        assert store.certificates(NAME)[0].position >= position


def test_own_votes_wait_with_those_of_others(
    database: str, store: Store, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where another worker looks for verdicts, a vote does not make this one tell its races."""
    monkeypatch.setattr(handover, "LOOK", b"")
    monkeypatch.setattr(follower, "LOOK_SECONDS", 600.0)
    with working(database, clock=now_ms, scribe=address) as here:
        rater = here.new_rater()
        (_, first), (_, second) = here.ask(rater, 2).items
        nothing_but(address).append_answers(NAME, [vote(each, 3) for each in range(9)])
        here.settled()
        assert here.live.waits
        here.answer(rater, first, 1)
        assert (here.live.waits, here.live.contest.counts.sum()) == (True, 10)
        assert here.live.races[0].votes == 10
        here.answer(rater, second, 2)
        assert (here.live.waits, here.live.races[0].votes) == (False, 11)
