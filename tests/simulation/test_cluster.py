"""Parts on a Dask cluster of real processes: what threads give, whatever dies on the way."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import plaudit
from plaudit.errors import InvalidInput, MissingExtra
from plaudit.simulation import ClusterError, LocalExecutor, Profile, open_executor
from plaudit.simulation.executors import cluster as opening
from plaudit.simulation.executors import cluster_run as running
from plaudit.simulation.executors.edition import edition
from plaudit.simulation.executors.groups import (
    FIRST_PARTS,
    Done,
    Load,
    Pace,
    pack,
    run_group,
    unpack,
)
from support.parts_to_run import (
    SEEDS,
    double,
    fail_at_3,
    kill_worker,
    kill_worker_once,
    lend,
    needs_numba,
    race,
    slow_race,
    unsendable,
    wait_for_word,
)

TESTS = Path(__file__).parents[1]
HOME = Path(plaudit.__file__).parents[1]
PROFILE = Profile.power(20, 0.5)


class Machines:
    """A scheduler and workers started by command line, as on other machines."""

    def __init__(self) -> None:
        self.started: list[subprocess.Popen[str]] = []
        # One death is enough for this scheduler to give a group up.
        environment = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
        options = ("--port", "0", "--dashboard-address", "127.0.0.1:0")
        self.scheduler = self._start("scheduler", *options, **environment)
        for line in self.scheduler.stderr:
            if found := re.search(r"Scheduler at:\s+(tcp://\S+)", line):
                self.address = found[1]
                break

    def add_worker(self, nanny: str, home: Path = HOME) -> subprocess.Popen[str]:
        """A worker that finds Plaudit in the given folder."""
        options = ("--nthreads", "1", "--no-dashboard", "--memory-limit", "0", nanny)
        path = os.pathsep.join((str(home), str(TESTS)))
        return self._start("worker", self.address, *options, PYTHONPATH=path)

    def _start(self, kind: str, *options: str, **environment: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--host", "127.0.0.1"]
        process = subprocess.Popen(
            [*command, *options],
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE if kind == "scheduler" else subprocess.DEVNULL,
            text=True,
        )
        self.started.append(process)
        return process

    def close(self) -> None:
        for process in self.started:
            process.kill()
        for process in self.started:
            process.communicate()


@pytest.fixture(scope="module")
def processes() -> Iterator[running.DaskExecutor]:
    with open_executor("local", threads=2) as executor:
        yield executor


@pytest.fixture
def machines() -> Iterator[Machines]:
    started = Machines()
    yield started
    started.close()


# A cluster of this machine's processes


def test_races_are_those_of_threads_to_the_last_bit(processes):
    by_threads = dict(LocalExecutor(2).run(race, PROFILE, SEEDS))
    by_processes = list(processes.run(race, PROFILE, SEEDS))
    assert len(by_processes) == len(SEEDS)
    assert dict(by_processes) == by_threads
    assert len(set(by_threads.values())) > 10


def test_workers_use_what_is_compiled(processes):
    assert not any(needed for _, needed in processes.run(needs_numba, PROFILE, SEEDS))


def test_few_parts_are_spread_over_the_workers(processes):
    """Without a copy of what they share on each worker, Dask would give all to one."""
    found = dict(
        processes.run(lambda seconds, _: (time.sleep(seconds), os.getpid())[1], 0.3, "abcd")
    )
    assert len(set(found.values())) == 2


def test_what_parts_share_may_be_large(processes):
    """Dask warns of arguments over 10 MB, and warnings are errors here."""
    found = processes.run(lambda shared, part: len(shared) + part, bytes(12_000_000), range(20))
    assert sorted(found) == [(part, 12_000_000 + part) for part in range(20)]


def test_parts_that_a_group_leaves_for_want_of_time_run_in_others(processes):
    """After many quick parts groups are large, too large for the slow ones."""
    seconds = [0.0] * 60 + [0.1] * 20
    found = list(processes.run(lend, None, seconds))
    assert sorted(found) == list(enumerate(seconds))


@pytest.mark.slow
def test_workers_killed_in_the_middle_cost_nothing_but_time(processes):
    expected = dict(LocalExecutor(2).run(race, PROFILE, SEEDS))
    results = processes.run(slow_race, PROFILE, SEEDS)
    found = [next(results) for _ in range(3)]
    # All workers at once, so that what the parts share is lost too.
    for pid in processes.client.run(os.getpid).values():
        os.kill(pid, signal.SIGKILL)
    found += results
    assert len(found) == len(SEEDS)
    assert dict(found) == expected


def test_an_error_of_a_part_arrives_as_it_was_with_the_place_where_it_happened(processes):
    with pytest.raises(ValueError, match="three is too many") as caught:
        list(processes.run(fail_at_3, "value", range(50)))
    assert "parts_to_run.py" in caught.value.__notes__[0]
    # This kind cannot be sent as it is.
    with pytest.raises(ClusterError, match="UnknownName: There is no bound named 'three'"):
        list(processes.run(fail_at_3, "name", range(50)))


def keys(executor: running.DaskExecutor) -> list[str]:
    """What the scheduler still has to do or to keep, after a while."""
    for _ in range(200):
        kept = executor.client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks))
        if not kept:
            break
        time.sleep(0.05)
    return kept


def test_closing_early_cancels_what_has_not_started(processes, tmp_path):
    results = processes.run(wait_for_word, tmp_path, range(1000))
    next(results)
    results.close()
    assert keys(processes) == []
    (tmp_path / "go").touch()
    assert sorted(processes.run(double, None, range(10))) == [(n, 2 * n) for n in range(10)]
    # The group that was fetched, and those that ran on the two workers; two more waited.
    assert len(list(tmp_path.glob("started-*"))) <= 3 * FIRST_PARTS


def test_nothing_is_kept_on_the_cluster(processes):
    assert len(list(processes.run(double, None, range(500)))) == 500
    assert keys(processes) == []
    with pytest.raises(ValueError, match="three") as caught:
        list(processes.run(fail_at_3, "value", range(50)))
    assert keys(processes) == []
    assert caught.traceback


# A cluster of other machines


@pytest.mark.slow
def test_a_running_cluster_gives_the_same_and_survives_deadly_parts(
    machines, monkeypatch, tmp_path
):
    """One story, since processes take their time to start; it ends with the scheduler's end."""
    monkeypatch.setattr(running, "MOST_STRIKES", 2)
    for _ in range(2):
        machines.add_worker("--nanny")
    with open_executor(machines.address + "/") as executor:
        expected = dict(LocalExecutor(2).run(race, PROFILE, SEEDS))
        assert dict(executor.run(race, PROFILE, SEEDS)) == expected

        found = list(executor.run(kill_worker_once, tmp_path, range(20)))
        assert sorted(found) == [(index, index) for index in range(20)]
        assert (tmp_path / "killed").exists()

        with pytest.raises(ClusterError, match=r"Every worker that ran part 3 died: 3\."):
            list(executor.run(kill_worker, None, range(20)))

        results = executor.run(lend, None, [0.05] * 1000)
        next(results)
        machines.scheduler.kill()
        with pytest.raises(ClusterError, match="connection to the Dask scheduler is lost"):
            list(results)


