"""Receipts: made in batches, checked alone, refused after any change."""

import base64
import hashlib
import struct
from dataclasses import replace

import pytest

from plaudit.errors import ProofRefused
from plaudit.proof.fours import height_of, others_in, root_above, rows_and_root
from plaudit.proof.merkle import leaf_hash
from plaudit.proof.note import SigningKey
from plaudit.proof.receipt import (
    LEAF_BYTES,
    check_receipt,
    make_receipts,
    read_receipt,
    signed_text,
)
from support.proof.receipts_of_before import OF_BEFORE, leaf

KEY = SigningKey("plaudit-0123456789abcdef", b"k" * 32)
OTHER = SigningKey("plaudit-0123456789abcdef", b"o" * 32)


def receipts(start: int, count: int) -> list[str]:
    leaves = [leaf(position) for position in range(start, start + count)]
    return list(make_receipts(KEY, "snowman", start, leaves))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 16, 17, 63, 64, 65, 200])
def test_each_leaf_of_a_group_gets_its_receipt(count: int) -> None:
    made = receipts(1000, count)
    assert len(made) == count
    for place, text in enumerate(made):
        found = read_receipt(text)
        assert found.text == text
        assert check_receipt(found, [OTHER, KEY]) == KEY
        assert found.position == 1000 + place
        assert found.leaf == leaf(1000 + place)
        assert found.leaf_hash == leaf_hash(leaf(1000 + place))
        assert struct.unpack("<qbqqqhhi", found.packed)[0] == 1000 + place
        assert found.start == 1000 + place // 64 * 64
        assert len(text) <= len("snowman:") + 608


def test_one_signature_serves_a_batch() -> None:
    found = [read_receipt(text) for text in receipts(5, 130)]
    assert len({each.signature for each in found}) == 3
    root = plain_root([leaf_hash(leaf(position)) for position in range(5, 69)])
    said = signed_text(KEY.name, "snowman", 5, 64, root)
    assert said.startswith("plaudit-0123456789abcdef/snowman\nreceipts 5 64 ")
    assert KEY.has_signed(said, found[0].signature)


def plain_root(hashes: list[bytes]) -> bytes:
    """The root as the documentation says it."""
    if len(hashes) == 1:
        return hashes[0]
    fours = [hashes[at : at + 4] for at in range(0, len(hashes), 4)]
    filled = [b"\x02" + b"".join(four) + bytes(128 - 32 * len(four)) for four in fours]
    return plain_root([hashlib.sha256(four).digest() for four in filled])


@pytest.mark.parametrize("count", range(1, 70))
def test_every_leaf_of_a_tree_of_fours_leads_to_its_root(count: int) -> None:
    hashes = [leaf_hash(leaf(position)) for position in range(count)]
    rows, root = rows_and_root(hashes)
    assert root == plain_root(hashes)
    assert len(rows) == height_of(count)
    parts = [[node for node in row for _ in range(4)] for row in rows[:1]]
    parts += [others_in(row) for row in rows[1:]]
    for index, hashed in enumerate(hashes):
        path = [row[index // 4**level] for level, row in enumerate(parts)]
        assert root_above(hashed, index, path) == root
        assert count == 1 or root_above(hashed, (index + 1) % count, path) != root
        assert count == 1 or root_above(hashed, index, [b"\x00" + path[0][1:], *path[1:]]) is None
        assert count == 1 or root_above(hashes[index - 1], index, path) is None


def test_the_bytes_of_a_receipt_are_as_documented() -> None:
    leaves = [leaf(position) for position in range(100, 106)]
    hashes = [leaf_hash(each) for each in leaves]
    nodes = [plain_root(hashes[:4]), plain_root([*hashes[4:], bytes(32)])]
    _, _, body = receipts(100, 6)[2].partition(":")
    raw = base64.urlsafe_b64decode(body)
    assert raw[:5] == b"\x02" + KEY.hash
    assert raw[5:14] == (100).to_bytes(8, "little") + b"\x06"
    said = signed_text(KEY.name, "snowman", 100, 6, plain_root(hashes))
    assert KEY.has_signed(said, raw[14:78])
    assert raw[78:174] == nodes[1] + bytes(64)
    assert raw[174:303] == b"\x02" + b"".join(hashes[:4])
    assert raw[303:] == leaves[2]


@pytest.mark.parametrize(("count", "index", "text"), OF_BEFORE)
def test_receipts_of_before_are_read_and_checked(count: int, index: int, text: str) -> None:
    found = read_receipt(text)
    assert (found.version, found.start, found.count, found.index) == (1, 1000, count, index)
    assert found.leaf == leaf(1000 + index)
    assert found.text == text
    assert check_receipt(found, [OTHER, KEY]) == KEY
    with pytest.raises(ProofRefused):
        check_receipt(read_receipt(text), [OTHER])


def test_every_changed_bit_of_a_receipt_is_refused() -> None:
    for text in (receipts(9, 1)[0], receipts(9, 5)[4], OF_BEFORE[0][2], OF_BEFORE[1][2]):
        contest, _, body = text.partition(":")
        raw = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
        for bit in range(8 * len(raw)):
            changed = bytearray(raw)
            changed[bit // 8] ^= 1 << bit % 8
            again = base64.urlsafe_b64encode(bytes(changed)).decode().rstrip("=")
            with pytest.raises(ProofRefused):
                check_receipt(read_receipt(f"{contest}:{again}"), [KEY])


def test_a_receipt_is_of_one_contest_and_one_key() -> None:
    text = receipts(9, 3)[1]
    other = text.replace("snowman:", "snowmen:")
    with pytest.raises(ProofRefused, match="another contest"):
        check_receipt(read_receipt(other), [KEY])
    with pytest.raises(ProofRefused, match=KEY.hash.hex()):
        check_receipt(read_receipt(text), [OTHER])
    with pytest.raises(ProofRefused, match="not known"):
        check_receipt(read_receipt(text), [])


def test_what_is_no_receipt_is_refused() -> None:
    good = receipts(9, 3)[1]
    for wrong in (
        "",
        "snowman",
        "snowman:",
        good[:-1],
        good + "A",
        good + "=",
        good[5:],
        "ü" + good,
    ):
        with pytest.raises(ProofRefused):
            check_receipt(read_receipt(wrong), [KEY])
    assert read_receipt(f" {good}\n").text == good


def test_a_receipt_says_the_position_of_its_entry() -> None:
    """A leaf of another position at this place: signed, but not sound."""
    [text] = make_receipts(KEY, "snowman", 9, [leaf(10)])
    with pytest.raises(ProofRefused, match="not a receipt"):
        read_receipt(text)


def test_leaves_of_receipts_have_one_length() -> None:
    assert len(leaf(5)) == LEAF_BYTES


def test_a_receipt_is_one_of_at_most_64() -> None:
    found = read_receipt(receipts(9, 64)[3])
    for count in (3, 65, 255):
        with pytest.raises(ProofRefused, match="not a receipt"):
            read_receipt(replace(found, count=count).text)


def test_a_path_has_the_height_of_its_tree() -> None:
    found = read_receipt(receipts(9, 64)[3])
    for path in (found.path[:2], (*found.path, found.path[1]), ()):
        with pytest.raises(ProofRefused, match="leads nowhere"):
            check_receipt(read_receipt(replace(found, path=path).text), [KEY])
