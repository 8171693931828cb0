"""Requests for the same result share one computation: what `SharedResult` promises."""

import threading

import pytest

from plaudit.service.watch.shared_result import Limits, SharedResult, TooBusy


class Timer:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def timer():
    return Timer()


@pytest.fixture
def make(timer):
    """Makes shared results, and closes them."""
    made = []

    def make(*, threads=1, spent=None, **limits):
        made.append(
            SharedResult(
                "test", Limits(**limits), threads=threads, timer=timer, spent=spent or timer
            )
        )
        return made[-1]

    yield make
    for shared in made:
        shared.close()


def value(number):
    return lambda: lambda: number


def never():
    pytest.fail("it was computed")


def test_requests_for_the_same_key_share_one_computation(make):
    shared, held = make(), threading.Event()
    asked = [shared.ask("a", 1, lambda: lambda: held.wait(30) and "made") for _ in range(50)]
    other = shared.ask("b", 1, value("other"))
    held.set()
    assert {one.result(30) for one in asked} == {"made"}
    assert other.result(30) == "other"
    assert shared.computed == 2


def test_a_result_is_kept_until_its_version_moves(make):
    shared = make()
    assert shared.ask("a", 1, value("first")).result(30) == "first"
    assert shared.ask("a", 1, never).result(30) == "first"
    assert shared.ask("a", 2, value("second")).result(30) == "second"
    # Versions need not grow: a contest may be restored.
    assert shared.ask("a", 1, value("third")).result(30) == "third"
    assert (shared.kept("a").value, shared.kept("a").version, shared.kept("b")) == (
        "third",
        1,
        None,
    )


def test_a_result_is_kept_for_a_multiple_of_its_cost_at_least(make, timer):
    shared = make(least_seconds=2.0, times_its_cost=10.0)

    def slow():
        timer.now += 1.0
        return "slow"

    assert shared.ask("a", 1, lambda: slow).result(30) == "slow"
    timer.now += 8.9
    assert shared.ask("a", 2, never).result(30) == "slow"
    timer.now += 0.2
    assert shared.ask("a", 2, value("quick")).result(30) == "quick"
    timer.now += 1.9
    assert shared.ask("a", 3, never).result(30) == "quick"
    timer.now += 0.2
    assert shared.ask("a", 3, value("next")).result(30) == "next"


def test_time_in_which_the_process_was_stopped_costs_nothing(make, timer):
    """A pause of four seconds would otherwise keep the results of before for eighty."""
    spent = Timer()
    shared = make(least_seconds=0.5, times_its_cost=20.0, spent=spent)

    def stopped():
        timer.now += 4.0
        spent.now += 0.01
        return "late"

    assert shared.ask("a", 1, lambda: stopped).result(30) == "late"
    assert shared.ask("a", 2, value("next")).result(30) == "next"


def test_a_result_that_is_a_moment_old_is_given_at_once_while_the_next_is_made(make, timer):
    shared, held = make(stale_seconds=10.0), threading.Event()
    shared.ask("a", 1, value("old")).result(30)
    timer.now += 5.0
    assert shared.ask("a", 2, lambda: lambda: held.wait(30) and "new").result(0) == "old"
    assert shared.ask("a", 2, never).result(0) == "old"
    timer.now += 5.0
    waiting = shared.ask("a", 2, never)
    assert not waiting.done()
    held.set()
    assert waiting.result(30) == "new"


def test_an_error_reaches_everyone_who_waits_and_is_not_kept(make, timer):
    shared, held = make(least_seconds=2.0), threading.Event()

    def fail():
        held.wait(30)
        raise ValueError("no")

    asked = [shared.ask("a", 1, lambda: fail) for _ in range(5)]
    held.set()
    for one in asked:
        with pytest.raises(ValueError, match="no"):
            one.result(30)
    assert shared.ask("a", 1, value("sound")).result(30) == "sound"
    timer.now += 3.0
    with pytest.raises(ValueError, match="no"):
        shared.ask("a", 2, lambda: fail).result(30)
    # What was there before stays for an interval, so that a fault does not compute all the time.
    assert shared.ask("a", 2, never).result(30) == "sound"
    timer.now += 3.0
    assert shared.ask("a", 2, value("again")).result(30) == "again"


def test_a_snapshot_that_cannot_be_taken_is_no_computation(make):
    shared = make()
    with pytest.raises(ZeroDivisionError):
        shared.ask("a", 1, lambda: 1 / 0)
    assert shared.ask("a", 1, value("sound")).result(30) == "sound"


def test_too_much_at_once_is_refused(make):
    shared, held = make(most_under_way=2), threading.Event()
    first = [shared.ask(key, 1, lambda: lambda: held.wait(30)) for key in "ab"]
    assert shared.ask("a", 1, never) is first[0]
    with pytest.raises(TooBusy, match="Try again"):
        shared.ask("c", 1, never)
    held.set()
    assert [one.result(30) for one in first] == [True, True]
    assert shared.ask("c", 1, value("now")).result(30) == "now"


def test_the_oldest_results_are_forgotten(make):
    shared = make(most_kept=2)
    for key in "abc":
        shared.ask(key, 1, value(key)).result(30)
    assert [shared.kept(key) is not None for key in "abc"] == [False, True, True]
    unkept = make(most_kept=0)
    assert [unkept.ask("a", 1, value(turn)).result(30) for turn in (1, 2)] == [1, 2]


def test_a_thread_that_may_wait_computes_by_itself(make):
    shared = make()
    here = threading.current_thread().name
    assert shared.compute_here("a", 1, lambda: threading.current_thread().name) == here
    assert shared.compute_here("a", 1, never) == here
    with pytest.raises(ZeroDivisionError):
        shared.compute_here("a", 2, lambda: 1 / 0)
    held, begun = threading.Event(), threading.Event()

    def work():
        begun.set()
        return held.wait(30) and "shared"

    asked = shared.ask("b", 1, lambda: work)
    assert begun.wait(30)
    threading.Timer(0.05, held.set).start()
    assert shared.compute_here("b", 1, never) == asked.result(30) == "shared"


def test_nobody_cancels_what_others_wait_for_and_nobody_waits_for_ever(make):
    shared, held = make(), threading.Event()
    first = shared.ask("a", 1, lambda: lambda: held.wait(30))
    waiting = shared.ask("b", 1, value("b"))
    assert not first.cancel()
    threading.Timer(0.05, held.set).start()
    shared.close()
    assert first.result(30)
    with pytest.raises(TooBusy):
        waiting.result(0)
