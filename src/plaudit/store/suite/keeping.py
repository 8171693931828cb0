"""What a store keeps beside the logs: pictures, snapshots and API keys."""

import hashlib

import pytest

from plaudit.errors import InvalidInput, StoreUnavailable
from plaudit.store.contract import Asset, Item, Snapshot, Store
from plaudit.store.log import Event, Kind
from plaudit.store.people import ApiKey
from plaudit.store.suite.samples import NAME, START, Reopen, opened

ALL_BYTES = bytes(range(256)) * 4_000


class KeepingContract:
    """What was kept can be read back unchanged."""

    def test_a_picture_is_kept_once_by_its_content(self, store: Store, reopen: Reopen) -> None:
        """Its hash is SHA-256 of its bytes."""
        hash = store.put_asset("image/png", ALL_BYTES)
        assert hash == hashlib.sha256(ALL_BYTES).hexdigest()
        assert store.put_asset("image/png", ALL_BYTES) == hash
        other = reopen()
        assert other.asset(hash) == Asset(hash, "image/png", ALL_BYTES)
        other.close()

    @pytest.mark.parametrize("hash", ["", "00" * 32, "a\0b", "half \ud83d"])
    def test_a_picture_that_is_not_there(self, store: Store, hash: str) -> None:
        """The store returns None."""
        store.put_asset("image/png", b"")
        assert store.asset(hash) is None

    def test_pictures_that_nobody_wants_are_dropped(self, store: Store) -> None:
        """But not those wanted since then, and not those that a contest names or ever named."""
        bodies = [b"old", b"late", b"held", b"item", b"withdrawn", b"drawing", b"undone"]
        old, late, held, item, gone, drawing, undone = (
            store.put_asset("image/png", body, at=5) for body in bodies
        )
        store.put_asset("image/png", b"late", at=20)
        # An earlier time does not replace a later one.
        store.put_asset("image/png", b"late", at=6)
        settings = f'{{"context":{{"image":"{drawing}"}}}}'
        items = [Item(0, "", item), Item(1, "b", gone), Item(2, "c")]
        store.create(NAME, settings, state="open", items=items, event=START)
        store.append_event(NAME, Event(Kind.WITHDRAW, 6, '{"items":[1]}'), epoch=1)
        store.append_event(NAME, Event(Kind.SETTINGS, 6, f'{{"set":"{undone}"}}'), epoch=2)
        assert store.hold_assets([held, "00" * 32, "", "a\0b", held], at=20) == {held}
        assert store.drop_assets(before=5) == 0
        assert store.drop_assets(before=20) == 1
        left = {hash for hash in (late, held, item, gone, drawing, undone) if store.asset(hash)}
        assert left == {late, held, item, gone, drawing, undone}
        assert store.asset(old) is None
        assert store.hold_assets([old], at=30) == set()
        assert store.put_asset("image/png", b"old", at=7) == old
        assert store.drop_assets(before=21) == 3
        assert store.hold_assets([item, drawing, held, old], at=30) == {item, drawing}

    def test_the_latest_snapshot_is_kept(self, store: Store, reopen: Reopen) -> None:
        """An older one that arrives late does not replace it."""
        opened(store)
        assert store.snapshot(NAME) is None
        store.put_snapshot(NAME, Snapshot(10, ALL_BYTES))
        store.put_snapshot(NAME, Snapshot(7, b"late"))
        other = reopen()
        assert other.snapshot(NAME) == Snapshot(10, ALL_BYTES)
        other.close()
        store.put_snapshot(NAME, Snapshot(10, b"same place"))
        assert store.snapshot(NAME) == Snapshot(10, b"same place")
        store.put_snapshot(NAME, Snapshot(11, b""))
        assert store.snapshot(NAME) == Snapshot(11, b"")

    def test_snapshots_of_contests_are_apart(self, store: Store) -> None:
        """Each contest has its own."""
        opened(store, "one")
        opened(store, "two")
        store.put_snapshot("one", Snapshot(5, b"one"))
        assert store.snapshot("two") is None

    def test_keys_are_kept_and_dropped(self, store: Store, reopen: Reopen) -> None:
        """They are listed oldest first. A key replaces one with the same name."""
        assert store.keys() == []
        first = ApiKey("bot", b"\0\xff" * 16, ("read", "export"), 5)
        second = ApiKey("ana", b"b" * 32, (), 6)
        store.put_key(second)
        store.put_key(first)
        assert store.keys() == [first, second]
        newer = ApiKey("bot", b"c" * 32, ("manage",), 9)
        store.put_key(newer)
        other = reopen()
        assert other.keys() == [second, newer]
        assert other.drop_key("bot")
        other.close()
        assert store.keys() == [second]
        assert not store.drop_key("bot")
        assert not store.drop_key("a\0b")

    @pytest.mark.parametrize("text", ["a\0b", "half \ud83d"])
    def test_a_key_with_bad_text_is_refused(self, store: Store, text: str) -> None:
        """Whether in its name or in its scopes."""
        for key in (ApiKey(text, b"", (), 1), ApiKey("a", b"", (text,), 1)):
            with pytest.raises(InvalidInput):
                store.put_key(key)
        assert store.keys() == []

    def test_a_sound_store_passes_its_check(self, store: Store) -> None:
        """A check changes nothing that can be seen."""
        opened(store)
        before = store.contests()
        for _ in range(3):
            store.check()
        assert store.contests() == before

    def test_a_closed_store_says_so(self, store: Store) -> None:
        """Readers and writers get an error. Closing twice is not an error."""
        opened(store)
        store.close()
        store.close()
        for call in (store.contests, store.check):
            with pytest.raises(StoreUnavailable):
                call()
