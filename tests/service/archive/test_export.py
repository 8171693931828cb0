"""Exports and restore: an archive has the whole contest, and restores it unchanged."""

import base64
import csv
import gzip
import hashlib
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plaudit.datasets import read_votes
from plaudit.errors import ArchiveDamaged, ContestExists, InvalidInput, UnknownContest
from plaudit.service.archive import export
from plaudit.service.archive import format as archive
from plaudit.service.archive.csv_rows import cell
from plaudit.service.archive.export import (
    contest_lines,
    gzipped,
    items_csv,
    summary_csv,
    votes_csv,
)
from plaudit.service.archive.restore import restore_contest
from plaudit.service.contest.certificate import FORMAT
from plaudit.service.desk.desk import Desk
from plaudit.service.intake.contest_file import read_contest
from plaudit.service.notary.keys import listed_keys
from plaudit.store import open_store
from plaudit.store.contract import Certificate, Item, Store
from plaudit.store.log import Answer, Entry, Event, Kind, chain, first_digest
from support.postgres_server import postgres, postgres_url  # noqa: F401
from support.proof.notarised import looked, notary_of

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>'
NAME = "funny"
AT = 1796112000000
KEYS = [hashlib.sha256(bytes([number])).digest()[:16] for number in range(8)]
SETTINGS = {
    "title": "Funny",
    "algorithms": {"lil-klucb": 0.7, "lucb++": 0.3},
    "uniform": 0.1,
    "items": ["=cmd()", 'He said "no", twice.', "two\nlines 🐘", "שלום", "never seen"],
}

OpenStore = Callable[[], Store]


@pytest.fixture
def store(new_store: OpenStore) -> Store:
    return filled(new_store())


def created(store: Store, **changes: Any) -> Desk:
    image = store.put_asset("image/svg+xml", SVG)
    draft = read_contest(
        {**SETTINGS, "context": {"text": "Office", "image": image, "alt": "a"}, **changes},
        is_there=lambda hash: hash == image,
    )
    desk = Desk(store, clock=lambda: AT)
    desk.create(NAME, draft.settings, draft.items, opened=True)
    return desk


def answer(
    rater: int, item: int, level: int, *, kind: int = Kind.VOTE, lane: int = 0, ms: int = 1234
) -> Answer:
    return Answer(kind, KEYS[rater], item, level, lane, AT + 1000 * item + rater, ms)


def filled(store: Store) -> Store:
    """A contest with everything in it: raters 1 and 2 do not count, item 3 is withdrawn."""
    desk = created(store)
    votes = [
        answer(0, 0, 2),
        answer(0, 1, 0, lane=1, ms=-1),
        answer(0, 2, -1, kind=Kind.SKIP),
        answer(0, 3, 1, kind=Kind.FLAG, lane=-1),
        answer(1, 0, 1, lane=-1),
        answer(2, 0, 2),
        answer(3, 0, 0),
        answer(3, 1, 1),
        answer(3, 3, 2),
    ]
    store.append_answers(NAME, votes)
    desk.exclude(NAME, KEYS[1].hex())
    desk.exclude(NAME, KEYS[3].hex())
    desk.readmit(NAME, KEYS[3].hex())
    desk.erase(NAME, KEYS[2].hex())
    desk.withdraw(NAME, [3])
    desk.add_items(NAME, [Item(0, "joined later", store.put_asset("image/svg+xml", SVG + b"\n"))])
    store.append_answers(NAME, [answer(1, 5, 1), answer(4, 5, 2)])
    record = store.contest(NAME)
    judged = {"lane": 0, "winners": [0], "delta": 0.05, "judged_at": 17}
    verdict = Event(Kind.VERDICT, AT, json.dumps(judged))
    digest = chain(first_digest(NAME, record.settings), store.entries(NAME, limit=17))
    body = judged | {"format": FORMAT, "contest": NAME, "digest": digest.hex(), "because": "é"}
    notary = notary_of(store)
    signed = json.dumps(notary.certified(body), ensure_ascii=False)
    store.append_event(NAME, verdict, epoch=record.epoch, certificate=Certificate(17, 0, signed))
    looked(notary)
    return store


def table(chunks: Iterator[bytes]) -> list[dict[str, str]]:
    return list(
        csv.DictReader(io.StringIO(b"".join(chunks).decode("utf-8-sig"), newline=""), strict=True)
    )


# Votes


