"""The leaves of a contest's tree: the bytes of the chain, blinded."""

import hashlib

from plaudit.proof.digests import blind
from plaudit.store.log import (
    NONE,
    Entry,
    Kind,
    chain,
    first_digest,
    first_leaf,
    leaf,
    leaves,
    packed,
    unpacked,
)

BLINDING = bytes(range(32))
VOTE = Entry(7, Kind.VOTE, 1_700_000_000_123, 3, 12, 2, NONE, 850, "")
EVENT = Entry(8, Kind.STATE, 5, NONE, NONE, NONE, NONE, NONE, '{"state":"öffen"}')


def test_leaf_0_has_what_the_chain_begins_with() -> None:
    data = first_leaf(BLINDING, "snowman", '{"title":"ü"}')
    assert data[:16] == blind(BLINDING, 0)
    assert hashlib.sha256(data[16:]).digest() == first_digest("snowman", '{"title":"ü"}')


def test_a_leaf_has_what_the_chain_hashes() -> None:
    for entry in (VOTE, EVENT):
        data = leaf(BLINDING, entry)
        assert data[:16] == blind(BLINDING, entry.position)
        assert hashlib.sha256(bytes(32) + data[16:]).digest() == chain(bytes(32), [entry])


def test_the_leaves_of_a_group_are_those_of_its_entries() -> None:
    group = [VOTE, EVENT, VOTE._replace(position=9, rater=9)]
    positions = [entry.position for entry in group]
    assert leaves(BLINDING, positions, packed(group)) == [leaf(BLINDING, entry) for entry in group]


def test_an_answer_is_read_back_from_its_bytes() -> None:
    assert unpacked(leaf(BLINDING, VOTE)[16:]) == VOTE


def test_the_bytes_of_a_vote_are_as_documented() -> None:
    at = (1_700_000_000_123).to_bytes(8, "little").hex()
    written = f"07{'00' * 7}01{at}03{'00' * 7}0c{'00' * 7}0200ffff52030000"
    assert leaf(BLINDING, VOTE)[16:].hex() == written
