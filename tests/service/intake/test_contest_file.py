"""Contest files: what is read, what is noted, and every mistake with its line."""

import contextlib
import hashlib
import json
import unicodedata
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaudit.race.algorithms import ALGORITHMS
from plaudit.scale import FUNNY, STARS, THUMBS
from plaudit.service.contest.rules import LONGEST_LINE, LONGEST_TEXT
from plaudit.service.contest.settings import NAME, ContestSettings, Lane
from plaudit.service.intake.contest_file import (
    KEYS,
    ContestDraft,
    ContestFileError,
    name_from_title,
    read_contest,
    read_contest_file,
    read_items,
)
from plaudit.service.intake.mistakes import MOST_KEPT, MOST_SHOWN
from plaudit.store.contract import Item

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>'
SVG_HASH = hashlib.sha256(SVG).hexdigest()
SHORT = "title: T\nitems: [a, b, c]\n"
WHOLE = """\
name: office-elephant
title: What is the elephant saying?
context: {text: An office., image: drawing.svg, alt: An elephant at a desk}
items: captions.txt
scale: {Meh: 0, Fine: 0.5, Great: 1}
delta: 1e-3
epsilon: 0.05
top: 2
algorithms: {lil-klucb: 0.7, lucb++: 0.3}
uniform: 0.1
consent: |
  I am over 18.
  I agree.
instructions: Choose freely.
votes_per_visit: 50
thanks: Thank you
completion_code: auto
return_url: https://app.example.org/complete?cc=C1&x=y
opens: 2026-12-01T09:00:00+01:00
closes: 2026-12-08T08:00:00Z
skip: no
flag: off
results: private
listed: false
embed: [https://example.org, "http://localhost:8000/"]
seed: 7
"""


