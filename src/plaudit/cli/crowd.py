"""`plaudit crowd`: simulated raters, to try out a service or to test it under load."""

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import Any

import click

from plaudit.cli.database import require_service

# How often a service that is not there yet is asked again.
PAUSE_SECONDS = 0.5
# How often the crowd says how far it is.
EVERY_SECONDS = 5.0


@click.command("crowd")
@click.argument("url")
@click.option("--contest", help="Which contest; the only open one unless given.")
@click.option("--raters", default=20, show_default=True, type=click.IntRange(1, 10_000),
              help="How many raters vote at the same time.")  # fmt: skip
@click.option(
    "--think-seconds",
    default=1.0,
    show_default=True,
    type=click.FloatRange(0.0),
    help="Mean time that a rater looks at an item.",
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0),
              help="The seed of the raters' votes and waiting times.")  # fmt: skip
@click.option("--like", default="independent", show_default=True, metavar="CROWD",
              help="Who the raters are, such as kind-stern:0.15+careless:0.1, or with fakes: "
              "knock-out:4.")  # fmt: skip
@click.option("--wait", is_flag=True, help="Wait until the service answers and has a contest.")
@click.option("--key", envvar="PLAUDIT_KEY", show_envvar=True,
              help="An API key with the scopes raters and read.")  # fmt: skip
def command(url: str, contest: str | None, wait: bool, key: str | None, **options: Any) -> None:
    """Let simulated raters vote at URL until the contest is decided; stop them with Ctrl-C.

    They use the same HTTP interface as everyone else; only their preferences are made up. Where
    raters may propose items, a few of them do. With --like they are of other kinds, or fakes are
    among them: attack your own service in a rehearsal.
    """
    require_service()
    from plaudit.client import Client
    from plaudit.crowd import Crowd, only_contest
    from plaudit.simulation.crowds import parse_population

    people = parse_population(options["like"])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    parent = os.getppid()
    with Client(url, key=key) as client:
        if wait and not _is_there(client, parent, contest):
            return
        name = contest or only_contest(client)
        crowd = Crowd(
            client,
            name,
            raters=options["raters"],
            **_demo_of(name),
            think_seconds=options["think_seconds"],
            people=people,
            seed=options["seed"],
        )
        watch = Watch(crowd, parent)
        crowd.run(until=watch.is_over)
        click.echo(f"{name} {watch.ending}", err=True)


class Watch:
    """Says how far a crowd is, every few seconds, and why it ended."""

    def __init__(self, crowd: Any, parent: int) -> None:
        self._crowd, self._parent = crowd, parent
        self._lock = threading.Lock()
        self._began = self._told = time.monotonic()
        self._before = 0

    def is_over(self) -> bool:
        """Whether the process that started this one is gone; called all the time."""
        self._tell()
        return os.getppid() != self._parent

    def _tell(self) -> None:
        with self._lock:
            now, votes = time.monotonic(), self._crowd.votes
            passed = now - self._told
            if passed < EVERY_SECONDS:
                return
            rate = (votes - self._before) / passed
            self._told, self._before = now, votes
        click.echo(f"{votes:,} votes of the crowd, {rate:,.0f} a second", err=True)

    @property
    def ending(self) -> str:
        """What is true at the end."""
        votes = f"{self._crowd.votes:,} votes of the crowd"
        if self._crowd.decided.is_set():
            return f"is decided after {votes}"
        return f"is not decided: the crowd ended with the process that started it, after {votes}"


def _is_there(client: Any, parent: int, contest: str | None) -> bool:
    """Waits until the service answers; false if the process that started this one has ended.

    Where no contest is named, it also waits for one to open: right after an install the service
    answers while the algorithm of its contest is still being compiled.
    """
    from plaudit.client import ServiceError
    from plaudit.crowd import open_contests

    while os.getppid() == parent:
        with suppress(ServiceError):
            client.call("GET", "/readyz")
            if contest or open_contests(client):
                return True
        time.sleep(PAUSE_SECONDS)
    return False


def _demo_of(contest: str) -> dict[str, Any]:
    """What the crowd thinks and proposes in the demo; other contests have no such files."""
    from plaudit import demo

    if contest != demo.NAME:
        return {}
    return {"qualities": demo.qualities(), "ideas": demo.proposals()}
