"""`plaudit contest`: create and run live contests. Each step is an event in the contest's log."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from plaudit.cli.database import database_option, opened, require_service
from plaudit.cli.output import console, json_option, print_json, print_pairs
from plaudit.cli.secret import known_secret, secret_option

EXPORTS = ("contest", "votes", "items", "summary")


@click.group("contest")
def command() -> None:
    """Create, run, moderate and export live contests.

    A running service follows what is done here at once.
    """


@command.command("create")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--open", "opened_at_once", is_flag=True, help="Open it at once.")
@click.option("--check", is_flag=True, help="Only read the file and report mistakes.")
@database_option
@json_option
def create(file: Path, opened_at_once: bool, check: bool, database: str, as_json: bool) -> None:
    """Create a contest from its file; every mistake is named with its line."""
    require_service()
    from plaudit.service.contest_file import read_contest_file

    draft = read_contest_file(file)
    answer = {"name": draft.name, "title": draft.settings.title, "items": len(draft.items)}
    if not check:
        with opened(database) as store:
            from plaudit.service.desk import Desk

            record = Desk(store).create_draft(draft, opened=opened_at_once)
        answer["state"] = record.state
    if as_json:
        print_json(answer | {"notes": draft.notes})
        return
    for note in draft.notes:
        click.echo(f"note: {note}", err=True)
    print_pairs("would be created" if check else "created", {k: str(v) for k, v in answer.items()})


@command.command("list")
@database_option
@json_option
def list_contests(database: str, as_json: bool) -> None:
    """List all contests with their states."""
    with opened(database) as store:
        from plaudit.service.loading import load_tally

        rows = [_row(record, load_tally(store, record.name)) for record in store.contests()]
    if as_json:
        print_json({"contests": rows})
    else:
        _print_contests(rows)


def _row(record: Any, tally: Any) -> dict[str, Any]:
    from plaudit.service.in_force import in_force

    return {
        "name": record.name,
        "state": record.state,
        "title": in_force(record.settings, tally.changes).title,
        "items": tally.items - len(tally.withdrawn),
        "votes": int(tally.counts.sum()),
        "raters": tally.raters,
        "verdicts": len(tally.verdicts),
    }


def _print_contests(rows: list[dict[str, Any]]) -> None:
    from rich.table import Table

    if not rows:
        click.echo("There are no contests yet: `plaudit contest create contest.yaml` makes one.")
        return
    table = Table(*rows[0])
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    console().print(table)


def _add_step(step: str, words: str) -> None:
    @command.command(step, help=words)
    @click.argument("name")
    @database_option
    @json_option
    def run(name: str, database: str, as_json: bool) -> None:
        _do(name, database, as_json, lambda desk: desk.step(name, step))


for _step, _words in {
    "open": "Let raters vote.",
    "pause": "Take no votes for a while.",
    "close": "Take no more votes.",
    "reopen": "Let raters vote again after closing.",
    "retire": "Put a closed contest away; it can only be read from then on.",
    "unretire": "Bring a retired contest back; it is closed then.",
}.items():
    _add_step(_step, _words)


def _do(name: str, database: str, as_json: bool, work: Any) -> None:
    """Takes one step at the desk, and says where the contest stands after it."""
    with opened(database) as store:
        from plaudit.service.desk import Desk

        entry = work(Desk(store))
        answer = {"name": name, "state": store.contest(name).state, "position": entry.position}
    if as_json:
        print_json(answer)
    else:
        click.echo(f"{name} is {answer['state']} (entry {entry.position} of its log)")


@command.command("add-items")
@click.argument("name")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@database_option
@json_option
def add_items(name: str, file: Path, database: str, as_json: bool) -> None:
    """Add the items of a TXT or CSV file to a contest, also while it runs."""

    def work(desk: Any) -> Any:
        from plaudit.service.contest_file import read_items

        items, pictures, notes = read_items(file)
        for note in notes:
            click.echo(f"note: {note}", err=True)
        return desk.add_items(name, items, pictures=pictures.values())

    _do(name, database, as_json, work)


@command.command("withdraw")
@click.argument("name")
@click.argument("items", nargs=-1, required=True, type=int, metavar="ITEM...")
@database_option
@json_option
def withdraw(name: str, items: tuple[int, ...], database: str, as_json: bool) -> None:
    """Take items out of a contest; exports show their numbers, which begin at 0."""
    _do(name, database, as_json, lambda desk: desk.withdraw(name, items))


def _add_moderation(verb: str, method: str, words: str) -> None:
    @command.command(verb, help=words)
    @click.argument("name")
    @click.argument("rater")
    @click.option("--external", is_flag=True, help="RATER is the id that came with the link.")
    @secret_option
    @database_option
    @json_option
    def run(
        name: str,
        rater: str,
        external: bool,
        secret_file: Path | None,
        database: str,
        as_json: bool,
    ) -> None:
        def work(desk: Any) -> Any:
            known = _external_key(name, rater, database, secret_file) if external else rater
            return getattr(desk, method)(name, known)

        _do(name, database, as_json, work)


def _external_key(name: str, external: str, database: str, path: Path | None) -> str:
    """How exports show the rater who came with this id; it takes the service's secret."""
    from plaudit.service.secret import Secret
    from plaudit.service.tickets import Signer

    secret = Secret(known_secret(database, path).encode())
    return Signer(secret, name).external_rater(external).key.hex()


