"""Reading files of votes: the forms, the encodings, and each error with its line."""

import csv
import io
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plaudit.datasets import VoteTable, read_votes
from plaudit.datasets.adding import added
from plaudit.errors import VoteFileError
from plaudit.scale import FUNNY, STARS, THUMBS, Scale

CONTESTS = Path(__file__).resolve().parents[3] / "shared" / "caption-contests"
CONTEST_FILES = sorted(CONTESTS.glob("*.csv"))
RANKED = "rank,caption,mean,precision,votes,not_funny,somewhat_funny,funny\n"
UNRANKED = "caption,mean,precision,votes,not_funny,somewhat_funny,funny\n"
needs_contests = pytest.mark.skipif(
    not CONTEST_FILES, reason=f"the caption contests are not at {CONTESTS}"
)


class Folder:
    """Writes a file of votes and reads it back."""

    def __init__(self, path: Path) -> None:
        self.file = path / "votes.csv"

    def read(self, content: str | bytes, *, scale: Scale | None = None) -> VoteTable:
        data = content.encode() if isinstance(content, str) else content
        self.file.write_bytes(data)
        return read_votes(self.file, scale=scale)

    def refuse(self, content: str | bytes, *, line: int | None, scale: Scale | None = None) -> str:
        with pytest.raises(VoteFileError) as caught:
            self.read(content, scale=scale)
        assert caught.value.line == line
        if line is not None:
            assert str(caught.value).startswith(f"Line {line}: ")
        return str(caught.value)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def only_warning(table: VoteTable) -> str:
    assert len(table.warnings) == 1, table.warnings
    return table.warnings[0]


# Caption-contest summaries


@pytest.mark.parametrize("ranked", [True, False])
def test_a_summary_gives_counts_at_each_level_of_the_funny_scale(
    folder: Folder, ranked: bool
) -> None:
    rows = ['"One, two.",2.0,0.1,4,1,2,1', "Three.,1.5,0.1,2,1,1,0"]
    lines = [f"{rank},{row}" if ranked else row for rank, row in enumerate(rows)]
    table = folder.read((RANKED if ranked else UNRANKED) + "\n".join(lines))
    assert table.items == ("One, two.", "Three.")
    assert table.scale == FUNNY
    assert table.levels is not None
    assert table.votes.dtype == table.levels.dtype == np.int64
    assert table.totals.dtype == np.float64
    assert table.levels.tolist() == [[1, 2, 1], [1, 1, 0]]
    assert table.votes.tolist() == [4, 2]
    assert table.totals.tolist() == [2.0, 0.5]
    assert table.means.tolist() == [0.5, 0.25]
    assert table.warnings == ()


def test_a_summary_needs_neither_mean_nor_precision_and_any_order_will_do(folder: Folder) -> None:
    table = folder.read("funny,not_funny,somewhat_funny,caption,votes\n3,1,2,a,6\n")
    assert table.levels is not None
    assert table.levels.tolist() == [[1, 2, 3]]
    assert table.warnings == ()


def test_counts_may_be_whole_floats(folder: Folder) -> None:
    table = folder.read(UNRANKED + "a,1.5,0.1,12.0,6.0, 6 ,0e0\n")
    assert table.votes.tolist() == [12]
    assert table.totals.tolist() == [3.0]
    assert table.warnings == ()


def test_duplicate_captions_stay_apart_and_are_reported_with_lines(folder: Folder) -> None:
    captions = ["same", "other", "same", "twin", "twin", "same", " same"]
    table = folder.read(UNRANKED + "".join(f"{text},1,0,1,1,0,0\n" for text in captions))
    assert table.items == tuple(captions)
    assert table.votes.tolist() == [1] * 7
    warning = only_warning(table)
    assert "more than once: 2, on 5 rows" in warning
    assert "'same' (lines 2, 4, 7)" in warning
    assert "'twin' (lines 5, 6)" in warning


