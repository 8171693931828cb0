"""`plaudit data` as a person and as a machine use it."""

import json
import re
import sys
from pathlib import Path

import pytest

from support.contest_server import cache, serving, summary
from support.terminal import CommandLine, on_a_terminal

# Fixtures are found by their names in this module.
__all__ = ["cache"]

CONTESTS = Path(__file__).resolve().parents[3] / "shared" / "caption-contests"


# Wide enough that no message is broken.
LINE = CommandLine("data", COLUMNS="200")
run, refused = LINE.run, LINE.refused


def answer(*arguments):
    outcome = run(*arguments, "--json")
    assert outcome.exit_code == 0, outcome.output
    assert outcome.stderr == ""
    return json.loads(outcome.stdout)


def table_rows(text):
    lines = (re.split("[│┃]", line)[1:-1] for line in text.splitlines())
    return [tuple(field.strip() for field in fields) for fields in lines if fields]


@pytest.fixture
def server():
    with serving() as server:
        yield server


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    for stem in ("512_LilUCB", "512_RoundRobin", "558_LilUCB"):
        (folder / f"{stem}.csv").write_bytes(summary(ranked=True))
    return folder


class TestList:
    def test_what_can_be_downloaded_is_folded(self):
        outcome = run("list")
        assert outcome.exit_code == 0
        assert table_rows(outcome.stdout) == [
            ("contest", "file", "where", "items", "votes"),
            ("510 to 519", "N_LilUCB, N_RoundRobin", "to download", "", ""),
            ("520 to 524", "N_LilUCB", "to download", "", ""),
            ("526 to 539", "N_LilUCB", "to download", "", ""),
            ("540", "N_Random", "to download", "", ""),
            ("541 to 558", "N_LilUCB", "to download", "", ""),
            ("559", "N_LilUCB, N_Random, N_lil-KLUCB", "to download", "", ""),
            ("560 to 659", "N_lil-KLUCB", "to download", "", ""),
            ("660 to 895", "N", "to download", "", ""),
            ("", "synthetic", "built in", "", ""),
        ]
        assert "N stands for" in outcome.stdout

    def test_what_is_here_is_shown_with_its_counts(self, server):
        server.files["516_LilUCB.csv"] = server.files["700.csv"] = summary()
        run("get", "516_LilUCB", 700, "--source", server.address)
        rows = table_rows(run("list").stdout)
        assert ("516", "516_LilUCB", "cache", "50", "3,825") in rows
        assert ("516", "516_RoundRobin", "to download", "", "") in rows
        assert ("700", "700", "cache", "50", "3,825") in rows
        spans = [row[0] for row in rows]
        assert spans[1:5] == ["510 to 515", "516", "516", "517 to 519"]
        assert spans[-4:] == ["660 to 699", "700", "701 to 895", ""]

    def test_a_folder_is_listed_alone(self, folder, monkeypatch):
        rows = table_rows(run("list", "--data", folder).stdout)
        assert rows[1:] == [
            ("512", "512_LilUCB", "folder", "50", "3,825"),
            ("512", "512_RoundRobin", "folder", "50", "3,825"),
            ("558", "558_LilUCB", "folder", "50", "3,825"),
            ("", "synthetic", "built in", "", ""),
        ]
        monkeypatch.setenv("PLAUDIT_DATA", str(folder))
        assert table_rows(run("list").stdout) == rows
        assert "N stands for" not in run("list").stdout

    def test_json_has_every_file(self, folder):
        assert len(answer("list")["contests"]) == 398
        found = answer("list", "--data", folder)["contests"]
        assert found[2] == {
            "contest": 558,
            "file": "558_LilUCB",
            "where": "folder",
            "items": 50,
            "votes": 3825,
            "fault": None,
            "path": str(folder / "558_LilUCB.csv"),
        }
        assert found[3]["file"] == "synthetic"
        assert found[3]["contest"] is found[3]["path"] is None

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (summary()[:-20], "Line 51"),
            (b"item,value\na,1\n", "lacks not_funny"),
            (b"", "empty"),
            (summary() + b"a,,,1,nan,0,1\n", "holds 'nan'"),
            (summary() + b"a,,,1,,0,1\n", "holds ''"),
        ],
    )
    def test_a_bad_file_is_noted_and_the_others_listed(self, folder, content, words):
        (folder / "700.csv").write_bytes(content)
        outcome = run("list", "--data", folder)
        assert outcome.exit_code == 0
        assert ("700", "700", "folder", "", "") in table_rows(outcome.stdout)
        assert ("558", "558_LilUCB", "folder", "50", "3,825") in table_rows(outcome.stdout)
        assert words in " ".join(outcome.stderr.split())
        assert "700.csv" in outcome.stderr

    def test_bad_folders(self, tmp_path):
        assert "does not exist" in refused("list", "--data", tmp_path / "absent")
        assert "has no CSV files" in refused("list", "--data", tmp_path)

    @pytest.mark.skipif(not CONTESTS.is_dir(), reason=f"no caption contests at {CONTESTS}")
    def test_real_contests(self):
        rows = table_rows(run("list", "--data", CONTESTS).stdout)
        assert ("558", "558_LilUCB", "folder", "3,925", "524,297") in rows
        assert ("686", "686", "folder", "5,342", "1,070,410") in rows


