"""Signed notes and checkpoints: the published vectors, and what is refused."""

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaudit.errors import InvalidInput, ProofRefused
from plaudit.proof.checkpoint import (
    Checkpoint,
    open_checkpoint,
    read_checkpoint,
    time_text,
    unchecked,
)
from plaudit.proof.digests import (
    NO_ITEMS,
    NO_RATERS,
    blind,
    rater_mark,
    with_items,
    with_raters,
)
from plaudit.proof.note import (
    PublicKey,
    SigningKey,
    joined_note,
    open_note,
    public_of,
    read_signature,
    read_vkey,
    split_note,
)

# Published with the reference implementation of signed notes.
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETER_SEED = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
ENOCH = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"
TEXT = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
)
PETER_LINE = (
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpR"
    "Zb6KE6RyyBwJnAM=\n"
)
ENOCH_LINE = (
    "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox3"
    "3WWd1RvMc+QQ=\n"
)


def test_the_published_note_is_made_and_read() -> None:
    key = SigningKey("PeterNeumann", PETER_SEED)
    assert key.vkey == PETER
    assert public_of(PETER_SEED) == key.public
    assert key.note(TEXT) == TEXT + "\n" + PETER_LINE
    assert open_note(key.note(TEXT), [read_vkey(PETER)]) == TEXT


def test_signatures_of_unknown_keys_are_passed_over() -> None:
    note = TEXT + "\n" + PETER_LINE + ENOCH_LINE
    assert open_note(note, [read_vkey(PETER)]) == TEXT
    assert open_note(note, [read_vkey(ENOCH)]) == TEXT
    assert open_note(note, [read_vkey(ENOCH), read_vkey(PETER)]) == TEXT
    with pytest.raises(ProofRefused, match="None of the known keys"):
        open_note(note, [])
    with pytest.raises(ProofRefused, match="None of the known keys"):
        open_note(TEXT + "\n" + ENOCH_LINE, [read_vkey(PETER)])


def test_a_wrong_signature_of_a_known_key_refuses_the_note() -> None:
    wrong = read_signature(PETER_LINE.strip())._replace(body=bytes(64))
    good = read_signature(ENOCH_LINE.strip())
    note = joined_note(TEXT, [good, wrong])
    assert open_note(note, [read_vkey(ENOCH)]) == TEXT
    with pytest.raises(ProofRefused, match="does not hold"):
        open_note(note, [read_vkey(ENOCH), read_vkey(PETER)])


@pytest.mark.parametrize(
    "note",
    [
        TEXT,
        TEXT + "\n",
        TEXT + "\n" + PETER_LINE[:-1],
        "\x01" + TEXT + "\n" + PETER_LINE,
        "\ud800" + TEXT + "\n" + PETER_LINE,
        TEXT + "\n" + PETER_LINE.replace("PeterNeumann", "Bad Name"),
        TEXT + "\n" + PETER_LINE + "Unexpected line.\n",
        TEXT + "\n" + PETER_LINE * 101,
        TEXT + "\n" + PETER_LINE.replace("— ", "- "),
        "\n\n" + PETER_LINE,
        "",
    ],
)
def test_what_is_no_note_is_refused(note: str) -> None:
    with pytest.raises(ProofRefused):
        open_note(note, [read_vkey(PETER)])


def test_every_changed_character_of_a_note_is_refused() -> None:
    note, keys = TEXT + "\n" + PETER_LINE, [read_vkey(PETER)]
    for place, letter in enumerate(note):
        changed = note[:place] + chr(ord(letter) ^ 1) + note[place + 1 :]
        with pytest.raises(ProofRefused):
            open_note(changed, keys)


def test_every_mangled_key_is_refused() -> None:
    assert read_vkey(f"  {PETER}\n") == read_vkey(PETER)
    for place in range(len(PETER)):
        mangled = PETER[:place] + chr(ord(PETER[place]) + 1) + PETER[place + 1 :]
        for wrong in (PETER[:place], PETER[place + 1 :], mangled):
            with pytest.raises(InvalidInput, match="not a public key"):
                read_vkey(wrong)


def test_keys_with_wrong_names_or_lengths_are_refused() -> None:
    with pytest.raises(InvalidInput, match="no spaces"):
        PublicKey("a b", bytes(32))
    with pytest.raises(InvalidInput, match="no spaces"):
        PublicKey("a+b", bytes(32))
    with pytest.raises(InvalidInput, match="32 bytes"):
        PublicKey("a", bytes(31))


