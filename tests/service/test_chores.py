"""The thread with chores: in turn, again while the store is away, and none left at the end."""

import threading

import pytest

from plaudit.errors import StoreUnavailable
from plaudit.phrase import Phrase
from plaudit.service.chores import ChoreThread

LONG = 600.0
PATIENCE = 20.0


def test_chores_are_done_in_turn_and_again_while_the_store_is_away() -> None:
    did: list[str] = []
    done = threading.Event()
    attempts = iter([StoreUnavailable(Phrase("away")), StoreUnavailable(Phrase("away"))])

    def first() -> None:
        if (error := next(attempts, None)) is not None:
            did.append("away")
            raise error
        did.append("first")

    def second() -> None:
        did.append("second")
        done.set()

    # Only pokes and chores wake it: the pause is longer than the test.
    thread = ChoreThread("test", LONG, lambda: did.append("look"))
    thread.do(first)
    thread.do(second)
    thread.start()
    while not done.wait(0.01):
        thread.poke()
    thread.close()
    assert [each for each in did if each != "look"] == ["away", "away", "first", "second"]
    assert did[:2] == ["away", "look"], "a chore that must wait does not hold up the looks"


def test_no_error_ends_the_thread_and_it_is_told(caplog: pytest.LogCaptureFixture) -> None:
    looked = threading.Semaphore(0)

    def look() -> None:
        looked.release()
        raise RuntimeError("a look that fails")

    thread = ChoreThread("tester", LONG, look)
    thread.start()
    for _ in range(3):
        assert looked.acquire(timeout=PATIENCE)
        thread.poke()
    thread.close()
    told = [record for record in caplog.records if "The tester could not" in record.message]
    assert len(told) == 1, "one line in a while"
    assert told[0].exc_info is not None


def test_what_waits_at_the_end_is_done_then_the_last_looks() -> None:
    did: list[str] = []
    at_work, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        at_work.set()
        assert go_on.wait(PATIENCE)

    thread = ChoreThread("test", LONG, slow, last=(lambda: did.append("last look"),))
    thread.start()
    assert at_work.wait(PATIENCE)
    thread.do(lambda: did.append("chore"))
    closing = threading.Thread(target=thread.close)
    closing.start()
    go_on.set()
    closing.join(PATIENCE)
    assert not closing.is_alive()
    assert did == ["chore", "last look"]


def test_closing_a_thread_that_never_started_returns() -> None:
    ChoreThread("test", LONG).close()
