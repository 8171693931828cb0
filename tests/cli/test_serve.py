"""`plaudit serve` and `plaudit crowd`: what is refused, and a service as a real process."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from click.testing import CliRunner

from plaudit import demo
from plaudit.cli import main, serve
from plaudit.cli.crowd import Watch
from plaudit.cli.ready import once, ready_words
from plaudit.errors import StoreUnavailable
from plaudit.store import open_store
from plaudit.web.reach import ANYBODY, MACHINE, NETWORK, reach_of
from plaudit.web.server import config_of
from plaudit.web.serving import known_hosts
from support.service_process import free_port

LONGEST = 90.0
POSTGRES = "postgresql://nobody@127.0.0.1:1/none"
SECRET = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would be served; nothing is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLAUDIT_SECRET", raising=False)
    monkeypatch.delenv("PLAUDIT_DATABASE", raising=False)
    calls: list[Any] = []

    def run(serving: Any, listening: Any, workers: int) -> int:
        calls.append((serving, workers))
        return 0

    monkeypatch.setattr(serve, "_run", run)
    return calls


def start(*options: str, code: int = 0) -> str:
    port = () if "--port" in options else ("--port", str(free_port()))
    result = CliRunner().invoke(main, ["serve", *port, *options])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.stderr


# What is refused

PROVIDER = ["--sign-in-issuer", "https://id.example.org", "--sign-in-client", "plaudit"]


def test_a_provider_is_given_by_options_and_environment(
    served: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAUDIT_SIGN_IN_SECRET", " hush ")
    said = start(*PROVIDER, "--sign-in-name", "Example  University")
    provider = served[-1][0].provider
    assert (provider.issuer, provider.client) == ("https://id.example.org", "plaudit")
    assert (provider.secret, provider.name) == ("hush", "Example University")
    assert "hush" not in said + repr(provider)
    file = tmp_path / "client-secret"
    file.write_text("from a file\n")
    monkeypatch.setenv("PLAUDIT_SIGN_IN_ISSUER", "https://id.example.org")
    monkeypatch.setenv("PLAUDIT_SIGN_IN_CLIENT", "another")
    start("--sign-in-secret-file", str(file))
    provider = served[-1][0].provider
    assert (provider.client, provider.secret) == ("another", "from a file")
    assert provider.name == "id.example.org"


def test_a_service_has_no_provider_unless_told(served: list[Any]) -> None:
    start()
    assert served[-1][0].provider is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (PROVIDER, "PLAUDIT_SIGN_IN_SECRET"),
        (PROVIDER[:2], "--sign-in-client"),
        (PROVIDER[2:], "--sign-in-client say nothing without a provider"),
        ([*PROVIDER, "--sign-in-secret-file", "none"], "Cannot read the client secret in none"),
        (["--sign-in-issuer", "http://id.example.org", *PROVIDER[2:]], "Plain http"),
    ],
)
def test_a_provider_that_cannot_work_is_refused(
    served: list[Any], options: list[str], words: str
) -> None:
    assert words in " ".join(start(*options, code=2).split())
    assert served == []


def test_without_its_packages_a_provider_says_what_to_install(
    served: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "authlib", None)
    assert "pip install 'plaudit[oidc]'" in " ".join(start(*PROVIDER, code=2).split())
    start()
    assert served[-1][0].provider is None


def test_a_service_without_a_provider_needs_none_of_its_packages() -> None:
    """The app is made and its pages are served without a package of the extra."""
    script = (
        "import sys\n"
        "sys.modules['authlib'] = sys.modules['joserfc'] = None\n"
        "from plaudit.web.app import Serving, make_app\n"
        "import plaudit.web.desk.provider_pages, plaudit.cli.secret\n"
        "make_app(Serving('none.db', 'x' * 40))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--workers", "2"], "PostgreSQL"),
        (["--workers", "2", "--database", "sqlite:///votes.db"], "PostgreSQL"),
        (["--host", "0.0.0.0"], "A public address needs a secret"),
        (["--host", "::"], "A public address needs a secret"),
        (["--public-url", "https://vote.example.org"], "A public address needs a secret"),
        (["--public-url", "http://127.0.0.1.example.org"], "A public address needs a secret"),
        (["--database", POSTGRES], "PostgreSQL needs a secret"),
        (["--public-url", "vote.example.org"], "not an address"),
        (["--public-url", "ftp://vote.example.org"], "not an address"),
        (["--rater-rate", "many"], "not a rate"),
        (["--rater-rate", "0/minute"], "not a rate"),
        (["--address-rate", "10/day"], "not a rate"),
        (["--address-rate", "-1/hour"], "not a rate"),
        (["--secret-file", "nothing"], "no secret in"),
        (["--database", "mysql://x"], "no kind of store"),
        (["--host", "192.0.2.1", "--secret-file", "good"], "Cannot listen"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    served: list[Any], options: list[str], words: str
) -> None:
    Path("good").write_text(SECRET)
    said = start(*options, code=2)
    assert words in said
    assert len(said.splitlines()) == 1
    assert served == []
    assert [each.name for each in Path().iterdir()] == ["good"], "nothing was made"


@pytest.mark.parametrize("port", ["0", "65536", "http"])
def test_ports_that_are_none(served: list[Any], port: str) -> None:
    assert "--port" in start("--port", port, code=2)


def test_short_and_broken_secrets(served: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("short").write_text("short")
    Path("empty").write_text("\n")
    Path("binary").write_bytes(b"\xff" * 40)
    assert "too short" in start("--secret-file", "short", code=2)
    assert "too short" in start("--secret-file", "empty", code=2)
    assert "not text" in start("--secret-file", "binary", code=2)
    monkeypatch.setenv("PLAUDIT_SECRET", "short")
    said = start(code=2)
    assert "too short" in said
    Path("plaudit.db.secret").write_text("")
    monkeypatch.delenv("PLAUDIT_SECRET")
    assert "too short" in start(code=2)
    assert served == []


def test_a_port_in_use(served: list[Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        said = start("--port", port, "--demo", "--crowd", "3", code=2)
    assert f"Cannot listen at 127.0.0.1:{port}" in said
    assert len(said.splitlines()) == 1
    assert not Path("plaudit.db").exists()


# What is served


def test_a_private_service_makes_its_secret_once(served: list[Any]) -> None:
    start()
    start()
    (first, workers), (second, _) = served
    assert first.secret == second.secret == Path("plaudit.db.secret").read_text()
    assert Path("plaudit.db.secret").stat().st_mode & 0o777 == 0o600
    assert Path("plaudit.db").stat().st_mode & 0o777 == 0o600
    assert (workers, first.proxies, first.address_connections) == (1, (), 512)
    assert set(first.hosts) == {"127.0.0.1", "localhost", "::1"}


def test_a_public_service(served: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("good").write_text(f"{SECRET}\n")
    public = ["--host", "0.0.0.0", "--public-url", "https://vote.example.org"]
    start(*public, "--secret-file", "good", "--proxy", "10.0.0.2", "--rater-rate", "")
    monkeypatch.setenv("PLAUDIT_SECRET", SECRET[::-1])
    start(*public)
    start("--database", POSTGRES, "--workers", "4")
    (one, _), (two, _), (three, many) = served
    assert (one.secret, one.public_url) == (SECRET, "https://vote.example.org")
    assert "0.0.0.0" not in one.hosts
    assert one.proxies == ("10.0.0.2",)
    assert one.rater_rate == ""
    assert two.secret == SECRET[::-1]
    assert (three.database, many) == (POSTGRES, 4)
    assert not list(Path().glob("*.secret"))


@pytest.fixture
def in_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plaudit.web.reach.network_address", lambda: "192.168.7.20")


@pytest.mark.usefixtures("in_a_network")
def test_a_service_for_a_class_is_one_command(served: list[Any]) -> None:
    start("--share", "--port", "8123")
    shared, _ = served[-1]
    assert shared.public_url == "http://192.168.7.20:8123"
    assert "192.168.7.20" in known_hosts(shared)
    assert shared.secret == Path("plaudit.db.secret").read_text()
    said = ready_words(shared)
    assert "ready at http://192.168.7.20:8123" in said
    assert "everybody in your local network" in said
    assert str(Path("plaudit.db").resolve()) in said
    assert "Ctrl-C" in said


@pytest.mark.usefixtures("in_a_network")
def test_a_private_service_says_that_nobody_else_can_vote(served: list[Any]) -> None:
    start()
    said = ready_words(served[-1][0])
    assert "this computer only" in said
    assert "plaudit serve --share" in said


def test_components_are_shown_only_where_asked_for(served: list[Any]) -> None:
    start()
    start("--look")
    assert [serving.look for serving, _ in served] == [False, True]


def test_sharing_without_a_network_is_refused(
    served: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plaudit.web.reach.network_address", lambda: None)
    assert "in no local network" in start("--share", code=2)
    assert list(Path().iterdir()) == []
    assert "PostgreSQL needs a secret" in start(
        "--share", "--public-url", "http://pc.local:8000", "--database", POSTGRES, code=2
    )


def test_it_says_once_that_it_is_ready() -> None:
    said: list[str] = []
    ready = once(lambda: said.append("ready"))
    ready()
    ready()
    assert said == ["ready"]


@pytest.mark.parametrize(
    ("url", "reach"),
    [
        ("http://127.0.0.1:8000", MACHINE),
        ("http://localhost:8000", MACHINE),
        ("http://[::1]:8000", MACHINE),
        ("http://10.1.2.3", NETWORK),
        ("http://[fe80::1]:8000", NETWORK),
        ("http://teacher", NETWORK),
        ("http://8.8.8.8", ANYBODY),
        ("https://vote.example.org", ANYBODY),
    ],
)
def test_whom_an_address_reaches(url: str, reach: str) -> None:
    assert reach_of(url) == reach


def test_forwarded_headers_are_believed_from_named_proxies_only(
    served: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    start()
    start("--proxy", "10.0.0.2", "--proxy", "10.0.0.3", "--address-connections", "7")
    plain, behind = (config_of(serving) for serving, _ in served)
    assert (plain.proxy_headers, plain.forwarded_allow_ips) == (False, [])
    assert behind.proxy_headers is True
    assert behind.forwarded_allow_ips == ["10.0.0.2", "10.0.0.3"]
    assert behind.http.limits.an_address == 7
    assert plain.server_header is False
    assert plain.access_log is False


def test_a_start_that_fails_leaves_nothing(
    served: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No secret and no database: the file is not ours, or there is no room for it."""
    Path("foreign.db").write_bytes(b"this is not a database at all" * 50)
    assert "not a SQLite database" in start("--database", "foreign.db", code=2)
    assert "is a folder" in start("--database", str(tmp_path), code=2)
    assert "no folder" in start("--database", "nowhere/votes.db", code=2)
    monkeypatch.setattr(
        "plaudit.store.sqlite.schema._migrate",
        lambda *_: (_ for _ in ()).throw(StoreUnavailable("no room")),
    )
    assert "no room" in start("--database", "votes.db", code=2)
    assert [each.name for each in Path().iterdir()] == ["foreign.db"]
    assert served == []


