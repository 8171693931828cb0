"""Proof: trees, checkpoints, public keys, blinding and salts."""

import threading

import pytest

from plaudit.errors import InvalidInput, UnknownContest
from plaudit.proof.digests import rater_mark
from plaudit.proof.tiles import TILE_BYTES, Tile
from plaudit.store.contract import Rater, Store
from plaudit.store.log import Event, Kind
from plaudit.store.proofs import KeptCheckpoint, SigningKeyRecord
from plaudit.store.suite.samples import NAME, Reopen, key_of, opened, vote

ERASE = Event(Kind.ERASE, 3_000, '{"rater": 0}')


def tile(number: int, level: int = 0) -> Tile:
    """A made-up tile."""
    return Tile(level, number, bytes([number, level, 0, 255]) * (TILE_BYTES // 4))


class ProofContract:
    """The promises at the top of `plaudit.store.proofs`."""

    def test_tiles_are_kept_as_given(self, store: Store, reopen: Reopen) -> None:
        """By contest, level and number."""
        opened(store)
        opened(store, "other")
        assert store.tile_count(NAME) == 0
        store.put_tiles(NAME, [])
        store.put_tiles(NAME, [tile(0), tile(1), tile(0, 1)])
        again = reopen()
        assert again.tile(NAME, 0, 1) == tile(1).hashes
        assert again.tile(NAME, 1, 0) == tile(0, 1).hashes
        assert again.tile(NAME, 1, 1) is None
        assert again.tile("other", 0, 0) is None
        assert (again.tile_count(NAME), again.tile_count("other")) == (2, 0)
        again.close()

    def test_a_tile_that_is_kept_stays(self, store: Store) -> None:
        """Whoever puts another is not told; those that are new are kept."""
        opened(store)
        store.put_tiles(NAME, [tile(0)])
        store.put_tiles(NAME, [tile(0)._replace(hashes=bytes(TILE_BYTES)), tile(1)])
        assert store.tile(NAME, 0, 0) == tile(0).hashes
        assert store.tile_count(NAME) == 2

    def test_a_tile_is_full(self, store: Store) -> None:
        """A part of one is refused, with all that came with it."""
        opened(store)
        with pytest.raises(InvalidInput, match="not 31"):
            store.put_tiles(NAME, [tile(0), tile(1)._replace(hashes=bytes(31))])
        assert store.tile_count(NAME) == 0

    def test_the_first_checkpoint_for_a_size_stays(self, store: Store, reopen: Reopen) -> None:
        """Whoever comes later gets it. The latest is the largest."""
        opened(store)
        assert store.checkpoint(NAME) is None
        first = KeptCheckpoint(7, "seven — 🐘\n")
        assert store.put_checkpoint(NAME, first) == first
        assert store.put_checkpoint(NAME, KeptCheckpoint(5, "five")).body == "five"
        again = reopen()
        assert again.put_checkpoint(NAME, KeptCheckpoint(7, "late")) == first
        assert again.checkpoint(NAME) == again.checkpoint(NAME, 7) == first
        assert again.checkpoint(NAME, 6) is None
        assert again.checkpoint(NAME, 2**70) is None
        again.close()

    def test_checkpoints_are_listed_from_the_largest(self, store: Store) -> None:
        """In pages."""
        opened(store)
        for size in (3, 1, 9, 4):
            store.put_checkpoint(NAME, KeptCheckpoint(size, f"{size}"))
        assert [one.size for one in store.checkpoints(NAME)] == [9, 4, 3, 1]
        assert [one.size for one in store.checkpoints(NAME, before=9, limit=2)] == [4, 3]
        assert store.checkpoints(NAME, before=1) == []

    def test_what_cannot_be_kept_is_refused(self, store: Store) -> None:
        """A checkpoint with a NUL, a key of another length, a key out of turn."""
        opened(store)
        for wrong in (KeptCheckpoint(1, "\0"), KeptCheckpoint(-1, ""), KeptCheckpoint(2**63, "")):
            with pytest.raises(InvalidInput):
                store.put_checkpoint(NAME, wrong)
        for number, public in ((1, b"k" * 31), (2, b"k" * 32)):
            with pytest.raises(InvalidInput):
                store.add_signing_key(number, public, at=1)
        assert store.checkpoints(NAME) == []
        assert store.signing_keys() == []

    def test_a_contest_that_is_not_there(self, store: Store) -> None:
        """Every method says so."""
        for call in (
            lambda: store.put_tiles("nobody", []),
            lambda: store.tile("nobody", 0, 0),
            lambda: store.tile_count("nobody"),
            lambda: store.put_checkpoint("nobody", KeptCheckpoint(1, "")),
            lambda: store.checkpoint("nobody"),
            lambda: store.checkpoint("nobody", 1),
            lambda: store.checkpoints("nobody"),
            lambda: store.signers("nobody"),
        ):
            with pytest.raises(UnknownContest):
                call()

    def test_one_key_is_current(self, store: Store, reopen: Reopen) -> None:
        """Adding one retires the one before; none goes."""
        assert store.signing_keys() == []
        assert store.add_signing_key(1, b"\0\xff" * 16, at=5)
        assert store.add_signing_key(2, b"b" * 32, at=8)
        again = reopen()
        assert not again.add_signing_key(2, b"c" * 32, at=9)
        assert again.signing_keys() == [
            SigningKeyRecord(1, b"\0\xff" * 16, 5, 8),
            SigningKeyRecord(2, b"b" * 32, 8, None),
        ]
        again.close()

    def test_of_those_who_add_a_key_at_once_one_succeeds(self, store: Store) -> None:
        """The key that is kept is the one of the caller who was told so."""
        store.add_signing_key(1, b"a" * 32, at=1)
        told: dict[int, bool] = {}

        def add(number: int) -> None:
            told[number] = store.add_signing_key(2, bytes([number]) * 32, at=2)

        threads = [threading.Thread(target=add, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        (winner,) = [number for number, first in told.items() if first]
        assert store.signing_keys()[1] == SigningKeyRecord(2, bytes([winner]) * 32, 2, None)
        assert len(store.signing_keys()) == 2

    def test_each_contest_and_rater_has_its_own_random_bytes(
        self, store: Store, reopen: Reopen
    ) -> None:
        """They stay as they are."""
        opened(store)
        opened(store, "other")
        store.append_answers(NAME, [vote(1, 0), vote(2, 0)])
        store.append_answers(NAME, [vote(1, 1), vote(3, 0)])
        raters, blindings = list(store.raters(NAME)), [one.blinding for one in store.contests()]
        assert {len(rater.salt) for rater in raters} == {16}
        assert len({rater.salt for rater in raters}) == 3
        assert {len(blinding) for blinding in blindings} == {32}
        assert len(set(blindings)) == 2
        again = reopen()
        again.append_answers(NAME, [vote(2, 1)])
        assert list(again.raters(NAME)) == raters
        assert [one.blinding for one in again.contests()] == blindings
        again.close()

    def test_of_an_erased_rater_the_mark_stays(self, store: Store) -> None:
        """Key and salt are gone. Erased twice, the mark is the same; a new rater has a new salt."""
        opened(store)
        store.append_answers(NAME, [vote(1, 0), vote(2, 0)])
        first, second = store.raters(NAME)
        mark = rater_mark(first.salt, key_of(1))
        for epoch in (1, 2):
            store.append_event(NAME, ERASE, epoch=epoch, erase=0)
            assert list(store.raters(NAME)) == [Rater(0, None, None, mark), second]
        store.append_answers(NAME, [vote(1, 0)])
        assert list(store.raters(NAME))[-1].salt != first.salt