def test_every_answer_is_a_row_of_the_votes(store: Store) -> None:
    rows = table(votes_csv(store, NAME))
    assert list(rows[0]) == [*export.VOTE_COLUMNS, export.ID]
    brief = [
        (row["item"], row["level"], row["value"], row["algorithm"], row["kind"], row["counted"])
        for row in rows
    ]
    assert brief == [
        ("0", "Funny", "1.0", "lil-klucb", "vote", "yes"),
        ("1", "Unfunny", "0.0", "lucb++", "vote", "yes"),
        ("2", "", "", "lil-klucb", "skip", "yes"),
        ("3", "duplicate", "", "uniform", "flag", "yes"),
        ("0", "Somewhat funny", "0.5", "uniform", "vote", "no"),
        ("0", "Funny", "1.0", "lil-klucb", "vote", "no"),
        ("0", "Unfunny", "0.0", "lil-klucb", "vote", "yes"),
        ("1", "Somewhat funny", "0.5", "lil-klucb", "vote", "yes"),
        ("3", "Funny", "1.0", "lil-klucb", "vote", "no"),
        ("5", "Somewhat funny", "0.5", "lil-klucb", "vote", "no"),
        ("5", "Funny", "1.0", "lil-klucb", "vote", "yes"),
    ]
    assert [row["counts_for"] for row in rows] == [*"01", *[""] * 4, *"01", "", "", "5"]
    out = [
        "votes" if n == 1 else "erased" if n == 2 else "" for n in (0, 0, 0, 0, 1, 2, 3, 3, 3, 1)
    ]
    assert [row["excluded"] for row in rows] == [*out, ""]
    texts = [*SETTINGS["items"], "joined later"]  # type: ignore[misc]
    assert [row["text"] for row in rows] == [texts[int(row["item"])] for row in rows]
    assert [row["position"] for row in rows] == [*map(str, range(3, 12)), "18", "19"]
    raters = [KEYS[n].hex() for n in (0, 0, 0, 0, 1, 2, 3, 3, 3, 1, 4)]
    raters[5] = "erased-2"
    assert [row["rater"] for row in rows] == raters
    assert [row["response_ms"] for row in rows[:2]] == ["1234", ""]
    assert rows[7]["time"] == "2026-12-01T08:00:01.003Z"


