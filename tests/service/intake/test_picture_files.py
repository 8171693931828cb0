"""Pictures as an editor sends them: files, archives, sheets of texts, and attacks."""

import io
import struct
import zipfile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaudit.service.intake import picture_files, zip_files
from plaudit.service.intake.images.checking import MAX_BYTES
from plaudit.service.intake.mistakes import Mistakes
from plaudit.service.intake.picture_files import (
    MOST_PICTURES,
    Row,
    Sent,
    picture_items,
    read_files,
    shown_name,
    text_of_name,
)
from plaudit.service.intake.zip_files import MOST_FILES, files_of_zip
from support.images import GIF, JPEG, PNG
from support.zips import SCRIPT, zipped


def told(sent: Sent) -> list[str]:
    return [str(mistake) for mistake in sent.mistakes]


def test_each_file_becomes_a_row_with_a_text_from_its_name() -> None:
    sent = read_files([("my_black-cat.png", PNG), ("Dog.JPEG", JPEG), ("x.dat", GIF)])
    assert [(row.name, row.text) for row in sent.rows] == [
        ("my_black-cat.png", "my black cat"), ("Dog.JPEG", "Dog"), ("x.dat", "x"),
    ]  # fmt: skip
    assert [asset.media_type for asset in sent.assets] == ["image/png", "image/jpeg", "image/gif"]
    assert [row.image for row in sent.rows] == [asset.hash for asset in sent.assets]
    assert not sent.mistakes


def test_mistakes_are_named_by_file_and_the_others_are_taken() -> None:
    files = [
        ("a.png", PNG), ("notes.doc", b"no picture"), ("empty.gif", b""), ("evil.svg", SCRIPT),
        ("huge.png", bytes(MAX_BYTES + 1)), ("cut.jpg", JPEG[:-40]),
    ]  # fmt: skip
    sent = read_files(files)
    assert [row.name for row in sent.rows] == ["a.png"]
    assert [message.partition(":")[0] for message in told(sent)] == [
        "notes.doc", "empty.gif", "evil.svg", "huge.png", "cut.jpg",
    ]  # fmt: skip
    assert "is empty" in told(sent)[1]
    assert "script" in told(sent)[2]
    assert f"{MAX_BYTES + 1:,} bytes" in told(sent)[3]


def test_the_same_bytes_are_left_out_at_first() -> None:
    before = read_files([("cat.png", PNG)]).rows
    sent = read_files(
        [("dog.gif", GIF), ("cat (1).png", PNG), ("dog copy.gif", GIF)], before=before
    )
    assert [(row.name, row.gone, row.same) for row in sent.rows] == [
        ("dog.gif", False, 0), ("cat (1).png", True, 1), ("dog copy.gif", True, 2),
    ]  # fmt: skip
    assert len(sent.assets) == 2


def test_a_sheet_gives_the_texts_and_items_without_a_picture() -> None:
    sheet = 'image,text\r\nB.png,"Two\nlines"\r\nsub/a.GIF,First\r\n,No picture\r\nb.png,Again\r\n'
    body = zipped({"in/a.gif": GIF, "b.png": PNG, "c.jpg": JPEG, "texts.csv": sheet.encode()})
    for sent in (
        read_files([("all.zip", body)]),
        read_files([("a.gif", GIF), ("b.png", PNG), ("c.jpg", JPEG), ("t.txt", sheet.encode())]),
    ):
        assert told(sent) == []
        assert [(row.name, row.text, row.gone) for row in sent.rows] == [
            ("b.png", "Two\nlines", False), ("a.gif", "First", False),
            ("b.png", "Again", False), ("c.jpg", "c", False),
        ]  # fmt: skip
        assert sent.texts == ["No picture"]


@pytest.mark.parametrize(
    ("sheet", "words"),
    [
        (b"image,text\nb.png,B\na.png,A\n", "t.csv, line 2: No file that was sent has the name b"),
        (b"who,what\n1,2\n", "Call them image and text."),
        (b"", "t.csv: t.csv is empty"),
        (b"image,text\na.png\n", "t.csv, line 2: The row has 1 field"),
        (b"image,text\n../../etc/passwd,x\n", "No file that was sent has the name passwd"),
        (b"image\n" + b"a.png\n" * (MOST_PICTURES + 1), "more than 1,000 items"),
    ],
)
def test_a_sheet_has_its_mistakes_named_by_line(sheet: bytes, words: str) -> None:
    assert words in told(read_files([("a.png", PNG), ("t.csv", sheet)]))[0]