class TestGet:
    def test_prints_the_paths_and_downloads_once(self, server, cache):
        server.files["700.csv"] = server.files["600_lil-KLUCB.csv"] = summary()
        paths = [str(cache / "700.csv"), str(cache / "600_lil-KLUCB.csv")]
        outcome = run("get", 700, 600, "--source", server.address)
        assert outcome.exit_code == 0
        assert outcome.stdout.splitlines() == paths
        assert outcome.stderr == ""
        assert answer("get", 700, "600_lil-KLUCB", "--source", server.address) == {"paths": paths}
        assert server.asked == ["700.csv", "600_lil-KLUCB.csv"]

    def test_a_wrong_name_stops_all_before_the_first_download(self, server, cache):
        server.files["700.csv"] = summary()
        source = ("--source", server.address)
        assert "512_LilUCB, 512_RoundRobin. Name one" in refused("get", 700, 512, *source)
        assert "no contest '525'" in refused("get", 700, 525, *source)
        assert "'synthetic' has no file" in refused("get", 700, "synthetic", *source)
        assert server.asked == []
        assert not cache.exists()

    def test_a_failed_download(self, server, cache):
        assert "has no file 700.csv (404)" in refused("get", 700, "--source", server.address)
        server.files["700.csv"], server.manners["700.csv"] = summary(), "short"
        assert "broke off; nothing was kept" in refused("get", 700, "--source", server.address)
        assert list(cache.iterdir()) == []

    def test_with_a_folder_nothing_is_downloaded(self, server, folder):
        server.files["700.csv"] = summary()
        options = ("--data", folder, "--source", server.address)
        assert run("get", 558, *options).stdout == f"{folder / '558_LilUCB.csv'}\n"
        assert "has no contest '700'. It has 512_LilUCB" in refused("get", 700, *options)
        assert server.asked == []

    def test_needs_a_name(self):
        assert "NAME" in refused("get")

    def test_without_pooch_it_says_what_to_install(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pooch", None)
        assert "pip install 'plaudit[studies]'" in refused("get", 700)

    def test_a_bar_on_a_terminal(self, server, cache):
        server.files["700.csv"] = summary(20_000)
        shown, out = on_a_terminal("data", "get", "700", "--source", server.address)
        assert out == f"{cache / '700.csv'}\n"
        assert "contest 700" in shown
        assert re.search(r"\d+/\d+ kB|\d\.\d/\d\.\d MB", shown)


class TestPath:
    def test_the_folder_in_use(self, cache, folder, monkeypatch):
        assert run("path").stdout == f"{cache}\n"
        assert run("path", "--data", folder).stdout == f"{folder}\n"
        assert answer("path", "--data", folder) == {"path": str(folder)}
        monkeypatch.setenv("PLAUDIT_DATA", str(folder))
        assert run("path").stdout == f"{folder}\n"

    def test_the_file_of_a_contest(self, folder, server, cache):
        assert run("path", 558, "--data", folder).stdout == f"{folder / '558_LilUCB.csv'}\n"
        assert "`plaudit data get 700`" in refused("path", 700)
        server.files["700.csv"] = summary()
        run("get", 700, "--source", server.address)
        assert answer("path", 700) == {"path": str(cache / "700.csv")}
        (cache / "700.csv").write_bytes(summary(49))
        assert "is not what was downloaded" in refused("path", 700)

    def test_bad_names_and_folders(self, folder, tmp_path):
        assert "Name one of them" in refused("path", 512, "--data", folder)
        assert "Name one of them" in refused("path", 512)
        assert "has no contest '9'" in refused("path", 9, "--data", folder)
        assert "does not exist" in refused("path", "--data", tmp_path / "absent")


def test_help_names_the_three_verbs():
    text = run("--help").stdout
    for verb in ("list", "get", "path"):
        assert re.search(rf"^  {verb} ", text, flags=re.MULTILINE)
