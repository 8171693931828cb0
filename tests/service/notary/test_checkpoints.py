"""Checkpoints: what they say, when they are made, by several workers, and of old contests."""

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from plaudit.errors import StoreUnavailable
from plaudit.proof.digests import NO_ITEMS, NO_RATERS, rater_mark, with_items, with_raters
from plaudit.proof.merkle import is_consistent, is_included, root_of
from plaudit.proof.tiles import Tile
from plaudit.service.desk.desk import Desk
from plaudit.service.notary import checkpoints
from plaudit.service.notary import tree as trees
from plaudit.service.notary.checkpoints import EVERY_ENTRIES, EVERY_MS
from plaudit.service.notary.keys import rotate_keys
from plaudit.service.notary.notary import Notary
from plaudit.store import Store, open_store
from plaudit.store.contract import Item
from support.live_worker import NAME, SECRET, Clock, create
from support.proof.notarised import leaves_of, looked, notary_of, opened_checkpoint, voted


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "votes.db")


@pytest.fixture
def store(path: str) -> Iterator[Store]:
    store = open_store(path)
    create(store)
    yield store
    store.close()


def sizes(store: Store) -> list[int]:
    return [kept.size for kept in store.checkpoints(NAME)][::-1]


def test_a_checkpoint_says_what_the_log_has(store: Store) -> None:
    voted(store, range(5))
    Desk(store).add_items(NAME, [Item(0, "one more"), Item(0, "and one")])
    voted(store, range(3, 9))
    notary = notary_of(store)
    size = store.contest(NAME).position + 1
    found = opened_checkpoint(notary, notary.checkpoints.at(NAME, size))
    assert found.root == root_of(leaves_of(store))
    assert found.at == Clock().now
    assert (found.items, found.raters) == (14, 9)
    items = [(item.number, item.text, item.image) for item in store.items(NAME)]
    assert found.items_digest == with_items(NO_ITEMS, items)
    marks = [rater_mark(rater.salt, rater.key) for rater in store.raters(NAME)]
    assert found.raters_digest == with_raters(NO_RATERS, marks)


def test_an_earlier_size_says_what_there_was_then(store: Store) -> None:
    """Whichever sizes have a checkpoint already."""
    voted(store, range(5))
    Desk(store).add_items(NAME, [Item(0, "one more"), Item(0, "and one")])
    voted(store, range(3, 9))
    end = store.contest(NAME).position + 1
    plain = {}
    for size in range(1, end + 1):
        notary = notary_of(store)
        tree = notary.checkpoints.tree(NAME)
        plain[size] = (tree.root(size), tree.counted(size))
    notary = notary_of(store)
    for size in (end, 1, 7, 20, 3, 8, 19, 2):
        found = opened_checkpoint(notary, notary.checkpoints.at(NAME, size))
        root, counted = plain[size]
        assert found.root == root == root_of(leaves_of(store)[:size])
        assert counted[1:] == (found.items, found.items_digest, found.raters, found.raters_digest)
    assert (plain[1][1].items, plain[1][1].raters) == (0, 0)
    assert (plain[2][1].items, plain[2][1].raters) == (12, 0)
    assert plain[20][1].items == 14


def test_erasing_a_rater_changes_no_digest(store: Store) -> None:
    voted(store, range(4))
    notary = notary_of(store)
    size = store.contest(NAME).position + 1
    before = opened_checkpoint(notary, notary.checkpoints.at(NAME, size))
    Desk(store).erase(NAME, 2)
    tree = notary_of(store).checkpoints.tree(NAME)
    assert tree.counted(size).raters_digest == before.raters_digest
    later = tree.counted(size + 1)
    assert (later.raters, later.raters_digest) == (before.raters, before.raters_digest)


def test_the_first_for_a_size_stays(store: Store) -> None:
    voted(store, range(4))
    clock = Clock()
    first = notary_of(store, clock).checkpoints.at(NAME, 10)
    clock.now += 5_000
    assert notary_of(store, clock).checkpoints.at(NAME, 10) == first


