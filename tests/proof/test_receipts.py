"""Receipts: made in batches, checked alone, refused after any change."""

import base64
import struct

import pytest

from plaudit.errors import ProofRefused
from plaudit.proof.merkle import leaf_hash, root_of
from plaudit.proof.note import SigningKey
from plaudit.proof.receipt import (
    LEAF_BYTES,
    check_receipt,
    make_receipts,
    read_receipt,
    signed_text,
)

KEY = SigningKey("plaudit-0123456789abcdef", b"k" * 32)
OTHER = SigningKey("plaudit-0123456789abcdef", b"o" * 32)


def leaf(position: int) -> bytes:
    return bytes([position % 251]) * 16 + struct.pack("<qbqqqhhi", position, 1, 9, 2, 3, 1, 0, 800)


def receipts(start: int, count: int) -> list[str]:
    leaves = [leaf(position) for position in range(start, start + count)]
    return list(make_receipts(KEY, "snowman", start, leaves))


@pytest.mark.parametrize("count", [1, 2, 3, 7, 63, 64, 65, 200])
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
        assert len(text) <= 450


def test_one_signature_serves_a_batch() -> None:
    found = [read_receipt(text) for text in receipts(5, 130)]
    assert len({each.signature for each in found}) == 3
    root = root_of([leaf_hash(leaf(position)) for position in range(5, 69)])
    said = signed_text(KEY.name, "snowman", 5, 64, root)
    assert said.startswith("plaudit-0123456789abcdef/snowman\nreceipts 5 64 ")
    assert KEY.has_signed(said, found[0].signature)


def test_every_changed_bit_of_a_receipt_is_refused() -> None:
    for text in (receipts(9, 1)[0], receipts(9, 5)[4]):
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
