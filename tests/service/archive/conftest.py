from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from plaudit.store import Store, open_store


@pytest.fixture
def new_store(tmp_path: Path) -> Iterator[Callable[[], Store]]:
    """Opens as many stores as a test wants; all are closed at its end."""
    opened: list[Store] = []

    def make() -> Store:
        opened.append(open_store(str(tmp_path / f"{len(opened)}.db")))
        return opened[-1]

    yield make
    for store in opened:
        store.close()
