"""The keys of a service: from the secret, listed in the store, rotated, replaced."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from plaudit.proof.note import read_vkey
from plaudit.service.accounts.secret import Secret
from plaudit.service.notary.keys import keys_text, known_keys, open_keys, rotate_keys
from plaudit.store import Store, open_store
from support.live_worker import SECRET, START

OTHER = Secret(b"another secret, as long as the one")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(str(tmp_path / "votes.db"))
    yield store
    store.close()


def at(time: int):  # type: ignore[no-untyped-def]
    return lambda: START + time


def test_a_key_is_made_once(store: Store) -> None:
    assert known_keys(store, SECRET) is None
    first = open_keys(store, SECRET, clock=at(1))
    again = open_keys(store, SECRET, clock=at(2))
    assert first.signing == again.signing
    assert len(store.signing_keys()) == 1
    assert first.name.startswith("plaudit-")
    assert first.origin("snowman") == f"{first.name}/snowman"
    assert first.listed[0].retired_at is None


def test_private_keys_are_not_in_the_store(store: Store, tmp_path: Path) -> None:
    key = open_keys(store, SECRET)
    store.close()
    assert SECRET.key("signing 1") not in (tmp_path / "votes.db").read_bytes()
    assert key.signing.public in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_a_rotated_key_keeps_the_name_and_lists_both(store: Store) -> None:
    before = open_keys(store, SECRET, clock=at(1))
    after = rotate_keys(store, SECRET, clock=at(5))
    assert after.name == before.name
    assert after.signing != before.signing
    assert after.public == [after.signing, before.signing]
    assert [key.retired_at for key in after.listed] == [None, START + 5]
    assert open_keys(store, SECRET).signing == after.signing
    text = before.signing.note("a text\n")
    assert after.listed[1].key.has_signed("a text\n", before.signing.sign("a text\n"))
    assert before.name in text


def test_a_replaced_secret_gets_a_new_key_under_the_same_name(store: Store) -> None:
    before = open_keys(store, SECRET, clock=at(1))
    assert known_keys(store, OTHER) is None
    after = open_keys(store, OTHER, clock=at(9))
    assert after.name == before.name
    assert after.public == [after.signing, before.signing]
    assert after.listed[1].retired_at == START + 9
    assert known_keys(store, SECRET) is None


def test_the_keys_as_text(store: Store) -> None:
    first = open_keys(store, SECRET, clock=at(0))
    keys = rotate_keys(store, SECRET, clock=at(7))
    current, retired, old = keys_text(keys.listed).splitlines()
    assert read_vkey(current) == keys.signing
    assert retired == "# retired 2023-11-14T22:13:20.007Z"
    assert read_vkey(old) == first.signing


def test_workers_that_start_at_once_have_one_key(store: Store) -> None:
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(open_keys(store, SECRET).signing.vkey))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert len(found) == 8
    assert len(store.signing_keys()) == 1
