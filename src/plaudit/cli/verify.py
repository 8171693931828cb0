"""`plaudit verify`: check a certificate against an export."""

import json
from pathlib import Path

import click

from plaudit.cli.database import require_service
from plaudit.cli.output import json_option, print_json


@click.command("verify")
@click.argument("certificate", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("export", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
def command(certificate: Path, export: Path, as_json: bool) -> None:
    """Replay an export up to a verdict, and say whether its CERTIFICATE holds.

    The exit code is 1 where it does not.
    """
    require_service()
    from plaudit.errors import InvalidInput
    from plaudit.service.archive.verify import verify

    try:
        said = json.loads(certificate.read_bytes())
        if not isinstance(said, dict):
            raise ValueError
    except (ValueError, RecursionError):
        raise InvalidInput(f"{certificate} is not a certificate: it is not JSON.") from None
    with export.open("rb") as lines:
        checks = verify(said, lines)
    holds = all(check.agrees for check in checks)
    if as_json:
        print_json({"holds": holds, "checks": [check._asdict() for check in checks]})
    else:
        for check in checks:
            mark = "agrees " if check.agrees else "DIFFERS"
            click.echo(f"{mark}  {check.what}{': ' + check.detail if check.detail else ''}")
        click.echo("The certificate holds." if holds else "The certificate does NOT hold.")
    if not holds:
        click.get_current_context().exit(1)