class Folder:
    """Writes a contest file and reads it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, name: str, content: str | bytes) -> None:
        data = content.encode() if isinstance(content, str) else content
        (self.path / name).write_bytes(data)

    def read(self, content: str | bytes) -> ContestDraft:
        self.put("contest.yaml", content)
        return read_contest_file(self.path / "contest.yaml")

    def items(self, content: str | bytes, *, file: str = "captions.txt") -> list[Item]:
        self.put(file, content)
        return self.read(f"title: T\nitems: {file}\n").items

    def mistakes(self, content: str | bytes) -> list[tuple[int | None, str]]:
        with pytest.raises(ContestFileError) as caught:
            self.read(content)
        found = caught.value.mistakes
        assert len(str(caught.value).splitlines()) >= min(len(found), MOST_SHOWN)
        return [(mistake.line, mistake.message) for mistake in found]

    def mistake(self, content: str | bytes) -> tuple[int | None, str]:
        found = self.mistakes(content)
        assert len(found) == 1, found
        return found[0]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


# What is read


def test_every_key_of_a_file_is_read(folder: Folder) -> None:
    folder.put("drawing.svg", SVG)
    folder.put("captions.txt", "One\nTwo\nThree\n")
    draft = folder.read(WHOLE)
    settings = draft.settings
    assert draft.name == "office-elephant"
    assert draft.items == [Item(0, "One"), Item(1, "Two"), Item(2, "Three")]
    assert draft.pictures[SVG_HASH].media_type == "image/svg+xml"
    assert draft.pictures[SVG_HASH].body == SVG
    assert draft.notes == []
    assert settings.title == "What is the elephant saying?"
    assert msgspec.structs.astuple(settings.context) == (
        "An office.",
        SVG_HASH,
        "An elephant at a desk",
    )
    assert [(level.label, level.value) for level in settings.scale] == [
        ("Meh", 0.0),
        ("Fine", 0.5),
        ("Great", 1.0),
    ]
    assert settings.lanes == (Lane("lil-klucb", 0.7), Lane("lucb++", 0.3))
    assert (settings.delta, settings.epsilon, settings.top, settings.seed) == (0.001, 0.05, 2, 7)
    assert settings.uniform == 0.1
    assert settings.consent == "I am over 18.\nI agree."
    assert settings.instructions == "Choose freely."
    assert settings.votes_per_visit == 50
    assert (settings.thanks, settings.completion_code) == ("Thank you", "auto")
    assert settings.return_url == "https://app.example.org/complete?cc=C1&x=y"
    assert (settings.opens, settings.closes) == (1796112000000, 1796716800000)
    flags = settings.skip, settings.flag, settings.public_results, settings.listed
    assert flags == (False, False, False, False)
    assert settings.embed == ("https://example.org", "http://localhost:8000")
    assert ContestSettings.from_json(settings.to_json()) == settings


def test_a_title_and_items_are_enough(folder: Folder) -> None:
    draft = folder.read(SHORT)
    assert draft.name == "t"
    assert draft.settings.race_scale == FUNNY
    assert draft.settings == ContestSettings(
        title="T",
        scale=draft.settings.scale,
        lanes=(Lane("plaudit"),),
        tolerance=3.0,
        work="automatic",
        public_results="end",
    )


def test_the_keys_are_those_of_the_settings() -> None:
    theirs = set(ContestSettings.__struct_fields__) - {"lanes", "public_results"}
    assert set(KEYS) == theirs | {
        "name",
        "items",
        "duplicates",
        "algorithm",
        "algorithms",
        "results",
    }
    # What a file may hold, the settings take: the lengths are theirs.
    line, text = LONGEST_LINE * "a", LONGEST_TEXT * "a"
    levels = tuple(read_contest({"title": "T", "items": ["a", "b"]}).settings.scale)
    longest = ContestSettings(title=line, scale=levels, lanes=(Lane("lucb"),), consent=text)
    assert ContestSettings.from_json(longest.to_json()) == longest
    for longer in ({"title": line + "a"}, {"consent": text + "a"}):
        settings = msgspec.structs.replace(longest, **longer)
        with pytest.raises(msgspec.ValidationError):
            ContestSettings.from_json(settings.to_json())


@pytest.mark.parametrize(
    ("name", "scale"), [("funny", FUNNY), ("thumbs", THUMBS), ("stars", STARS)]
)
def test_scales_by_name(folder: Folder, name: str, scale: object) -> None:
    assert folder.read(SHORT + f"scale: {name}\n").settings.race_scale == scale


@pytest.mark.parametrize("name", ALGORITHMS)
def test_algorithms_by_name(folder: Folder, name: str) -> None:
    assert folder.read(SHORT + f"algorithm: {name}\n").settings.lanes == (Lane(name),)


def test_words_that_yaml_takes_for_something_else_stay_words(folder: Folder) -> None:
    words = ["No", "yes", "null", "~", "1984", "2026-12-01", "1e-3", "0x1F", "1:30", "on", ".inf"]
    draft = folder.read("title: 1984\nitems:\n" + "".join(f"  - {word}\n" for word in words))
    assert draft.settings.title == "1984"
    assert [item.text for item in draft.items] == words
    scale = folder.read(SHORT + "scale: {No: 0, Yes: 1}\n").settings.race_scale
    assert scale.labels == ("No", "Yes")


def test_texts_are_composed_and_without_outer_spaces(folder: Folder) -> None:
    folder.put(
        "captions.txt", "\ufeff  cafe\u0301 \r\n\r\n \t\r\nשלום\r👨‍👩‍👧 \u202bنص\n\u2028 x\n"
    )
    texts = [item.text for item in folder.read("title: T\nitems: captions.txt\n").items]
    assert texts == ["café", "שלום", "👨‍👩‍👧 \u202bنص", "x"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_item_files_of_any_program_are_read(folder: Folder, encoding: str, end: str) -> None:
    body = end.join(["Ä", "", "🐘", "b"]).encode(encoding)
    assert folder.items(body) == [Item(0, "Ä"), Item(1, "🐘"), Item(2, "b")]
    rows = end.join(["text;n", "Ä;1", '"b; c";2']).encode(encoding)
    assert folder.items(rows, file="c.csv") == [Item(0, "Ä"), Item(1, "b; c")]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_contest_file_may_have_a_byte_order_mark(folder: Folder, end: str) -> None:
    text = "\ufeff" + SHORT.replace("\n", end) + f"consent: |{end}  a{end}  b{end}"
    assert folder.read(text).settings.consent == "a\nb"


@pytest.mark.parametrize("column", ["text", "caption", "item", "Text", " CAPTION "])
def test_the_column_of_a_csv_file_is_found(folder: Folder, column: str) -> None:
    items = folder.items(f'id,{column}\n1,"a, ""b"""\n2,"two\nlines"\n', file="c.csv")
    assert [item.text for item in items] == ['a, "b"', "two\nlines"]


