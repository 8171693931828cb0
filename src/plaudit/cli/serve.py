"""`plaudit serve`: run live contests over HTTP."""

import ipaddress
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from plaudit.cli.database import database_option, opened, require_service
from plaudit.cli.secret import (
    SECRET,
    given_provider,
    given_secret,
    secret_beside,
    secret_option,
    sign_in_options,
)

# The name of the simulated crowd's API key, which exists while the crowd votes.
CROWD_KEY = "crowd of plaudit serve"


@click.command("serve")
@database_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
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
@click.option("--demo", is_flag=True, help="Set up the demo contest if it is not there.")
@click.option("--crowd", default=0, type=click.IntRange(0, 10_000), metavar="N",
              help="Let N simulated raters vote over HTTP.")  # fmt: skip
@click.option("--crowd-like", default="independent", show_default=True, metavar="CROWD",
              help="Who they are, as `plaudit crowd --like` has it.")  # fmt: skip
def command(database: str, host: str, port: int, workers: int, **options: Any) -> None:
    """Serve the contests of a database: pages for raters, results, and an API.

    Without options it is private: it listens on this machine only.
    """
    require_service()
    from plaudit.web.app import Serving

    public_url = options["public_url"] or f"http://{_in_url(host)}:{port}"
    _check_workers(workers, database)
    _check_url(public_url)
    _check_rates(options["rater_rate"], options["address_rate"])
    provider = given_provider(options)
    secret = _secret(database, host, public_url, options["secret_file"])
    _check_port(host, port)
    if options["crowd"]:
        from plaudit.simulation.crowds import parse_population

        parse_population(options["crowd_like"])
    if options["demo"]:
        _set_up_demo(database)
    names = [] if _is_wildcard(host) else [host]
    serving = Serving(
        database=database,
        secret=secret,
        public_url=public_url,
        hosts=("127.0.0.1", "localhost", "::1", *names),
        rater_rate=options["rater_rate"],
        address_rate=options["address_rate"],
        provider=provider,
    )
    url = f"http://{_in_url(host)}:{port}"
    with _crowd(database, options["crowd"], url, like=options["crowd_like"]):
        _run(serving, host=host, port=port, workers=workers, proxies=options["proxy"])


def _run(serving: Any, *, host: str, port: int, workers: int, proxies: tuple[str, ...]) -> None:
    import msgspec
    import uvicorn

    from plaudit.web.app import ENVIRONMENT, make_app

    click.echo(f"Plaudit is starting at {serving.public_url} (stop it with Ctrl-C)", err=True)
    _show_first_link(serving)
    common: dict[str, Any] = {
        "host": host,
        "port": port,
        "http": "plaudit.web.protocol:BoundedHttp",
        "access_log": False,
        "log_level": "warning",
        "server_header": False,
        "proxy_headers": bool(proxies),
        "forwarded_allow_ips": list(proxies),
        "timeout_graceful_shutdown": 10,
    }
    if workers == 1:
        uvicorn.run(make_app(serving), **common)
        return
    os.environ[ENVIRONMENT] = msgspec.json.encode(serving).decode()
    uvicorn.run("plaudit.web.app:from_environment", factory=True, workers=workers, **common)


def _show_first_link(serving: Any) -> None:
    """Prints a new link to the first account, if there is no account yet."""
    from plaudit.cli.account import accounts_of, address

    with opened(serving.database) as store:
        token = accounts_of(store).first_link()
    if token is not None:
        click.echo(
            "There is no account yet. Make yours at this address, which works once, for a day:\n"
            f"  {address(serving.public_url, token)}",
            err=True,
        )


def _check_workers(workers: int, database: str) -> None:
    from plaudit.errors import InvalidInput
    from plaudit.store import open_store, sqlite_path

    if database.startswith(("postgresql://", "postgres://")):
        return
    if sqlite_path(database) is None:
        open_store(database)  # its error says which kinds of store there are
    if workers > 1:
        raise InvalidInput(
            f"{workers} workers need PostgreSQL: give --database postgresql://…, or one worker."
        )


def _check_url(url: str) -> None:
    from plaudit.errors import InvalidInput
    from plaudit.service.contest.rules import is_link

    if not is_link(url):
        raise InvalidInput(
            f"{url!r} is not an address: give --public-url as in https://vote.example.org."
        )


def _check_rates(*rates: str) -> None:
    from plaudit.web.rates import Rate

    for rate in rates:
        Rate(rate)


def _check_port(host: str, port: int) -> None:
    """Returns if the port is free, so that the crowd does not vote at another service."""
    from plaudit.errors import InvalidInput

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind((host, port))
    except OSError as error:
        raise InvalidInput(
            f"Cannot listen at {_in_url(host)}:{port} ({error.strerror or error}). Stop what runs "
            "there, or choose another --port or --host."
        ) from None


def _secret(database: str, host: str, public_url: str, path: Path | None) -> str:
    """The configured secret; for a service on this machine only, one beside the database."""
    from plaudit.errors import InvalidInput
    from plaudit.service.accounts.secret import Secret, read_secret_text

    if given := given_secret(path):
        return given
    local = _is_local(host) and _is_local(urlsplit(public_url).hostname or "")
    beside = secret_beside(database)
    if not local or beside is None:
        what = "PostgreSQL" if local else "A public address"
        raise InvalidInput(
            f"{what} needs a secret of your own, the same on every machine: set {SECRET} or give "
            "--secret-file. `openssl rand -hex 32` makes one."
        )
    text = read_secret_text(beside)
    Secret(text.encode())
    return text


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


def _set_up_demo(database: str) -> None:
    """Creates and opens the demo contest, unless it exists."""
    from plaudit.demo import contest_file
    from plaudit.errors import UnknownContest
    from plaudit.service.desk.desk import Desk
    from plaudit.service.intake.contest_file import read_contest_file

    with opened(database) as store:
        draft = read_contest_file(contest_file())
        try:
            store.contest(draft.name)
        except UnknownContest:
            Desk(store).create_draft(draft, opened=True)


@contextmanager
def _crowd(database: str, raters: int, url: str, *, like: str) -> Iterator[None]:
    """Runs simulated raters in a process of their own while the service runs."""
    if not raters:
        yield
        return
    from plaudit.service.accounts.api_keys import new_key

    with opened(database) as store:
        key = new_key(store, CROWD_KEY, ("raters", "read"))
    command = [sys.executable, "-m", "plaudit", "crowd", url, "--raters", str(raters), "--wait"]
    command += ["--like", like]
    # In a session of its own: Ctrl-C goes to the server, which then stops the crowd.
    crowd = subprocess.Popen(command, env=os.environ | {"PLAUDIT_KEY": key}, start_new_session=True)
    # The server raises the signal again when it is done; the crowd must be stopped then too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        yield
    finally:
        crowd.terminate()
        crowd.wait()
        with opened(database) as store:
            store.drop_key(CROWD_KEY)
