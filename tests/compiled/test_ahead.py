"""Kernels that are compiled ahead: made once by another process, then loaded without numba."""

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import plaudit
from plaudit.compiled.fingerprint import kernel_fingerprint
from plaudit.compiled.loading import is_sound, write
from support.terminal import run_on_a_terminal

SOURCE = '''
from typing import Any, NamedTuple

import numpy as np

from plaudit.compiled import Kept, compiled


class _Parts(NamedTuple):
    sums: Any
    rare: Any


class Board(Kept, _Parts):
    """One sum for each place."""


def board():
    return Board(np.zeros(3), ())


@compiled
def add(board: Board, place: int, value: float, twice: bool) -> float:
    for _ in range(2 if twice else 1):
        board.sums[place] += np.exp(value)
    return board.sums[place]


@compiled
def read(board: Board, place: int) -> Any:
    return board.sums[place] > 1.0, board.sums[place], np.int64(-7), np.uint64(2**63)


@compiled
def clear(board: Board) -> None:
    board.sums[:] = 0.0


@compiled
def both(x: float, y: float) -> Any:
    return x > y, x - y, np.int64(7)


@compiled
def unlisted(x: float) -> float:
    return x + 1.0
'''
ENTRIES = """
from small import sums

def lists():
    board = sums.board()
    yield [
        (sums.add, (board, 0, 0.0, True)),
        (sums.read, (board, 0)),
        (sums.clear, (board,)),
        (sums.both, (0.0, 0.0)),
    ]
"""
RUN = """
import json, sys
from plaudit.compiled import fingerprint, meanwhile
meanwhile.SECONDS = 0.0
fingerprint.PACKAGE = __import__("pathlib").Path(sys.argv[1])
from small import sums
board = sums.board()
sums.add(board, 1, 0.5, False)
last = sums.add.taking("ifb")(board)(1, 0.25, True)
said = [last, board.sums.tolist(), sums.both(3.0, 1.5)]
print(json.dumps([said, "numba" in sys.modules]))
"""
# A call by `taking` gives what any other call gives, and refuses what it cannot take.
METHODS = """
import json, sys
from plaudit.compiled import fingerprint, meanwhile
meanwhile.SECONDS = 0.0
fingerprint.PACKAGE = __import__("pathlib").Path(sys.argv[1])
from small import sums
board, other = sums.board(), sums.board()
add, read, clear = sums.add.taking("ifb"), sums.read.taking("i"), sums.clear.taking("")
assert add(board)(2, 1, True) == sums.add(other, 2, 1.0, True) == add(board)(2, -1e9, False)
assert read(board)(2) == sums.read(other, 2) == (True, board.sums[2], -7, 2**63)
assert read(board)(0) == (False, 0.0, -7, 2**63) and read(board)(0)[0] is False
assert clear(board)() is None and not board.sums.any() and other.sums.any()
refused = []
for given in ((0, 0.5), (0, 0.5, True, 1), ("0", 0.5, True), (0, "half", True), (2**64, 0.5, True)):
    try:
        add(board)(*given)
    except (TypeError, OverflowError) as error:
        refused.append(type(error).__name__)
assert not board.sums.any()
before = sys.getrefcount(None)
for _ in range(1000):
    clear(board)()
assert abs(sys.getrefcount(None) - before) < 100
print(json.dumps([refused, "numba" in sys.modules]))
"""
REFUSED = [["TypeError"] * 4 + ["OverflowError"], False]
SUM = math.exp(0.5) + math.exp(0.25) + math.exp(0.25)
SAID = [[SUM, [0.0, SUM, 0.0], [True, 1.5, 7]], False]