def test_only_three_duplicates_are_examples(folder: Folder) -> None:
    table = folder.read(UNRANKED + "".join(f"c{i},1,0,1,1,0,0\n" for i in (1, 2, 3, 4) * 2))
    warning = only_warning(table)
    assert "more than once: 4, on 8 rows" in warning
    assert "Such as 'c1' (lines 2, 6)" in warning
    assert "c3" in warning
    assert "c4" not in warning


def test_empty_captions_are_items_and_reported_apart_from_duplicates(folder: Folder) -> None:
    table = folder.read(UNRANKED + "".join(f"{text},1,0,1,1,0,0\n" for text in ("", "a", "", " ")))
    assert table.items == ("", "a", "", " ")
    assert only_warning(table) == "Empty captions, each kept as an item: 3 (lines 2, 4, 5)."


def test_votes_that_are_not_the_sum_are_reported_and_the_sum_is_used(folder: Folder) -> None:
    table = folder.read(UNRANKED + "a,1,0,1,1,0,0\nb,1,0,9,5,0,0\n")
    assert table.votes.tolist() == [1, 5]
    assert "not the sum of their levels (used: the sum): 1 (line 3)" in only_warning(table)


def test_a_mean_off_by_more_than_rounding_is_reported_and_not_used(folder: Folder) -> None:
    # 2 + 1/3 rounds to 2.33; 2.34 is not a rounding of it.
    table = folder.read(UNRANKED + "a,2.33,0,3,0,2,1\nb,2.34,0,3,0,2,1\nc,,0,3,0,2,1\n")
    assert table.means == pytest.approx([2 / 3] * 3)
    assert "used: the levels): 1 (line 3)" in only_warning(table)


def test_items_without_votes_are_reported_and_have_no_mean(folder: Folder) -> None:
    table = folder.read(UNRANKED + "a,nan,nan,0,0,0,0\nb,3,0,1,0,0,1\n")
    assert np.isnan(table.means[0])
    assert table.means[1] == 1.0
    assert only_warning(table) == "Items without votes: 1 (line 2)."


def test_a_long_list_of_lines_is_cut(folder: Folder) -> None:
    table = folder.read(UNRANKED + "".join(f"c{i},,0,0,0,0,0\n" for i in range(9)))
    assert only_warning(table) == "Items without votes: 9 (lines 2, 3, 4, 5, 6 and 4 more)."


def test_a_scale_that_a_summary_cannot_use_is_reported(folder: Folder) -> None:
    row = "a,3,0,1,0,0,1\n"
    assert folder.read(UNRANKED + row, scale=FUNNY).warnings == ()
    table = folder.read(UNRANKED + row, scale=STARS)
    assert table.scale == FUNNY
    assert "scale given was not used" in only_warning(table)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("many", "not a number"),
        ("", "not a number"),
        ("nan", "not a number"),
        ("1_0", "not a number"),
        ("-1", "negative"),
        ("-inf", "negative"),
        ("2.5", "not a whole number"),
        ("inf", "too large"),
        ("1e13", "too large"),
        ("9" * 5000, "too large"),
    ],
)
@pytest.mark.parametrize("column", ["votes", "not_funny", "somewhat_funny", "funny"])
def test_a_bad_count_is_refused(folder: Folder, text: str, fault: str, column: str) -> None:
    names = UNRANKED.strip().split(",")
    row = ["a", "1", "0", "1", "1", "0", "0"]
    bad = [text if name == column else cell for name, cell in zip(names, row, strict=True)]
    content = f"{UNRANKED}{','.join(row)}\n{','.join(bad)}\n"
    message = folder.refuse(content, line=3)
    assert f"column {column!r} holds {text[:60]!r}"[:-1] in message
    assert f"which is {fault}." in message
    assert "a whole number from 0 to 1000000000000" in message
    assert "Correct the field" in message


def test_the_largest_count_is_read_exactly(folder: Folder) -> None:
    table = folder.read(UNRANKED + "a,,0,1000000000000,999999999999,1,0\n")
    assert table.levels is not None
    assert table.levels.tolist() == [[10**12 - 1, 1, 0]]
    assert table.votes.tolist() == [10**12]
    assert table.warnings == ()


# Plain votes


