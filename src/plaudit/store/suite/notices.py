"""Notices: where they go, what has been told, the queue of them, and leases."""

import threading
from typing import Any

import pytest

from plaudit.errors import InvalidInput, UnknownContest
from plaudit.store.contract import Store
from plaudit.store.notices import FAILED, SENT, WAITING, Destination, Mark, NewDelivery
from plaudit.store.suite.samples import NAME, Reopen, opened

SALT = b"\0\xff" * 8


def hook(store: Store, name: str = NAME, address: str = "https://example.org/") -> Destination:
    """A destination of a contest."""
    return store.add_destination(name, "webhook", address, ("verdict", "closed"), salt=SALT, at=5)


def new(destination: Destination, id: str = "msg_1", *, at: int = 10) -> NewDelivery:
    """A delivery to a destination."""
    return NewDelivery(destination.number, id, "verdict", '{"é": 1}', at)


class NoticeContract:
    """The promises at the top of `plaudit.store.notices`."""

    def test_destinations_are_kept_in_order_and_by_contest(
        self, store: Store, reopen: Reopen
    ) -> None:
        """Another process sees them, and a number is never used again."""
        opened(store)
        opened(store, "other")
        first, theirs = hook(store), hook(store, "other")
        second = hook(store, address="https://example.org/ü")
        assert tuple(first) == (first.number, NAME, "webhook", "https://example.org/",
                         ("verdict", "closed"), SALT, 5)  # fmt: skip
        other = reopen()
        assert other.destinations() == [first, theirs, second]
        assert other.destinations(NAME) == [first, second]
        assert not other.drop_destination("other", second.number)
        assert other.drop_destination(NAME, second.number)
        assert not other.drop_destination(NAME, second.number)
        other.close()
        assert store.destinations(NAME) == [first]
        assert hook(store).number > second.number
        for ask in (store.destinations, store.mark):
            with pytest.raises(UnknownContest):
                ask("gone")
        with pytest.raises(InvalidInput, match="NUL"):
            hook(store, address="a\0b")

    def test_the_mark_moves_with_what_it_told_or_not_at_all(self, store: Store) -> None:
        """Whoever saw an older mark puts nothing into the queue."""
        opened(store)
        there = hook(store)
        assert store.mark(NAME) is None
        assert store.tell(NAME, Mark(1, "one"), [new(there)])
        assert not store.tell(NAME, Mark(1, "late"), [new(there, "msg_late")])
        assert not store.tell(NAME, Mark(3, "early"), [new(there, "msg_early")])
        assert store.tell(NAME, Mark(2, "two"), [])
        assert store.mark(NAME) == Mark(2, "two")
        with pytest.raises(InvalidInput, match="NUL"):
            store.tell(NAME, Mark(3, "three"), [new(there, "msg_2")._replace(body="\0")])
        assert store.mark(NAME) == Mark(2, "two")
        assert [one.id for one in store.deliveries(NAME, limit=9)] == ["msg_1"]

    def test_of_many_who_tell_the_same_one_does(self, store: Store, reopen: Reopen) -> None:
        """Workers that saw the same mark at the same time."""
        opened(store)
        there = hook(store)
        others, told = [reopen() for _ in range(4)], []

        def tell(one: Store, place: int) -> None:
            told.append(one.tell(NAME, Mark(1, "one"), [new(there, f"msg_{place}")]))

        threads = [
            threading.Thread(target=tell, args=(one, place)) for place, one in enumerate(others)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for one in others:
            one.close()
        assert sorted(told) == [False, False, False, True]
        assert len(store.deliveries(NAME, limit=9)) == 1

    def test_a_delivery_waits_until_it_is_sent(self, store: Store, reopen: Reopen) -> None:
        """It keeps its id and body from try to try, and is due when it was said."""
        opened(store)
        there = hook(store)
        store.tell(NAME, Mark(1, ""), [new(there), new(there, "msg_2", at=20)])
        assert store.due_deliveries(at=9, limit=9) == []
        ((found, first),) = store.due_deliveries(at=10, limit=9)
        assert found == there
        wanted = (there.number, "msg_1", "verdict", '{"é": 1}', 10, WAITING, 0, 10, None, "")
        assert tuple(first) == (first.number, *wanted)
        given: dict[str, Any] = {"state": WAITING, "due_at": 50, "at": 12, "outcome": "503"}
        assert store.settle(first.number, tries=0, **given)
        assert not store.settle(first.number, tries=0, **given)
        other = reopen()
        assert [one.id for _, one in other.due_deliveries(at=49, limit=9)] == ["msg_2"]
        ((_, due),) = other.due_deliveries(at=50, limit=9)
        assert due == first._replace(tries=1, due_at=50, tried_at=12, outcome="503")
        other.settle(first.number, tries=1, state=SENT, due_at=50, at=51, outcome="204")
        other.close()
        assert [one.id for _, one in store.due_deliveries(at=99, limit=9)] == ["msg_2"]
        assert [one.state for one in store.deliveries(NAME, limit=9)] == [WAITING, SENT]
        assert [one.id for one in store.deliveries(NAME, limit=1)] == ["msg_2"]

    def test_each_destination_has_its_turn(self, store: Store) -> None:
        """However many wait for one of them, the oldest of each is due."""
        opened(store)
        one, two = hook(store), hook(store)
        many = [new(one, f"msg_{number}") for number in range(5)]
        store.tell(NAME, Mark(1, ""), [*many, new(two, "msg_two")])
        due = store.due_deliveries(at=10, limit=9)
        assert [delivery.id for _, delivery in due] == ["msg_0", "msg_two"]
        assert len(store.due_deliveries(at=10, limit=1)) == 1

    def test_a_delivery_can_be_sent_again(self, store: Store) -> None:
        """Under the same id; not through another contest."""
        opened(store)
        opened(store, "other")
        there = hook(store)
        store.tell(NAME, Mark(1, ""), [new(there)])
        (one,) = store.deliveries(NAME, limit=9)
        store.settle(one.number, tries=0, state=FAILED, due_at=10, at=11, outcome="gone")
        assert store.due_deliveries(at=99, limit=9) == []
        assert not store.send_again("other", one.number, at=60)
        assert not store.send_again(NAME, one.number + 1, at=60)
        assert store.send_again(NAME, one.number, at=60)
        ((_, again),) = store.due_deliveries(at=60, limit=9)
        assert again == one._replace(due_at=60, tried_at=11, outcome="gone")

    def test_what_goes_takes_its_deliveries_along(self, store: Store) -> None:
        """A destination that is gone gets nothing; old deliveries go unless they wait."""
        opened(store)
        there, gone = hook(store), hook(store)
        store.tell(NAME, Mark(1, ""), [new(there), new(gone, "msg_gone")])
        store.drop_destination(NAME, gone.number)
        assert store.tell(NAME, Mark(2, ""), [new(gone, "msg_late"), new(there, "msg_2", at=30)])
        found = store.deliveries(NAME, limit=9)
        assert [one.id for one in found] == ["msg_2", "msg_1"]
        store.settle(found[0].number, tries=0, state=SENT, due_at=0, at=31, outcome="200")
        assert store.forget_deliveries(before=30) == 0
        assert store.forget_deliveries(before=31) == 1
        assert [one.id for one in store.deliveries(NAME, limit=9)] == ["msg_1"]

    def test_a_lease_has_one_holder(self, store: Store, reopen: Reopen) -> None:
        """Until its time is over, or it is given back."""
        other = reopen()
        assert store.take_lease("courier", "a", now=0, until=10)
        assert not other.take_lease("courier", "b", now=9, until=19)
        assert other.take_lease("another", "b", now=9, until=19)
        assert store.take_lease("courier", "a", now=9, until=19)
        assert not other.take_lease("courier", "b", now=18, until=28)
        other.give_lease("courier", "b")
        assert not other.take_lease("courier", "b", now=18, until=28)
        assert other.take_lease("courier", "b", now=19, until=29)
        assert not store.take_lease("courier", "a", now=20, until=30)
        other.give_lease("courier", "b")
        assert store.take_lease("courier", "a", now=20, until=30)
        other.close()
