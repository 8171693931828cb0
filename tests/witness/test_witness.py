"""A witness over HTTP: what it keeps, what it survives, and every lie that it must tell of."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from plaudit.cli.main import main
from plaudit.errors import InvalidInput
from plaudit.proof.checkpoint import open_checkpoint
from plaudit.proof.note import SigningKey, read_vkey
from plaudit.witness.background import Background
from plaudit.witness.cosigning import WitnessKey, cosigned_at, signer
from plaudit.witness.folder import Folder
from plaudit.witness.remote import Remote
from plaudit.witness.watch import Sight, Witness
from support.proof.log_server import CONTEST, Log, served


class Watched:
    """A log, a folder, and a witness between them."""

    def __init__(self, log: Log, url: str, folder: Path) -> None:
        self.log, self.url = log, url
        self.remote = Remote(url)
        self.folder = Folder(folder / self.remote.host)

    def look(self, *contests: str) -> Sight:
        return Witness(self.remote, self.folder, contests).look()

    def files(self) -> list[str]:
        return sorted(file.name for file in (self.folder.path / CONTEST).iterdir())


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    log = Log()
    log.grow(9)
    with served(log) as url:
        made = Watched(log, url, tmp_path / "witness")
        yield made
        made.remote.close()


def test_checkpoints_are_kept_as_plain_text_while_the_log_grows(watched: Watched) -> None:
    for _ in range(3):
        sight = watched.look()
        assert (sight.alarms, sight.away) == ([], [])
        assert sight.kept[CONTEST].size == len(watched.log.leaves)
        watched.log.grow(300)
    assert watched.files() == [
        "000000000010.txt", "000000000310.txt", "000000000610.txt", "latest.txt",
    ]  # fmt: skip
    kept = (watched.folder.path / CONTEST / "000000000310.txt").read_text()
    assert kept == watched.log.checkpoints[310]
    assert open_checkpoint(kept, [read_vkey(watched.log.key.vkey)]).size == 310


def rewrite(log: Log) -> None:
    log.leaves[4] = b"another vote"
    log.grow(5)


def cut(log: Log) -> None:
    del log.leaves[6:]
    del log.raters[6:]
    log.at += 1000
    log.checkpoints = {size: note for size, note in log.checkpoints.items() if size <= 6}
    log.publish()


def fork(log: Log) -> None:
    log.leaves[-1] = b"another vote"
    log.publish()


def regrow(log: Log) -> None:
    del log.leaves[5:]
    log.checkpoints.clear()
    log.grow(30, "invented")


def reorder(log: Log) -> None:
    log.leaves[3], log.leaves[4] = log.leaves[4], log.leaves[3]
    log.grow(1)


def swap_items(log: Log) -> None:
    log.items[0], log.items[1] = log.items[1], log.items[0]
    log.grow(1)


def drop_an_item(log: Log) -> None:
    log.items.pop()
    log.grow(1)


def swap_raters(log: Log) -> None:
    log.raters[0], log.raters[1] = log.raters[1], log.raters[0]
    log.publish()


def drop_raters(log: Log) -> None:
    log.raters.clear()
    log.grow(2)


def back_in_time(log: Log) -> None:
    log.at -= 600_000
    log.grow(1)


def forget(log: Log) -> None:
    log.checkpoints.clear()
    log.grow(1)


def vanish(log: Log) -> None:
    log.is_gone = True


def other_key(log: Log) -> None:
    log.key = SigningKey(log.key.name, bytes(32))
    log.grow(1)


def replaced_key(log: Log) -> None:
    other_key(log)
    log.listed = [log.key.vkey]


def other_service(log: Log) -> None:
    log.listed.append(SigningKey("plaudit-other", bytes(32)).vkey)


def other_origin(log: Log) -> None:
    log.key = SigningKey("plaudit-other", bytes(32))
    log.leaves.append(b"more")
    note = log.key.note(log.checkpoint().text)
    log.key = SigningKey("plaudit-test", bytes(range(32)))
    text = note.partition("\n\n")[0] + "\n"
    log.checkpoints[len(log.leaves)] = log.key.note(text)


LIES: dict[Callable[[Log], None], str] = {
    rewrite: "was rewritten",
    cut: "has no proof",
    fork: "Two logs of the same size 10",
    regrow: "has no proof",
    reorder: "was rewritten",
    swap_items: "3 items are not the same",
    drop_an_item: "has 3 items, the larger one of size 11 only 2",
    swap_raters: "Two logs of the same size 10 were signed, with different raters",
    drop_raters: "has 9 raters",
    back_in_time: "time went back",
    forget: "has no proof",
    vanish: "is gone",
    other_key: "not signed as it should be",
    replaced_key: "no longer listed",
    other_service: "of another service",
    other_origin: "came for",
}


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_every_lie_is_an_alarm_with_evidence(watched: Watched, lie: Callable[[Log], None]) -> None:
    assert watched.look().alarms == []
    before = (watched.folder.path / CONTEST / "latest.txt").read_text()
    lie(watched.log)
    alarm, *_ = watched.look().alarms
    assert LIES[lie] in alarm.what
    assert (alarm.folder / "keys.txt").is_file()
    assert alarm.what in (alarm.folder / "about.txt").read_text()
    if alarm.contest:
        assert (alarm.folder / "earlier.txt").read_text() == before
    # What contradicts is never taken for the truth: it is told again, and kept once.
    assert (watched.folder.path / CONTEST / "latest.txt").read_text() == before
    again = watched.look().alarms
    assert [one.folder for one in again][:1] == [alarm.folder]
    assert alarm in watched.folder.alarms()


def test_anybody_can_check_the_evidence(watched: Watched) -> None:
    watched.look()
    swap_raters(watched.log)
    (alarm,) = watched.look().alarms
    files = [str(alarm.folder / name) for name in ("earlier.txt", "later.txt")]
    found = CliRunner().invoke(main, ["witness", "check", *files])
    assert found.exit_code == 1
    assert "contradict each other. Two logs of the same size 10" in found.output
    # With a signature that is not the service's it is no evidence.
    forged = SigningKey("plaudit-test", bytes(32))
    given = ["witness", "check", *files, "--key", forged.vkey]
    refused = CliRunner().invoke(main, given)
    assert refused.exit_code == 2
    assert "None of the known keys has signed this" in refused.output
    edited = Path(files[1]).read_text().replace("raters 9", "raters 8")
    Path(files[1]).write_text(edited)
    assert CliRunner().invoke(main, ["witness", "check", *files]).exit_code == 2


def test_two_sizes_need_a_proof(watched: Watched) -> None:
    watched.look()
    rewrite(watched.log)
    (alarm,) = watched.look().alarms
    files = [str(alarm.folder / name) for name in ("earlier.txt", "later.txt")]
    alone = CliRunner().invoke(main, ["witness", "check", *files, "--json"])
    assert (alone.exit_code, json.loads(alone.output)["contradict"]) == (0, False)
    asked = CliRunner().invoke(main, ["witness", "check", *files, "--url", watched.url, "--json"])
    assert (asked.exit_code, json.loads(asked.output)["contradict"]) == (1, True)


def test_true_checkpoints_do_not_contradict(watched: Watched) -> None:
    watched.look()
    watched.log.grow(70)
    watched.look()
    files = [str(watched.folder.path / CONTEST / name) for name in watched.files()[:2]]
    for given in ((), ("--url", watched.url)):
        found = CliRunner().invoke(main, ["witness", "check", *files, *given])
        assert found.exit_code == 0, found.output
        assert "do not contradict" in found.output


def test_a_new_key_is_taken_while_the_old_one_is_listed(watched: Watched) -> None:
    watched.look()
    old = watched.log.key.vkey
    other_key(watched.log)
    watched.log.listed = [watched.log.key.vkey, old]
    sight = watched.look()
    assert (sight.alarms, sight.kept[CONTEST].size) == ([], 11)
    assert [key.vkey for key in watched.folder.pinned_keys()] == [old, watched.log.key.vkey]


def test_an_older_checkpoint_of_another_worker_is_no_lie(watched: Watched) -> None:
    watched.log.grow(90)
    watched.look()
    late = watched.log.leaves[10:]
    watched.log.leaves = watched.log.leaves[:10]
    note = watched.log.latest
    watched.log.leaves += late
    watched.log.checkpoints[len(watched.log.leaves)] = note
    sight = watched.look()
    assert (sight.alarms, sight.kept[CONTEST].size) == ([], 100)


def test_it_survives_a_service_that_is_away(watched: Watched, tmp_path: Path) -> None:
    watched.look()
    watched.log.is_away = True
    sight = watched.look()
    assert (sight.alarms, sight.kept, len(sight.away)) == ([], {}, 1)
    watched.log.is_away = False
    watched.log.grow(3)
    assert watched.look().kept[CONTEST].size == 13
    given = ["witness", "http://127.0.0.1:9", "--folder", str(tmp_path / "other"), "--once"]
    nobody = CliRunner().invoke(main, given)
    assert nobody.exit_code == 3
    assert "No answer" in nobody.output


def test_a_hostile_service_chooses_no_folder(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Remote, "contests", lambda self: ["../../x", "..", "UP", CONTEST, ""])
    assert [*watched.look().kept] == [CONTEST]
    with pytest.raises(InvalidInput, match="no name of a contest"):
        watched.look("../x")


def test_a_kept_file_that_was_changed_is_noticed(watched: Watched) -> None:
    watched.look()
    file = watched.folder.path / CONTEST / "latest.txt"
    file.write_text(file.read_text().replace("raters 9", "raters 7"))
    with pytest.raises(InvalidInput, match="damaged"):
        watched.look()


def test_the_command_looks_once_or_until_an_alarm(watched: Watched, tmp_path: Path) -> None:
    folder = str(tmp_path / "cli")
    once = ["witness", watched.url, CONTEST, "--folder", folder, "--once"]
    found = CliRunner().invoke(main, once)
    assert (found.exit_code, "9 entries, unchanged" in found.output) == (0, True)
    timer = threading.Timer(0.5, rewrite, [watched.log])
    timer.start()
    until = ["witness", "watch", watched.url, "--folder", folder, "--seconds", "0.1"]
    found = CliRunner().invoke(main, until)
    timer.join()
    assert found.exit_code == 1
    assert "ALARM: The log of captions was rewritten" in found.output


def test_a_witness_signs_what_it_has_checked(watched: Watched, tmp_path: Path) -> None:
    key, sign = signer(tmp_path / "w" / "witness.key", "witness.example.org", clock=lambda: 1.7e9)
    assert (tmp_path / "w" / "witness.key").stat().st_mode & 0o777 == 0o600
    witness = Witness(watched.remote, watched.folder, sign=sign)
    assert witness.look().alarms == []
    note, facts = watched.folder.latest(CONTEST) or ("", None)
    assert facts is not None
    assert cosigned_at(note, key.name, key.public) == 1_700_000_000
    assert cosigned_at(note, key.name, WitnessKey(key.name, bytes(32)).public) is None
    assert cosigned_at(note.replace("raters 9", "raters 8"), key.name, key.public) is None
    again, _ = signer(tmp_path / "w" / "witness.key", "witness.example.org")
    assert again.vkey == key.vkey
    # It goes on from what it has signed.
    watched.log.grow(4)
    assert witness.look().kept[CONTEST].size == 14


def test_the_background_watches_and_tells(watched: Watched, tmp_path: Path) -> None:
    own = SigningKey("plaudit-own", bytes(32))
    folder = tmp_path / "background"
    made = [Background(folder, [watched.url], own_keys=lambda: [own], seconds=0.05) for _ in "ab"]
    for one in made:
        one.start()
    pause = threading.Event()
    for _ in range(200):
        (seen,) = made[1].seen()
        if seen["contests"] and seen["checked_at"]:
            break
        pause.wait(0.05)
    assert (seen["name"], seen["contests"][0]["size"], seen["alarms"]) == ("plaudit-test", 10, [])
    fork(watched.log)
    for _ in range(200):
        if made[0].seen()[0]["alarms"]:
            break
        pause.wait(0.05)
    assert "Two logs" in made[1].seen()[0]["alarms"][0]["what"]
    for one in made:
        one.close()
