"""An operator who rewrites everything consistently, found by whoever kept one earlier thing.

A real service runs, people vote, and somebody keeps a checkpoint, a certificate and receipts. Then
the operator rewrites log, chain, tree and footer, signs it all with the service's true key, and
serves that. Nothing in the new log is wrong by itself.
"""

import json
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
from click.testing import CliRunner

from plaudit.cli.main import main
from plaudit.client import Client
from plaudit.proof.note import PublicKey
from plaudit.service.archive.format import contest_lines
from plaudit.service.archive.restore import restore_contest
from plaudit.service.archive.verify import verify
from plaudit.service.contest.settings import Lane
from plaudit.service.desk.desk import Desk
from plaudit.store import Store, open_store
from plaudit.web.app import Serving
from plaudit.witness.folder import Folder
from plaudit.witness.remote import Remote
from plaudit.witness.watch import Witness
from support.live_worker import NAME, create
from support.proof.checking import CHECKER
from support.proof.forgery import Forgery
from support.served_site import served

pytestmark = pytest.mark.slow

SECRET = "the secret of the operator, which never changes"
RATERS, LATER = 30, 4
GOOD = 1
# It does not hold, or the export cannot be: an invented rater is numbered out of turn.
REFUSED = (1, 2)


class Kept(NamedTuple):
    """What people kept while the service was honest, and its export at that time."""

    certificate: dict[str, Any]
    receipts: list[str]
    folder: Path
    export: bytes
    key: PublicKey


def serving(database: Path, **given: Any) -> Serving:
    return Serving(database=str(database), secret=SECRET, rater_rate="", address_rate="", **given)


def voted(url: str, raters: int) -> list[str]:
    """So many raters vote on all that they are asked; their receipts."""
    receipts = []
    with Client(url) as client:
        for _ in range(raters):
            rater = client.rater(NAME)
            while shown := rater.ask(5):
                receipts += [
                    rater.vote(one, 2 if one.item == GOOD else 0)["receipt"] for one in shown
                ]
    return receipts


def until(happened: Callable[[], Any]) -> Any:
    pause = threading.Event()
    for _ in range(600):
        if found := happened():
            return found
        pause.wait(0.05)
    raise AssertionError("it did not happen")


def sign_all(remote: Remote, store: Store) -> None:
    """Returns once a checkpoint covers the whole log: after a step of the desk there is one."""
    words = f"Thank you, {secrets.token_hex(4)}."
    position = Desk(store).change(NAME, {"thanks": words}).position
    until(lambda: int(remote.checkpoint(NAME).split("\n")[1]) > position)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    home = tmp_path_factory.mktemp("honest")
    store = open_store(str(home / "plaudit.db"))
    create(store, 4, epsilon=0.3, delta=0.2, lanes=(Lane("plaudit"),), tolerance=1.0)
    with served(serving(home / "plaudit.db")) as url:
        remote = Remote(url)
        receipts = voted(url, RATERS)
        (proof,) = until(lambda: store.certificates(NAME))
        sign_all(remote, store)
        sight = Witness(remote, Folder(home / "witness")).look()
        assert (sight.alarms, sight.away, [*sight.kept]) == ([], [], [NAME])
        for text in (receipts[0], receipts[-1]):
            found = invoke("receipt", "check", text, "--url", url, "--json")
            assert json.loads(found.output)["receipts"][0]["there"] is True
        (key, *_) = remote.keys()
        remote.close()
    export = b"".join(contest_lines(store, NAME))
    store.close()
    certificate = json.loads(proof.body)
    assert verify(certificate, [export], [key]).holds
    return Kept(certificate, receipts, home / "witness", export, key)


def invoke(*words: Any) -> Any:
    return CliRunner().invoke(main, [str(word) for word in words])


def answers(forged: Forgery) -> list[list[Any]]:
    return [line for line in forged.of("entry") if line[2] == 1]


def edit(forged: Forgery) -> None:
    line = answers(forged)[5]
    line[6] = 1


def drop(forged: Forgery) -> None:
    gone = answers(forged)[5]
    forged.replace("entry", [line for line in forged.of("entry") if line is not gone])


def reorder(forged: Forgery) -> None:
    one, other = answers(forged)[5:7]
    one[2:], other[2:] = other[2:], one[2:]


def invent(forged: Forgery) -> None:
    raters = forged.of("rater")
    forged.replace("rater", [*raters, ["rater", len(raters), "ef" * 16, "01" * 16]])
    vote = [*answers(forged)[5]]
    vote[4], vote[5] = len(raters), 2
    entries = forged.of("entry")
    forged.replace("entry", [*entries[:9], vote, *entries[9:]])


