"""What `plaudit serve` does in the database beside serving: the demo, the first link, the crowd."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import click

from plaudit.cli.database import opened

# The name of the simulated crowd's API key, which exists while the crowd votes.
CROWD_KEY = "crowd of plaudit serve"
AGAIN_SECONDS = 1.0

Step = Callable[[Any], None]


def begin(database: str, steps: Sequence[Step]) -> None:
    """Takes the steps; goes on in the background where PostgreSQL is away.

    A file that cannot be used now is an error: nobody will bring it back by themselves.
    """
    from plaudit.errors import StoreUnavailable
    from plaudit.store import sqlite_path

    left = list(steps)
    try:
        _take(database, left)
    except StoreUnavailable as error:
        if sqlite_path(database) is not None:
            raise
        click.echo(f'{error} The service answers "try again" until it is there.', err=True)
        given = (database, left)
        threading.Thread(target=_take_later, args=given, name="plaudit-steps", daemon=True).start()


def _take(database: str, left: list[Step]) -> None:
    with opened(database, create=True) as store:
        while left:
            left[0](store)
            left.pop(0)


def _take_later(database: str, left: list[Step]) -> None:
    from plaudit.errors import PlauditError, StoreUnavailable

    while left:
        time.sleep(AGAIN_SECONDS)
        try:
            _take(database, left)
        except StoreUnavailable:
            continue
        except PlauditError as error:
            click.echo(f"plaudit: {error}", err=True)
            return


def set_up_demo(store: Any) -> None:
    """Creates and opens the demo contest, unless it exists."""
    from plaudit.demo import contest_file
    from plaudit.errors import UnknownContest
    from plaudit.service.desk.desk import Desk
    from plaudit.service.intake.contest_file import read_contest_file

    draft = read_contest_file(contest_file())
    try:
        store.contest(draft.name)
    except UnknownContest:
        Desk(store).create_draft(draft, opened=True)


def show_first_link(public_url: str, store: Any) -> None:
    """Prints a new link to the first account, if there is no account yet."""
    from plaudit.cli.account import accounts_of, address

    token = accounts_of(store).first_link()
    if token is not None:
        click.echo(
            "There is no account yet. Make yours at this address, which works once, for a day:\n"
            f"  {address(public_url, token)}",
            err=True,
        )


class Crowd:
    """Simulated raters in a process of their own, until the block ends."""

    def __init__(self, database: str, raters: int, url: str, *, like: str) -> None:
        self._database = database
        self._command = [sys.executable, "-m", "plaudit", "crowd", url, "--raters", str(raters)]
        self._command += ["--wait", "--like", like]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, store: Any) -> None:
        """Gives the crowd its key, and starts it."""
        from plaudit.service.accounts.api_keys import new_key

        key = new_key(store, CROWD_KEY, ("raters", "read"))
        # In a session of its own: Ctrl-C goes to the server, which then stops the crowd.
        self._process = subprocess.Popen(
            self._command, env=os.environ | {"PLAUDIT_KEY": key}, start_new_session=True
        )

    def __enter__(self) -> "Crowd":
        return self

    def __exit__(self, *_: object) -> None:
        from plaudit.errors import StoreUnavailable

        if self._process is None:
            return
        self._process.terminate()
        self._process.wait()
        try:
            with opened(self._database) as store:
                store.drop_key(CROWD_KEY)
        except StoreUnavailable as error:
            click.echo(f"The crowd's API key is still there. {error}", err=True)