def test_columns_may_be_named(folder: Folder) -> None:
    folder.put("a.svg", SVG)
    folder.put("c.csv", "Submission,Drawing,text\nx,a.svg,no\ny,,no\n,a.svg,no\n")
    draft = folder.read("title: T\nitems: {file: c.csv, text: submission, image: Drawing}\n")
    assert draft.items == [Item(0, "x", SVG_HASH), Item(1, "y"), Item(2, "", SVG_HASH)]
    assert list(draft.pictures) == [SVG_HASH]


def test_items_in_a_list_may_have_pictures(folder: Folder) -> None:
    folder.put("a.svg", SVG)
    draft = folder.read("title: T\nitems:\n- x\n- {text: y, image: a.svg}\n- {image: ./a.svg}\n")
    assert draft.items == [Item(0, "x"), Item(1, "y", SVG_HASH), Item(2, "", SVG_HASH)]


def test_items_of_a_list_may_be_several_lines(folder: Folder) -> None:
    draft = folder.read("title: T\nitems:\n- |\n  - Hello.\n  - Hi.\n- >\n  one\n  line\n")
    assert [item.text for item in draft.items] == ["- Hello.\n- Hi.", "one line"]


# Duplicates


def test_items_that_repeat_others_are_left_out_and_noted(folder: Folder) -> None:
    folder.put("captions.txt", "Same  caption\nother\n\nsame caption \nSTRASSE\nStraße\n")
    draft = folder.read("title: T\nitems: captions.txt\n")
    assert draft.items == [Item(0, "Same  caption"), Item(1, "other"), Item(2, "STRASSE")]
    assert draft.notes == [
        "captions.txt: Line 4 repeats line 1: 'same caption'. It is left out.",
        "captions.txt: Line 6 repeats line 5: 'Straße'. It is left out.",
    ]


def test_repeated_items_may_be_kept_or_refused(folder: Folder) -> None:
    text = "title: T\nitems: [a, b, A]\nduplicates: "
    kept = folder.read(text + "keep\n")
    assert [item.text for item in kept.items] == ["a", "b", "A"]
    assert kept.notes == ["Line 2 repeats line 2: 'A'. It is kept."]
    assert folder.mistake(text + "error\n") == (
        2,
        "Line 2 repeats line 2: 'A'. Delete one of them.",
    )
    assert folder.mistake(text + "merge\n")[0] == 3


def test_equal_texts_with_other_pictures_are_no_duplicates(folder: Folder) -> None:
    folder.put("a.svg", SVG)
    folder.put("b.svg", SVG + b"\n")
    draft = folder.read(
        "title: T\nitems: [{text: x, image: a.svg}, {text: x, image: b.svg}, "
        "{image: a.svg}, {image: a.svg}]\n"
    )
    assert len(draft.items) == 3
    assert len(draft.notes) == 1


# Mistakes, each on its line


