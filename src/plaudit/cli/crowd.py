"""`plaudit crowd`: simulated raters, to try out a service or to test it under load."""

import os
import signal
import sys
import time
from typing import Any

import click

from plaudit.cli.database import require_service


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
@click.option("--wait", is_flag=True, help="Wait until the service answers.")
@click.option("--key", envvar="PLAUDIT_KEY", show_envvar=True,
              help="An API key with the scopes raters and read.")  # fmt: skip
def command(url: str, contest: str | None, wait: bool, key: str | None, **options: Any) -> None:
    """Let simulated raters vote at URL until the contest is decided.

    They use the same HTTP interface as everyone else; only their preferences are made up. With
    --like they are of other kinds, or fakes are among them: attack your own service in a rehearsal.
    """
    require_service()
    from plaudit.client import Client
    from plaudit.crowd import Crowd, only_contest
    from plaudit.simulation.crowds import parse_population

    people = parse_population(options["like"])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    parent = os.getppid()
    with Client(url, key=key) as client:
        if wait and not _answers(client, parent):
            return
        name = contest or only_contest(client)
        crowd = Crowd(
            client,
            name,
            raters=options["raters"],
            qualities=_qualities(name),
            think_seconds=options["think_seconds"],
            people=people,
            seed=options["seed"],
        )
        crowd.run(until=lambda: os.getppid() != parent)
        click.echo(f"{name} is decided after {crowd.votes:,} votes of the crowd", err=True)


def _answers(client: Any, parent: int) -> bool:
    """Waits until the service answers; false if the process that started this one has ended."""
    from plaudit.client import ServiceError

    while os.getppid() == parent:
        try:
            client.call("GET", "/readyz")
            return True
        except ServiceError:
            time.sleep(0.5)
    return False


def _qualities(contest: str) -> dict[int, float]:
    """The crowd's mean votes on the captions of the demo; other contests have no such file."""
    from plaudit import demo

    return demo.qualities() if contest == demo.NAME else {}
