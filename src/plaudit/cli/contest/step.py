"""What all verbs that take a step on a contest share: their options, and what they print."""

from collections.abc import Callable
from typing import Any

import click

from plaudit.cli.database import database_option, opened
from plaudit.cli.output import json_option, say
from plaudit.cli.secret import signs_in

_epoch_option = click.option(
    "--epoch", type=click.IntRange(0), help="Only if the contest's epoch is this one still."
)


def _note_revoking(context: click.Context, _: click.Parameter, given: bool) -> None:
    context.meta[_REVOKING] = given


_REVOKING = "plaudit.revoke_verdict"
_revoke_option = click.option(
    "--revoke-verdict", is_flag=True, expose_value=False, callback=_note_revoking,
    help="Take the step also if a verdict is lost by it.",
)  # fmt: skip


def step_options(verb: Callable[..., None]) -> Callable[..., None]:
    """Adds the argument and the options that every step has."""
    for option in (json_option, database_option, _revoke_option, _epoch_option):
        verb = option(verb)
    return click.argument("name")(verb)


def take(name: str, database: str, as_json: bool, work: Callable[[Any], Any]) -> None:
    """Takes one step at the desk, and prints the state of the contest after it."""
    with opened(database) as store:
        from plaudit.phrase import item_id
        from plaudit.service.desk.desk import Desk
        from plaudit.service.desk.step import taken

        desk = Desk(store, signs_in=signs_in()).revoking(
            click.get_current_context().meta[_REVOKING]
        )
        done = taken(store, name, work(desk))
    new_id = None if done.item is None else item_id(done.item)
    new = "" if new_id is None else f"; its new item is {new_id}"
    words = f"{name} is {done.state} (entry {done.position} of its log){new}"
    say(words, {"name": name} | done._asdict() | {"id": new_id}, as_json=as_json)