def test_all_mistakes_are_told_at_once_in_the_order_of_their_lines(folder: Folder) -> None:
    folder.put("captions.csv", "text\nok\n" + "x" * 2001 + "\na\x01b\n")
    lines = [
        "titel: x",  # 1: and the title is missing
        "items: captions.csv",
        "delta: 0",
        "epsilon: 1",
        "top: 1.5",
        "seed: -1",
        "scale: funy",
        "algorithm: lilucb",
        "uniform: 1",
        "opens: 2026-12-01T09:00:00",
        "closes: tomorrow",
        "skip: 3",
        "results: open",
        "votes_per_visit: 0",
        "return_url: javascript:alert(1)",
        "embed: [http://example.org]",
        "name: Office Elephant",
        "duplicates: often",
        "context: {text: a, img: b}",
    ]
    with pytest.raises(ContestFileError) as caught:
        folder.read("\n".join(lines))
    own = [m.line for m in caught.value.mistakes if m.file == "contest.yaml"]
    assert own == [1, 1, *range(3, 20)]
    theirs = [m.line for m in caught.value.mistakes if m.file == "captions.csv"]
    assert theirs == [3, 4]
    told = str(caught.value).splitlines()
    assert told[0].startswith("contest.yaml, line 1: There is no key named 'titel'.")
    assert len(told) == MOST_SHOWN + 1
    assert told[-1] == f"… and {len(own) + len(theirs) - MOST_SHOWN} more like these."


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("titel: x", ("'titel'", "Did you mean 'title'?")),
        ("Scale: funny", ("'Scale'", "Did you mean 'scale'?")),
        ("<<: {top: 2}", ("'<<'",)),
        ("title: U", ("title is there already (line 1)",)),
        ("delta: 0", ("delta must be a probability", "got 0")),
        ("delta: 1.0", ("delta",)),
        ("delta: nan", ("delta must be a number", "'nan'")),
        ("delta: 0,01", ("delta must be a number", "a point before its decimals")),
        ('delta: "0.01"', ("delta must be a number", "no quotation marks")),
        ("delta: [0.1]", ("delta must be a number", "a list")),
        ("delta: 9" + "9" * 400, ("delta",)),
        ("epsilon: -0.1", ("epsilon must lie in [0, 1)",)),
        ("top: 0", ("top must be a whole number",)),
        ("top: 3", ("top must be less than the number of items (3)",)),
        ("top: 2.0", ("top must be a whole number",)),
        ("seed: 1.5", ("seed",)),
        ("seed: 99999999999999999999", ("seed",)),
        ("scale: stairs", ("'stairs'", "Did you mean 'stars'?")),
        ("scale: [a, b]", ("scale must be",)),
        ("scale: {a: 0, b: 2}", ("'b' is 2.0", "[0, 1]")),
        ("scale: {a: 0, b: x}", ("'b' has no number",)),
        ("scale: {a: 0}", ("2 to 64",)),
        ("scale: {a: 0, A: 1}", ("the same",)),
        ("scale: {a: 1, b: 1}", ("same value",)),
        ("scale: {" + "a" * 301 + ": 0, b: 1}", ("301 characters",)),
        ("algorithm: lil_klucb", ("Did you mean 'lil-klucb'?",)),
        ("algorithms: {lil-klucb: 0}", ("share of lil-klucb", "above 0")),
        ("algorithms: {lil-klucb: -1}", ("above 0",)),
        ("algorithms: {lil-klucb: half}", ("above 0",)),
        ("algorithms: {klucb: 1}", ("'klucb'",)),
        ("algorithms: {}", ("algorithms must be names with shares",)),
        ("algorithms: [lucb, lucb]", ("names that differ",)),
        ("uniform: 1", ("uniform must be a share",)),
        ("uniform: -0.1", ("uniform must be a share",)),
        ("votes_per_visit: 0", ("votes_per_visit", "at least 1")),
        ("votes_per_visit: 2.5", ("votes_per_visit",)),
        ("opens: 2026-12-01T09:00:00", ("opens must be a time with its zone",)),
        ("opens: 2026-12-01", ("with its zone",)),
        ("opens: 2026-13-01T09:00:00Z", ("with its zone",)),
        ("closes: soon", ("closes must be a time",)),
        ("skip: maybe", ("skip must be true or false",)),
        ("flag: [true]", ("flag must be true or false",)),
        ("results: hidden", ("results must be end or after-visit or always or never",)),
        ("name: Foo", ("'Foo' cannot be a contest's name",)),
        ("name: -a", ("cannot be",)),
        ("name: ../x", ("cannot be",)),
        ("consent: [a]", ("consent must be a text", "a list")),
        ("consent: " + "a" * 20001, ("20,001 characters",)),
        ("thanks: " + "a" * 20001, ("20,001 characters",)),
        ('instructions: "a\\0b"', ("U+0000",)),
        ('instructions: "a\\x1bb"', ("U+001B",)),
        ("completion_code: " + "a" * 301, ("301 characters",)),
        ("context: [a]", ("context must be a text",)),
        ("context: {text: [a]}", ("text must be a text",)),
        ("context: {image: none.svg}", ("There is no picture none.svg",)),
        ("context: {image: contest.yaml}", ("contest.yaml: The file is not a picture",)),
        ("context: {image: .}", ("Cannot read the picture",)),
        ("return_url: example.org", ("return_url must be a link",)),
        ("return_url: javascript:alert(1)", ("return_url must be a link",)),
        ("return_url: //example.org", ("return_url",)),
        ("return_url: 'https://'", ("return_url",)),
        ("return_url: 'https://[x'", ("return_url",)),
        ("return_url: 'https://a b'", ("return_url",)),
        ("embed: [http://example.org]", ("embed", "https://example.org")),
        ("embed: [https://example.org/page]", ("without a path",)),
        ("embed: ['https://*.example.org']", ("embed",)),
        ("embed: ['https://example.org; script-src *']", ("embed",)),
        ("embed: ['*']", ("embed",)),
        ("embed: ['https://user@example.org']", ("embed",)),
        ("embed: {a: b}", ("embed must be a list",)),
    ],
)
def test_a_mistake_is_told_with_its_line(folder: Folder, line: str, words: tuple[str, ...]) -> None:
    number, message = folder.mistake(SHORT + line + "\n")
    assert number == 3
    for word in words:
        assert word in message, message


