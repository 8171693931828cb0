"""`plaudit witness`: watch a service from elsewhere, and check what it signed."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plaudit.cli.database import require_service
from plaudit.cli.output import json_option, print_json

if TYPE_CHECKING:
    from plaudit.proof.note import PublicKey
    from plaudit.witness.watch import Sight, Witness

ALARM, AWAY = 1, 3
WATCH = "watch"


class _WatchUnlessNamed(click.Group):
    """A group whose first verb may be left out: `plaudit witness URL` watches."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or super().get_command(ctx, WATCH)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands:
            args = [WATCH, *args]
        return super().resolve_command(ctx, args)


@click.group("witness", cls=_WatchUnlessNamed)
def command() -> None:
    """Watch a service from elsewhere: keep its checkpoints, and see that its logs only grow.

    `plaudit witness URL` is short for `plaudit witness watch URL`.
    """


@command.command(WATCH)
@click.argument("url")
@click.argument("contests", nargs=-1, metavar="[CONTEST]...")
@click.option("--folder", default="plaudit-witness", show_default=True,
              type=click.Path(file_okay=False, path_type=Path),
              help="Where to keep checkpoints and evidence.")  # fmt: skip
@click.option("--once", is_flag=True, help="Look once and end, for cron.")
@click.option("--seconds", default=60.0, show_default=True, type=click.FloatRange(0.05),
              help="The time between two looks.")  # fmt: skip
@click.option("--cosign", metavar="NAME",
              help="Sign what was checked, by this name, with FOLDER/witness.key.")  # fmt: skip
@json_option
def watch(url: str, contests: tuple[str, ...], folder: Path, **options: Any) -> None:
    """Keep the signed checkpoints of the contests at URL, all that it lists unless named.

    The keys are those of the first look. A checkpoint is kept if the log before it is unchanged.
    Otherwise the evidence is kept, and the exit code is 1. With --once it is 3 if the service did
    not answer; without, it is asked again later.
    """
    require_service()
    from plaudit.witness.cosigning import signer
    from plaudit.witness.folder import Folder
    from plaudit.witness.remote import Remote
    from plaudit.witness.watch import Witness

    remote = Remote(url)
    sign = None
    if options["cosign"]:
        key, sign = signer(folder / "witness.key", options["cosign"])
        click.echo(f"cosigning as {key.vkey}", err=True)
    witness = Witness(remote, Folder(folder / remote.host), contests, sign=sign)
    try:
        _watch(witness, options)
    finally:
        remote.close()


def _watch(witness: "Witness", options: dict[str, Any]) -> None:
    while True:
        sight = witness.look()
        _tell(sight, as_json=options["as_json"])
        code = ALARM if sight.alarms else AWAY if sight.away else 0
        if options["once"] or code == ALARM:
            click.get_current_context().exit(code)
        time.sleep(options["seconds"])


def _tell(sight: "Sight", *, as_json: bool) -> None:
    if as_json:
        kept = {name: {"size": one.size, "at": one.at} for name, one in sight.kept.items()}
        alarms = [
            {"contest": one.contest, "what": one.what, "folder": str(one.folder)}
            for one in sight.alarms
        ]
        print_json({"kept": kept, "alarms": alarms, "away": sight.away})
        return
    from plaudit.proof.checkpoint import time_text

    for name, one in sight.kept.items():
        click.echo(f"{name}: {one.size - 1:,} entries, unchanged, signed at {time_text(one.at)}")
    for why in sight.away:
        click.echo(f"not checked: {why}", err=True)
    for alarm in sight.alarms:
        click.secho(f"ALARM: {alarm.what}\n  Evidence: {alarm.folder}", err=True, bold=True)


@command.command("check")
@click.argument("one", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("other", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--key", metavar="KEY",
              help="The public key, or a file with keys. [default: keys.txt beside]")  # fmt: skip
@click.option("--url", help="Ask the service to prove that one log is the beginning of the other.")
@json_option
def check(one: Path, other: Path, key: str | None, url: str | None, as_json: bool) -> None:
    """Say whether two signed checkpoints contradict each other.

    The exit code is 1 if they do, and 2 if one of them is not signed by the key.
    """
    require_service()
    from plaudit.proof.checkpoint import open_checkpoint
    from plaudit.witness.contradiction import contradiction

    keys = _keys(key, one)
    first, second = (open_checkpoint(_read(file), keys) for file in (one, other))
    if first.origin != second.origin:
        from plaudit.errors import InvalidInput

        raise InvalidInput(f"{one} is of {first.origin}, {other} of {second.origin}.")
    said = contradiction(first, second)
    if not said and url is not None:
        said = _unproven(url, first, second)
    if as_json:
        print_json({"contradict": bool(said), "why": said, "origin": first.origin})
    elif said:
        click.echo(f"Both are signed by {keys[0].name}, and they contradict each other. {said}")
    else:
        click.echo(f"Both are signed by {keys[0].name}. They do not contradict each other.")
        if url is None and first.size != second.size:
            click.echo(
                "Whether the larger log begins with the smaller cannot be seen from these two "
                "alone: give --url, or verify an export."
            )
    if said:
        click.get_current_context().exit(ALARM)


def _keys(given: str | None, beside: Path) -> "list[PublicKey]":
    from plaudit.cli.public_keys import given_keys
    from plaudit.errors import InvalidInput

    if given is not None:
        return given_keys(given)
    for folder in (beside.parent, beside.parent.parent):
        if (folder / "keys.txt").is_file():
            return given_keys(str(folder / "keys.txt"))
    raise InvalidInput(f"There is no keys.txt beside {beside}: give --key with the public key.")


def _read(file: Path) -> str:
    from plaudit.errors import InvalidInput

    try:
        return file.read_bytes().decode()
    except UnicodeDecodeError:
        raise InvalidInput(f"{file} is not a checkpoint: it is not UTF-8.") from None


def _unproven(url: str, first: Any, second: Any) -> str:
    """Why the service cannot prove that one log begins with the other; "" if it can."""
    from plaudit.proof.merkle import is_consistent
    from plaudit.witness.remote import Denied, Remote

    small, large = sorted((first, second), key=lambda one: int(one.size))
    contest = small.origin.partition("/")[2]
    remote = Remote(url)
    try:
        path = remote.consistency(contest, small.size, large.size)
    except Denied as error:
        return f"The service has no proof that one is the beginning of the other: {error}"
    finally:
        remote.close()
    proven = is_consistent(small.size, large.size, path, small.root, large.root)
    return "" if proven else "The proof of the service does not lead from the one to the other."
