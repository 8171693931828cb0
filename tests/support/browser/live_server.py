"""A running service, as the tests of the pages see it."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
CAPTIONS = [f"Caption number {number}" for number in range(30)]


def command_line(*command: str) -> str:
    """What a command of `plaudit` prints, called in this process."""
    from plaudit.cli import main

    done = CliRunner().invoke(main, command, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout.strip()


@dataclass
class LiveServer:
    """A running service, and the means to set up contests in its database."""

    url: str
    database: str
    made: int = 0

    @property
    def log(self) -> Path:
        """What the service printed."""
        return Path(self.database).with_name("log.txt")

    def make_contest(self, **keys: Any) -> str:
        """The name of a new open contest; keys are those of a contest file."""
        from plaudit.service.desk.desk import Desk
        from plaudit.service.intake.contest_file import read_contest_file
        from plaudit.store import open_store

        self.made += 1
        name = f"contest-{self.made}"
        given = {
            "name": name,
            "title": "Which is best?",
            "items": CAPTIONS,
            "scale": "funny",
            "results": "always",
            # Without a slack, whoever watches makes the service simulate for half a minute.
            "epsilon": 0.1,
        } | keys
        file = Path(self.database).with_name(f"{name}.yaml")
        # JSON is YAML too.
        file.write_text(json.dumps(given, ensure_ascii=False), encoding="utf-8")
        draft = read_contest_file(file)
        store = open_store(self.database)
        try:
            for asset in draft.pictures.values():
                store.put_asset(asset.media_type, asset.body)
            desk = Desk(store, signs_in=True)
            desk.create(draft.name, draft.settings, draft.items, opened=True)
        finally:
            store.close()
        self._wait_until(lambda: self.read(f"/api/v1/contests/{name}").get("state") == "open")
        return name

    def step(self, name: str, step: str) -> None:
        """Pauses, closes or reopens a contest; returns once the service knows it."""
        command_line("contest", step, name, "--database", self.database)
        state = {"pause": "paused", "close": "closed"}.get(step, "open")
        self._wait_until(lambda: self.read(f"/api/v1/contests/{name}").get("state") == state)

    def results(self, name: str) -> dict[str, Any]:
        """The results of a contest, also where the public does not see them yet."""
        return self.read(f"/api/v1/contests/{name}/results?limit=100", self._holder)

    @cached_property
    def _holder(self) -> dict[str, str]:
        """The headers of somebody with an API key."""
        from plaudit.service.accounts.api_keys import key_hash
        from plaudit.store import open_store
        from plaudit.store.people import ApiKey

        store = open_store(self.database)
        try:
            store.put_key(ApiKey("tests", key_hash("plaudit_test_key"), ("read",), 0))
        finally:
            store.close()
        return {"authorization": "Bearer plaudit_test_key"}

    def wait_for_votes(self, name: str, votes: int) -> None:
        """Returns once the contest has this many votes; fails if it never does."""
        self._wait_until(lambda: self.results(name)["votes"] == votes)

    def read(self, path: str, headers: dict[str, str] | None = None) -> dict[str, Any]:
        """The JSON at a path, {} for an error."""
        request = urllib.request.Request(self.url + path, headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                found: dict[str, Any] = json.load(answer)
                return found
        except urllib.error.HTTPError as error:
            error.close()
            return {}

    @staticmethod
    def _wait_until(happened: Callable[[], bool]) -> None:
        for _ in range(300):
            if happened():
                return
            time.sleep(0.1)
        pytest.fail("it did not happen in 30 seconds")