def test_algorithm_and_algorithms_exclude_each_other(folder: Folder) -> None:
    found = folder.mistake(SHORT + "algorithm: lucb\nalgorithms: {lucb: 1}\n")
    assert found == (4, "Give algorithm or algorithms, not both of them.")


def test_an_algorithm_that_cannot_do_what_is_asked_is_refused(folder: Folder) -> None:
    line, message = folder.mistake(SHORT + "top: 2\nalgorithms: {lucb: 1, lil-ucb: 1}\n")
    assert line == 4
    assert "lil-ucb" in message
    assert "top=1" in message


def test_a_contest_that_closes_before_it_opens_is_refused(folder: Folder) -> None:
    times = "opens: 2026-12-01T09:00:00+01:00\ncloses: 2026-12-01T08:00:00Z\n"
    line, message = folder.mistake(SHORT + times)
    assert line == 4
    assert "later than opens" in message
    assert folder.read(SHORT + times.replace("T08:00:00Z", "T08:00:01Z"))


@pytest.mark.parametrize(
    ("text", "mistakes"),
    [
        ("items: [a, b]\n", [(1, "title is missing")]),
        ("title:\nitems: [a, b]\n", [(1, "title is missing")]),
        ("title: T\n", [(1, "items is missing")]),
        ("title: T\nitems:\n", [(2, "items is missing")]),
        ("title: T\nitems: []\n", [(2, "at least 2 items; got 0")]),
        ("title: T\nitems: [a]\n", [(2, "at least 2 items; got 1")]),
        ("title: T\nitems: [a, A]\n", [(2, "at least 2 items; got 1")]),
        ("title: T\nitems: [a, [b], c]\n", [(2, "An item is a text")]),
        ('title: T\nitems:\n- a\n- ""\n- "  "\n', [(4, "empty"), (5, "empty")]),
        ("title: T\nitems:\n- a\n-\n- b\n", [(4, "empty")]),
        ("title: T\nitems: {text: a}\n", [(2, "items needs a file")]),
        ("title: T\nitems: none.txt\n", [(2, "There is no file none.txt")]),
        ("title: T\nitems: .\n", [(2, "There is no file")]),
        ("", [(None, "A contest needs keys")]),
        ("# nothing\n", [(None, "A contest needs keys")]),
        ("- a\n- b\n", [(None, "A contest needs keys")]),
        ("just words", [(None, "A contest needs keys")]),
    ],
)
def test_what_is_missing_is_told(
    folder: Folder, text: str, mistakes: list[tuple[int | None, str]]
) -> None:
    found = folder.mistakes(text)
    assert [line for line, _ in found] == [line for line, _ in mistakes]
    for (_, told), (_, words) in zip(found, mistakes, strict=True):
        assert words in told


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("title: Elephant: the sequel\nitems: [a, b]\n", 1, "between quotation marks"),
        ('title: T\nitems: [a, "b]\n', 2, "not YAML"),
        ("title: T\n\titems: x\n", 2, "not YAML"),
        ("title: T\nitems: *all\n", 2, "alias"),
        ("title: T\nitems: [&a x, *a]\n", 2, "alias"),
        ("title: !!python/object/apply:os.system [ls]\n", 1, "tag"),
        ("title: !include /etc/passwd\n", 1, "tag"),
        ("title: T\nitems: !!binary aGk=\n", 2, "tag"),
        ("title: T\n? [a, b]\n: c\n", 2, "A key must be a word"),
        ("title: T\n---\ntitle: U\n", 3, "second document"),
        ("title: T\nitems: " + "[" * 5000 + "\n", 2, "nested"),
        ("title: T\nitems: " + "{a: " * 5000 + "\n", 2, "nested"),
    ],
)
def test_yaml_that_is_wrong_or_unsafe_is_refused(
    folder: Folder, text: str, line: int, words: str
) -> None:
    found = folder.mistake(text)
    assert found[0] == line
    assert words in found[1]


