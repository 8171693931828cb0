"""The contract of a store, over SQLite and over a real PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from plaudit.store import Store, open_store
from plaudit.store.suite import StoreContract
from plaudit.store.suite.samples import Reopen
from support.postgres_server import postgres, postgres_url

# Fixtures are found by their names in this module.
__all__ = ["postgres", "postgres_url"]


class TestSqlite(StoreContract):
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        return str(tmp_path / "votes.db")

    @pytest.fixture
    def store(self, url: str) -> Iterator[Store]:
        store = open_store(url)
        yield store
        store.close()

    @pytest.fixture
    def reopen(self, url: str) -> Reopen:
        return lambda: open_store(url)


class TestPostgres(StoreContract):
    @pytest.fixture
    def store(self, postgres_url: str) -> Iterator[Store]:
        store = open_store(postgres_url)
        yield store
        store.close()

    @pytest.fixture
    def reopen(self, postgres_url: str) -> Reopen:
        return lambda: open_store(postgres_url)