def test_a_secret_that_was_there_stays(served: list[Any]) -> None:
    Path("foreign.db").write_bytes(b"this is not a database at all" * 50)
    Path("foreign.db.secret").write_text(SECRET)
    start("--database", "foreign.db", code=2)
    assert Path("foreign.db.secret").read_text() == SECRET


def test_the_demo_is_set_up_once(served: list[Any]) -> None:
    start("--demo")
    store = open_store("plaudit.db")
    first = store.contest(demo.NAME)
    store.close()
    start("--demo")
    store = open_store("plaudit.db")
    assert store.contest(demo.NAME) == first
    assert [record.name for record in store.contests()] == [demo.NAME]
    assert first.state == "open"
    store.close()


# A real process


def wait_until(happens: Callable[[], bool], process: "subprocess.Popen[bytes]") -> None:
    give_up = time.monotonic() + LONGEST
    while not happens():
        assert process.poll() is None, "the service ended"
        assert time.monotonic() < give_up, "it did not happen"
        time.sleep(0.1)


@contextmanager
def running(
    folder: Path, *options: str
) -> Iterator[tuple["subprocess.Popen[bytes]", httpx2.Client]]:
    """`plaudit serve` as a process of its own, and how to talk to it."""
    port = free_port()
    command = [sys.executable, "-m", "plaudit", "serve", "--port", str(port), *options]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PLAUDIT_")}
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen(
            command, cwd=folder, stdout=said, stderr=said, env=plain, start_new_session=True
        )
    try:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=30.0) as http:
            wait_until(lambda: _is_ready(http), process)
            yield process, http
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def _is_ready(http: httpx2.Client) -> bool:
    try:
        return http.get("/readyz").status_code == 200
    except httpx2.TransportError:
        return False