@pytest.mark.slow
def test_workers_that_run_something_else_are_refused(machines, monkeypatch, tmp_path):
    monkeypatch.setattr(opening, "SECONDS_FOR_WORKERS", 0.5)
    with pytest.raises(ClusterError, match=r"no workers.*dask worker tcp://"):
        use(machines.address)
    monkeypatch.undo()
    without_caches = shutil.ignore_patterns("__pycache__")
    shutil.copytree(HOME / "plaudit", tmp_path / "plaudit", ignore=without_caches)
    package = tmp_path / "plaudit" / "__init__.py"
    package.write_text(package.read_text().replace(plaudit.__version__, "0.0.1"))
    worker = machines.add_worker("--no-nanny", tmp_path)
    with pytest.raises(ClusterError, match=r"sources of plaudit .* instead of .* Install the same"):
        use(machines.address)
    worker.kill()
    worker.wait()
    package.write_text("raise ImportError('out of order')")
    machines.add_worker("--no-nanny", tmp_path)
    with pytest.raises(ClusterError, match=r"cannot load Plaudit .*out of order"):
        use(machines.address)


# What is refused at once


def use(address: str, **settings: int) -> None:
    with open_executor(address, **settings) as executor:
        list(executor.run(double, None, [1]))


@pytest.mark.parametrize(
    "address",
    [
        *("", "here", "LOCAL", " local", "127.0.0.1:8786", "tcp://", "tcp://host", "tcp://:8786"),
        *(
            "tcp://a:b",
            "tcp://host:8786/x",
            "tls://host:8786",
            "tcp://ho st:1",
            "tcp://host:123456",
        ),
    ],
)
def test_what_is_no_address_is_refused(address):
    with pytest.raises(InvalidInput, match=r"write local.*tcp://192\.0\.2\.1:8786") as caught:
        use(address)
    assert repr(address) in str(caught.value)


