"""Events: written only if the caller has seen all earlier events, and with all they bring."""

import pytest

from plaudit.errors import ContestExists, EpochMoved, InvalidInput
from plaudit.store.contract import Certificate, Item, Rater, Store
from plaudit.store.log import NONE, Entry, Event, Kind
from plaudit.store.people import Deed
from plaudit.store.suite.samples import (
    ITEMS,
    NAME,
    START,
    Reopen,
    check_log,
    key_of,
    opened,
    raters_of,
    vote,
)

ADD = Event(Kind.ADD, 3_000, '{"items": [3, 4]}')
VERDICT = Event(Kind.VERDICT, 3_000, "{}")
ERASE = Event(Kind.ERASE, 3_000, '{"rater": 0}')


class EventContract:
    """An event compares and sets."""

    def test_an_event_follows_the_answers(self, store: Store) -> None:
        """It takes the next position and raises the epoch by one."""
        opened(store)
        store.append_answers(NAME, [vote(1, 0), vote(2, 0)])
        entry = store.append_event(NAME, ADD, epoch=1)
        nothing = (NONE,) * 5
        assert entry == Entry(4, Kind.ADD, 3_000, *nothing, ADD.payload)
        assert store.contest(NAME).state == "open"
        assert store.append_answers(NAME, [vote(3, 0)]).receipts[0].position == 5
        assert check_log(store)[3] == entry
        assert [event.position for event in store.events(NAME)] == [1, 4]

    @pytest.mark.parametrize("epoch", [0, 1, 3, -1])
    def test_an_event_of_another_epoch_writes_nothing(self, store: Store, epoch: int) -> None:
        """Neither the event nor what it brings."""
        opened(store)
        store.append_answers(NAME, [vote(1, 0)])
        store.append_event(NAME, ADD, epoch=1)
        before = store.contest(NAME)
        with pytest.raises(EpochMoved):
            store.append_event(
                NAME,
                ERASE,
                epoch=epoch,
                state="closed",
                items=[Item(9, "late")],
                certificate=Certificate(1, 0, "{}"),
                erase=0,
            )
        assert store.contest(NAME) == before
        assert store.items(NAME) == list(ITEMS)
        assert store.certificates(NAME) == []
        assert raters_of(store)[0] == Rater(0, key_of(1))
        check_log(store)

    def test_a_deed_is_written_with_its_event(self, store: Store, reopen: Reopen) -> None:
        """It gets the contest's name and the event's position, whatever it said before."""
        first = Deed(1, "Ána", "created it", "another", 77)
        store.create(NAME, "{}", state="open", items=ITEMS, event=START, deed=first)
        opened(store, "other")
        store.append_answers(NAME, [vote(1, 0)])
        entry = store.append_event(NAME, ADD, epoch=1, deed=Deed(2, "Bob", "added 🐘"))
        store.append_event("other", ADD, epoch=1, deed=Deed(3, "Bob", "did more"))
        store.append_event(NAME, ADD, epoch=2)
        other = reopen()
        told = [
            Deed(2, "Bob", "added 🐘", NAME, entry.position),
            Deed(1, "Ána", "created it", NAME, 1),
        ]
        assert other.deeds(contest=NAME) == told
        assert other.deeds(contest=NAME, limit=1) == told[:1]
        assert other.deeds(contest="nobody") == other.deeds(contest="a\0b") == []
        assert [deed.contest for deed in other.deeds()] == ["other", NAME, NAME]
        other.close()

    def test_no_deed_without_its_event(self, store: Store) -> None:
        """And no event is written without its deed."""
        opened(store)
        with pytest.raises(EpochMoved):
            store.append_event(NAME, ADD, epoch=7, deed=Deed(2, "Bob", "came late"))
        with pytest.raises(ContestExists):
            store.create(
                NAME, "{}", state="open", items=[], event=START, deed=Deed(2, "Bob", "again")
            )
        before = store.contest(NAME)
        with pytest.raises(InvalidInput):
            store.append_event(NAME, ADD, epoch=1, deed=Deed(2, "B\0b", "said nothing"))
        assert store.deeds() == []
        assert store.contest(NAME) == before
        check_log(store)

    def test_answers_do_not_move_the_epoch(self, store: Store) -> None:
        """So an editor's step does not fail because raters vote meanwhile."""
        opened(store)
        store.append_answers(NAME, [vote(1, 0)])
        assert store.heads()[NAME] == (2, 1)
        store.append_event(NAME, ADD, epoch=1)

    def test_an_event_brings_a_state_and_items(self, store: Store, reopen: Reopen) -> None:
        """All are written together."""
        opened(store)
        new = [Item(3, "new"), Item(4, "newer")]
        store.append_event(NAME, ADD, epoch=1, state="paused", items=new)
        other = reopen()
        assert other.contest(NAME).state == "paused"
        assert other.items(NAME) == [*ITEMS, *new]
        check_log(other)
        other.close()

    def test_an_item_that_is_there_is_not_replaced(self, store: Store) -> None:
        """The whole event is refused."""
        opened(store)
        before = store.contest(NAME)
        with pytest.raises(InvalidInput):
            store.append_event(NAME, ADD, epoch=1, items=[Item(3, "new"), Item(2, "again")])
        assert store.items(NAME) == list(ITEMS)
        assert store.contest(NAME) == before
        check_log(store)

    def test_certificates_are_kept_oldest_first(self, store: Store) -> None:
        """They are kept as given, with the position at which they were judged."""
        opened(store)
        given = [
            Certificate(9, 0, "first"),
            Certificate(2, 1, "second"),
            Certificate(9, 0, "third"),
        ]
        for epoch, certificate in enumerate(given, start=1):
            store.append_event(NAME, VERDICT, epoch=epoch, certificate=certificate)
        assert store.certificates(NAME) == given

    def test_an_erased_rater_has_no_key(self, store: Store) -> None:
        """The answers stay, the origin goes. If the key comes again, it is a new rater."""
        opened(store)
        store.append_answers(NAME, [vote(1, 0)._replace(origin=b"origin 1"), vote(2, 0)])
        before = store.answers_of(NAME, 0)
        store.append_event(NAME, ERASE, epoch=1, erase=0)
        assert raters_of(store) == [Rater(0, None), Rater(1, key_of(2))]
        assert store.rater(NAME, key_of(1)) is None
        assert store.answers_of(NAME, 0) == before
        (receipt,) = store.append_answers(NAME, [vote(1, 0)]).receipts
        assert (receipt.rater, receipt.fresh) == (2, True)
        store.append_event(NAME, ERASE, epoch=2, erase=1)
        store.append_event(NAME, ERASE, epoch=3, erase=1)
        check_log(store)

    def test_only_a_rater_that_is_there_is_erased(self, store: Store) -> None:
        """An unknown number is refused, and the event is not written."""
        opened(store)
        before = store.contest(NAME)
        with pytest.raises(InvalidInput):
            store.append_event(NAME, ERASE, epoch=1, erase=0)
        assert store.contest(NAME) == before

    @pytest.mark.parametrize("kind", [Kind.VOTE, 0, 99])
    def test_what_is_no_event_is_refused(self, store: Store, kind: int) -> None:
        """`append_event` and `create` refuse it."""
        opened(store)
        with pytest.raises(InvalidInput):
            store.append_event(NAME, Event(kind, 1, "{}"), epoch=1)
        with pytest.raises(InvalidInput):
            store.create("other", "{}", state="open", items=[], event=Event(kind, 1, "{}"))
        assert len(store.contests()) == 1
        assert len(check_log(store)) == 1

    def test_a_payload_is_kept_as_it_is(self, store: Store) -> None:
        """Also a long one that looks like the parameters of a statement."""
        opened(store)
        payload = '{"text": "%s :name \\u0000 🐘"}' * 10_000
        store.append_event(NAME, START._replace(payload=payload), epoch=1)
        assert check_log(store)[-1].payload == payload
        assert store.events(NAME)[-1].payload == payload