for _verb, _method, _words in (
    ("exclude-rater", "exclude", "Let no vote of a rater count, past or future."),
    ("readmit-rater", "readmit", "Let the votes of an excluded rater count again."),
    ("erase-rater", "erase", "Forget who a rater was, for good; their votes no longer count."),
):
    _add_moderation(_verb, _method, _words)


@command.command("export")
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
    """Write a contest, its votes, its items or its summary; a file ending in .gz is packed."""
    if out is None and as_json:
        raise click.UsageError("--json describes the file: name it with --out.")
    with opened(database) as store:
        chunks = _chunks(store, name, what, spreadsheet)
        size = _write(chunks, out)
    if as_json:
        print_json({"name": name, "what": what, "file": str(out), "bytes": size})


def _chunks(store: Any, name: str, what: str, spreadsheet: bool) -> Iterator[bytes]:
    from plaudit.service import export as exports
    from plaudit.service.archive import contest_lines

    store.contest(name)
    if what == "contest":
        return contest_lines(store, name)
    maker = {
        "votes": exports.votes_csv,
        "items": exports.items_csv,
        "summary": exports.summary_csv,
    }[what]
    return maker(store, name, spreadsheet=spreadsheet)


def _write(chunks: Iterator[bytes], out: Path | None) -> int:
    """Writes a file whole or not at all; to the standard output where none is named."""
    from plaudit.service.export import gzipped

    if out is None:
        for chunk in chunks:
            sys.stdout.buffer.write(chunk)
        return 0
    half = out.with_name(out.name + ".part")
    try:
        with half.open("wb") as file:
            for chunk in gzipped(chunks) if out.suffix == ".gz" else chunks:
                file.write(chunk)
        half.replace(out)
        return out.stat().st_size
    except OSError as error:
        raise _cannot_write(out, error) from None
    finally:
        half.unlink(missing_ok=True)


def _cannot_write(file: Path, error: OSError) -> Exception:
    from plaudit.errors import InvalidInput

    return InvalidInput(f"Cannot write {file} ({error.strerror}). Choose another place.")


@command.command("restore")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@database_option
@json_option
def restore(file: Path, database: str, as_json: bool) -> None:
    """Restore a contest from its export, whole or not at all."""
    with opened(database) as store, file.open("rb") as lines:
        from plaudit.service.loading import load_tally
        from plaudit.service.restore import restore_contest

        record = restore_contest(store, lines)
        load_tally(store, record.name)  # keeps a snapshot, so that the service starts fast
    answer = {"name": record.name, "state": record.state, "position": record.position}
    if as_json:
        print_json(answer)
    else:
        click.echo(f"{record.name} is back, {record.state}, with {record.position:,} entries")


@command.command("verdict")
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
        from plaudit.service.loading import load_contest
        from plaudit.service.results import make_results

        answer = make_results(load_contest(store, name))
        proofs = store.certificates(name)
    decided = [lane for lane in answer["lanes"] if lane["decided"]]
    if certificate is not None and decided:
        _write_certificate(certificate, answer["lanes"].index(decided[0]), proofs)
    if as_json:
        print_json(answer)
    else:
        _print_verdict(answer)
    if not decided:
        click.get_current_context().exit(1)


def _write_certificate(file: Path, lane: int, proofs: list[Any]) -> None:
    # An older one may be of items that have changed since.
    bodies = [proof.body for proof in proofs if proof.lane == lane]
    if not bodies:
        from plaudit.errors import NotAllowed

        raise NotAllowed("The contest came here without its certificate: export it where it ran.")
    try:
        file.write_text(bodies[-1], encoding="utf-8")
    except OSError as error:
        raise _cannot_write(file, error) from None


def _print_verdict(answer: dict[str, Any]) -> None:
    for lane in answer["lanes"]:
        shown = lane["leaders"][: answer["top"]]
        rows = {
            f"item {leader['item']}": f"{leader['text']}  [{leader['lower']:.3f}, "
            f"{leader['upper']:.3f}] after {leader['votes']:,} votes"
            for leader in shown
        }
        print_pairs(f"{lane['algorithm']}: {lane['sentence']}", rows)
