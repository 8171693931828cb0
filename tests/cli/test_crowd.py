"""A crowd that comes before its contest waits for it."""

import os
from typing import Any

import pytest

from plaudit.cli import crowd
from plaudit.client import ServiceError
from plaudit.crowd import only_contest


class Starting:
    """A service that is away at first, then compiles the algorithm of its contest."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def call(self, method: str, path: str) -> None:
        self.asked.append(path)
        if len(self.asked) < 3:
            raise ServiceError(0, "unreachable", "It is away.")

    def contests(self) -> list[dict[str, Any]]:
        self.asked.append("contests")
        state = "open" if self.asked.count("contests") > 2 else "draft"
        return [{"name": "snowman", "state": state}]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowd, "PAUSE_SECONDS", 0.001)


def test_a_contest_that_begins_later_is_waited_for() -> None:
    client: Any = Starting()
    assert crowd._is_there(client, os.getppid(), None)
    assert client.asked.count("contests") == 3
    assert only_contest(client) == "snowman"


def test_a_contest_by_name_is_not() -> None:
    client: Any = Starting()
    assert crowd._is_there(client, os.getppid(), "snowman")
    assert "contests" not in client.asked


def test_nobody_waits_for_longer_than_the_service_lives() -> None:
    client: Any = Starting()
    assert not crowd._is_there(client, -1, None)
    assert client.asked == []
