"""`plaudit contest`: export, restore, and the verdict with its certificate."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from plaudit.cli.database import database_option, opened
from plaudit.cli.output import json_option, print_json, print_pairs, say

EXPORTS = ("contest", "votes", "items", "summary", "proposals")


@click.command("export")
@click.argument("name")
@click.option(
    "--what", type=click.Choice(EXPORTS), default="contest", show_default=True,
    help="The whole contest in one file that restores anywhere, or one table as CSV.",
)  # fmt: skip
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="A file to write.")
@click.option("--spreadsheet", is_flag=True, help="Make cells safe for spreadsheet programs.")
@database_option
@json_option
def export(
    name: str, what: str, out: Path | None, spreadsheet: bool, database: str, as_json: bool
) -> None:
    """Write a contest, or one of its tables; a file ending in .gz is packed."""
    if out is None and as_json:
        raise click.UsageError("--json describes the file: name it with --out.")
    with opened(database) as store:
        chunks = _chunks(store, name, what, spreadsheet)
        size = _write(chunks, out)
    if as_json:
        print_json({"name": name, "what": what, "file": str(out), "bytes": size})


def _chunks(store: Any, name: str, what: str, spreadsheet: bool) -> Iterator[bytes]:
    from plaudit.service.archive import export as exports
    from plaudit.service.archive.format import contest_lines
    from plaudit.service.archive.proposals_csv import proposals_csv

    store.contest(name)
    if what == "contest":
        return contest_lines(store, name)
    maker = {
        "votes": exports.votes_csv,
        "items": exports.items_csv,
        "summary": exports.summary_csv,
        "proposals": proposals_csv,
    }[what]
    return maker(store, name, spreadsheet=spreadsheet)


def _write(chunks: Iterator[bytes], out: Path | None) -> int:
    """Writes a file completely or not at all; to the standard output if none is named."""
    from plaudit.service.archive.export import gzipped

    if out is None:
        for chunk in chunks:
            sys.stdout.buffer.write(chunk)
        return 0
    half = out.with_name(out.name + ".part")
    try:
        with open(half, "wb", opener=_private) as file:
            for chunk in gzipped(chunks) if out.suffix == ".gz" else chunks:
                file.write(chunk)
        half.replace(out)
        return out.stat().st_size
    except OSError as error:
        raise _cannot_write(out, error) from None
    finally:
        half.unlink(missing_ok=True)


def _private(path: str, flags: int) -> int:
    """Opens a file that only its owner can read: it has the votes of everyone."""
    handle = os.open(path, flags, 0o600)
    os.fchmod(handle, 0o600)  # also if it was there before
    return handle


def _cannot_write(file: Path, error: OSError) -> Exception:
    from plaudit.errors import InvalidInput

    return InvalidInput(f"Cannot write {file} ({error.strerror}). Choose another place.")


@click.command("restore")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@database_option
@json_option
def restore(file: Path, database: str, as_json: bool) -> None:
    """Restore a contest from its export, whole or not at all."""
    with opened(database, create=True) as store, file.open("rb") as lines:
        from plaudit.service.archive.restore import restore_contest
        from plaudit.service.contest.replay import load_state

        record = restore_contest(store, lines)
        load_state(store, record.name)  # saves a snapshot, so that the service starts fast
    answer = {"name": record.name, "state": record.state, "position": record.position}
    words = f"{record.name} is back, {record.state}, with {record.position:,} entries"
    say(words, answer, as_json=as_json)


@click.command("verdict")
@click.argument("name")
@click.option("--certificate", type=click.Path(dir_okay=False, path_type=Path), help="Write it.")
@database_option
@json_option
def verdict(name: str, certificate: Path | None, database: str, as_json: bool) -> None:
    """Show how sure the contest is; write the certificate of its verdict.

    Of several algorithms, it is that of the first one that is decided. The exit code is 1 while
    none is.
    """
    with opened(database) as store:
        from plaudit.service.live.loading import load_contest
        from plaudit.service.watch.results import make_results

        answer = make_results(load_contest(store, name).snapshot())
        proofs = store.certificates(name)
    decided = [lane for lane in answer["lanes"] if lane["decided"]]
    if certificate is not None and decided:
        _write_certificate(certificate, answer["lanes"].index(decided[0]), proofs)
    if as_json:
        print_json(answer | {"lanes": [_plain(lane) for lane in answer["lanes"]]})
    else:
        _print_verdict(answer)
    if not decided:
        click.get_current_context().exit(1)


def _plain(lane: dict[str, Any]) -> dict[str, Any]:
    """The results of a lane with their sentences written out."""
    owed = lane["exclusions"]
    owed = owed and owed | {"sentence": str(owed["sentence"])}
    return lane | {"sentence": str(lane["sentence"]), "exclusions": owed}


def _write_certificate(file: Path, lane: int, proofs: list[Any]) -> None:
    # The last one: an older one may be about items that have changed since.
    bodies = [proof.body for proof in proofs if proof.lane == lane]
    if not bodies:
        from plaudit.errors import NotAllowed

        raise NotAllowed("This copy of the contest has no certificate: export it where it ran.")
    try:
        file.write_text(bodies[-1], encoding="utf-8")
    except OSError as error:
        raise _cannot_write(file, error) from None


def _print_verdict(answer: dict[str, Any]) -> None:
    for lane in answer["lanes"]:
        shown = lane["leaders"][: len(lane["winners"]) or answer["top"]]
        rows = {
            f"item {leader['id']}": f"{leader['text']}  [{leader['lower']:.3f}, "
            f"{leader['upper']:.3f}] after {leader['votes']:,} votes"
            for leader in shown
        }
        owed = f" {lane['exclusions']['sentence']}" if lane["exclusions"] else ""
        print_pairs(f"{lane['algorithm']}: {lane['sentence']}{owed}", rows)


COMMANDS = (export, restore, verdict)
