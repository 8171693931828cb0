"""Machine code is loaded by several threads at once, into one engine."""

import threading
import time
from functools import cache
from typing import Any

import pytest

from plaudit.compiled import loading


def test_threads_that_load_at_once_share_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that only the loser of the race had would be freed, while its kernels run."""
    threads = 8
    gate, made, got = threading.Barrier(threads), [], []
    real = loading._llvm().create_mcjit_compiler

    def create(*given: Any) -> Any:
        time.sleep(0.01)
        made.append(real(*given))
        return made[-1]

    monkeypatch.setattr(loading._llvm(), "create_mcjit_compiler", create)
    # Not the engine that this process has: its kernels must stay.
    monkeypatch.setattr(loading, "_made_engine", cache(loading._made_engine.__wrapped__))

    def ask() -> None:
        gate.wait()
        got.append(loading._engine())

    asking = [threading.Thread(target=ask) for _ in range(threads)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert len(made) == 1
    assert all(engine is made[0] for engine in got)