def test_a_name_that_two_files_have_is_no_name() -> None:
    body = zipped({"1/a.png": PNG, "2/a.png": GIF, "t.csv": b"image,text\na.png,Which?\n"})
    assert "Several files have the name a.png" in told(read_files([("z.zip", body)]))[0]


def test_what_a_computer_put_into_an_archive_is_passed_over() -> None:
    names = ("a.png", "__MACOSX/._a.png", ".DS_Store", "b/", "b/Thumbs.db", "b/.hidden.png")
    sent = read_files([("z.zip", zipped(dict.fromkeys(names, PNG)))])
    assert ([row.name for row in sent.rows], told(sent)) == (["a.png"], [])


@pytest.mark.parametrize(
    "name",
    ["../../../tmp/evil.png", "/etc/cron.d/evil.png", "C:\\Windows\\evil.png", "a\0b/evil.png"],
)
def test_no_name_is_a_path(name: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sent = read_files([("z.zip", zipped({name: PNG})), (name, GIF)])
    assert {row.name for row in sent.rows} <= {"evil.png", "a"}
    assert {row.text for row in sent.rows} <= {"evil", "a"}
    assert list(tmp_path.rglob("*")) == []


def test_names_are_shown_without_tricks() -> None:
    assert shown_name("cat\u202egnp.exe") == "catgnp.exe"
    assert len(shown_name("x" * 5_000 + ".png")) == 100
    assert shown_name("///") == "a file without a name"
    assert text_of_name(".png") == ""
    utf8 = zipped({"über.png": PNG}).replace(b"\x00\x08\x00\x00", b"\x00\x00\x00\x00")
    assert [row.name for row in read_files([("z.zip", utf8)]).rows] == ["über.png"]


def deflated(size: int) -> bytes:
    return zipped({"a.svg": bytes(size)}, compression=zipfile.ZIP_DEFLATED)


def test_a_zip_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    dense, large = deflated(MAX_BYTES), deflated(MAX_BYTES + 1)
    files = {f"{n}.svg": bytes(MAX_BYTES) for n in range(13)}
    many = zipped(files, compression=zipfile.ZIP_DEFLATED, compresslevel=1)
    opened: list[zipfile.ZipInfo] = []
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda self, info: opened.append(info))
    (found,) = told(read_files([("b.zip", dense)]))
    assert found.startswith("a.svg: Unpacked, this file would be more than 100 times as large")
    (found,) = told(read_files([("b.zip", large)]))
    assert "at most 5,000,000" in found
    (found,) = told(read_files([("b.zip", many)]))
    assert found.startswith("b.zip: Unpacked, these files have 65,000,000 bytes")
    assert opened == []


def test_many_archives_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    three = zipped({"a.png": PNG, "b.png": PNG, "c.png": PNG})
    sent = read_files([(f"{n}.zip", three) for n in range(11)])
    assert len(sent.rows) == 30
    assert told(sent) == ["At most 10 archives can be sent at once. Add the others later."]
    many = zipped({f"{n}.png": PNG for n in range(300)})
    sent = read_files([("a.zip", many), ("b.zip", many)])
    assert len(sent.rows) == 500
    words = "At most 500 files and 64 MB, unpacked, can be sent at once. The files from 200.png on"
    assert words in told(sent)[0]
    monkeypatch.setattr(picture_files, "MOST_UNPACKED", 5 * len(PNG))
    sent = read_files([("a.zip", three), ("b.zip", three)])
    assert (len(sent.rows), len(sent.mistakes)) == (5, 1)


def test_an_archive_that_lies_about_sizes_is_cut_off_there() -> None:
    body = bytearray(deflated(3_000_000))
    # It says that it has 50 bytes, in the list and before the file.
    for mark, place in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = bytes(body).rfind(mark) + place
        body[at : at + 4] = struct.pack("<I", 50)
    (found,) = told(read_files([("b.zip", bytes(body))]))
    assert found in (
        "a.svg: This file is damaged in the archive. Pack it again.",
        "a.svg: The file is not a picture that can be shown. Allowed are PNG, JPEG, GIF, WebP "
        "or SVG.",
    )


