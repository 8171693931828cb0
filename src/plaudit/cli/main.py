"""The entry point `plaudit VERB`: each verb is a module that loads when it is called."""

import sys
from importlib import import_module
from typing import Any, NoReturn

import click

from plaudit import __version__

VERBS = {
    "interval": "Bounds on a mean from its votes.",
    "rank": "Rank items from a file of votes, with what is certified.",
    "compare": "Compare few items that the same raters rated, rater by rater.",
    "promptfoo": "Say what a result file of promptfoo proves, and what would decide.",
    "race": "Run one simulated race to its verdict.",
    "learn": "Learn from past contests how to bet, for fewer votes in the next.",
    "plan": "How many votes and days a contest will need.",
    "data": "List and download the public caption contests.",
    "study": "Repeat the tables, figures and claims of the paper.",
    "serve": "Run live contests over HTTP.",
    "contest": "Create, run, moderate and export live contests.",
    "verify": "Check a verdict's certificate against an export.",
    "receipt": "Check that an answer is in the log, unchanged.",
    "witness": "Watch a service from elsewhere: its logs must only grow.",
    "account": "Let people in who run contests, and see to their roles.",
    "key": "Make and take back API keys.",
    "signing-key": "Public keys of a service, and a new one.",
    "crowd": "Let simulated raters vote over HTTP.",
}


class Verbs(click.Group):
    """The verbs; the help needs only their names, so it loads none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order of the table."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb's module, loaded."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"plaudit.cli.{cmd_name.replace('-', '_')}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table of verbs."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb, or an error with the nearest name."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            from plaudit.errors import UnknownName

            raise click.UsageError(str(UnknownName("command", args[0], VERBS)), ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the verb; Plaudit's own errors become one line and exit code 2."""
        from plaudit.errors import MissingExtra, PlauditError

        try:
            return super().invoke(ctx)
        except MissingExtra as missing:
            from plaudit.extras import start_again

            _fail(start_again(missing))
        except PlauditError as error:
            _fail(error)


def _fail(error: Exception) -> NoReturn:
    click.echo(f"plaudit: {error}", err=True)
    sys.exit(2)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Find the crowd's favourites with the fewest votes, and prove how sure that is."""