def test_the_text_may_have_blank_lines() -> None:
    key = SigningKey("a", bytes(32))
    text = "one\n\ntwo\n"
    assert split_note(key.note(text))[0] == text
    assert open_note(key.note(text), [key]) == text
    with pytest.raises(ProofRefused, match="cannot have this text"):
        key.note("no end of the line")


# Checkpoints

CHECKPOINT = Checkpoint(
    origin="plaudit-0123456789abcdef/snowman",
    size=42,
    root=hashlib.sha256(b"root").digest(),
    at=1_700_000_000_007,
    items=3,
    items_digest=with_items(NO_ITEMS, [(0, "a", ""), (1, "b", "ff"), (2, "ü", "")]),
    raters=1,
    raters_digest=with_raters(NO_RATERS, [bytes(32)]),
)


def test_a_checkpoint_has_the_documented_lines() -> None:
    first, size, root, time, items, raters, end = CHECKPOINT.text.split("\n")
    assert (first, size, end) == (CHECKPOINT.origin, "42", "")
    assert base64.b64decode(root) == CHECKPOINT.root
    assert time == "time 2023-11-14T22:13:20.007Z"
    assert items == f"items 3 {base64.b64encode(CHECKPOINT.items_digest).decode()}"
    assert raters == f"raters 1 {base64.b64encode(CHECKPOINT.raters_digest).decode()}"


@given(
    size=st.integers(1, 2**62),
    at=st.integers(0, 253_402_300_799_999),
    items=st.integers(0, 2**62),
    digest=st.binary(min_size=32, max_size=32),
)
def test_a_checkpoint_is_read_as_it_was_written(
    size: int, at: int, items: int, digest: bytes
) -> None:
    one = Checkpoint("a/b", size, digest, at, items, digest, items, digest[::-1])
    assert read_checkpoint(one.text) == one


def test_a_signed_checkpoint_is_opened() -> None:
    key = SigningKey("plaudit-0123456789abcdef", bytes(32))
    note = key.note(CHECKPOINT.text)
    assert open_checkpoint(note, [key]) == unchecked(note) == CHECKPOINT
    assert CHECKPOINT.position == 41
    with pytest.raises(ProofRefused):
        open_checkpoint(note.replace("\n42\n", "\n43\n"), [key])
    with pytest.raises(ProofRefused, match="not a checkpoint"):
        open_checkpoint(key.note("a/b\n1\n"), [key])


def test_every_changed_character_of_a_checkpoint_changes_or_spoils_it() -> None:
    text = CHECKPOINT.text
    for place, letter in enumerate(text):
        changed = text[:place] + chr(ord(letter) ^ 1) + text[place + 1 :]
        try:
            assert read_checkpoint(changed) != CHECKPOINT
        except ProofRefused:
            continue


@pytest.mark.parametrize(
    ("old", "new"),
    [("\n42\n", "\n042\n"), ("items 3 ", "items  3 "), ("20.007Z", "20.07Z"), ("42", "0")],
)
def test_a_checkpoint_is_written_in_one_way_only(old: str, new: str) -> None:
    assert old.strip() in CHECKPOINT.text
    with pytest.raises(ProofRefused, match="not a checkpoint"):
        read_checkpoint(CHECKPOINT.text.replace(old, new))


def test_times_are_in_utc_with_milliseconds() -> None:
    assert time_text(0) == "1970-01-01T00:00:00.000Z"
    assert time_text(253_402_300_799_999) == "9999-12-31T23:59:59.999Z"


# Digests


def test_digests_are_as_documented() -> None:
    def sha(*parts: bytes) -> bytes:
        return hashlib.sha256(b"".join(parts)).digest()

    one = sha((5).to_bytes(8, "little"), "ü".encode(), b"\0", b"abc")
    assert with_items(NO_ITEMS, [(5, "ü", "abc")]) == sha(sha(b"plaudit items 1\n"), one)
    assert with_raters(NO_RATERS, [b"m" * 32]) == sha(sha(b"plaudit raters 1\n"), b"m" * 32)
    assert rater_mark(b"s" * 16, b"k" * 16) == sha(b"s" * 16, b"k" * 16)
    assert rater_mark(b"m" * 32, None) == b"m" * 32
    assert blind(b"b" * 32, 258) == sha(b"b" * 32, bytes([2, 1, 0, 0, 0, 0, 0, 0]))[:16]


def test_digests_grow_one_by_one() -> None:
    items = [(number, f"text {number}", "") for number in range(5)]
    step = with_items(NO_ITEMS, items[:2])
    assert with_items(step, items[2:]) == with_items(NO_ITEMS, items)
    assert with_items(NO_ITEMS, items[::-1]) != with_items(NO_ITEMS, items)