def test_a_file_that_grows_when_read_is_refused_at_once(folder: Folder) -> None:
    bomb = "a: &a [x,x]\n" + "".join(
        f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n"
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert folder.mistake(bomb)[0] == 2


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"title: T\nitems: [caf\xe9, b]\n", 2),
        (b"title: T\r\n\r\nitems: [a, b]\r\nconsent: \x1b[0m\r\n", 4),
        (b"title: T\0\n", 1),
        ("title: T\n".encode("utf-16"), 1),
    ],
)
def test_a_contest_file_that_is_not_text_is_refused(
    folder: Folder, content: bytes, line: int
) -> None:
    assert folder.mistake(content)[0] == line


def test_a_contest_file_that_is_not_there_is_told(folder: Folder) -> None:
    with pytest.raises(ContestFileError, match="There is no file"):
        read_contest_file(folder.path / "none.yaml")
    with pytest.raises(ContestFileError, match="Cannot read the file"):
        read_contest_file(folder.path)


@pytest.mark.parametrize(
    ("file", "content", "line", "words"),
    [
        ("a.txt", b"", None, "a.txt is empty"),
        ("a.txt", b"\xef\xbb\xbf \r\n\n", None, "a.txt is empty"),
        ("a.txt", b"a\nb\r\ncaf\xe9\n", 3, "not UTF-8"),
        ("a.txt", b"a\nb\0\n", 2, "0x00"),
        ("a.txt", b"a\nb\n\x1b[0m\n", 3, "U+001B"),
        ("a.txt", b"a\nb\n\xc2\x85c\xc2\x9f\n", 3, "U+009F"),
        ("a.txt", b"a\n" + b"x" * 2001, 2, "2,001 characters; at most 2,000"),
        ("a.txt", b"PK\x03\x04...", None, "spreadsheet"),
        ("a.csv", b"", None, "a.csv is empty"),
        ("a.csv", b"text\n", None, "no items below"),
        ("a.csv", b"text\nok\ncaf\xe9\n", 3, "not UTF-8"),
        ("a.csv", b"id,label\n1,a\n", 1, "found 'id', 'label'"),
        ("a.csv", b"text,n\na,1\nb, c,2\n", 3, "3 fields"),
        ("a.csv", b'text,n\na,1\n"b,2\n', 3, "quotation marks"),
        ("a.csv", b"text,n\na,1\n,2\nb,3\n", 3, "empty"),
        ("a.csv", b"text,text\na,b\n", 1, "there 2 times"),
        ("a.csv", b"text,image\na,\nb,none.png\n", 3, "There is no picture none.png"),
        ("a.csv", b"text,image\na,\nb,a.csv\n", 3, "not a picture"),
    ],
)
def test_a_mistake_in_an_item_file_is_told_with_its_line_there(
    folder: Folder, file: str, content: bytes, line: int | None, words: str
) -> None:
    folder.put(file, content)
    with pytest.raises(ContestFileError) as caught:
        folder.read(f"title: T\nitems: {file}\n")
    (mistake,) = caught.value.mistakes
    assert (mistake.file, mistake.line) == (file, line)
    assert words in mistake.message
    assert str(mistake).startswith(f"{file}, line {line}: " if line else f"{file}: ")


