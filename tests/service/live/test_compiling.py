"""A contest whose algorithm is still being compiled: it waits, and nothing else does."""

import os
import subprocess
import sys
from pathlib import Path

from plaudit.compiled.fingerprint import cache_folder
from plaudit.service.contest.settings import Lane
from plaudit.service.desk.desk import Desk
from plaudit.store import open_store
from plaudit.store.contract import Item
from support import live_worker
from support.warm_kernels import PLACE_KERNELS

WAITING = """
import shutil, sys, threading
from pathlib import Path
from plaudit.compiled import building, making
made, kept, gate, database = map(Path, sys.argv[1:5])
building.cache_folder = lambda: kept
making.BUILDER = (sys.executable, "-c", sys.argv[5], str(made), str(gate))
rare = {building.file_of(wanted).name for wanted in building.lists_in("plaudit.race.entries")[2:]}
for file in made.glob("*.kernels"):
    if file.name not in rare:
        shutil.copy(file, kept)

from plaudit.errors import StoreUnavailable
from support.live_worker import working
from support.service_process import until

def rare_one(worker):
    try:
        return worker.worker.get("rare")
    except StoreUnavailable as error:
        assert "cannot be shown now" in str(error)

with working(str(database)) as worker:
    rater = worker.new_rater()
    assert rare_one(worker) is None
    for _ in range(3):
        assert worker.vote_once(rater, lambda item: 0) is not None
    assert rare_one(worker) is None
    gate.touch()
    assert until(lambda: rare_one(worker), "the contest is there").name == "rare"
    assert worker.vote_once(rater, lambda item: 0) is not None
"""


def test_others_go_on_while_a_rare_algorithm_is_compiled(tmp_path: Path) -> None:
    database = tmp_path / "votes.db"
    store = open_store(str(database))
    live_worker.create(store)
    rare = live_worker.settings(lanes=(Lane("kl-lucb"),))
    items = [Item(number, f"caption {number}") for number in range(4)]
    Desk(store).create("rare", rare, items, opened=True)
    store.close()
    kept = tmp_path / "kernels"
    kept.mkdir()
    given = [cache_folder(), kept, tmp_path / "gate", database, PLACE_KERNELS]
    path = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", WAITING, *map(str, given)],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=40,
    )
    assert done.returncode == 0, done.stderr
    assert "'rare' begins once its algorithm is compiled; the others go on" in done.stderr
