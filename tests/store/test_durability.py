"""Nothing acknowledged is lost: killed processes, full disks, and several writers at once."""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import astuple

from plaudit.errors import StoreFull
from plaudit.store import open_store
from plaudit.store.contract import Receipt
from plaudit.store.log import ANSWERS
from plaudit.store.suite.samples import NAME, check_log, key_of, opened, vote
from support.postgres_server import postgres, postgres_url

__all__ = ["postgres", "postgres_url"]

# Votes in groups and says what was acknowledged, one group a line, until it is killed or done.
WRITER = """
import json, sys
from msgspec.structs import astuple
from plaudit.store import open_store
from plaudit.store.suite.samples import NAME, vote
url, first, groups = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
store = open_store(url)
for group in range(groups):
    answers = [vote(first + group % 50, 7 * group + item, item % 3) for item in range(7)]
    receipts = store.append_answers(NAME, answers).receipts
    said = [(first + group % 50, a.item, *astuple(r)) for a, r in zip(answers, receipts)]
    sys.stdout.write(json.dumps(said) + "\\n")
    sys.stdout.flush()
"""


def start_writer(url: str, first: int, groups: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, url, str(first), str(groups)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def said_by(lines: list[str]) -> list[tuple[int, int, Receipt]]:
    """What a writer was told: rater, item and receipt of each answer in its whole lines."""
    whole = [json.loads(line) for line in lines if line.endswith("\n")]
    return [(said[0], said[1], Receipt(*said[2:])) for group in whole for said in group]


def check_acknowledged(url: str, said: list[tuple[int, int, Receipt]]) -> int:
    """The number of answers in the log, if it holds all that was acknowledged, once."""
    store = open_store(url)
    entries = {entry.position: entry for entry in check_log(store)}
    keys = {rater.number: rater.key for rater in store.raters(NAME)}
    store.close()
    for rater, item, receipt in said:
        entry = entries[receipt.position]
        assert (entry.kind, entry.level, entry.rater) == (
            receipt.kind,
            receipt.level,
            receipt.rater,
        )
        assert (keys[entry.rater], entry.item) == (key_of(rater), item)
    return sum(entry.kind in ANSWERS for entry in entries.values())


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "votes.db")
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
def contest_url(url: str) -> str:
    store = open_store(url)
    opened(store)
    store.close()
    return url


@pytest.mark.parametrize("after", [1, 23, 60])
@pytest.mark.slow
def test_what_a_killed_process_acknowledged_is_there(contest_url: str, after: int) -> None:
    writer = start_writer(contest_url, 0, 1_000_000)
    assert writer.stdout is not None
    lines = [writer.stdout.readline() for _ in range(after)]
    writer.send_signal(signal.SIGKILL)
    lines += writer.stdout.readlines()
    writer.stdout.close()
    assert writer.wait() == -signal.SIGKILL
    said = said_by(lines)
    assert len(said) >= 7 * after
    # One more group may have been written and not yet told.
    assert check_acknowledged(contest_url, said) - len(said) in (0, 7)


@pytest.mark.slow
def test_processes_write_to_one_contest(contest_url: str) -> None:
    writers = [start_writer(contest_url, first, 120) for first in (0, 1_000)]
    outputs = [writer.communicate()[0] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0]
    said = [told for output in outputs for told in said_by(output.splitlines(keepends=True))]
    assert all(receipt.fresh for _, _, receipt in said)
    assert check_acknowledged(contest_url, said) == len(said) == 2 * 120 * 7


@pytest.mark.slow
def test_processes_that_write_the_same_write_it_once(contest_url: str) -> None:
    writers = [start_writer(contest_url, 0, 60) for _ in range(2)]
    outputs = [writer.communicate()[0] for writer in writers]
    said = [said_by(output.splitlines(keepends=True)) for output in outputs]
    assert check_acknowledged(contest_url, said[0] + said[1]) == 60 * 7
    for (_, _, one), (_, _, two) in zip(*said, strict=True):
        assert astuple(one)[:4] == astuple(two)[:4]
        assert one.fresh != two.fresh


# More votes than a small disk holds, even if SQLite has just emptied its log.
TOO_MANY = 60_000


def fill_up(url: str) -> tuple[int, list[Receipt]]:
    """Votes until there is no room; the number of the rater that failed, and all receipts."""
    store = open_store(url)
    receipts: list[Receipt] = []
    rater = 0
    try:
        for rater in range(100_000):
            group = [vote(rater, item) for item in range(200)]
            receipts += store.append_answers(NAME, group).receipts
        raise AssertionError("the disk never filled up")
    except StoreFull:
        # Reading goes on, and nothing of the last group is there.
        assert len(check_log(store)) == len(receipts) + 1
        assert store.rater(NAME, key_of(rater)) is None
        with pytest.raises(StoreFull):
            store.append_answers(NAME, [vote(rater, item) for item in range(TOO_MANY)])
    finally:
        store.close()
    return rater, receipts


def check_room_again(url: str, rater: int, receipts: list[Receipt]) -> None:
    store = open_store(url)
    assert len(check_log(store)) == len(receipts) + 1
    (receipt,) = store.append_answers(NAME, [vote(rater, 0)]).receipts
    assert (receipt.position, receipt.fresh) == (len(receipts) + 2, True)
    store.check()
    check_log(store)
    store.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of four megabytes, in memory."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(tmp_path)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


@pytest.mark.slow
def test_a_full_disk(small_disk: Path) -> None:
    url = str(small_disk / "votes.db")
    store = open_store(url)
    opened(store)
    (small_disk / "ballast").write_bytes(b"x" * 1_000_000)
    rater, receipts = fill_up(url)
    with pytest.raises(StoreFull):
        store.append_answers(NAME, [vote(rater, item) for item in range(TOO_MANY)])
    (small_disk / "ballast").unlink()
    # The store that met the full disk goes on as well.
    assert store.append_answers(NAME, [vote(-1 % 2**64, 0)]).receipts[0].fresh
    store.close()
    check_room_again(url, rater, [*receipts, receipts[-1]])


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    url = str(tmp_path / "votes.db")
    store = open_store(url)
    opened(store)
    store.close()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, hard))
    try:
        rater, receipts = fill_up(url)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
    check_room_again(url, rater, receipts)