def test_the_votes_of_an_item_are_pooled_in_order_of_first_vote(folder: Folder) -> None:
    table = folder.read("item,value\nb,1\na,0.25\n b ,0\nB,1\nb,.5\n")
    assert table.items == ("b", "a", "B")
    assert table.votes.tolist() == [3, 1, 1]
    assert table.totals.tolist() == [1.5, 0.25, 1.0]
    assert table.votes.dtype == np.int64
    assert table.totals.dtype == np.float64
    assert table.levels is None
    assert table.scale is None
    assert table.warnings == ()


def test_values_on_the_scale_are_counted_at_its_levels(folder: Folder) -> None:
    table = folder.read("item,value\na,1\nb,0.50\na,0\na,1.0\n", scale=FUNNY)
    assert table.levels is not None
    assert table.levels.tolist() == [[1, 0, 2], [0, 1, 0]]
    assert table.levels.dtype == np.int64
    assert table.scale == FUNNY
    assert table.totals.tolist() == [2.0, 0.5]


def test_a_value_off_the_scale_leaves_levels_uncounted_and_says_so(folder: Folder) -> None:
    table = folder.read("item,value\na,1\na,0.5\na,0.5\n", scale=THUMBS)
    assert table.levels is None
    assert table.scale is None
    assert table.totals.tolist() == [2.0]
    assert "line 3 has the value 0.5; the scale has 0.0, 1.0" in only_warning(table)


def test_labels_count_at_the_levels_of_the_scale(folder: Folder) -> None:
    table = folder.read("item,label\na,Funny\na, unfunny \nb,SOMEWHAT FUNNY\n", scale=FUNNY)
    assert table.levels is not None
    assert table.levels.tolist() == [[1, 0, 1], [0, 1, 0]]
    assert table.means.tolist() == [0.5, 0.5]


def test_header_names_may_vary_in_case_and_spaces_and_other_columns_are_ignored(
    folder: Folder,
) -> None:
    table = folder.read("rater, VALUE ,note, Item\n7,1,well,a\n8,0,,a\n")
    assert table.items == ("a",)
    assert table.votes.tolist() == [2]
    assert table.totals.tolist() == [1.0]


def test_value_goes_before_label_where_a_file_has_both(folder: Folder) -> None:
    assert folder.read("item,value,label\na,0.25,whatever\n").totals.tolist() == [0.25]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("funny", "not a number"),
        ("", "not a number"),
        ('"0,5"', "not a number"),
        ("0_1", "not a number"),
        ("nan", "outside [0, 1]"),
        ("inf", "outside [0, 1]"),
        ("-0.001", "outside [0, 1]"),
        ("1.001", "outside [0, 1]"),
    ],
)
def test_a_bad_value_is_refused(folder: Folder, text: str, fault: str) -> None:
    message = folder.refuse(f"item,value\na,1\nb,0\na,{text}\n", line=4)
    assert text.strip('"') in message
    assert f"which is {fault}." in message
    assert "a number from 0 to 1" in message
    assert "Divide the values of a longer scale" in message


def test_an_unknown_label_is_refused_with_the_nearest(folder: Folder) -> None:
    message = folder.refuse("item,label\na,Funny\na,funy\n", line=3, scale=FUNNY)
    assert "'funy'" in message
    assert "Did you mean 'Funny'?" in message
    assert "It has Unfunny, Somewhat funny, Funny." in message
    assert "or add it to the scale" in message


def test_a_label_like_no_other_is_refused_without_a_guess(folder: Folder) -> None:
    message = folder.refuse("item,label\na,\n", line=2, scale=FUNNY)
    assert "no label ''. It has Unfunny" in message


def test_labels_without_a_scale_are_refused_with_how_to_pass_one(folder: Folder) -> None:
    message = folder.refuse("item,label\na,Funny\n", line=1)
    assert '--scale "Unfunny=0,Somewhat funny=0.5,Funny=1"' in message


