"""`plaudit study` as a person uses it: list, run, break off, go on, report."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from plaudit.cli import main
from plaudit.studies import TITLES
from support.terminal import on_a_terminal

SMALL = ("--repetitions", "20", "--threads", "2")
PATIENCE = 120


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def started(out: Path, repetitions: int, **how) -> subprocess.Popen:
    command = ["study", "run", "figure-1", "--repetitions", str(repetitions), "--out", str(out)]
    return subprocess.Popen([sys.executable, "-m", "plaudit", *command], **how)


def finished_parts(out: Path) -> list[str]:
    journal = out / "figure-1" / "parts.jsonl"
    return journal.read_text().splitlines() if journal.exists() else []


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """The folder of a run from beginning to end."""
    out = tmp_path_factory.mktemp("whole")
    outcome = run("study", "run", "figure-1", *SMALL, "--out", out)
    assert outcome.exit_code == 0, outcome.output
    assert "agrees" in outcome.stdout
    return out


def broken_off(out: Path, whole: Path, parts: int) -> Path:
    """A folder as a run leaves it that was broken off after so many parts."""
    lines = finished_parts(whole)
    assert len(lines) > parts
    journal = out / "figure-1" / "parts.jsonl"
    journal.parent.mkdir(parents=True)
    journal.write_text("".join(f"{line}\n" for line in lines[:parts]))
    return out


def wait_for_parts(process: subprocess.Popen, out: Path, count: int) -> None:
    end = time.monotonic() + PATIENCE
    while len(finished_parts(out)) < count:
        assert process.poll() is None, "the study ended before it could be broken off"
        assert time.monotonic() < end
        time.sleep(0.05)


def test_list():
    outcome = run("study", "list", "--json")
    assert json.loads(outcome.stdout) == TITLES
    assert all(name in run("study", "list").stdout for name in TITLES)


def test_names_and_numbers_that_do_not_exist(tmp_path):
    for arguments, word in (
        (("figure-3",), "figure-"),
        (("figure-1", "--repetitions", "0"), "repetitions"),
        (("figure-1", "--seed", "-1"), "seed"),
        (("figure-1", "--threads", "0"), "threads"),
        (("figure-1", "--cluster", "somewhere"), "tcp://"),
    ):
        outcome = run("study", "run", *arguments, "--out", tmp_path)
        assert outcome.exit_code == 2, outcome.output
        assert word in outcome.stderr
        assert "Traceback" not in outcome.output
    assert list(tmp_path.iterdir()) == []
    assert "study run" in run("study", "report", "--out", tmp_path).stderr


@pytest.mark.slow
def test_run_and_report(whole):
    report = run("study", "report", "--out", whole)
    assert Path(report.stdout.strip()) == whole / "report.html"
    assert "<svg" in (whole / "report.html").read_text()


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished(tmp_path, whole):
    before = 20
    process = started(broken_off(tmp_path, whole, before), 5000, stderr=subprocess.PIPE, text=True)
    wait_for_parts(process, tmp_path, before + 4)
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "goes on from there" in words
    assert "Traceback" not in words
    kept = finished_parts(tmp_path)
    assert len(kept) >= before + 4
    assert not (tmp_path / "figure-1" / "result.json").exists()
    again = run("study", "run", "figure-1", *SMALL, "--out", tmp_path)
    assert again.exit_code == 0, again.output
    assert finished_parts(tmp_path)[: len(kept)] == kept


@pytest.mark.slow
def test_a_killed_run_goes_on(tmp_path, whole):
    """SIGKILL at any moment: what is on disk is used, and the files come out the same."""
    process = started(broken_off(tmp_path, whole, 12), 20, stdout=subprocess.DEVNULL)
    wait_for_parts(process, tmp_path, 15)
    process.kill()
    process.wait(timeout=PATIENCE)
    kept = finished_parts(tmp_path)
    outcome = run("study", "run", "figure-1", *SMALL, "--out", tmp_path)
    assert outcome.exit_code == 0, outcome.output
    assert len(finished_parts(tmp_path)) == len(finished_parts(whole))
    assert finished_parts(tmp_path)[:15] == kept[:15]
    for name in ("curves.csv", "levels.csv", "result.json", "page.md", "figure.svg"):
        one, other = (out / "figure-1" / name for out in (tmp_path, whole))
        assert one.read_bytes() == other.read_bytes()


@pytest.mark.slow
def test_the_bar_moves_on_a_terminal(tmp_path, whole):
    # The first parts are large: with ten done, a quick machine shows steps too.
    out = broken_off(tmp_path, whole, 10)
    text, _ = on_a_terminal("study", "run", "figure-1", "--repetitions", "20", "--out", str(out))
    assert len(set(re.findall(r"\d+%", text))) > 3
    assert re.search(r"\d:\d\d:\d\d", text)


@pytest.mark.parametrize("arguments", [("study", "--help"), ("study", "run", "--help")])
def test_help(arguments):
    assert run(*arguments).exit_code == 0
