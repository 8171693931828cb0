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
from terminal import on_a_terminal

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


def test_run_and_report(tmp_path):
    outcome = run("study", "run", "figure-1", *SMALL, "--out", tmp_path)
    assert outcome.exit_code == 0, outcome.output
    assert "agrees" in outcome.stdout
    report = run("study", "report", "--out", tmp_path)
    assert Path(report.stdout.strip()) == tmp_path / "report.html"
    assert "<svg" in (tmp_path / "report.html").read_text()


def test_ctrl_c_keeps_what_is_finished(tmp_path):
    process = started(tmp_path, 5000, stderr=subprocess.PIPE, text=True)
    wait_for_parts(process, tmp_path, 4)
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "goes on from there" in words
    assert "Traceback" not in words
    kept = finished_parts(tmp_path)
    assert len(kept) >= 4
    assert not (tmp_path / "figure-1" / "result.json").exists()
    again = run("study", "run", "figure-1", *SMALL, "--out", tmp_path)
    assert again.exit_code == 0, again.output
    assert finished_parts(tmp_path)[: len(kept)] == kept


def test_a_killed_run_goes_on(tmp_path):
    """SIGKILL at any moment: what is on disk is used, and the files come out the same."""
    process = started(tmp_path / "killed", 20, stdout=subprocess.DEVNULL)
    wait_for_parts(process, tmp_path / "killed", 3)
    process.kill()
    process.wait(timeout=PATIENCE)
    for out in ("killed", "whole"):
        outcome = run("study", "run", "figure-1", *SMALL, "--out", tmp_path / out)
        assert outcome.exit_code == 0, outcome.output
    for name in ("curves.csv", "levels.csv", "result.json", "page.md", "figure.svg"):
        one, other = (tmp_path / out / "figure-1" / name for out in ("killed", "whole"))
        assert one.read_bytes() == other.read_bytes()


def test_the_bar_moves_on_a_terminal(tmp_path):
    text, _ = on_a_terminal(
        "study", "run", "figure-1", "--repetitions", "20", "--out", str(tmp_path)
    )
    assert len(set(re.findall(r"\d+%", text))) > 3
    assert re.search(r"\d:\d\d:\d\d", text)


@pytest.mark.parametrize("arguments", [("study", "--help"), ("study", "run", "--help")])
def test_help(arguments):
    assert run(*arguments).exit_code == 0