@pytest.mark.parametrize("name", ["", "   ", '""'])
def test_an_empty_item_name_is_refused(folder: Folder, name: str) -> None:
    message = folder.refuse(f"item,value\na,1\n{name},1\n", line=3)
    assert "name is empty" in message
    assert "delete the row" in message


# Headers and rows


def test_an_unknown_header_says_what_was_found_and_what_each_form_needs(folder: Folder) -> None:
    message = folder.refuse("Joke,Score\na,1\n", line=1)
    assert "Found: 'joke', 'score'." in message
    assert "missing: 'item', 'value' (or 'label')." in message
    assert "missing: 'caption', 'votes', 'not_funny', 'somewhat_funny', 'funny'." in message
    assert "Add or rename the columns" in message


@pytest.mark.parametrize("gone", ["caption", "votes", "not_funny", "somewhat_funny", "funny"])
def test_a_missing_column_of_a_summary_is_named(folder: Folder, gone: str) -> None:
    names = [name for name in UNRANKED.strip().split(",") if name != gone]
    message = folder.refuse(",".join(names) + "\na,1,1,1,1,1\n", line=1)
    assert f"missing: {gone!r}." in message
    assert "One vote a row" not in message


@pytest.mark.parametrize(
    ("header", "missing"),
    [("item,score", "'value' (or 'label')"), ("name,value", "'item'"), ("label,n", "'item'")],
)
def test_a_missing_column_of_plain_votes_is_named(
    folder: Folder, header: str, missing: str
) -> None:
    message = folder.refuse(f"\n{header}\na,1\n", line=2)
    assert f"missing: {missing}." in message
    assert "caption-contest" not in message


def test_a_long_header_is_cut_in_the_message(folder: Folder) -> None:
    message = folder.refuse(",".join(f"c{i}" + "x" * 100 for i in range(500)), line=1)
    assert "and 488 more" in message
    assert len(message) < 1200


def test_a_column_that_is_there_twice_is_refused(folder: Folder) -> None:
    message = folder.refuse("item,value,Item\na,1,b\n", line=1)
    assert "'item' is there 2 times" in message
    assert "Rename or delete" in message


@pytest.mark.parametrize("content", [b"", b"\n\r\n  \n", b"\xef\xbb\xbf", b'""\n', b"\xff\xfe"])
def test_an_empty_file_is_refused(folder: Folder, content: bytes) -> None:
    message = folder.refuse(content, line=None)
    assert "votes.csv is empty" in message
    assert "'item,value'" in message


@pytest.mark.parametrize("header", ["item,value", RANKED, "item,value\n\n\n"])
def test_a_header_without_rows_is_refused(folder: Folder, header: str) -> None:
    message = folder.refuse(header, line=None)
    assert "header and no rows" in message
    assert "export" in message


@pytest.mark.parametrize(("row", "found"), [("a", "1 field,"), ("a,1,2", "3 fields,")])
def test_a_row_of_another_width_is_refused(folder: Folder, row: str, found: str) -> None:
    message = folder.refuse(f"item,value\n\na,1\n{row}\n", line=4)
    assert f"The row has {found} the header has 2." in message
    assert "quotation marks" in message


def test_line_breaks_inside_quotes_do_not_shift_the_lines(folder: Folder) -> None:
    start = 'item,value\n"first\nitem",1\n"second\r\n\r\nitem",1\n\n'
    assert folder.read(start).items == ("first\nitem", "second\r\n\r\nitem")
    folder.refuse(f"{start}third,2\n", line=8)
    folder.refuse(f'{start}"third\nitem",2\n', line=8)
    folder.refuse(f"{start}third\n", line=8)


@pytest.mark.parametrize("row", ['"never closed,1\nb,1\n', '"he said "no"",1\nb,1\n'])
def test_quotation_marks_that_do_not_match_are_refused(folder: Folder, row: str) -> None:
    message = folder.refuse(f"item,value\na,1\n{row}", line=3)
    assert "quotation marks" in message
    assert 'write ""' in message