@pytest.mark.parametrize("page", [1, 2, 3, 100])
def test_votes_are_read_a_page_at_a_time(
    store: Store, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    whole = b"".join(votes_csv(store, NAME))
    limits: list[int] = []
    entries = store.entries

    def watched(name: str, *, after: int = 0, limit: int = 10_000) -> list[Entry]:
        limits.append(limit)
        return entries(name, after=after, limit=limit)

    chunks = votes_csv(store, NAME)
    monkeypatch.setattr(store, "entries", watched)
    monkeypatch.setattr(export, "PAGE", page)
    assert b"".join(chunks) == whole
    assert max(limits) <= page


def test_votes_that_come_during_an_export_are_not_in_it(store: Store) -> None:
    before = b"".join(votes_csv(store, NAME))
    chunks = votes_csv(store, NAME)
    head = next(chunks)
    store.append_answers(NAME, [answer(5, 0, 1)])
    Desk(store).revoking().exclude(NAME, KEYS[0].hex())
    assert head + b"".join(chunks) == before
    assert len(table(votes_csv(store, NAME))) == 12


# Items and summary


def test_items_have_the_votes_that_count(store: Store) -> None:
    rows = table(items_csv(store, NAME))
    first = ["item", "text", "image", "status", "votes", "mean"]
    assert list(rows[0]) == [
        *first,
        "votes: Unfunny",
        "votes: Somewhat funny",
        "votes: Funny",
        "id",
    ]
    brief = [(row["item"], row["status"], row["votes"], row["mean"]) for row in rows]
    assert brief == [
        ("0", "active", "2", "0.5"),
        ("1", "active", "2", "0.25"),
        ("2", "active", "0", ""),
        ("3", "withdrawn", "1", "1.0"),
        ("4", "active", "0", ""),
        ("5", "active", "1", "1.0"),
    ]
    assert [list(row.values())[6:-1] for row in rows[:2]] == [["1", "0", "1"], ["1", "1", "0"]]
    assert rows[5]["image"] == hashlib.sha256(SVG + b"\n").hexdigest()


def test_counts_of_items_are_those_of_the_votes_that_count(store: Store) -> None:
    votes = table(votes_csv(store, NAME))
    for row in table(items_csv(store, NAME)):
        if row["status"] == "withdrawn":
            continue
        mine = [
            vote["level"]
            for vote in votes
            if (vote["counts_for"], vote["kind"], vote["counted"]) == (row["item"], "vote", "yes")
        ]
        for label in ("Unfunny", "Somewhat funny", "Funny"):
            assert int(row[f"votes: {label}"]) == mine.count(label)


def test_a_summary_is_read_again_as_a_contest(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "summary.csv"
    file.write_bytes(b"".join(summary_csv(store, NAME)))
    read = read_votes(file)
    assert read.items == (
        "joined later",
        "=cmd()",
        'He said "no", twice.',
        "two\nlines 🐘",
        "never seen",
    )
    assert read.levels is not None
    assert read.levels.tolist() == [[0, 0, 1], [1, 0, 1], [1, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert read.warnings == ("Items without votes: 2 (lines 5, 7).",)


def test_a_summary_has_the_numbers_of_the_public_ones(new_store: OpenStore) -> None:
    # The first row of contest 512: 11, 2 and 19 votes, mean 2.25, precision 0.1680053762580617.
    store = new_store()
    created(store, items=["a", "b"])
    levels = [0] * 11 + [1] * 2 + [2] * 19
    votes = [
        Answer(Kind.VOTE, hashlib.md5(bytes([k])).digest(), 1, level, 0, AT, 1)
        for k, level in enumerate(levels)
    ]
    store.append_answers(NAME, votes)
    row = table(summary_csv(store, NAME))[0]
    assert list(row) == [*export.SUMMARY_COLUMNS, export.ID]
    assert (row["rank"], row["caption"], row["mean"], row["votes"]) == ("0", "b", "2.25", "32")
    assert float(row["precision"]) == pytest.approx(0.1680053762580617, rel=1e-14)
    assert [row["not_funny"], row["somewhat_funny"], row["funny"]] == ["11", "2", "19"]


def test_a_summary_takes_the_levels_by_their_values(new_store: OpenStore) -> None:
    store = new_store()
    created(store, scale={"Great": 1, "Bad": 0, "Fine": 0.5})
    store.append_answers(NAME, [answer(0, 2, 0), answer(1, 2, 2)])
    row = table(summary_csv(store, NAME))[0]
    assert (row["not_funny"], row["somewhat_funny"], row["funny"]) == ("0", "1", "1")
    assert row["mean"] == "2.5"


@pytest.mark.parametrize("scale", ["thumbs", "stars", {"a": 0, "b": 0.4, "c": 1}])
def test_a_contest_on_another_scale_has_no_summary(new_store: OpenStore, scale: Any) -> None:
    store = new_store()
    created(store, scale=scale)
    with pytest.raises(InvalidInput, match="export the items instead"):
        summary_csv(store, NAME)


@pytest.mark.parametrize("exported", [votes_csv, items_csv, summary_csv, contest_lines])
def test_a_contest_that_is_not_there_is_told_before_the_first_byte(
    store: Store, exported: Callable[[Store, str], Iterator[bytes]]
) -> None:
    with pytest.raises(UnknownContest):
        exported(store, "none")


# Spreadsheets


def test_for_spreadsheets_no_cell_is_a_formula(new_store: OpenStore) -> None:
    store = new_store()
    texts = ["=1", "+1", "-1", "@a", "＝1", "a=1", '=HYPERLINK("x","y")']
    created(store, items=texts, scale={"=no": 0, "@half": 0.5, "+yes": 1})
    store.append_answers(NAME, [answer(0, item, item % 3) for item in range(7)])
    for exported, column in ((votes_csv, "text"), (items_csv, "text"), (summary_csv, "caption")):
        plain = b"".join(exported(store, NAME))
        assert {row[column] for row in table(iter([plain]))} == set(texts)
        safe = b"".join(exported(store, NAME, spreadsheet=True))
        assert safe.startswith(b"\xef\xbb\xbf")
        rows = list(csv.reader(io.StringIO(safe.decode("utf-8-sig"), newline="")))
        assert not [text for row in rows for text in row if text.startswith(tuple("=+-@＝"))]
        assert {text.removeprefix("'") for row in rows for text in row} >= set(texts)


def test_every_table_has_the_ids_of_the_pages(store: Store) -> None:
    for exported in (votes_csv, items_csv, summary_csv):
        for spreadsheet in (False, True):
            rows = table(exported(store, NAME, spreadsheet=spreadsheet))
            column = "caption" if exported is summary_csv else "text"
            known = {item.text: f"i{item.number + 1}" for item in store.items(NAME)}
            texts = [row[column].removeprefix("'") for row in rows]
            assert [row["id"] for row in rows] == [known[text] for text in texts]
            assert [*rows[0]][-1] == "id"


@given(st.lists(st.text(), min_size=2))
def test_any_text_comes_back_from_csv(texts: list[str]) -> None:
    line = ",".join(map(cell, texts))
    assert next(csv.reader(io.StringIO(line, newline=""), strict=True)) == texts


# The whole contest


def test_a_contest_comes_back_the_same(store: Store, new_store: OpenStore) -> None:
    lines = b"".join(contest_lines(store, NAME))
    other = new_store()
    record = restore_contest(other, [lines])
    assert record == other.contest(NAME) == store.contest(NAME)
    assert b"".join(contest_lines(other, NAME)) == lines
    for exported in (votes_csv, items_csv, summary_csv):
        assert list(exported(other, NAME)) == list(exported(store, NAME))
    # The restored contest goes on from there.
    for each in (store, other):
        each.append_answers(NAME, [answer(0, 4, 1), answer(6, 0, 0), answer(0, 0, 0)])
    assert other.contest(NAME) == store.contest(NAME)
    assert other.contest(NAME).position == record.position + 2


@pytest.mark.usefixtures("postgres")
def test_a_contest_moves_between_engines_and_comes_back_the_same(
    new_store: OpenStore,
    postgres_url: str,  # noqa: F811
) -> None:
    lines = b"".join(contest_lines(filled(new_store()), NAME))
    shared = open_store(postgres_url)
    try:
        restore_contest(shared, [lines])
        assert b"".join(contest_lines(shared, NAME)) == lines
        rows = b"".join(votes_csv(shared, NAME))
        back = new_store()
        restore_contest(back, contest_lines(shared, NAME))
    finally:
        shared.close()
    assert b"".join(contest_lines(back, NAME)) == lines
    assert b"".join(votes_csv(back, NAME)) == rows


def test_a_draft_comes_back_the_same(new_store: OpenStore) -> None:
    store = new_store()
    desk = Desk(store, clock=lambda: AT)
    draft = read_contest({"title": "T", "items": ["a", "b"]})
    desk.create("t", draft.settings, draft.items)
    other = new_store()
    restore_contest(other, contest_lines(store, "t"))
    assert other.contest("t") == store.contest("t")
    assert other.contest("t").state == "draft"


@pytest.mark.parametrize("size", [1, 7, 1000, 10**6])
def test_an_export_may_come_in_any_pieces_and_packed(
    store: Store, new_store: OpenStore, size: int
) -> None:
    lines = b"".join(contest_lines(store, NAME))
    half = len(lines) // 2
    packed = b"".join(gzipped([lines[:half], lines[half:]]))
    assert gzip.decompress(packed) == lines
    in_parts = gzip.compress(lines[:half]) + gzip.compress(lines[half:])
    for body in (lines, packed, in_parts):
        pieces = (body[at : at + size] for at in range(0, len(body), size))
        assert restore_contest(new_store(), pieces) == store.contest(NAME)


@pytest.mark.parametrize("page", [1, 2, 100])
def test_pages_leave_no_trace(store: Store, monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    whole = b"".join(contest_lines(store, NAME))
    monkeypatch.setattr(archive, "PAGE", page)
    assert b"".join(contest_lines(store, NAME)) == whole


def test_a_contest_that_goes_on_during_its_export_is_exported_as_it_was(
    store: Store, new_store: OpenStore
) -> None:
    before = store.contest(NAME)
    chunks = contest_lines(store, NAME)
    head = [next(chunks)]
    store.append_answers(NAME, [answer(5, 0, 1), answer(0, 4, 0)])
    desk = Desk(store, clock=lambda: AT).revoking()
    desk.add_items(NAME, [Item(0, "new")])
    desk.step(NAME, "pause")
    other = new_store()
    restore_contest(other, [*head, *chunks])
    assert other.contest(NAME) == before
    assert len(other.items(NAME)) == 6


def test_lines_are_as_documented(store: Store) -> None:
    lines = [json.loads(line) for line in b"".join(contest_lines(store, NAME)).splitlines()]
    assert lines[0]["format"] == "plaudit contest 2"
    assert lines[0]["record"]["blinding"] == store.contest(NAME).blinding.hex()
    assert lines[0]["record"]["digest"] == store.contest(NAME).digest.hex()
    names = [line[0] for line in lines[1:-1]]
    counts = {name: names.count(name) for name in dict.fromkeys(names)}
    assert counts == {
        "item": 6, "rater": 5, "entry": 20, "asset": 2, "key": 1, "checkpoint": 2, "certificate": 1,
    }  # fmt: skip
    assert lines[-1]["counts"] == counts
    salts = [rater.salt.hex() for rater in store.raters(NAME)]
    assert ["rater", 2, None, salts[2]] in lines
    assert ["rater", 0, KEYS[0].hex(), salts[0]] in lines
    (key,) = listed_keys(store.signing_keys())
    assert ["key", key.key.vkey, key.made_at, None] in lines
    sizes = [line[1] for line in lines[1:-1] if line[0] == "checkpoint"]
    assert sizes == [18, 21]
    assert ["certificate", 17, 0, store.certificates(NAME)[0].body] in lines


# Damage


class Copy:
    """An export to tamper with."""

    def __init__(self, store: Store) -> None:
        lines = b"".join(contest_lines(store, NAME)).splitlines()
        self.header: dict[str, Any] = json.loads(lines[0])
        self.lines: list[list[Any]] = [json.loads(line) for line in lines[1:-1]]

    def of(self, name: str) -> list[list[Any]]:
        return [line for line in self.lines if line[0] == name]

    def sealed(self) -> bytes:
        """The changed export, with a digest and footer that match it."""
        record = self.header["record"]
        digest = first_digest(record["name"], record["settings"])
        digest = chain(digest, (Entry._make(line[1:]) for line in self.of("entry")))
        record["digest"] = digest.hex()
        body = b"".join(
            json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
            for line in (self.header, *self.lines)
        )
        counts = {name: len(self.of(name)) for name in archive.SECTIONS}
        footer = {"counts": counts, "sha256": hashlib.sha256(body).hexdigest()}
        return body + json.dumps(footer).encode() + b"\n"


def refusal(store: Store, body: bytes) -> str:
    with pytest.raises(ArchiveDamaged) as caught:
        restore_contest(store, [body])
    assert store.contests() == []
    return str(caught.value)


def test_a_copy_that_was_not_tampered_with_is_restored(store: Store, new_store: OpenStore) -> None:
    assert restore_contest(new_store(), [Copy(store).sealed()]) == store.contest(NAME)


def test_an_export_cut_off_anywhere_is_refused(store: Store, new_store: OpenStore) -> None:
    lines = b"".join(contest_lines(store, NAME))
    other = new_store()
    # The last line break may be missing: nothing is lost with it.
    assert restore_contest(new_store(), [lines[:-1]])
    starts = [0, *(at + 1 for at, byte in enumerate(lines[:-1]) if byte == ord("\n"))]
    for length in [*starts, *range(1, len(lines) - 1, 997)]:
        assert "at line" in refusal(other, lines[:length])
    packed = b"".join(gzipped([lines]))
    for length in [*range(1, len(packed), 211), *range(len(packed) - 9, len(packed))]:
        assert refusal(other, packed[:length])
    assert restore_contest(other, [lines])


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_byte_changed_anywhere_is_noticed(
    store: Store, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    lines = bytearray(b"".join(contest_lines(store, NAME)))
    place = data.draw(st.integers(0, len(lines) - 2))
    lines[place] ^= data.draw(st.integers(1, 255))
    empty = open_store(str(tmp_path_factory.getbasetemp() / "damaged.db"))
    try:
        assert refusal(empty, bytes(lines))
    finally:
        empty.close()


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "line 1: it is empty"),
        (b"\n\n", "line 1"),
        (b"item,value\n1,2\n", "line 1: it does not begin like the export"),
        (b"[]\n", "line 1: it does not begin like the export"),
        (b"\xff\xfe\n", "line 1: it does not begin like the export"),
        (b'{"format":"plaudit contest 3"}\n', "line 1: its format is 'plaudit contest 3'"),
        (b'{"format":"plaudit contest 1"}\n', "line 1"),
        (b"\x1f\x8bnot gzip at all", "line 1: it cannot be unpacked by gzip"),
    ],
)
def test_what_is_no_export_is_refused(new_store: OpenStore, body: bytes, why: str) -> None:
    assert why in refusal(new_store(), body)


def _change_text(copy: Copy) -> None:
    copy.of("item")[1][2] = "another text"


def _drop_item(copy: Copy) -> None:
    copy.lines.remove(copy.of("item")[5])


def _number_items_anew(copy: Copy) -> None:
    copy.of("item")[1][1] = 7


def _repeat_rater(copy: Copy) -> None:
    copy.of("rater")[1][1] = 0


def _shorten_key(copy: Copy) -> None:
    copy.of("rater")[1][2] = "abcd"


def _vote_on_nothing(copy: Copy) -> None:
    copy.of("entry")[2][5] = 6


def _vote_before_joining(copy: Copy) -> None:
    copy.of("entry")[2][5] = 5


def _vote_by_nobody(copy: Copy) -> None:
    copy.of("entry")[2][4] = 99


def _vote_off_the_scale(copy: Copy) -> None:
    copy.of("entry")[2][6] = 3


def _vote_negatively(copy: Copy) -> None:
    copy.of("entry")[2][6] = -1


def _flag_for_no_reason(copy: Copy) -> None:
    copy.of("entry")[5][6] = 4


def _vote_in_no_lane(copy: Copy) -> None:
    copy.of("entry")[2][7] = 2


def _vote_twice(copy: Copy) -> None:
    copy.of("entry")[3][5] = 0


def _leave_a_gap(copy: Copy) -> None:
    copy.of("entry")[3][1] = 9


def _drop_the_last_entry(copy: Copy) -> None:
    copy.lines.remove(copy.of("entry")[-1])


def _invent_a_kind(copy: Copy) -> None:
    copy.of("entry")[-1][2] = 50


def _break_a_payload(copy: Copy) -> None:
    copy.of("entry")[-1][9] = "{"


def _exclude_nobody(copy: Copy) -> None:
    copy.of("entry")[11][9] = '{"rater": 77}'


def _exclude_somebody_twice(copy: Copy) -> None:
    copy.of("entry")[11][9] = '{"raters": [1, 1]}'


def _exclude_a_rater_who_is_no_number(copy: Copy) -> None:
    copy.of("entry")[11][9] = '{"raters": [true]}'


def _exclude_no_one_of_many(copy: Copy) -> None:
    copy.of("entry")[11][9] = '{"raters": []}'


def _exclude_on_no_grounds(copy: Copy) -> None:
    copy.of("entry")[11][9] = '{"raters": [1], "grounds": "luck"}'


def _exclude_on_the_grounds_of_another_rater(copy: Copy) -> None:
    copy.of("entry")[11][9] = '{"raters": [1], "grounds": ["votes", "speed"]}'


def _exclude_without_saying_whom(copy: Copy) -> None:
    copy.of("entry")[11][9] = "{}"


def _withdraw_nothing(copy: Copy) -> None:
    copy.of("entry")[15][9] = '{"items": [99]}'


def _judge_in_no_lane(copy: Copy) -> None:
    copy.of("entry")[19][9] = '{"lane": 9, "items": []}'


def _add_items_of_another_digest(copy: Copy) -> None:
    copy.of("entry")[0][9] = '{"first":0,"count":5,"digest":"00"}'


def _say_another_state(copy: Copy) -> None:
    copy.header["record"]["state"] = "closed"


def _say_another_epoch(copy: Copy) -> None:
    copy.header["record"]["epoch"] += 1


def _say_another_length(copy: Copy) -> None:
    copy.header["record"]["position"] += 1


def _use_a_name_for_a_path(copy: Copy) -> None:
    copy.header["record"]["name"] = "../../etc"


def _break_the_settings(copy: Copy) -> None:
    copy.header["record"]["settings"] = "{}"


def _hide_a_script_in_a_picture(copy: Copy) -> None:
    body = SVG.replace(b"<rect/>", b"<script/>")
    copy.of("asset")[0][3] = base64.b64encode(body).decode()


def _call_a_picture_a_page(copy: Copy) -> None:
    copy.of("asset")[0][2] = "text/html"


def _swap_pictures(copy: Copy) -> None:
    one, two = copy.of("asset")
    one[3], two[3] = two[3], one[3]


def _drop_a_picture(copy: Copy) -> None:
    copy.lines.remove(copy.of("asset")[1])


def _break_a_picture(copy: Copy) -> None:
    copy.of("asset")[0][3] = "%%%"


def _mix_the_order(copy: Copy) -> None:
    copy.lines.reverse()


def _write_a_line_of_another_kind(copy: Copy) -> None:
    copy.lines.append(["surprise", 1])


def _write_a_field_too_many(copy: Copy) -> None:
    copy.of("rater")[0].append("x")


def _write_a_text_for_a_number(copy: Copy) -> None:
    copy.of("item")[0][1] = "0"


def _certify_too_often(copy: Copy) -> None:
    copy.lines += copy.of("certificate") * 20


@pytest.mark.parametrize(
    ("tamper", "line"),
    [
        # Line 1 is the header; items are at 2 to 7, raters at 8 to 12, entries at 13 to 32,
        # pictures at 33 and 34, a key at 35, checkpoints at 36 and 37, the certificate at 38.
        (_change_text, 13),
        (_drop_item, 28),
        (_number_items_anew, 3),
        (_repeat_rater, 9),
        (_shorten_key, 9),
        (_vote_on_nothing, 15),
        (_vote_before_joining, 15),
        (_vote_by_nobody, 15),
        (_vote_off_the_scale, 15),
        (_vote_negatively, 15),
        (_flag_for_no_reason, 18),
        (_vote_in_no_lane, 15),
        (_vote_twice, None),
        (_leave_a_gap, 16),
        (_drop_the_last_entry, 32),
        (_invent_a_kind, 32),
        (_break_a_payload, 32),
        (_exclude_nobody, 24),
        (_exclude_somebody_twice, 24),
        (_exclude_a_rater_who_is_no_number, 24),
        (_exclude_no_one_of_many, 24),
        (_exclude_without_saying_whom, 24),
        (_exclude_on_no_grounds, 24),
        (_exclude_on_the_grounds_of_another_rater, 24),
        (_withdraw_nothing, 28),
        (_judge_in_no_lane, 32),
        (_add_items_of_another_digest, 13),
        (_say_another_state, 33),
        (_say_another_epoch, None),
        (_say_another_length, 33),
        (_use_a_name_for_a_path, 1),
        (_break_the_settings, 1),
        (_hide_a_script_in_a_picture, 33),
        (_call_a_picture_a_page, 33),
        (_swap_pictures, 33),
        (_drop_a_picture, 34),
        (_break_a_picture, 33),
        (_mix_the_order, 2),
        (_write_a_line_of_another_kind, 39),
        (_write_a_field_too_many, 8),
        (_write_a_text_for_a_number, 2),
        (_certify_too_often, None),
    ],
)
def test_an_export_that_does_not_fit_together_is_refused(
    store: Store, new_store: OpenStore, tamper: Callable[[Copy], None], line: int | None
) -> None:
    copy = Copy(store)
    tamper(copy)
    message = refusal(new_store(), copy.sealed())
    assert "damaged" in message
    if line is not None:
        assert f"damaged at line {line}: " in message


def test_something_behind_the_last_line_is_refused(store: Store, new_store: OpenStore) -> None:
    lines = b"".join(contest_lines(store, NAME))
    assert "line 40: something follows" in refusal(new_store(), lines + lines)


def test_a_last_line_that_counts_otherwise_is_refused(store: Store, new_store: OpenStore) -> None:
    lines = b"".join(contest_lines(store, NAME)).replace(b'"item":6,', b'"item":7,')
    assert "line 39: lines are missing or were added" in refusal(new_store(), lines)


# Names


def test_a_contest_keeps_its_name(store: Store, new_store: OpenStore) -> None:
    lines = b"".join(contest_lines(store, NAME))
    other = new_store()
    with pytest.raises(InvalidInput, match="not of 'sad'"):
        restore_contest(other, [lines], name="sad")
    assert other.contests() == []
    assert restore_contest(other, [lines], name=NAME).name == NAME


def test_a_name_that_is_taken_is_told_and_the_contest_stays(store: Store) -> None:
    lines = b"".join(contest_lines(store, NAME))
    store.append_answers(NAME, [answer(5, 0, 1)])
    before = b"".join(contest_lines(store, NAME))
    with pytest.raises(ContestExists, match="only be restored under its own name"):
        restore_contest(store, [lines])
    assert b"".join(contest_lines(store, NAME)) == before
