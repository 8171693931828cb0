"""`plaudit contest`: exclude, readmit and erase raters."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from plaudit.cli.contest.door import code_book
from plaudit.cli.contest.step import step_options, take
from plaudit.cli.database import opened
from plaudit.cli.secret import known_secret, secret_option


def _moderation(
    verb: str, method: str, words: str, *, many: bool, more: Callable[..., Any] = lambda verb: verb
) -> click.Command:
    @click.command(verb, help=words)
    @step_options
    @more
    @click.argument(
        "raters", nargs=-1 if many else 1, required=True, metavar="RATER..." if many else "RATER"
    )
    @click.option("--external", is_flag=True, help="RATER is the id that came with the link.")
    @click.option("--code", is_flag=True, help="RATER is a code, or its number.")
    @secret_option
    def run(
        name: str,
        raters: tuple[str, ...] | str,
        external: bool,
        code: bool,
        secret_file: Path | None,
        database: str,
        as_json: bool,
        epoch: int | None,
        **given_too: Any,
    ) -> None:
        def work(desk: Any) -> Any:
            given = [raters] if isinstance(raters, str) else list(raters)
            if external and code:
                raise click.UsageError("RATER is an external id or a code, not both.")
            if code:
                given = _code_keys(name, given, database, secret_file)
            if external:
                given = _external_keys(name, given, database, secret_file)
            return getattr(desk, method)(name, *given, epoch=epoch, **given_too)

        take(name, database, as_json, work)

    return run


def _external_keys(name: str, externals: list[str], database: str, path: Path | None) -> list[str]:
    """The keys, as in exports, of raters with these ids; this needs the secret of the service."""
    from plaudit.service.accounts.secret import Secret
    from plaudit.service.live.tickets import Signer

    signer = Signer(Secret(known_secret(database, path).encode()), name)
    return [signer.external_rater(external).key.hex() for external in externals]


def _code_keys(name: str, codes: list[str], database: str, path: Path | None) -> list[str]:
    """The keys, as in exports, of raters with these codes; likewise."""
    with opened(database) as store:
        book = code_book(store, name, database, path)
        return [book.key(number).hex() for number in book.numbers_of(codes)]


# The first is the default; `service.contest.grounds` has the same, and a test compares them.
GROUNDS = ("votes", "speed", "address", "robot", "door")
_grounds_option = click.option(
    "--grounds", type=click.Choice(GROUNDS), default=GROUNDS[0], show_default=True,
    help="Why. A verdict says whether it rests on excluding raters by their votes; other grounds "
    "cost nothing, if nobody looked at votes.",
)  # fmt: skip
COMMANDS = (
    _moderation(
        "exclude-rater", "exclude",
        "Let no vote of a rater count, past or future; or of several, in one step.", many=True,
        more=_grounds_option,
    ),
    _moderation(
        "readmit-rater", "readmit", "Let the votes of excluded raters count again.", many=True
    ),
    _moderation(
        "erase-rater", "erase",
        "Forget who a rater was, for good; their votes no longer count.", many=False,
    ),
)  # fmt: skip
