"""Caption contests by name: folder, cache, download, and the one that is built in."""

import csv
import hashlib
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from plaudit.datasets import (
    VoteTable,
    contest_profile,
    find_contest,
    list_contests,
    load_contest,
    synthetic_contest,
)
from plaudit.datasets.catalogue import SHA256, STEMS, number_of
from plaudit.datasets.summary_file import count_votes
from plaudit.datasets.synthetic import level_frequencies
from plaudit.errors import DataUnavailable, InvalidInput, MissingExtra, PlauditError
from plaudit.scale import FUNNY, STARS
from support.contest_server import ContestServer, cache, serving, summary

# Fixtures are found by their names in this module.
__all__ = ["cache"]

ROOT = Path(__file__).resolve().parents[2]
CONTESTS = ROOT.parent / "shared" / "caption-contests"
CONTEST_FILES = sorted(CONTESTS.glob("*.csv"))
DOWNLOAD = "from plaudit.datasets import find_contest; find_contest(700, source={!r})"
needs_contests = pytest.mark.skipif(
    not CONTEST_FILES, reason=f"the caption contests are not at {CONTESTS}"
)


@pytest.fixture
def server() -> Iterator[ContestServer]:
    with serving() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a contest of one file, one of two, and one without a number."""
    folder = tmp_path / "data"
    folder.mkdir()
    for stem in ("512_LilUCB", "512_RoundRobin", "558_LilUCB", "mine"):
        (folder / f"{stem}.csv").write_bytes(summary(ranked=stem != "mine"))
    (folder / "README.md").write_text("not a contest", encoding="utf-8")
    return folder


def refused(name: str | int, **options: object) -> str:
    with pytest.raises(DataUnavailable) as caught:
        load_contest(name, **options)  # type: ignore[arg-type]
    return str(caught.value)


# Names


def test_the_catalogue_has_the_397_files_of_the_public_data_set() -> None:
    assert len(STEMS) == len(set(STEMS)) == 397
    numbers = {number_of(stem) for stem in STEMS}
    assert numbers == {*range(510, 896)} - {525}
    assert [stem for stem in STEMS if number_of(stem) == 559] == [
        "559_LilUCB",
        "559_Random",
        "559_lil-KLUCB",
    ]
    assert {"540_Random", "659_lil-KLUCB", "660", "895"} <= set(STEMS)
    assert set(SHA256) <= set(STEMS)


@needs_contests
@pytest.mark.parametrize("file", CONTEST_FILES, ids=lambda file: file.stem)
def test_the_catalogue_knows_the_hash_of_every_contest_at_hand(file: Path) -> None:
    assert SHA256[file.stem] == hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.mark.parametrize("name", [558, "558", "558_LilUCB", " 558_lilucb.csv "])
def test_a_contest_is_named_by_number_or_stem(folder: Path, name: str | int) -> None:
    assert find_contest(name, data=folder) == folder / "558_LilUCB.csv"


def test_a_contest_of_several_files_must_be_named_by_stem(folder: Path) -> None:
    for data in (folder, None):
        with pytest.raises(InvalidInput, match=r"2 files.*: 512_LilUCB, 512_RoundRobin"):
            find_contest(512, data=data)
    assert find_contest("512_RoundRobin", data=folder).name == "512_RoundRobin.csv"


def test_a_stem_counts_before_a_number(folder: Path) -> None:
    (folder / "512.csv").write_bytes(summary())
    assert find_contest("512", data=folder).name == "512.csv"


def test_a_file_without_a_number_is_a_contest_too(folder: Path) -> None:
    assert len(load_contest("mine", data=folder).items) == 50


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("525", "510 to 895 without 525"),
        ("12", "no contest '12'"),
        ("558_Random", "Contest 558 has: 558_LilUCB"),
        ("../../etc/passwd", "no contest '../../etc/passwd'"),
        ("0700", "no contest '0700'"),
        ("", "no contest ''"),
    ],
)
def test_a_name_that_the_public_data_set_lacks(
    server: ContestServer, name: str, words: str
) -> None:
    with pytest.raises(InvalidInput, match=re.escape(words)):
        find_contest(name, source=server.address)
    assert server.asked == []


def test_the_synthetic_contest_has_no_file() -> None:
    with pytest.raises(InvalidInput, match="has no file"):
        find_contest("synthetic")


# A folder instead of the network


@pytest.mark.parametrize("by_variable", [True, False])
def test_a_named_folder_is_used_alone(
    folder: Path, server: ContestServer, monkeypatch: pytest.MonkeyPatch, by_variable: bool
) -> None:
    if by_variable:
        monkeypatch.setenv("PLAUDIT_DATA", str(folder))
    data = None if by_variable else folder
    server.files["700.csv"] = summary()
    assert load_contest(558, data=data, source=server.address).votes[-1] == 150
    message = refused(700, data=data, source=server.address)
    assert "has no contest '700'" in message
    assert "512_LilUCB, 512_RoundRobin, 558_LilUCB, mine." in message
    assert ("(from PLAUDIT_DATA)" in message) == by_variable
    assert server.asked == []
    assert [(found.stem, found.where) for found in list_contests(data=data)] == [
        ("mine", "folder"),
        ("512_LilUCB", "folder"),
        ("512_RoundRobin", "folder"),
        ("558_LilUCB", "folder"),
        ("synthetic", "built in"),
    ]


def test_the_argument_counts_before_the_variable(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAUDIT_DATA", "/nowhere/at/all")
    assert find_contest(558, data=folder).parent == folder
    assert "/nowhere/at/all (from PLAUDIT_DATA) does not exist" in refused(558)


def test_a_long_folder_is_shortened_in_the_message(folder: Path) -> None:
    for number in range(700, 720):
        (folder / f"{number}.csv").write_bytes(summary())
    message = refused(999, data=folder)
    assert "and 16 more" in message
    assert "719" not in message


def test_folders_that_are_none(folder: Path, tmp_path: Path) -> None:
    assert "does not exist" in refused(558, data=tmp_path / "absent")
    assert "is a file, not a folder" in refused(558, data=folder / "558_LilUCB.csv")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "has no CSV files. Name a folder" in refused(558, data=empty)
    with pytest.raises(DataUnavailable, match="has no CSV files"):
        list_contests(data=empty)
    folder.rename(empty / "summaries")
    assert f"but {empty / 'summaries'} has" in refused(558, data=empty)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (summary()[:-20], "only the first part"),
        (summary()[:-1], "breaks off within its last line"),
        (summary()[:-2], "breaks off within its last line"),
        (b"", "is empty"),
        (summary()[:30], "columns do not make"),
        (b"item,value\na,1\n", "one vote a row"),
        (b"<!doctype html>\n<p>Log in first.\n", "columns do not make"),
    ],
)
def test_a_file_that_is_not_a_whole_summary_says_so(
    folder: Path, content: bytes, words: str
) -> None:
    (folder / "700.csv").write_bytes(content)
    message = refused(700, data=folder)
    assert words in message
    assert str(folder / "700.csv") in message


@pytest.mark.parametrize("form", ["utf-16", "utf-8-sig"])
def test_a_whole_summary_in_another_encoding_is_read(folder: Path, form: str) -> None:
    (folder / "700.csv").write_bytes(summary().decode().encode(form))
    assert len(load_contest(700, data=folder).items) == 50


@needs_contests
@pytest.mark.parametrize("file", CONTEST_FILES, ids=lambda file: file.stem)
def test_both_forms_of_the_public_files_load(file: Path) -> None:
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    table = load_contest(file.stem, data=CONTESTS)
    assert ("rank" in rows[0]) == (int(file.stem[:3]) <= 659)
    assert table.levels is not None
    assert table.levels.tolist() == [
        [int(row[name]) for name in ("not_funny", "somewhat_funny", "funny")] for row in rows
    ]
    assert count_votes(file) == (len(table.items), table.votes.sum())


# Downloads


def test_a_download_is_kept_and_not_repeated(server: ContestServer, cache: Path) -> None:
    server.files["700.csv"] = summary()
    path = find_contest(700, source=server.address)
    assert path == cache / "700.csv"
    assert path.read_bytes() == summary()
    digest = hashlib.sha256(summary()).hexdigest()
    assert (cache / "700.csv.sha256").read_text(encoding="utf-8") == f"700.csv {digest}\n"
    assert len(load_contest(700, source=server.address).items) == 50
    assert find_contest("700", download=False) == path
    assert server.asked == ["700.csv"]
    assert sorted(file.name for file in cache.iterdir()) == ["700.csv", "700.csv.sha256"]


def test_the_list_tells_cache_from_network(server: ContestServer) -> None:
    assert len(list_contests()) == 398
    server.files["600_lil-KLUCB.csv"] = server.files["900.csv"] = summary(ranked=True)
    for name in (600, 900):
        find_contest(name, source=server.address)
    known = {contest.stem: contest for contest in list_contests()}
    assert len(known) == 399  # contest 900 came after the catalogue
    assert {stem for stem, found in known.items() if found.where == "cache"} == {
        "600_lil-KLUCB",
        "900",
    }
    assert known["600_lil-KLUCB"].path == find_contest(600, download=False)
    assert known["601_lil-KLUCB"].path is None
    assert known["601_lil-KLUCB"].number == 601


@needs_contests
def test_a_file_of_known_hash_is_accepted(server: ContestServer, cache: Path) -> None:
    content = (CONTESTS / "558_LilUCB.csv").read_bytes()
    server.files["558_LilUCB.csv"] = content
    assert len(load_contest(558, source=server.address).items) == 3925
    assert sorted(file.name for file in cache.iterdir()) == ["558_LilUCB.csv"]


def nothing_is_kept(cache: Path) -> bool:
    return not cache.exists() or not list(cache.iterdir())


def test_another_file_than_the_known_one_is_refused(server: ContestServer, cache: Path) -> None:
    server.files["558_LilUCB.csv"] = summary(ranked=True)
    message = refused(558, source=server.address)
    assert f"{hashlib.sha256(summary(ranked=True)).hexdigest()}, not 24ff8c92" in message
    assert nothing_is_kept(cache)


@pytest.mark.parametrize(
    ("manner", "content", "words"),
    [
        ("short", summary(), "broke off; nothing was kept"),
        ("chunked_and_cut", summary(), "broke off; nothing was kept"),
        ("unannounced", summary()[:-20], "only the first part"),
        ("unannounced", summary()[:-2], "breaks off within its last line"),
        ("whole", summary()[:-20], "only the first part"),
        ("whole", b"<!doctype html>\n<p>Log in first.\n", "not a contest summary"),
        ("whole", b"", "is empty"),
        ("refusal", summary(), "but the answer 503. Try again later"),
    ],
)
def test_a_bad_download_leaves_nothing_and_the_next_one_counts(
    server: ContestServer, cache: Path, manner: str, content: bytes, words: str
) -> None:
    server.files["700.csv"], server.manners["700.csv"] = content, manner
    message = refused(700, source=server.address)
    assert words in message
    assert "700.csv" in message
    assert nothing_is_kept(cache)
    server.files["700.csv"], server.manners["700.csv"] = summary(), "unannounced"
    assert len(load_contest(700, source=server.address).items) == 50
    assert server.asked == ["700.csv"] * 2


def test_a_missing_file_says_what_to_do(server: ContestServer, cache: Path) -> None:
    message = refused(900, source=server.address)
    assert "has no file 900.csv (404). Check the name." in message
    assert "--data or PLAUDIT_DATA" in message
    assert nothing_is_kept(cache)


def test_no_network_says_what_to_do(cache: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound, not listening: connections are refused
        host = f"127.0.0.1:{closed.getsockname()[1]}"
        message = refused(700, source=f"http://{host}/")
    assert f"Cannot reach {host} for 700.csv (no connection)" in message
    assert "'synthetic' needs no file" in message
    assert nothing_is_kept(cache)
    assert "not an http address" in refused(700, source="gopher://hole")


@pytest.mark.skipif(sys.platform == "win32", reason="no signals of this kind on Windows")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_download_leaves_nothing_under_the_final_name(
    server: ContestServer, cache: Path, ending: signal.Signals
) -> None:
    server.files["700.csv"], server.manners["700.csv"] = summary(), "half_and_wait"
    code = DOWNLOAD.format(server.address)
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL) as child:
        assert server.half_sent.wait(60)
        child.send_signal(ending)
    assert child.returncode != 0
    assert cache.is_dir()
    assert not list(cache.glob("700*"))
    assert [found.stem for found in list_contests() if found.where == "cache"] == []
    server.manners["700.csv"] = "whole"
    assert len(load_contest(700, source=server.address).items) == 50


def test_downloads_at_the_same_time_agree(server: ContestServer, cache: Path) -> None:
    server.files["700.csv"] = summary(2000)
    with ThreadPoolExecutor(4) as pool:
        sizes = pool.map(lambda _: len(load_contest(700, source=server.address).items), range(8))
    assert list(sizes) == [2000] * 8
    assert sorted(file.name for file in cache.iterdir()) == ["700.csv", "700.csv.sha256"]


@pytest.mark.parametrize("stem", ["700", "558_LilUCB"])
def test_a_cached_file_that_changed_is_refused(
    server: ContestServer, cache: Path, stem: str
) -> None:
    cache.mkdir(parents=True)
    server.files["700.csv"] = summary()
    find_contest(700, source=server.address)
    path = cache / f"{stem}.csv"
    path.write_bytes(summary(49))  # a whole summary, but not the one that came
    message = refused(stem, source=server.address)
    assert f"{path} is not what was downloaded" in message
    assert f"Delete it, then run `plaudit data get {stem}`" in message
    assert server.asked == ["700.csv"]


def test_after_deleting_a_cached_file_a_new_one_may_differ(
    server: ContestServer, cache: Path
) -> None:
    server.files["700.csv"] = summary()
    find_contest(700, source=server.address).unlink()
    server.files["700.csv"] = summary(60)
    for _ in range(2):
        assert len(load_contest(700, source=server.address).items) == 60
    assert server.asked == ["700.csv"] * 2


@pytest.mark.parametrize("record", [None, "", "700.csv", "other.csv 123"])
def test_a_cached_file_without_a_whole_record_is_checked_and_recorded(
    cache: Path, record: str | None
) -> None:
    cache.mkdir(parents=True)
    (cache / "700.csv").write_bytes(summary()[:-20])
    if record is not None:
        (cache / "700.csv.sha256").write_text(record, encoding="utf-8")
    assert "only the first part" in refused(700)
    (cache / "700.csv").write_bytes(summary())
    assert len(load_contest(700).items) == 50
    (cache / "700.csv").write_bytes(summary(49))
    assert "not what was downloaded" in refused(700)


def test_a_cache_folder_that_cannot_be_made(server: ContestServer, cache: Path) -> None:
    server.files["700.csv"] = summary()
    cache.parents[2].mkdir(parents=True)
    cache.parents[1].write_text("in the way", encoding="utf-8")
    assert f"Cannot write to the cache folder {cache}" in refused(700, source=server.address)


def test_what_is_not_here_is_not_fetched_unasked() -> None:
    with pytest.raises(DataUnavailable, match="`plaudit data get 600_lil-KLUCB`"):
        find_contest(600, download=False)


def test_without_pooch_folders_and_the_synthetic_contest_still_work(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(MissingExtra, match=r"pip install 'plaudit\[studies\]'"):
        load_contest(558)
    assert len(load_contest(558, data=folder).items) == 50
    assert len(load_contest("synthetic").items) == 5000


def test_importing_the_room_loads_neither_pooch_nor_the_compiler() -> None:
    code = (
        "import sys, plaudit.datasets\n"
        "print([name for name in ('pooch', 'requests', 'numba') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_nothing_is_printed(server: ContestServer, cache: Path) -> None:
    server.files["700.csv"] = summary()
    code = DOWNLOAD.format(server.address)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == run.stderr == ""
    assert (cache / "700.csv").is_file()


# The synthetic contest

QUANTILES = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0]


def pooled_ratio(table: VoteTable) -> float:
    """The variance of votes over mean (1 - mean), each summed over all votes."""
    assert table.levels is not None
    squares = table.levels @ np.square(FUNNY.values)
    means = table.means
    spread = means * (1 - means)
    return float((squares - table.votes * means**2).sum() / (table.votes * spread).sum())


def test_the_synthetic_contest_is_a_contest() -> None:
    table = load_contest("synthetic")
    assert len(table.items) == len(set(table.items)) == 5000
    assert table.levels is not None
    assert table.scale == FUNNY
    assert table.levels.dtype == table.votes.dtype == np.int64
    assert (table.levels.sum(axis=1) == table.votes).all()
    assert np.array_equal(table.totals, table.levels @ np.array(FUNNY.values))
    assert (np.diff(table.means) <= 0).all()
    assert table.votes.min() >= 50


def test_the_same_seed_gives_the_same_table_and_another_seed_another() -> None:
    first, again, other = (synthetic_contest(300, seed=seed) for seed in (4, 4, 5))
    assert np.array_equal(first.levels, again.levels)  # type: ignore[arg-type]
    assert not np.array_equal(first.levels, other.levels)  # type: ignore[arg-type]
    assert np.array_equal(synthetic_contest().levels, load_contest("Synthetic").levels)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(5))
def test_most_items_are_near_zero_and_votes_spread_as_real_ones_do(seed: int) -> None:
    table = synthetic_contest(seed=seed)
    assert 0.8 < (table.means < 0.2).mean() < 0.95
    assert 0.35 < table.means.max() < 0.65
    assert pooled_ratio(table) == pytest.approx(0.62, abs=0.005)


@needs_contests
@pytest.mark.parametrize("seed", range(5))
def test_the_synthetic_quantiles_lie_among_those_of_real_contests(seed: int) -> None:
    real = [load_contest(file.stem, data=CONTESTS) for file in CONTEST_FILES]
    # Contest 512 has five votes a caption: its means are mostly noise.
    many = [table for table in real if np.median(table.votes) >= 50]
    assert len(many) == 7
    quantiles = np.array([np.quantile(table.means, QUANTILES) for table in many])
    made = synthetic_contest(seed=seed)
    found = np.quantile(made.means, QUANTILES)
    assert (quantiles.min(axis=0) <= found).all()
    assert (found <= quantiles.max(axis=0)).all()
    ratios = [pooled_ratio(table) for table in many]
    assert min(ratios) <= pooled_ratio(made) <= max(ratios)
    sizes, votes = zip(*((len(t.items), t.votes.sum()) for t in many), strict=True)
    assert min(sizes) <= len(made.items) <= max(sizes)
    assert min(votes) <= made.votes.sum() <= max(votes)


def test_level_frequencies_have_the_mean_and_the_variance_that_they_promise() -> None:
    means = np.linspace(0, 1, 1001)
    table = level_frequencies(means)
    assert (table >= 0).all()
    assert np.allclose(table.sum(axis=1), 1, atol=1e-15)
    assert np.allclose(table @ np.array(FUNNY.values), means, atol=1e-15)
    variance = table @ np.square(FUNNY.values) - means**2
    assert np.allclose(variance, 0.62 * means * (1 - means), atol=1e-15)


@pytest.mark.parametrize("wrong", [{"items": 1}, {"items": 2_000_000}, {"seed": -1}])
def test_bad_settings_of_the_synthetic_contest(wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidInput, match=str(next(iter(wrong.values())))):
        synthetic_contest(**wrong)


# Profiles


@needs_contests
@pytest.mark.parametrize(("name", "best"), [("558", 0.536), ("512_LilUCB", 0.8)])
def test_the_best_binary_mean_is_the_papers(name: str, best: float) -> None:
    table = load_contest(name, data=CONTESTS)
    profile, rows = contest_profile(table, binary=True)
    assert profile.means.max() == best
    assert profile.values.tolist() == [0.0, 1.0]
    assert rows.tolist() == list(range(len(table.items)))
    graded, _ = contest_profile(table)
    assert np.allclose(graded.means, table.means, atol=1e-15)


def test_items_without_votes_are_left_out() -> None:
    levels = np.array([[0, 0, 0], [1, 2, 1], [0, 0, 0], [4, 0, 0], [0, 0, 3]])
    table = VoteTable(tuple("abcde"), levels.sum(1), levels @ FUNNY.values, levels, FUNNY)
    profile, rows = contest_profile(table)
    assert rows.tolist() == [1, 3, 4]
    assert profile.means.tolist() == [0.5, 0.0, 1.0]
    profile, rows = contest_profile(table, binary=True)
    assert rows.tolist() == [1, 3, 4]
    assert profile.means.tolist() == [0.75, 0.0, 1.0]


def test_binary_cuts_any_scale_at_one_half() -> None:
    levels = np.array([[1, 1, 1, 1, 1], [4, 0, 0, 0, 0]])
    table = VoteTable(("a", "b"), levels.sum(1), levels @ STARS.values, levels, STARS)
    assert contest_profile(table, binary=True)[0].means == pytest.approx([0.6, 0.0])


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (VoteTable(("a", "b"), np.array([1, 1]), np.array([1.0, 0.0])), "each level"),
        (
            VoteTable(
                ("a", "b"), np.array([1, 0]), np.zeros(2), np.array([[1, 0, 0], [0, 0, 0]]), FUNNY
            ),
            "two items with votes; got 1",
        ),
    ],
)
def test_a_table_that_makes_no_profile(table: VoteTable, words: str) -> None:
    with pytest.raises(PlauditError, match=words):
        contest_profile(table)


def test_the_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert blocks
    names: dict[str, object] = {"__name__": "example"}
    for block in blocks:
        exec(compile(block, "docs/data.md", "exec"), names)