def cut(forged: Forgery) -> None:
    forged.replace("entry", forged.of("entry")[:10])
    raters = 1 + max(line[4] for line in forged.of("entry"))
    forged.replace("rater", forged.of("rater")[:raters])


def fork(forged: Forgery) -> None:
    """The beginning is true, the rest is another story of the same length."""
    for line in answers(forged)[8:]:
        line[6] = 2 - line[6]


REWRITES = [edit, drop, reorder, invent, cut, fork]


@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda rewrite: rewrite.__name__)
def test_whoever_kept_one_thing_finds_it(
    kept: Kept, tmp_path: Path, rewrite: Callable[[Forgery], None]
) -> None:
    forged = Forgery(kept.export)
    rewrite(forged)
    # Verdicts and all that was signed are gone; the service signs what it is left with.
    forged.lines = [line for line in forged.lines if line[0] not in ("checkpoint", "certificate")]
    forged.replace("entry", [line for line in forged.of("entry") if line[2] != 16])
    forged.renumber()
    store = open_store(str(tmp_path / "plaudit.db"))
    restore_contest(store, [forged.built()])
    with served(serving(tmp_path / "plaudit.db")) as url:
        remote = Remote(url)
        assert remote.keys() == [kept.key]
        voted(url, LATER)
        sign_all(remote, store)
        # Who kept a checkpoint:
        (alarm, *_) = Witness(remote, Folder(kept.folder), [NAME]).look().alarms
        assert (alarm.folder / "earlier.txt").is_file()
        files = [alarm.folder / name for name in ("earlier.txt", "later.txt")]
        assert invoke("witness", "check", *files, "--url", url).exit_code == 1
        # Who kept a receipt of an entry that is not there any more:
        found = invoke("receipt", "check", *kept.receipts, "--url", url, "--json")
        assert found.exit_code == 1
        there = [one["there"] for one in json.loads(found.output)["receipts"]]
        assert not all(there)
        remote.close()
    export = b"".join(contest_lines(store, NAME))
    (tmp_path / "export.jsonl").write_bytes(export)
    (tmp_path / "certificate.json").write_text(json.dumps(kept.certificate))
    (tmp_path / "receipts.txt").write_text("\n".join(kept.receipts))
    # Who kept the certificate, with either program:
    files = [tmp_path / "certificate.json", tmp_path / "export.jsonl"]
    assert invoke("verify", *files, "--key", kept.key.vkey).exit_code in REFUSED
    assert CHECKER.main([*map(str, files), "--key", kept.key.vkey]) in REFUSED
    given = ["--export", tmp_path / "export.jsonl", "--key", kept.key.vkey, "--json"]
    found = invoke("receipt", "check", tmp_path / "receipts.txt", *given)
    if found.exit_code == 1:
        assert [one["there"] for one in json.loads(found.output)["receipts"]] == there
    assert found.exit_code in REFUSED
    store.close()


def free_ports(number: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [int(one.getsockname()[1]) for one in held]
    for one in held:
        one.close()
    return ports


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Two services, each with a contest, that witness each other."""
    ports = free_ports(2)
    urls = [f"http://127.0.0.1:{port}" for port in ports]
    made = []
    for number, other in ((0, urls[1]), (1, urls[0])):
        home = tmp_path / str(number)
        home.mkdir()
        store = open_store(str(home / "plaudit.db"))
        create(store, 4)
        store.close()
        given = {"witness": (other,), "witness_folder": str(home / "witness")}
        made.append(serving(home / "plaudit.db", public_url=urls[number], **given))
    with served(made[0], port=ports[0]) as one, served(made[1], port=ports[1]) as other:
        yield one, other


def test_two_services_witness_each_other(pair: tuple[str, str]) -> None:
    one, other = pair

    def seen_of_us() -> Any:
        (service,) = httpx2.get(f"{one}/api/v1/witnessed", verify=False).json()["services"]
        return service if service["of_us"] else None

    service = until(seen_of_us)
    assert (service["url"], service["away"], service["alarms"]) == (other, "", [])
    assert [kept["contest"] for kept in service["contests"]] == [NAME]
    assert service["of_us"][0]["contest"] == NAME
    page = httpx2.get(f"{one}/c/{NAME}/proof", verify=False).text
    assert f"{other} keeps the checkpoint of" in " ".join(page.split())