def test_of_several_workers_one_makes_those_at_intervals(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another takes over once the lease was not renewed, or was given back."""
    monkeypatch.setattr(checkpoints, "EVERY_ENTRIES", 3)
    clock = Clock()
    one, other = (looked(notary_of(store, clock)) for _ in range(2))

    def makes_one(notary: Notary) -> bool:
        before = sizes(store)
        looked(notary)
        return sizes(store) != before

    voted(store, [1])
    assert makes_one(one)
    voted(store, [2])
    assert not makes_one(other)
    assert makes_one(one)
    voted(store, [3])
    clock.now += checkpoints.LEASE_MS - 1
    assert not makes_one(other)
    clock.now += 1
    assert makes_one(other)
    voted(store, [4])
    assert not makes_one(one)
    other.checkpoints.lease.give_back()
    assert makes_one(one)


def test_there_is_one_after_every_event(store: Store) -> None:
    """Answers between events get none, until one is due."""
    notary = looked(notary_of(store))
    assert sizes(store) == [2 + 1]  # created and opened
    voted(store, range(4))
    looked(notary)
    assert sizes(store) == [3]
    desk = Desk(store)
    desk.withdraw(NAME, [1])
    voted(store, range(4, 6))
    desk.step(NAME, "pause")
    desk.step(NAME, "open")
    looked(notary)
    assert sizes(store) == [3, 16, 23, 24]


def test_they_come_at_intervals(store: Store) -> None:
    clock = Clock()
    notary = looked(notary_of(store, clock))
    voted(store, range(2))
    clock.now += EVERY_MS - 1
    looked(notary)
    assert sizes(store) == [3]
    clock.now += 1
    looked(notary)
    looked(notary)
    assert sizes(store) == [3, 9]
    clock.now += 5 * EVERY_MS
    looked(notary)
    assert sizes(store) == [3, 9], "nothing is new"
    voted(store, range(10, 10 + EVERY_ENTRIES // 12), items=12)
    looked(notary)
    more = 9 + EVERY_ENTRIES // 12 * 12
    clock.now += EVERY_MS
    looked(notary)
    voted(store, range(5_000, 5_000 + EVERY_ENTRIES // 12 + 1), items=12)
    looked(notary)
    assert sizes(store) == [3, 9, more, more + (EVERY_ENTRIES // 12 + 1) * 12]


def test_two_workers_make_them_together(store: Store) -> None:
    one, two = notary_of(store), notary_of(store)
    desk = Desk(store)
    for step in range(4):
        desk.withdraw(NAME, [step])
        looked(one)
        end = store.contest(NAME).position
        voted(store, range(end, end + 5))
        looked(two)
    assert sizes(store) == [4, 20, 36, 52]
    for kept in store.checkpoints(NAME):
        assert opened_checkpoint(two, kept).root == root_of(leaves_of(store)[: kept.size])


def test_a_tree_far_behind_takes_the_tiles_of_another_worker(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = looked(notary_of(store)), looked(notary_of(store))
    voted(store, range(400), items=12)
    size = store.contest(NAME).position + 1
    assert one.checkpoints.tree(NAME).root(size) == root_of(leaves_of(store))
    assert store.tile_count(NAME) == size // 256
    read: list[int] = []
    entries = store.entries

    def counted(name, *, after=0, limit=10_000):  # type: ignore[no-untyped-def]
        read.append(limit)
        return entries(name, after=after, limit=limit)

    monkeypatch.setattr(store, "entries", counted)
    assert two.checkpoints.tree(NAME).root(size) == root_of(leaves_of(store)[:size])
    assert read[0] < 256


def test_a_store_that_was_away_gets_every_tile(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tile that could not be written is written later: proofs and restarts need it."""
    notary, put, away = looked(notary_of(store)), store.put_tiles, [True, False, True, False]

    def often_away(name: str, tiles: Sequence[Tile]) -> None:
        if away.pop(0):
            raise StoreUnavailable("It went for a walk.")
        put(name, tiles)

    monkeypatch.setattr(store, "put_tiles", often_away)
    tree = notary.checkpoints.tree(NAME)
    for raters in (range(60), range(60, 120)):
        voted(store, raters, items=12)
        size = store.contest(NAME).position + 1
        with pytest.raises(StoreUnavailable):
            tree.grow(size)
        assert tree.root(size) == root_of(leaves_of(store))
    assert away == []
    again = notary_of(store).checkpoints.tree(NAME)
    for index in range(0, size, 100):
        assert again.inclusion(index, size) == tree.inclusion(index, size)


def test_tiles_are_written_together(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those who vote wait while they are written, so once for a look and not for each page."""
    notary, put, counts = looked(notary_of(store)), store.put_tiles, []

    def counted(name: str, tiles: Sequence[Tile]) -> None:
        counts.append(len(tiles))
        put(name, tiles)

    monkeypatch.setattr(store, "put_tiles", counted)
    voted(store, range(300), items=12)
    looked(notary)
    size = store.contest(NAME).position + 1
    assert counts == [size // 256]
    assert store.tile_count(NAME) == size // 256
    latest = notary.checkpoints.latest(NAME)
    assert latest is not None
    assert opened_checkpoint(notary, latest).root == root_of(leaves_of(store))


def test_proofs_between_all_checkpoints_hold(store: Store) -> None:
    notary = notary_of(store)
    for start in range(0, 900, 90):
        voted(store, range(start, start + 90))
        notary.checkpoints.at(NAME, store.contest(NAME).position + 1)
    leaves, tree = leaves_of(store), notary.checkpoints.tree(NAME)
    kept = [opened_checkpoint(notary, one) for one in store.checkpoints(NAME)][::-1]
    assert len(kept) == 10
    for old in kept:
        for new in kept:
            if old.size <= new.size:
                path = tree.consistency(old.size, new.size)
                assert is_consistent(old.size, new.size, path, old.root, new.root)
        for index in (0, 1, old.size // 2, old.size - 1):
            path = tree.inclusion(index, old.size)
            assert is_included(leaves[index], index, old.size, path, old.root)


def test_a_request_does_not_grow_a_whole_tree(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = notary_of(store).checkpoints.tree(NAME)
    voted(store, range(200))
    monkeypatch.setattr(trees, "MOST_FOR_A_REQUEST", 500)
    with pytest.raises(StoreUnavailable, match="still growing"):
        tree.inclusion(1, 603)
    assert tree.size == 1
    tree.inclusion(1, 400)
    assert tree.size == 400


def test_a_rotated_key_signs_what_comes_next(store: Store) -> None:
    notary = looked(notary_of(store))
    old = notary.keys.signing
    rotate_keys(store, SECRET)
    Desk(store).step(NAME, "pause")
    looked(notary)
    latest, first = store.checkpoints(NAME)
    assert notary.keys.signing != old
    assert opened_checkpoint(notary, latest).origin == opened_checkpoint(notary, first).origin
    assert old.hash != notary.keys.signing.hash


def raw(path: str) -> dict[str, list[tuple[object, ...]]]:
    """What was in the database before proof was: byte for byte."""
    connection = sqlite3.connect(path)
    found = {
        "contests": "SELECT name, settings, state, position, epoch, digest, created_at",
        "items": "SELECT *",
        "raters": "SELECT contest, number, key, origin",
        "log": "SELECT *",
        "certificates": "SELECT *",
        "deeds": "SELECT *",
    }
    rows = {
        table: connection.execute(f"{sql} FROM {table} ORDER BY 1, 2").fetchall()
        for table, sql in found.items()
    }
    connection.close()
    return rows


def before_proof(path: str) -> None:
    """Takes a database back to the schema before proof."""
    connection = sqlite3.connect(path)
    connection.executescript(
        "ALTER TABLE contests DROP COLUMN blinding; ALTER TABLE raters DROP COLUMN salt;"
        "ALTER TABLE raters DROP COLUMN door; DROP TABLE turned_away; DROP TABLE subjects;"
        "DROP TABLE deliveries; DROP TABLE destinations; DROP TABLE notice_marks;"
        "DROP TABLE leases;"
        "DROP TABLE tiles; DROP TABLE checkpoints; DROP TABLE signing_keys; DROP TABLE signers;"
        "PRAGMA user_version = 5;"
    )
    connection.close()


def test_an_old_contest_gets_its_tree_and_nothing_of_it_changes(path: str, store: Store) -> None:
    voted(store, range(300))
    Desk(store).erase(NAME, 7)
    Desk(store).add_items(NAME, [Item(0, "one more")])
    store.close()
    before_proof(path)
    before = raw(path)
    again = open_store(path)
    notary = looked(notary_of(again))
    again.close()
    assert raw(path) == before
    again = open_store(path)
    (kept,) = again.checkpoints(NAME)
    found = opened_checkpoint(notary, kept)
    assert found.size == before["contests"][0][3] + 1  # type: ignore[operator]
    assert found.root == root_of(leaves_of(again))
    assert (found.items, found.raters) == (13, 300)
    assert again.tile_count(NAME) == found.size // 256
    again.close()