def test_columns_that_are_not_there_are_told(folder: Folder) -> None:
    folder.put("a.csv", "text,image\na,\nb,\n")
    folder.put("a.txt", "a\nb\n")
    assert (
        "no column 'caption'"
        in folder.mistake("title: T\nitems: {file: a.csv, text: caption}\n")[1]
    )
    assert "no column 'x'" in folder.mistake("title: T\nitems: {file: a.csv, image: x}\n")[1]
    assert "has no columns" in folder.mistake("title: T\nitems: {file: a.txt, text: x}\n")[1]


def test_an_item_of_2000_characters_is_taken(folder: Folder) -> None:
    longest = "🐘" * 2000
    assert folder.items(f"a\n{longest}\n")[1].text == longest


def test_a_picture_used_twice_is_told_once_and_read_once(folder: Folder) -> None:
    folder.put("big.png", bytes(5_000_001))
    line, message = folder.mistake(
        "title: T\nitems:\n- {text: a, image: big.png}\n- {text: b, image: big.png}\n"
    )
    assert line == 3
    assert "5,000,001 bytes" in message


def test_a_picture_without_alt_text_is_noted(folder: Folder) -> None:
    folder.put("a.svg", SVG)
    assert "alt text" in folder.read(SHORT + "context: {image: a.svg}\n").notes[0]


def test_a_flood_of_mistakes_is_kept_short(folder: Folder) -> None:
    folder.put("a.csv", "text\n" + "\x01x\n" * (MOST_KEPT + 50))
    with pytest.raises(ContestFileError) as caught:
        folder.read("title: T\nitems: a.csv\n")
    assert len(caught.value.mistakes) == MOST_KEPT
    assert len(str(caught.value).splitlines()) == MOST_SHOWN + 1


def test_files_that_are_too_large_are_not_read(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.put("a.txt", "a\nb\n" * 100)
    monkeypatch.setattr("plaudit.service.intake.item_file.MAX_FILE_BYTES", 100)
    monkeypatch.setattr("plaudit.service.intake.contest_file.MAX_FILE_BYTES", 100)
    assert "400 bytes" in folder.mistake("title: T\nitems: a.txt\n")[1]
    assert "at most 100" in folder.mistake("title: " + "T" * 200)[1]


# Items that join later


def test_items_alone_are_read_from_a_file(folder: Folder) -> None:
    folder.put("a.svg", SVG)
    folder.put("more.csv", "caption,image\nx,a.svg\ny,\nX,a.svg\n")
    items, pictures, notes = read_items(folder.path / "more.csv")
    assert items == [Item(0, "x", SVG_HASH), Item(1, "y")]
    assert list(pictures) == [SVG_HASH]
    assert notes == ["more.csv: Line 4 repeats line 2: 'X'. It is left out."]
    folder.put("more.txt", "only one\n")
    assert read_items(folder.path / "more.txt") == ([Item(0, "only one")], {}, [])


def test_mistakes_in_items_that_join_are_told(folder: Folder) -> None:
    folder.put("more.csv", "caption\n\x01\n\x02\n")
    with pytest.raises(ContestFileError) as caught:
        read_items(folder.path / "more.csv")
    assert [(m.file, m.line) for m in caught.value.mistakes] == [("more.csv", 2), ("more.csv", 3)]
    with pytest.raises(ContestFileError, match="There is no file"):
        read_items(folder.path / "none.txt")


# The same as JSON


def test_json_gives_the_same_contest(folder: Folder) -> None:
    folder.put("drawing.svg", SVG)
    folder.put("captions.txt", "One\nTwo\nThree\n")
    from_file = folder.read(WHOLE)
    data = {
        "name": "office-elephant",
        "title": "What is the elephant saying?",
        "context": {"text": "An office.", "image": SVG_HASH, "alt": "An elephant at a desk"},
        "items": ["One", {"text": "Two"}, "Three"],
        "scale": {"Meh": 0, "Fine": 0.5, "Great": 1},
        "delta": 0.001,
        "epsilon": 0.05,
        "top": 2,
        "algorithms": {"lil-klucb": 0.7, "lucb++": 0.3},
        "uniform": 0.1,
        "consent": "I am over 18.\nI agree.\n",
        "instructions": "Choose freely.",
        "votes_per_visit": 50,
        "thanks": "Thank you",
        "completion_code": "auto",
        "return_url": "https://app.example.org/complete?cc=C1&x=y",
        "opens": "2026-12-01T09:00:00+01:00",
        "closes": "2026-12-08T08:00:00Z",
        "skip": False,
        "flag": False,
        "results": "private",
        "listed": False,
        "embed": ["https://example.org", "http://localhost:8000"],
        "seed": 7,
    }
    draft = read_contest(json.loads(json.dumps(data)), is_there={SVG_HASH}.__contains__)
    assert draft.settings == from_file.settings
    assert (draft.name, draft.items) == (from_file.name, from_file.items)
    assert draft.pictures == {}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"items": "captions.txt"}, "no file can be read here"),
        ({"items": {"file": "/etc/passwd"}}, "no file can be read here"),
        ({"items": ["a", {"text": "b", "image": "../secret.png"}]}, "There is no picture"),
        ({"items": ["a", {"text": "b", "image": "0" * 64}]}, "There is no picture"),
        ({"context": {"image": "/etc/passwd"}}, "There is no picture"),
        ({"items": ["a", 5]}, "An item is a text"),
        ({"items": ["a", "a\0b"]}, "U+0000"),
        ({"items": ["a", "a\ud800b"]}, "U+D800"),
        ({"items": ["a", None]}, "empty"),
        ({"title": 5}, "title must be a text; got 5"),
        ({"title": True}, "title must be a text; got true"),
        ({"title": "a\ud800"}, "U+D800"),
        ({"skip": "true"}, "skip must be true or false"),
        ({"skip": 1}, "skip must be true or false"),
        ({"delta": "0.01"}, "delta must be a number"),
        ({"delta": float("nan")}, "delta must be a number"),
        ({"delta": True}, "delta must be a number"),
        ({"context": {"text": {"a": [[[[[[[[[["x"]]]]]]]]]]}}}, "text must be a text"),
        ({"unknown": 1}, "'unknown'"),
    ],
)
def test_json_is_checked_and_no_file_is_read(change: dict[str, Any], words: str) -> None:
    data = {"title": "T", "items": ["a", "b", "c"], **change}
    with pytest.raises(ContestFileError) as caught:
        read_contest(data)
    (mistake,) = caught.value.mistakes
    assert (mistake.line, mistake.file) == (None, "")
    assert words in str(caught.value)