def children(process: "subprocess.Popen[bytes]") -> list[int]:
    found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [int(child) for child in found.split()]


def is_alive(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs Linux to see processes")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
@pytest.mark.slow
def test_the_demo_with_a_crowd_from_start_to_end(tmp_path: Path, number: int) -> None:
    """The README's first command: votes arrive, results move, one signal ends everything."""
    with running(tmp_path, "--demo", "--crowd", "3") as (process, http):
        path = f"/api/v1/contests/{demo.NAME}/results"
        assert http.get(f"/c/{demo.NAME}").status_code == 200
        wait_until(lambda: http.get(path).json()["votes"] >= 3, process)
        seen = http.get(path).json()
        wait_until(lambda: http.get(path).json()["position"] > seen["position"], process)
        crowd = children(process)
        assert crowd
        # Ctrl-C in a terminal goes to the whole group.
        os.killpg(process.pid, number)
        code = process.wait(LONGEST)
    said = (tmp_path / "said").read_text()
    assert "Traceback" not in said
    assert "Error" not in said
    assert code == 0, said
    give_up = time.monotonic() + LONGEST
    while any(map(is_alive, crowd)):
        assert time.monotonic() < give_up, "the crowd lives on"
        time.sleep(0.05)
    store = open_store(str(tmp_path / "plaudit.db"))
    assert store.contest(demo.NAME).position >= seen["position"]
    assert list(store.keys()) == [], "the crowd's key is gone with it"
    store.close()


@pytest.mark.slow
def test_a_service_without_a_crowd_ends_cleanly(tmp_path: Path) -> None:
    with running(tmp_path) as (process, http):
        assert "no contest here yet" in http.get("/").text
        assert http.get("/", headers={"host": "evil.example"}).status_code == 421
        assert "server" not in http.get("/").headers
        process.send_signal(signal.SIGTERM)
        assert process.wait(LONGEST) in (0, -signal.SIGTERM)
    said = (tmp_path / "said").read_text()
    assert "Traceback" not in said
    assert said.count("Plaudit is ready at") == 1
    secret = (tmp_path / "plaudit.db.secret").read_text()
    assert secret not in said


# The crowd by itself


def test_a_crowd_without_a_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plaudit.client.lines.time", SimpleNamespace(sleep=lambda seconds: None))
    result = CliRunner().invoke(main, ["crowd", f"http://127.0.0.1:{free_port()}"])
    assert result.exit_code == 2
    assert result.stderr.startswith("plaudit: No answer from the service")
    assert len(result.stderr.splitlines()) == 1


def test_a_crowd_whose_parent_went_away_does_not_claim_a_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    crowd = SimpleNamespace(votes=1234, decided=threading.Event())
    watch = Watch(crowd, os.getppid())
    assert not watch.is_over()
    assert Watch(crowd, -1).is_over()
    assert watch.ending.startswith("is not decided: the crowd ended with the process")
    crowd.decided.set()
    assert watch.ending == "is decided after 1,234 votes of the crowd"
    monkeypatch.setattr("plaudit.cli.crowd.EVERY_SECONDS", 0.0)
    watch.is_over()
    assert "1,234 votes of the crowd, " in capsys.readouterr().err