def test_huge_counts_are_refused_before_the_list_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    body = zipped({f"{n}.png": b"" for n in range(MOST_FILES + 1)})
    (found,) = told(read_files([("z.zip", body)]))
    assert f"more than {MOST_FILES} files" in found
    read = []
    monkeypatch.setattr(zipfile, "ZipFile", lambda given: read.append(given))
    end = zip_files._END.pack(b"PK\x05\x06", 0, 0, 60_000, 60_000, 0, 0, 0)
    long_list = zip_files._END.pack(b"PK\x05\x06", 0, 0, 1, 1, 2**21, 0, 0)
    large = b"PK\x06\x07" + bytes(16) + zip_files._END.pack(b"PK\x05\x06", 0, 0, 1, 1, 9, 0, 0)
    for tail in (end, long_list, large, end + b"a comment"):
        (found,) = told(read_files([("z.zip", b"PK\x03\x04" + tail)]))
        assert f"more than {MOST_FILES} files" in found
    assert read == []
    files = [(f"{n}.png", PNG) for n in range(MOST_FILES + 1)]
    words = f"You sent 501 files. At most {MOST_FILES} can be sent at once."
    assert told(read_files(files)) == [words]
    before = [Row("ab" * 32, "x.png", "x")] * MOST_PICTURES
    assert "at most 1,000 pictures" in told(read_files([("a.png", PNG)], before=before))[0]


def test_other_odd_archives() -> None:
    def with_flag(bit: int) -> bytes:
        body = bytearray(zipped({"a.png": PNG}))
        body[body.rfind(b"PK\x01\x02") + 8] |= bit
        body[6] |= bit
        return bytes(body)

    odd = {
        b"PK\x03\x04 and no more": "cannot be read",
        zipped({}): "There is no file",
        with_flag(1): "a.png: This file is locked",
        zipped({"a.png": PNG}, compression=zipfile.ZIP_BZIP2): "a.png: This file is packed in",
        zipped({"a.png": PNG}).replace(PNG[-20:], bytes(20)): "a.png: This file is damaged",
        zipped({"in.zip": zipped({"a.png": PNG})}): "in.zip: The file is not a picture",
        zipped({"evil.svg": SCRIPT}): "evil.svg: ",
    }
    for body, words in odd.items():
        sent = read_files([("z.zip", body)])
        assert len(sent.mistakes) == 1
        assert words in told(sent)[0]
        assert sent.rows == []
    commented = io.BytesIO()
    with zipfile.ZipFile(commented, "w") as archive:
        archive.comment = b"made by hand"
        archive.writestr("a.png", PNG)
    assert len(read_files([("z.zip", commented.getvalue())]).rows) == 1


@given(st.binary(max_size=300), st.integers(0, 400), st.integers(0, 255))
def test_no_archive_breaks_the_reader(noise: bytes, at: int, value: int) -> None:
    body = bytearray(zipped({"a.png": PNG, "b.gif": GIF}, compression=zipfile.ZIP_DEFLATED))
    body[at % len(body)] = value
    for given_body in (bytes(body), b"PK\x03\x04" + noise, bytes(body) + noise):
        mistakes = Mistakes()
        for name, content in files_of_zip(given_body, mistakes, named="z.zip"):
            assert len(content) <= MAX_BYTES
            assert isinstance(name, str)


def test_rows_become_items_by_the_rules_of_contest_files() -> None:
    image = "ab" * 32
    rows = [
        Row(image, "a.png", "  A text "), Row(image, "b.png", ""), Row(image, "c.png", "x", True),
    ]  # fmt: skip
    items, mistakes = picture_items(rows, is_there=lambda hash: True)
    assert [(item.text, item.image) for item in items] == [("A text", image), ("", image)]
    assert mistakes == []
    _, mistakes = picture_items([Row(image, "a.png", "x" * 2_001)], is_there=lambda hash: False)
    assert [str(mistake).partition(":")[0] for mistake in mistakes] == ["a.png", "a.png"]
