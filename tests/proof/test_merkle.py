"""Trees: the published vectors, every size to 300, and no proof that survives a changed bit."""

import random
from collections.abc import Sequence

import pytest

from plaudit.errors import InvalidInput
from plaudit.proof.merkle import (
    EMPTY_ROOT,
    consistency_path,
    inclusion_path,
    is_consistent,
    is_included,
    leaf_hash,
    node_hash,
    nodes_of,
    root_of,
    tree_root,
)
from plaudit.proof.tiles import TileTree

SIZES = 300
# The leaves and roots of the reference tests of Certificate Transparency (RFC 6962, RFC 9162).
VECTOR_LEAVES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
VECTOR_ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
INCLUSION = {
    (0, 8): (
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ),
    (5, 8): (
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
}
CONSISTENCY = {
    (1, 8): INCLUSION[0, 8],
    (6, 8): (
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
    (2, 5): (
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ),
}


def hexes(path: Sequence[bytes]) -> tuple[str, ...]:
    return tuple(step.hex() for step in path)


def plain_root(leaves: Sequence[bytes]) -> bytes:
    """The root as RFC 9162 defines it, word for word."""
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return node_hash(plain_root(leaves[:k]), plain_root(leaves[k:]))


@pytest.fixture(scope="module")
def leaves() -> list[bytes]:
    return [leaf_hash(b"leaf %d" % number) for number in range(SIZES)]


def test_the_roots_are_the_published_ones() -> None:
    hashes = [leaf_hash(data) for data in VECTOR_LEAVES]
    assert root_of([]) == EMPTY_ROOT
    for size, root in enumerate(VECTOR_ROOTS, start=1):
        assert root_of(hashes[:size]).hex() == root


def test_the_proofs_are_the_published_ones() -> None:
    node = nodes_of([leaf_hash(data) for data in VECTOR_LEAVES])
    for (index, size), path in INCLUSION.items():
        assert hexes(inclusion_path(node, index, size)) == path
    for (first, second), path in CONSISTENCY.items():
        assert hexes(consistency_path(node, first, second)) == path


def test_every_root_is_as_the_definition_says(leaves: list[bytes]) -> None:
    node = nodes_of(leaves)
    for size in range(1, SIZES + 1):
        assert tree_root(node, size) == plain_root(leaves[:size])


@pytest.mark.slow
def test_every_leaf_of_every_size_is_proven(leaves: list[bytes]) -> None:
    node = nodes_of(leaves)
    for size in range(1, SIZES + 1):
        root = tree_root(node, size)
        for index in range(size):
            path = inclusion_path(node, index, size)
            assert is_included(leaves[index], index, size, path, root)
            # The next place, the next size and the next leaf are not proven by it.
            assert not is_included(leaves[index], (index + 1) % size, size, path, root) or size == 1
            assert not is_included(leaves[index - 1], index, size, path, root) or size == 1


@pytest.mark.slow
def test_every_growth_is_proven(leaves: list[bytes]) -> None:
    node = nodes_of(leaves)
    roots = [EMPTY_ROOT, *(tree_root(node, size) for size in range(1, SIZES + 1))]
    for second in range(1, SIZES + 1):
        for first in range(1, second + 1):
            path = consistency_path(node, first, second)
            assert is_consistent(first, second, path, roots[first], roots[second])
            assert not is_consistent(first, second, path, roots[first - 1], roots[second])
            assert not is_consistent(first, second, path, roots[first], roots[second - 1])


def flipped(body: bytes, bit: int) -> bytes:
    changed = bytearray(body)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def one_bit_changes(hashes: Sequence[bytes]) -> list[list[bytes]]:
    return [
        [*hashes[:at], flipped(hashes[at], bit), *hashes[at + 1 :]]
        for at in range(len(hashes))
        for bit in range(8 * len(hashes[at]))
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 8, 13, 32])
def test_a_changed_bit_of_an_inclusion_proof_is_refused(leaves: list[bytes], size: int) -> None:
    node = nodes_of(leaves)
    root = tree_root(node, size)
    for index in range(size):
        path = inclusion_path(node, index, size)
        for leaf, top, *steps in one_bit_changes([leaves[index], root, *path]):
            assert not is_included(leaf, index, size, steps, top)


@pytest.mark.parametrize("second", [2, 3, 5, 8, 13])
def test_a_changed_bit_of_a_consistency_proof_is_refused(leaves: list[bytes], second: int) -> None:
    node = nodes_of(leaves)
    for first in range(1, second + 1):
        ends = [tree_root(node, first), tree_root(node, second)]
        path = consistency_path(node, first, second)
        for old, new, *steps in one_bit_changes([*ends, *path]):
            assert not is_consistent(first, second, steps, old, new)


@pytest.mark.slow
def test_changed_bits_of_all_sizes_are_refused(leaves: list[bytes]) -> None:
    """One random bit of one proof of each kind, for every pair of size and place."""
    chance, node = random.Random(15), nodes_of(leaves)
    for size in range(2, SIZES + 1):
        root = tree_root(node, size)
        for index in range(size):
            path = inclusion_path(node, index, size)
            at = chance.randrange(len(path))
            path[at] = flipped(path[at], chance.randrange(256))
            assert not is_included(leaves[index], index, size, path, root)
            if not index:
                continue
            path = consistency_path(node, index, size)
            at = chance.randrange(len(path))
            path[at] = flipped(path[at], chance.randrange(256))
            assert not is_consistent(index, size, path, tree_root(node, index), root)


def test_paths_of_another_length_are_refused(leaves: list[bytes]) -> None:
    node, size = nodes_of(leaves), 100
    root = tree_root(node, size)
    for index in (0, 50, 63, 64, 99):
        path = inclusion_path(node, index, size)
        for wrong in ([], path[1:], path[:-1], [*path, path[0]], [path[0] + b"\0", *path[1:]]):
            assert not is_included(leaves[index], index, size, wrong, root)
        first = index or 1
        path = consistency_path(node, first, size)
        for wrong in ([], path[1:], path[:-1], [*path, path[0]], [path[0] + b"\0", *path[1:]]):
            assert not is_consistent(first, size, wrong, tree_root(node, first), root)
    assert not is_included(leaves[0], -1, 1, [], leaves[0])
    assert not is_consistent(0, 5, [], EMPTY_ROOT, tree_root(node, 5))
    assert not is_consistent(6, 5, [], tree_root(node, 6), tree_root(node, 5))


def test_there_are_no_proofs_of_what_is_not_there(leaves: list[bytes]) -> None:
    node = nodes_of(leaves)
    with pytest.raises(InvalidInput, match="has no leaf 5"):
        inclusion_path(node, 5, 5)
    with pytest.raises(InvalidInput, match="sizes from 1"):
        consistency_path(node, 0, 5)
    with pytest.raises(InvalidInput, match="sizes from 1"):
        consistency_path(node, 6, 5)


# Tiles


def many(count: int) -> list[bytes]:
    return [leaf_hash(number.to_bytes(8, "little")) for number in range(count)]


@pytest.mark.parametrize("page", [1, 100, 256, 70_000])
def test_a_tree_of_tiles_is_the_plain_tree(page: int) -> None:
    hashes = many(66_200 if page > 1 else 600)
    kept: dict[tuple[int, int], bytes] = {}
    tree = TileTree(lambda level, number: kept[level, number])
    for first in range(0, len(hashes), page):
        for tile in tree.grow(hashes[first : first + page]):
            kept[tile.level, tile.number] = tile.hashes
    node, size = nodes_of(hashes), len(hashes)
    assert tree.size == size
    assert len(kept) == size // 256 + size // 65_536
    chance = random.Random(page)
    for _ in range(50):
        second = chance.randint(2, size)
        first, index = chance.randint(1, second), chance.randrange(second)
        assert tree.root(second) == tree_root(node, second)
        assert tree.inclusion(index, second) == inclusion_path(node, index, second)
        assert tree.consistency(first, second) == consistency_path(node, first, second)


@pytest.mark.parametrize("size", [0, 5, 255, 256, 257, 1000, 65_535, 65_536, 66_200])
def test_a_tree_is_opened_from_its_tiles(size: int) -> None:
    hashes = many(size + 300)
    kept: dict[tuple[int, int], bytes] = {}
    first = TileTree(lambda level, number: kept[level, number])
    for tile in first.grow(hashes[:size]):
        kept[tile.level, tile.number] = tile.hashes
    again = TileTree.opened(lambda level, number: kept[level, number], size // 256)
    assert again.size == size // 256 * 256
    tiles = again.grow(hashes[again.size : size])
    assert tiles == []
    assert again.root() == first.root() == root_of(hashes[:size])
    assert again.grow(hashes[size:]) == first.grow(hashes[size:])


def test_a_tree_proves_nothing_beyond_its_end() -> None:
    tree = TileTree(lambda level, number: b"")
    tree.grow(many(10))
    assert tree.root(0) == EMPTY_ROOT
    with pytest.raises(InvalidInput, match="has 10 leaves, not 11"):
        tree.root(11)
    with pytest.raises(InvalidInput, match="has 10 leaves"):
        tree.inclusion(0, 11)
    with pytest.raises(InvalidInput, match="has 10 leaves"):
        tree.consistency(1, 11)