def test_repeated_items_of_json_are_counted() -> None:
    draft = read_contest({"title": "T", "items": ["a", "b", "a"]})
    assert draft.notes == ["Item 3 repeats item 1: 'a'. It is left out."]


JSON_LEAF = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
JSON = st.recursive(
    JSON_LEAF,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(data=JSON | st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6))
def test_any_json_is_a_contest_or_mistakes(data: Any) -> None:
    with contextlib.suppress(ContestFileError):
        draft = read_contest(data)
        assert ContestSettings.from_json(draft.settings.to_json()) == draft.settings


@given(
    text=st.text(max_size=60)
    | st.sampled_from(KEYS).flatmap(
        lambda key: st.text(max_size=30).map(lambda text: f"{SHORT}{key}: {text}\n")
    )
)
def test_any_text_is_a_contest_or_mistakes(tmp_path_factory: Any, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with contextlib.suppress(ContestFileError):
        draft = read_contest_file(path)
        assert ContestSettings.from_json(draft.settings.to_json()) == draft.settings


# Names


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("What is the elephant saying?", "what-is-the-elephant-saying"),
        ("  Crème brûlée & Ähnliches ", "creme-brulee-ahnliches"),
        ("a" * 80, "a" * 64),
        ("a" * 63 + " b", "a" * 63),
        ("№ 5", "no-5"),
    ],
)
def test_a_name_is_made_of_the_title(title: str, name: str) -> None:
    assert name_from_title(title) == name


@pytest.mark.parametrize("title", ["Что говорит слон?", "大象在说什么", "🐘", "ماذا a", "???"])
def test_a_title_in_another_script_gets_a_name_by_its_hash(title: str) -> None:
    assert name_from_title(title) == f"contest-{hashlib.sha256(title.encode()).hexdigest()[:6]}"


@given(st.text(st.characters(codec="utf-8")))
def test_any_title_gives_a_name(title: str) -> None:
    assert NAME.fullmatch(name_from_title(title))
    composed = unicodedata.normalize("NFC", title)
    assert NAME.fullmatch(name_from_title(composed))