def test_an_unclosed_quote_before_a_long_rest_is_refused_where_it_opens(folder: Folder) -> None:
    message = folder.refuse('item,value\n"a,1\n' + "b,1\n" * 50_000, line=2)
    assert "quotation marks" in message


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separators_and_line_ends(folder: Folder, separator: str, end: str) -> None:
    rows = [("item", "value"), ("a", "1"), ("b", "0.5"), ("a", "0")]
    content = "".join(separator.join(row) + end for row in rows)
    table = folder.read(content)
    assert table.items == ("a", "b")
    assert table.totals.tolist() == [1.0, 0.5]
    folder.refuse(content + separator.join(("c", "7")) + end, line=5)


def test_a_comma_inside_a_quoted_name_does_not_hide_semicolons(folder: Folder) -> None:
    assert folder.read('item;value;"note, any"\na, b;1;\n').items == ("a, b",)


def test_characters_that_only_some_programs_take_for_line_ends_do_not_break_rows(
    folder: Folder,
) -> None:
    table = folder.read("item,value\na\x0b\x0c\x1c\x85\u2028b,1\n")
    assert table.items == ("a\x0b\x0c\x1c\x85\u2028b",)
    folder.refuse("item,value\na\x0b\x0c\x1c\x85\u2028b,1\nc,7\n", line=3)


# Files and encodings


def test_a_missing_file_a_folder_and_an_unreadable_path_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("item,value\na,1\n")
    for path, words in (
        (tmp_path / "none.csv", "There is no file"),
        (tmp_path, "is a folder; give the path of one CSV file"),
        (tmp_path / "file" / "inside.csv", "Not a directory"),
        (tmp_path / ("x" * 300), "File name too long"),
        (tmp_path / "a\0b", "null byte"),
    ):
        with pytest.raises(VoteFileError) as caught:
            read_votes(path)
        assert caught.value.line is None
        assert words in str(caught.value)
        assert path.name.replace("\0", "\\x00") in str(caught.value)


def test_a_file_that_may_not_be_read_is_refused(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    message = folder.refuse("item,value\na,1\n", line=None)
    assert "Permission denied" in message
    assert "allowed to read it" in message


def test_a_path_may_be_text(folder: Folder) -> None:
    folder.read("item,value\na,1\n")
    assert read_votes(str(folder.file)).items == ("a",)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_encodings_are_read_without_a_warning(folder: Folder, encoding: str) -> None:
    table = folder.read("item,value\ncafé “ü” 😀,1\n".encode(encoding))
    assert table.items == ("café “ü” 😀",)
    assert table.warnings == ()


def test_utf_16_of_either_byte_order_is_read(folder: Folder) -> None:
    text = "\ufeffitem\tvalue\r\né,1\r\n".replace(",", "\t")
    for encoding in ("utf-16-le", "utf-16-be"):
        assert folder.read(text.encode(encoding)).items == ("é",)


def test_lines_that_are_not_utf_8_are_read_as_windows_1252_and_reported(folder: Folder) -> None:
    utf, windows = "café “a”", "naïve “b”"
    lines = [b"item,value", f"{utf},1".encode(), f"{windows},1".encode("cp1252"), b"x,1"]
    table = folder.read(b"\n".join([*lines, "ö,1".encode("cp1252")]))
    assert table.items == (utf, windows, "x", "ö")
    assert "Windows-1252: 2 of 5 (the first is line 3)" in only_warning(table)


def test_a_summary_reports_its_encoding_too_and_after_a_mark(folder: Folder) -> None:
    data = b"\xef\xbb\xbf" + (UNRANKED + "café,3,0,1,0,0,1\n").encode("cp1252")
    table = folder.read(data)
    assert table.items == ("café",)
    assert "Windows-1252: 1 of 2 (the first is line 2)" in only_warning(table)


@pytest.mark.parametrize("byte", [0x81, 0x8D, 0x8F, 0x90, 0x9D])
def test_a_byte_of_no_encoding_is_refused_with_its_line(folder: Folder, byte: int) -> None:
    data = b"item,value\r\n\xe9,1\r\na" + bytes([byte]) + b",1\r\n"
    message = folder.refuse(data, line=3)
    assert f"0x{byte:02X} is neither UTF-8 nor Windows-1252" in message
    assert "UTF-8" in message


def test_utf_16_that_is_cut_off_is_refused(folder: Folder) -> None:
    data = "item,value\r\na,1\r\nb".encode("utf-16") + b"\x00"
    message = folder.refuse(data, line=3)
    assert "UTF-16" in message
    assert "Save it again" in message


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PK\x03\x04\x14\x00\x06", "looks like a spreadsheet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "looks like a spreadsheet"),
        (b"%PDF-1.7\n", "PDF"),
        (b"\x1f\x8b\x08\x00", "Unpack it"),
    ],
)
def test_a_file_of_another_kind_is_refused_by_its_name(
    folder: Folder, data: bytes, words: str
) -> None:
    message = folder.refuse(data, line=None)
    assert words in message
    assert "CSV" in message or "Unpack" in message


