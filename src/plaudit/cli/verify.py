"""`plaudit verify`: check a certificate against an export."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plaudit.cli.database import require_service
from plaudit.cli.output import json_option, print_json

if TYPE_CHECKING:
    from plaudit.service.archive.report import Report

DIFFERS, SUPERSEDED = 1, 3


@click.command("verify")
@click.argument("certificate", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("export", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--key",
    metavar="KEY",
    help="The service's public key, or a file with its keys. [default: those in the export]",
)
@json_option
def command(certificate: Path, export: Path, key: str | None, as_json: bool) -> None:
    """Replay an export, and say whether a CERTIFICATE holds.

    The exit code is 1 where it does not, and 3 where all of it is so, but the verdict was
    superseded: a later step in the export took it back.
    """
    require_service()
    from plaudit.cli.public_keys import given_keys
    from plaudit.service.archive.verify import verify

    said = _read(certificate)
    keys = None if key is None else given_keys(key)
    with export.open("rb") as lines:
        report = verify(said, lines, keys)
    if as_json:
        print_json(_plain(report))
    else:
        _tell(report)
    if not report.holds:
        click.get_current_context().exit(SUPERSEDED if report.agrees else DIFFERS)


def _read(path: Path) -> dict[str, Any]:
    from plaudit.errors import InvalidInput

    try:
        said = json.loads(path.read_bytes(), object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise InvalidInput(
            f"{path} is not a certificate: it is not JSON, or has a field twice."
        ) from None
    if not isinstance(said, dict):
        raise InvalidInput(f"{path} is not a certificate: it is no JSON object.")
    return said


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of an object; one that is there twice would say two things."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError
    return fields


def _plain(report: "Report") -> dict[str, Any]:
    gone = report.superseded
    return {
        "holds": report.holds,
        "agrees": report.agrees,
        "superseded": gone
        and {
            "entry": gone.entry,
            "at": gone.at,
            "by": str(gone.by),
            "later_verdict": gone.later,
            "later_winners": list(gone.winners),
        },
        "signed_by": report.signed_by,
        "own_keys": report.own_keys,
        "checks": [check._asdict() for check in report.checks],
    }


def _tell(report: "Report") -> None:
    for check in report:
        mark = "agrees " if check.agrees else "DIFFERS"
        click.echo(f"{mark}  {check.what}{': ' + check.detail if check.detail else ''}")
    if report.own_keys:
        click.echo(
            "The key is the one in the export: whoever wrote it may have made it. Give --key with "
            "the key that the service shows at /.well-known/plaudit-keys."
        )
    elif report.agrees and not report.signed_by:
        click.echo("The certificate is unsigned.")
    if not report.agrees:
        click.echo("The certificate does NOT hold.")
    elif report.superseded is None:
        click.echo("The certificate holds.")
    else:
        click.echo(
            f"The certificate was right about its moment, but the verdict no longer stands. "
            f"{report.superseded.words}"
        )