def test_threads_of_a_running_cluster_cannot_be_set():
    with pytest.raises(InvalidInput, match="leave it out"):
        use("tcp://127.0.0.1:1", threads=2)


@pytest.mark.parametrize("greeting", [b"", b"SSH-2.0-Other\r\n", bytes(64)])
def test_an_address_where_another_program_answers_is_refused(monkeypatch, greeting):
    monkeypatch.setattr(opening, "SECONDS_TO_ANSWER", 0.3)
    refused = threading.Event()

    def greet(server: socket.socket) -> None:
        with server.accept()[0] as connection:
            connection.sendall(greeting)
            refused.wait()

    with socket.create_server(("127.0.0.1", 0)) as other, ThreadPoolExecutor() as pool:
        greeted = pool.submit(greet, other)
        address = f"tcp://127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(ClusterError, match=rf"answered at {address} within 0\.3 seconds"):
            use(address)
        refused.set()
        greeted.result()


def test_an_address_where_nothing_answers_is_refused(monkeypatch):
    monkeypatch.setattr(opening, "SECONDS_TO_ANSWER", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as soon_gone:
        address = f"tcp://127.0.0.1:{soon_gone.getsockname()[1]}"
    with pytest.raises(ClusterError, match="dask scheduler --port 8786"):
        use(address)
    with pytest.raises(ClusterError, match="No Dask scheduler answered at tcp://no-such-host"):
        use("tcp://no-such-host.invalid:8786")


def test_without_dask_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"pip install 'plaudit\[cluster\]'"):
        use("local")


# Groups


LOAD = Load(edition(), double, None)


def group(load: Load, parts: object, seconds: float = 60.0) -> Done:
    return unpack(run_group(load, pack(parts), seconds))


def test_a_group_ends_when_its_time_is_up_but_does_one_part():
    assert group(LOAD, [1, 2, 3]).results == [2, 4, 6]
    assert group(LOAD, [1, 2, 3], 0.0).results == [2]
    late = group(LOAD._replace(work=lend), [0.0, 0.1, 0.0], 0.05)
    assert late.results == [0.0, 0.1]
    assert late.seconds > 0.05


def test_a_group_keeps_what_came_before_an_error():
    done = group(LOAD._replace(work=fail_at_3, shared="value"), range(6))
    assert done.results == [0, 1, 2]
    assert isinstance(done.error, ValueError)


def test_a_result_that_cannot_be_sent_is_an_error():
    done = group(LOAD._replace(work=unsendable), [1])
    assert done.results == []
    assert "pickle" in str(done.error)


def test_a_worker_that_joins_late_with_another_edition_is_refused():
    done = group(LOAD._replace(edition={**edition(), "numpy": "1.0"}), [1])
    assert done.results == []
    assert isinstance(done.error, ClusterError)
    assert "instead of 1.0" in str(done.error)


def test_groups_grow_to_their_time_and_shrink_at_the_end():
    pace = Pace(threads=4)
    assert pace.size(left=10**6) == 8
    assert pace.size(left=8) == 1
    pace.learn(1, 0.005)
    assert pace.size(left=10**6) == 100
    assert pace.size(left=400) == 50
    # Not less than is worth a message.
    assert pace.size(left=8) == 20
    pace.learn(10, 50.0)
    assert pace.size(left=10**6) == 1
    tiny = Pace(threads=4)
    tiny.learn(1, 0.0)
    assert tiny.size(left=10**9) == 1000


def test_groups_of_many_threads_last_longer_so_that_the_scheduler_keeps_up():
    assert Pace(threads=2).seconds == 0.5
    assert 1000 / Pace(threads=1000).seconds == 100
    # More than two a thread, or Dask would fill one worker first.
    assert Pace(threads=1000).groups == 2001
