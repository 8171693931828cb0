"""`plaudit serve`: run live contests over HTTP."""

import ipaddress
import socket
import sys
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from plaudit.cli.database import database_option, require_service
from plaudit.cli.notices import given_notices, notice_options
from plaudit.cli.ready import once, ready_words
from plaudit.cli.secret import (
    SECRET,
    given_provider,
    given_secret,
    secret_beside,
    secret_for_start,
    secret_option,
    sign_in_options,
)
from plaudit.cli.serve_steps import Crowd, Step, begin, set_up_demo, show_first_link


@click.command("serve")
@database_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--share", is_flag=True,
              help="Let everybody in your local network vote, such as a class.")  # fmt: skip
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535),
              help="The port to listen on.")  # fmt: skip
@click.option(
    "--workers",
    default=1,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Processes; more than one needs PostgreSQL.",
)
@click.option("--public-url", help="The address that raters see, such as https://vote.example.org.")
@secret_option
@click.option(
    "--proxy",
    multiple=True,
    metavar="ADDRESS",
    help="A proxy whose forwarded headers are trusted; give several if need be.",
)
@click.option(
    "--rater-rate",
    default="600/minute",
    show_default=True,
    help="Most requests of one rater; empty for no limit.",
)
@click.option(
    "--address-rate",
    default="240/minute",
    show_default=True,
    help="Most new raters from one address; empty for no limit.",
)
@sign_in_options
@notice_options
@click.option(
    "--witness",
    multiple=True,
    metavar="URL",
    help="Another service to watch, as `plaudit witness` does; give several if need be.",
)
@click.option(
    "--witness-folder",
    default="plaudit-witness",
    show_default=True,
    type=click.Path(file_okay=False),
    help="Where to keep what --witness sees.",
)
@click.option(
    "--address-connections",
    default=512,
    show_default=True,
    type=click.IntRange(0),
    help="Most open connections of one address to a worker, proxies aside; 0 for no limit.",
)
@click.option("--look", is_flag=True,
              help="Show the components of pages at /desk/look.")  # fmt: skip
@click.option("--demo", is_flag=True, help="Set up the demo contest if it is not there.")
@click.option("--crowd", default=0, type=click.IntRange(0, 10_000), metavar="N",
              help="Let N simulated raters vote over HTTP.")  # fmt: skip
@click.option("--crowd-like", default="independent", show_default=True, metavar="CROWD",
              help="Who they are, as `plaudit crowd --like` has it.")  # fmt: skip
def command(database: str, host: str, port: int, workers: int, **options: Any) -> None:
    """Serve the contests of a database: pages for raters, results, and an API.

    Without options it is private: it listens on this machine only. With --share everybody in the
    same local network can vote: links, QR codes and posters have the address that they need.
    """
    require_service()
    from plaudit.web.server import listen

    host = "0.0.0.0" if options["share"] and _is_local(host) else host
    public_url = options["public_url"] or _own_url(host, port, share=options["share"])
    _check_workers(workers, database)
    for url in (public_url, *options["witness"]):
        _check_url(url)
    _check_rates(options["rater_rate"], options["address_rate"])
    provider = given_provider(options)
    options["notices"] = given_notices(options)
    if options["crowd"]:
        from plaudit.simulation.crowds import parse_population

        parse_population(options["crowd_like"])
    given = _given_secret(
        database, host, public_url, options["secret_file"], share=options["share"]
    )
    url = f"http://{_in_url(host)}:{port}"
    crowd = Crowd(database, options["crowd"], url, like=options["crowd_like"])
    steps: list[Step] = [set_up_demo] if options["demo"] else []
    steps.append(partial(show_first_link, public_url))
    steps.extend([crowd.start] if options["crowd"] else [])
    # First the port, then the secret, then the database: a start that fails leaves nothing behind.
    with listen(host, port) as listening:
        with secret_for_start(database, given) as secret:
            serving = _serving(database, secret, host, public_url, workers, provider, options)
            click.echo(f"Plaudit is starting at {public_url} (stop it with Ctrl-C)", err=True)
            begin(database, steps)
        with crowd:
            code = _run(serving, listening, workers)
    sys.exit(code)


def _run(serving: Any, listening: socket.socket, workers: int) -> int:
    """Serves until it is told to stop; returns the exit code."""
    ready = once(lambda: click.echo(ready_words(serving), err=True))
    if workers > 1:
        from plaudit.web.processes.supervisor import Supervisor

        return Supervisor(serving, listening, workers, ready=ready).run()
    from plaudit.web.server import serve

    serve(serving, listening, ready)
    return 0


def _serving(
    database: str,
    secret: str,
    host: str,
    public_url: str,
    workers: int,
    provider: Any,
    options: dict[str, Any],
) -> Any:
    from plaudit.web.serving import Serving

    names = [] if _is_wildcard(host) else [host]
    return Serving(
        database=database,
        secret=secret,
        public_url=public_url,
        hosts=("127.0.0.1", "localhost", "::1", *names),
        rater_rate=options["rater_rate"],
        address_rate=options["address_rate"],
        address_connections=options["address_connections"],
        proxies=options["proxy"],
        workers=workers,
        provider=provider,
        notices=options["notices"],
        witness=options["witness"],
        witness_folder=options["witness_folder"],
        look=options["look"],
    )


def _check_workers(workers: int, database: str) -> None:
    from plaudit.errors import InvalidInput
    from plaudit.store import check_name, sqlite_path

    check_name(database)
    if workers > 1 and sqlite_path(database) is not None:
        raise InvalidInput(
            f"{workers} workers need PostgreSQL: give --database postgresql://…, or one worker."
        )


def _check_url(url: str) -> None:
    from plaudit.errors import InvalidInput
    from plaudit.service.contest.rules import is_link

    if not is_link(url):
        raise InvalidInput(f"{url!r} is not an address: give one such as https://vote.example.org.")


def _check_rates(*rates: str) -> None:
    from plaudit.web.rates import Rate

    for rate in rates:
        Rate(rate)


def _own_url(host: str, port: int, *, share: bool) -> str:
    """The address that a service has by itself: in the local network if it listens there."""
    from plaudit.errors import InvalidInput
    from plaudit.web.reach import network_address

    if not _is_wildcard(host):
        return f"http://{_in_url(host)}:{port}"
    found = network_address()
    if found is None and share:
        raise InvalidInput(
            "This machine is in no local network, so nobody else could vote. Join one (such as the "
            "class's Wi-Fi) and start again, or give --public-url."
        )
    return f"http://{found or '127.0.0.1'}:{port}"


def _given_secret(
    database: str, host: str, public_url: str, path: Path | None, *, share: bool
) -> str:
    """The configured secret; "" for one that is made beside the database.

    It is made for a service on this machine, or one that is shared in the local network.
    """
    from plaudit.errors import InvalidInput

    if given := given_secret(path):
        return given
    local = _is_local(host) and _is_local(urlsplit(public_url).hostname or "")
    if not (local or share) or secret_beside(database) is None:
        what = "PostgreSQL" if local or share else "A public address"
        raise InvalidInput(
            f"{what} needs a secret of your own, the same on every machine: set {SECRET} or give "
            "--secret-file. `openssl rand -hex 32` makes one."
        )
    return ""


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _is_wildcard(host: str) -> bool:
    return host in ("0.0.0.0", "::", "")


def _in_url(host: str) -> str:
    if _is_wildcard(host):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