@pytest.mark.parametrize(
    ("data", "line", "code"),
    [
        (b"item,value\na,1\nb\0,1\n", 3, "0x00"),
        (b"item,value\r\n\ra,1\r\nb\0,1\n", 4, "0x00"),
        (b"\x02\x03binary\x04\n1,2\n", 1, "0x02"),
        (b"\n\n it\x7fem,value\na\x7f,1\n", 3, "0x7F"),
        ("item,value\na,1\n".encode("utf-16-le"), 1, "0x00"),
    ],
)
def test_binary_content_is_refused_with_its_line(
    folder: Folder, data: bytes, line: int, code: str
) -> None:
    message = folder.refuse(data, line=line)
    assert f"control character {code}" in message
    assert "save it as CSV" in message


# Round trips


captions = st.lists(
    st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=20)
    | st.text(st.sampled_from("a\"',;\t\r\n é"), max_size=8),
    min_size=1,
    max_size=12,
)


@settings(max_examples=150, deadline=None)
@given(captions=captions, separator=st.sampled_from(",;\t"), data=st.data())
def test_what_csv_writes_is_read_back_the_same(
    tmp_path_factory: pytest.TempPathFactory,
    captions: list[str],
    separator: str,
    data: st.DataObject,
) -> None:
    encoding = data.draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
    count = st.integers(0, 10**12)
    levels = [[data.draw(count) for _ in range(3)] for _ in captions]
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=separator)
    writer.writerow(["caption", "votes", "not_funny", "somewhat_funny", "funny"])
    total = [min(sum(row), 10**12) for row in levels]
    writer.writerows([c, t, *row] for c, t, row in zip(captions, total, levels, strict=True))
    file = tmp_path_factory.getbasetemp() / "round-trip.csv"
    file.write_bytes(out.getvalue().encode(encoding))
    table = read_votes(file)
    assert table.items == tuple(captions)
    assert table.levels is not None
    assert table.levels.tolist() == levels


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(STARS.values)), min_size=1))
def test_plain_votes_agree_with_counting_by_hand(
    tmp_path_factory: pytest.TempPathFactory, votes: list[tuple[str, float]]
) -> None:
    file = tmp_path_factory.getbasetemp() / "plain.csv"
    file.write_text("item,value\n" + "".join(f"{item},{value}\n" for item, value in votes))
    table = read_votes(file, scale=STARS)
    counted = Counter(votes)
    assert set(table.items) == {item for item, _ in votes}
    assert table.levels is not None
    for row, item in enumerate(table.items):
        expected = [counted[item, value] for value in STARS.values]
        assert table.levels[row].tolist() == expected
        assert table.votes[row] == sum(expected)
    assert table.totals == pytest.approx(read_votes(file).totals)


# The public caption contests, and speed


def dict_rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def warned(table: VoteTable, words: str) -> str:
    return next((warning for warning in table.warnings if words in warning), "")


# Rows where the public file's own mean is not that of its own counts, to 1e-9.
# Found on the files as they were on 2026-11-16; they are in no other file.
MEANS_THAT_DISAGREE = {"686": 224, "729": 20, "776": 65}


