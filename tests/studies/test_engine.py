"""The engine of the studies: parts, journal, files, report; with a small study of its own."""

import csv
import json
from pathlib import Path

import pytest

from plaudit.errors import InvalidInput, NotAllowed, UnknownName
from plaudit.simulation.executors import open_executor
from plaudit.simulation.seeds import seed_at
from plaudit.studies import GROUPS, OWN_TITLES, PAPER_TITLES, TITLES
from plaudit.studies.engine import JOURNAL, run_study
from plaudit.studies.frequency import exact_limits
from plaudit.studies.journal import Journal, part_key
from plaudit.studies.page import make_page, show
from plaudit.studies.report import write_report
from plaudit.studies.study import (
    Claim,
    Findings,
    Options,
    Record,
    Study,
    StudyPlan,
    StudyTable,
    blocks,
    load_study,
)


def prepare(options: Options) -> StudyPlan:
    repetitions = options.repeat(6, 2)
    parts = [
        {"address": ["toy"], "seed": options.seed, "first": first, "end": end}
        for first, end in blocks(repetitions, 2)
    ]
    return StudyPlan({"repetitions": repetitions}, parts, 10)


def work(shared: int, part: Record) -> Record:
    draws = [seed_at(part["seed"], "toy", k) % shared for k in range(part["first"], part["end"])]
    return {"sum": sum(draws), "third": sum(draws) / 3}


def chart():
    import altair as alt

    return alt.Chart(alt.Data(values=[{"x": 1, "y": 2}])).mark_point().encode(x="x:Q", y="y:Q")


def conclude(plan: StudyPlan, results: list[Record]) -> Findings:
    rows = [{"block": k, "sum": r["sum"], "third": r["third"]} for k, r in enumerate(results)]
    claim = Claim("a | b", f"sum {sum(r['sum'] for r in results)}", [True])
    return Findings([claim], [StudyTable("sums", rows, "Sums.")], chart, "A point.", ["A note."])


# The name of a real study: titles and folders come from the table of studies.
TOY = Study("table-1", "What is the sum?", prepare, work, conclude)


