"""Parts on threads: each exactly once, few at a time, and an end when asked for."""

import os
import signal
import subprocess
import sys
import threading
import time
import weakref

import pytest

from plaudit.errors import InvalidInput, UnknownName
from plaudit.simulation import LocalExecutor, Profile, open_executor
from plaudit.simulation.executors.local import usable_cores
from support.parts_to_run import SEEDS, double, fail_at_3, mark, race


@pytest.mark.parametrize("threads", [1, 3, 50])
def test_every_part_runs_exactly_once(threads):
    with open_executor(threads=threads) as executor:
        found = list(executor.run(double, None, range(40)))
        assert sorted(found) == [(index, 2 * index) for index in range(40)]
        assert list(executor.run(double, None, [])) == []


def test_races_are_the_same_on_any_number_of_threads():
    profile = Profile.power(20, 0.5)
    alone = {index: race(profile, part) for index, part in enumerate(SEEDS[:8])}
    assert dict(LocalExecutor(3).run(race, profile, SEEDS[:8])) == alone
    assert len(set(alone.values())) > 1


def test_results_come_in_the_order_in_which_they_finish():
    first_may_end = threading.Event()

    def wait_or_go(_, part):
        if part == 0:
            first_may_end.wait()
        return part

    results = LocalExecutor(2).run(wait_or_go, None, range(3))
    assert [next(results)[0], next(results)[0]] == [1, 2]
    first_may_end.set()
    assert list(results) == [(0, 0)]


def test_parts_run_at_the_same_time():
    together = threading.Barrier(3, timeout=60)
    assert len(list(LocalExecutor(3).run(lambda *_: together.wait(), None, range(6)))) == 6


def test_few_parts_are_started_before_results_are_fetched():
    started = []
    results = LocalExecutor(2).run(lambda _, part: started.append(part), None, range(1000))
    for fetched in range(1, 20):
        next(results)
        time.sleep(0.005)
        assert len(started) <= fetched + 4
    results.close()


def test_fetched_results_are_not_kept():
    class Result:
        pass

    alive = weakref.WeakSet()

    def make(*_):
        result = Result()
        alive.add(result)
        return result

    for _, result in LocalExecutor(2).run(make, None, range(500)):
        del result
        assert len(alive) <= 8


@pytest.mark.parametrize("threads", [1, 4])
def test_an_error_of_a_part_is_raised_and_nothing_more_is_started(threads):
    started = []

    def work(kind, part):
        started.append(part)
        return fail_at_3(kind, part)

    with pytest.raises(UnknownName, match="three"):
        list(LocalExecutor(threads).run(work, "name", range(1000)))
    assert len(started) <= 4 + 2 * threads


def test_an_exit_inside_a_part_reaches_the_one_who_waits():
    def leave(*_):
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        list(LocalExecutor(2).run(leave, None, range(5)))


def test_closing_early_cancels_what_has_not_started(tmp_path):
    before = threading.active_count()
    results = LocalExecutor(2).run(mark, tmp_path, range(1000))
    next(results)
    results.close()
    started = len(list(tmp_path.iterdir()))
    assert started <= 5
    assert threading.active_count() == before
    time.sleep(0.1)
    assert len(list(tmp_path.iterdir())) == started


STUBBORN = """
import time
from plaudit.simulation import open_executor

def work(_, part):
    if part == 1:
        print("started", flush=True)
    time.sleep(600)

with open_executor(threads=2) as executor:
    list(executor.run(work, None, range(100)))
"""


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_an_interrupt_ends_the_program_although_parts_are_under_way():
    command = [sys.executable, "-c", STUBBORN]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        try:
            assert program.stdout.readline() == b"started\n"
            program.send_signal(signal.SIGINT)
            _, errors = program.communicate(timeout=60)
        finally:
            program.kill()
    assert errors.splitlines()[-1] == b"KeyboardInterrupt"
    assert program.returncode != 0


def test_as_many_threads_as_usable_cores_unless_told():
    with open_executor() as executor:
        assert executor.threads == usable_cores() >= 1
    assert usable_cores() <= os.cpu_count()


@pytest.mark.parametrize("threads", [0, -1])
def test_no_threads_are_refused(threads):
    with (
        pytest.raises(InvalidInput, match=f"at least 1; got {threads}"),
        open_executor(threads=threads),
    ):
        pass


def test_threads_load_no_cluster():
    code = "import sys, plaudit.simulation; print('distributed' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