@pytest.fixture
def small(tmp_path: Path) -> SimpleNamespace:
    """A package with kernels of its own, and a folder for its cache."""
    package = tmp_path / "small"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "sums.py").write_text(SOURCE)
    (package / "entries.py").write_text(ENTRIES)
    home = tmp_path / "home"
    home.mkdir()
    path = os.pathsep.join([str(tmp_path), str(Path(plaudit.__file__).parent.parent)])
    # The hash of the sources is Plaudit's own: the folder is another.
    real = Path(plaudit.__file__).parent
    for name in ("bounds", "race", "simulation", "theory.py"):
        (home / name).symlink_to(real / name)
    shutil.copytree(real / "compiled", home / "compiled")
    env = {**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    return SimpleNamespace(home=home, env=env, folder=tmp_path)


def command(small: SimpleNamespace, code: str) -> list[str]:
    return [sys.executable, "-c", code, str(small.home)]


def said(small: SimpleNamespace, code: str = RUN) -> list[object]:
    done = subprocess.run(
        command(small, code), env=small.env, capture_output=True, text=True, check=True
    )
    return list(json.loads(done.stdout))


def files(small: SimpleNamespace) -> list[Path]:
    return sorted(small.folder.rglob("*.kernels"))


@pytest.mark.slow
def test_a_kernel_is_made_once_and_a_damaged_file_anew(small: SimpleNamespace) -> None:
    assert said(small) == SAID
    (file,) = files(small)
    made = file.stat().st_mtime_ns
    assert said(small) == SAID
    assert file.stat().st_mtime_ns == made
    whole = file.read_bytes()
    for damaged in (whole[:700] + b"?" + whole[701:], b""):
        file.write_bytes(damaged)
        assert not is_sound(file)
        assert said(small) == SAID
        assert is_sound(file)


def test_a_kernel_that_is_called_often_is_a_function_of_pythons(small: SimpleNamespace) -> None:
    assert said(small, METHODS) == REFUSED


@pytest.mark.slow
def test_whoever_waits_at_a_terminal_is_told_why(small: SimpleNamespace) -> None:
    # However quick the machine is: a moment is too long here.
    impatient = "from plaudit.compiled import making; making.PATIENCE_SECONDS = 0.001\n"
    shown, printed = run_on_a_terminal(command(small, impatient + RUN), small.env)
    assert json.loads(printed) == SAID
    assert shown.strip() == "Plaudit compiles its code, once after an install. One moment."
    shown, printed = run_on_a_terminal(command(small, RUN), small.env)
    assert (shown, json.loads(printed)) == ("", SAID)


def test_two_processes_that_want_a_kernel_at_once_share_one_file(small: SimpleNamespace) -> None:
    both = [
        subprocess.Popen(command(small, RUN), env=small.env, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [json.loads(process.communicate()[0]) for process in both] == [SAID, SAID]
    assert len(files(small)) == 1
    assert not [path for path in small.folder.rglob("*.[0-9]*") if path.suffix[1:].isdigit()]


def test_a_folder_that_cannot_be_written_to_is_not_needed(small: SimpleNamespace) -> None:
    for path in (small.home / "__pycache__", small.folder / "cache"):
        path.write_text("a file, so that no folder can be made here")
    assert said(small) == SAID
    assert not files(small)


def test_where_no_process_can_be_started_numba_compiles(small: SimpleNamespace) -> None:
    code = RUN.replace("import json, sys", "import json, sys; sys.executable = ''")
    assert said(small, code) == [SAID[0], True]
    assert not files(small)


@pytest.mark.slow
def test_code_for_another_processor_is_not_used(small: SimpleNamespace) -> None:
    assert said(small) == SAID
    code = "from plaudit.compiled import building; building.processor = lambda: 'another'\n" + RUN
    assert said(small, code) == SAID
    assert len(files(small)) == 2


def test_what_is_in_no_list_is_compiled_by_numba(small: SimpleNamespace) -> None:
    code = "from small.sums import unlisted\nimport json, sys\nprint(json.dumps([unlisted(1.5)]))"
    assert said(small, code) == [2.5]
    assert not files(small)


@pytest.mark.slow
def test_kernels_that_come_with_the_package_need_no_numba(small: SimpleNamespace) -> None:
    ship = """
from plaudit.compiled import making
making.ALL_LISTS = ("small.entries",)
making.ship()
"""
    alone = RUN.replace("import json, sys", "import json, sys; sys.executable = ''")
    said(small, RUN[: RUN.index("from small")] + ship + "print('[]')")
    (shipped,) = (small.home / "compiled" / "shipped").glob("*.kernels")
    assert said(small, alone) == SAID
    whole = shipped.read_bytes()
    # Of other sources: not used, although there is nothing else.
    other = json.loads(whole[32:].split(b"\n")[0])
    shipped.write_bytes(write(other | {"sources": "others"}, whole[32:].split(b"\n", 1)[1]))
    for made in files(small):
        if made != shipped:
            made.unlink()
    assert said(small, alone) == [SAID[0], True]


BUILD = """
import sys
from plaudit.compiled import build_files
build_files.main()
assert "numba" not in sys.modules
"""


def test_who_waits_for_files_does_not_wait_for_those_of_later(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    now, later = (tmp_path / f"{name}.kernels" for name in ("now", "later"))
    for file in (now, later):
        file.write_bytes(write({}, b""))
    asked = tmp_path / "asked"
    asked.write_text(json.dumps([[(str(now), [])], [(str(later), [])]]))
    path = os.pathsep.join(filter(None, sys.path))
    with later.with_suffix(".lock").open("wb") as held, asked.open() as given:
        # Somebody else makes the other file.
        fcntl.flock(held, fcntl.LOCK_EX)
        with subprocess.Popen(
            [sys.executable, "-c", BUILD, "0", kernel_fingerprint()],
            stdin=given,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": path},
        ) as process:
            assert process.stdout is not None
            assert process.stdout.read() == b""
            assert process.poll() is None
            fcntl.flock(held, fcntl.LOCK_UN)
            assert process.wait(20) == 0


# The same kernels, made by numba as it is and by one that remembers.
MADE = """
import gc, hashlib, json, sys
from plaudit.compiled import builder
from plaudit.compiled.building import lists_in
if sys.argv[1] == "plain":
    builder.be_quicker = lambda: None
gc.disable()
builder.set_up()
made = builder.build(lists_in("plaudit.bounds.entries")[0], "same")
print(json.dumps(hashlib.sha256(made).hexdigest()))
"""


@pytest.mark.slow
def test_a_numba_that_remembers_makes_the_same_code() -> None:
    ways = [[sys.executable, "-c", MADE, way] for way in ("plain", "quicker")]
    plain, quicker = [subprocess.check_output(way) for way in ways]
    assert plain == quicker