class Counting:
    """An executor of one thread that counts parts, and may be broken off after some."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.ran = 0
        self.stop_after = stop_after

    def run(self, work, shared, parts):
        for k, part in enumerate(parts):
            if self.ran == self.stop_after:
                raise KeyboardInterrupt
            self.ran += 1
            yield k, work(shared, part)


def run_toy(out: Path, executor=None, *, fresh: bool = False, **options) -> Findings:
    return run_study(TOY, Options(**options), out=out, executor=executor or Counting(), fresh=fresh)


def contents(folder: Path) -> dict[str, bytes]:
    """All files but the journal, whose lines come in any order, and the PDF, which has a date."""
    kept = [path for path in folder.iterdir() if path.suffix not in (".jsonl", ".pdf")]
    return {path.name: path.read_bytes() for path in kept}


def test_files_of_a_study(tmp_path):
    run_toy(tmp_path, seed=3)
    folder = tmp_path / "table-1"
    assert {path.name for path in folder.iterdir()} == {
        "sums.csv", "figure.svg", "figure.png", "figure.pdf", "page.md", "result.json", JOURNAL,
    }  # fmt: skip
    result = json.loads((folder / "result.json").read_text())
    assert result["seed"] == 3
    assert result["settings"] == {"repetitions": 6}
    assert set(result["versions"]) >= {"plaudit", "kernels", "python", "numpy", "numba"}
    with (folder / "sums.csv").open() as file:
        rows = [{name: float(text) for name, text in row.items()} for row in csv.DictReader(file)]
    assert rows == result["tables"]["sums"]
    assert (folder / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "figure.pdf").read_bytes().startswith(b"%PDF")
    assert "plaudit study run table-1 --seed 3" in (folder / "page.md").read_text()


def test_a_run_that_was_broken_off_goes_on(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run_toy(tmp_path / "a", Counting(stop_after=2))
    assert not (tmp_path / "a" / "table-1" / "result.json").exists()
    rest = Counting()
    run_toy(tmp_path / "a", rest)
    assert rest.ran == 1
    run_toy(tmp_path / "b")
    assert contents(tmp_path / "a" / "table-1") == contents(tmp_path / "b" / "table-1")


def test_more_repetitions_keep_the_first_blocks(tmp_path):
    run_toy(tmp_path, repetitions=4)
    more = Counting()
    run_toy(tmp_path, more, repetitions=6)
    assert more.ran == 1


def test_other_seeds_and_fresh_runs_start_over(tmp_path):
    run_toy(tmp_path, seed=1)
    other, again, fresh = Counting(), Counting(), Counting()
    run_toy(tmp_path, other, seed=2)
    run_toy(tmp_path, again, seed=1)
    run_toy(tmp_path, fresh, seed=1, fresh=True)
    assert (other.ran, again.ran, fresh.ran) == (3, 0, 3)


def test_a_torn_line_is_run_again(tmp_path):
    run_toy(tmp_path)
    before = contents(tmp_path / "table-1")
    journal = tmp_path / "table-1" / JOURNAL
    whole = journal.read_bytes()
    for cut in (1, 20, len(whole.splitlines()[-1])):
        journal.write_bytes(whole[:-cut])
        rest = Counting()
        run_toy(tmp_path, rest)
        assert rest.ran == 1
        assert journal.read_bytes() == whole
    assert contents(tmp_path / "table-1") == before


def test_a_journal_of_nonsense_is_not_believed(tmp_path):
    path = tmp_path / "journal"
    path.write_bytes(b'[1]\n{"key": "a"}\nnull\n')
    with Journal(path) as journal:
        assert "a" not in journal
        journal.add("b", {"x": 0.1})
    with Journal(path) as journal:
        assert journal.results(["b"]) == [{"x": 0.1}]


def test_two_runs_do_not_share_a_journal(tmp_path):
    run_toy(tmp_path)
    path = tmp_path / "table-1" / JOURNAL
    before = path.read_bytes()
    with Journal(path), pytest.raises(NotAllowed, match="Another run"):
        run_toy(tmp_path, fresh=True)
    assert path.read_bytes() == before
    run_toy(tmp_path)


def test_keys_tell_parts_apart():
    part = {"seed": 1, "first": 0}
    assert part_key("a", part) == part_key("a", {"first": 0, "seed": 1})
    keys = {part_key("a", part), part_key("b", part), part_key("a", part | {"seed": 2})}
    assert len(keys) == 3


def test_progress_reaches_its_total(tmp_path):
    heard = []
    run_study(
        TOY,
        Options(),
        out=tmp_path,
        executor=Counting(),
        progress=lambda done, total: heard.append((done, total)),
    )
    assert heard == [(0, 3), (1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_do_not_change_a_byte(tmp_path, threads):
    run_toy(tmp_path / "one")
    with open_executor(threads=threads) as executor:
        run_toy(tmp_path / "threads", executor)
    assert contents(tmp_path / "one" / "table-1") == contents(tmp_path / "threads" / "table-1")


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="Choose another --out"):
        run_toy(tmp_path / "file")


def test_the_report_binds_what_is_finished(tmp_path):
    with pytest.raises(InvalidInput, match="plaudit study run"):
        write_report(tmp_path)
    run_toy(tmp_path)
    text = write_report(tmp_path).read_text()
    assert text.count("<svg") == 1
    assert "a | b" in text
    assert "</a>: 1 × agrees</li>" in text
    assert "Not run yet: " in text
    # Nothing is fetched: no address but the names of XML's own spaces.
    addresses = {part.split('"')[0] for part in text.split('="http')[1:]}
    assert all("www.w3.org" in address for address in addresses)


def test_strangers_words_stay_words(tmp_path):
    rows = [{"caption": '<script>alert("x")</script> [x](javascript:alert(1))\n\n# big'}]
    claim = Claim("p", "m", [True])
    hostile = Study(
        "table-1",
        "?",
        prepare,
        work,
        lambda plan, results: Findings([claim], [StudyTable("t", rows)], chart, "c"),
    )
    run_study(hostile, Options(), out=tmp_path, executor=Counting())
    text = write_report(tmp_path).read_text()
    assert "<script" not in text
    assert 'href="javascript' not in text
    assert "<h1>" not in text.split("<section", 1)[1]


def test_numbers_as_people_read_them():
    values = (1234567, 0.012345, 1234.5, None, True, "x", 0.0, 999.6)
    assert [show(value) for value in values] == [
        "1,234,567", "0.0123", "1,234", "–", "yes", "x", "0", "1,000",
    ]  # fmt: skip


def test_pages_escape_the_bars_of_their_tables():
    page = make_page(TOY, conclude(prepare(Options()), [{"sum": 1, "third": 0.3}]), "command")
    assert r"| a \| b | sum 1 | **agrees** |" in page


def test_options_are_checked():
    with pytest.raises(InvalidInput, match="repetitions"):
        Options(repetitions=0)
    with pytest.raises(InvalidInput, match="seed"):
        Options(seed=-1)
    assert Options(quick=True).repeat(250, 20) == 20
    assert Options(quick=True, repetitions=3).repeat(250, 20) == 3


def test_every_study_loads_by_its_name():
    for name in TITLES:
        assert load_study(name).name == name
    with pytest.raises(UnknownName, match="figure-1"):
        load_study("figure1")


def test_the_paper_is_a_group_and_all_are_all():
    assert {"paper": tuple(PAPER_TITLES), "all": (*PAPER_TITLES, *OWN_TITLES)} == GROUPS
    assert not set(PAPER_TITLES) & set(OWN_TITLES)


@pytest.mark.parametrize("name", OWN_TITLES)
def test_our_own_studies_have_their_place_on_a_page(name):
    pages = [page.read_text("utf-8") for page in (Path(__file__).parents[2] / "docs").glob("*.md")]
    (page,) = (page for page in pages if f"<!-- {name} -->" in page)
    assert page.index(f"<!-- {name} -->") < page.index(f"<!-- end of {name} -->")
    assert f"figures/{name}.svg" in page


@pytest.mark.parametrize(("hits", "trials"), [(0, 10), (3, 10), (10, 10), (250, 1000)])
def test_exact_limits_are_where_the_tails_are(hits, trials):
    from scipy.stats import binom

    low, high = (float(limit) for limit in exact_limits(hits, trials, confidence=0.9))
    if hits:
        assert binom.sf(hits - 1, trials, low) == pytest.approx(0.05)
    else:
        assert low == 0.0
    if hits < trials:
        assert binom.cdf(hits, trials, high) == pytest.approx(0.05)
    else:
        assert high == 1.0