@needs_contests
@pytest.mark.parametrize("file", CONTEST_FILES, ids=lambda file: file.stem)
def test_every_contest_is_read_row_for_row_and_its_means_agree(file: Path) -> None:
    table, rows = read_votes(file), dict_rows(file)
    assert table.items == tuple(row["caption"] for row in rows)
    published = np.array([(float(row["mean"]) - 1) / 2 for row in rows])
    disagree = int((np.abs(table.means - published) > 1e-9).sum())
    assert disagree == MEANS_THAT_DISAGREE.get(file.stem, 0)
    assert bool(disagree) == bool(warned(table, "'mean' does not follow"))


@needs_contests
@pytest.mark.parametrize(
    ("stem", "words"),
    [
        ("558_LilUCB", "more than once: 51, on 102 rows"),
        ("553_LilUCB", "more than once: 244, on 488 rows"),
        ("653_lil-KLUCB", "Empty captions, each kept as an item: 1 (line 4854)"),
        ("686", "'votes' is not the sum of their levels (used: the sum): 73 (lines 72,"),
        ("776", "'votes' is not the sum of their levels (used: the sum): 1 (line 106)"),
    ],
)
def test_what_a_person_should_know_of_a_contest_is_reported(stem: str, words: str) -> None:
    assert warned(read_votes(CONTESTS / f"{stem}.csv"), words)


@needs_contests
@pytest.mark.parametrize("stem", ["512_LilUCB", "512_RoundRobin", "831"])
def test_a_contest_without_oddities_has_no_warnings(stem: str) -> None:
    assert read_votes(CONTESTS / f"{stem}.csv").warnings == ()


def test_large_files_are_read_in_seconds(folder: Folder) -> None:
    """100,000 rows of each form; measured: 0.7 and 0.1 seconds of CPU time."""
    rows = [f'"caption {i}, or so",,0.02,{i + 3},{i},1,2\n' for i in range(100_000)]
    contents = UNRANKED + "".join(rows), "item,value\n" + "a,1\nb,0.5\n" * 50_000
    for content, seconds in zip(contents, (3.0, 1.0), strict=True):
        began = time.process_time()
        folder.read(content)
        assert time.process_time() - began < seconds


def test_votes_of_several_files_are_added(tmp_path: Path) -> None:
    """By row where the rows are the same, else by name; a file may lack an item."""
    header = "caption,votes,not_funny,somewhat_funny,funny\n"
    (tmp_path / "a.csv").write_text(f"{header}x,6,1,2,3\nx,1,1,0,0\n")
    (tmp_path / "b.csv").write_text(f"{header}x,1,0,0,1\nx,2,0,2,0\n")
    both = added([read_votes(tmp_path / name) for name in ("a.csv", "b.csv")])
    assert both.levels is not None
    assert both.levels.tolist() == [[1, 2, 4], [1, 2, 0]]
    assert (both.votes.tolist(), both.totals.tolist()) == ([7, 3], [5.0, 1.0])
    (tmp_path / "c.csv").write_text("item,value\nx,1\ny,0.25\n")
    (tmp_path / "d.csv").write_text("item,value\ny,0.5\nz,0\n")
    both = added([read_votes(tmp_path / name) for name in ("c.csv", "d.csv")])
    assert both.items == ("x", "y", "z")
    assert (both.votes.tolist(), both.totals.tolist()) == ([1, 2, 1], [1.0, 0.75, 0.0])


def test_votes_that_cannot_be_added_are_refused(tmp_path: Path) -> None:
    header = "caption,votes,not_funny,somewhat_funny,funny\n"
    (tmp_path / "a.csv").write_text(f"{header}x,6,1,2,3\nx,1,1,0,0\n")
    (tmp_path / "b.csv").write_text(f"{header}x,1,0,0,1\ny,2,0,2,0\n")
    (tmp_path / "c.csv").write_text("item,value\nx,1\ny,0.25\n")
    first, other, plain = (read_votes(tmp_path / f"{name}.csv") for name in "abc")
    with pytest.raises(VoteFileError, match="share a name"):
        added([first, other])
    with pytest.raises(VoteFileError, match="different scales"):
        added([other, plain])
