"""Contests and their items: creating, finding and listing them, with text of every kind."""

from collections.abc import Callable

import pytest

from plaudit.errors import ContestExists, InvalidInput, UnknownContest
from plaudit.store.contract import OPEN, Certificate, Item, Snapshot, Store
from plaudit.store.log import Event, Kind
from plaudit.store.suite.samples import (
    ITEMS,
    NAME,
    SETTINGS,
    START,
    Reopen,
    check_log,
    key_of,
    opened,
    vote,
)

# Right to left, emoji of several code points, combining marks, quotes, and beyond 16 bits.
TEXTS = (
    "שָׁלוֹם",
    "مرحبا",
    "👩‍👩‍👧‍👦 🏳️‍🌈",
    "e\u0301",
    "'\"\\%s :name",
    "𝔘\u202eback",
    "\t\r\n",
    "",
    "\uffff",
)


class ContestContract:
    """A contest is kept as given."""

    def test_a_contest_is_kept_as_given(self, store: Store, reopen: Reopen) -> None:
        """All readers get what `create` returned."""
        record = opened(store)
        assert (record.name, record.settings, record.state) == (NAME, SETTINGS, OPEN)
        assert (record.position, record.epoch, record.created_at) == (1, 1, START.at)
        other = reopen()
        assert other.contest(NAME) == record
        assert other.items(NAME) == list(ITEMS)
        (entry,) = check_log(other)
        assert (entry.kind, entry.at, entry.payload) == START
        other.close()

    def test_contests_are_listed_oldest_first(self, store: Store) -> None:
        """In the order of creation, whatever their names."""
        assert store.contests() == []
        assert store.heads() == {}
        records = [opened(store, name) for name in ("pig", "ant", "zebra", "bee")]
        assert store.contests() == records
        assert list(store.heads()) == ["pig", "ant", "zebra", "bee"]

    def test_a_name_is_taken_once(self, store: Store) -> None:
        """The first contest is unchanged."""
        first = opened(store)
        with pytest.raises(ContestExists):
            store.create(NAME, "{}", state="draft", items=[Item(7, "other")], event=START)
        assert store.contests() == [first]
        assert store.items(NAME) == list(ITEMS)

    def test_items_are_read_from_a_number_on(self, store: Store) -> None:
        """With and without a limit."""
        opened(store)
        assert store.items(NAME, first=1) == list(ITEMS[1:])
        assert store.items(NAME, first=1, limit=1) == [ITEMS[1]]
        assert store.items(NAME, first=9) == []
        assert store.items(NAME, limit=0) == []

    def test_a_hundred_thousand_items(self, store: Store) -> None:
        """They are read in the order of their numbers."""
        items = [Item(number, f"caption {number}") for number in range(100_000)]
        store.create(NAME, SETTINGS, state=OPEN, items=items[::-1], event=START)
        assert store.items(NAME) == items

    def test_an_item_number_is_used_once(self, store: Store) -> None:
        """The same number twice is refused, and so are negative and too large ones."""
        for items in ([Item(1, "a"), Item(1, "b")], [Item(-1, "a")], [Item(2**63, "a")]):
            with pytest.raises(InvalidInput):
                store.create(NAME, SETTINGS, state=OPEN, items=items, event=START)
        assert store.contests() == []

    @pytest.mark.parametrize("text", TEXTS)
    def test_any_text_is_kept(self, store: Store, text: str) -> None:
        """Names, settings, states, items, payloads and certificates, letter for letter."""
        name = f"n{text}"
        store.create(name, text, state=text, items=[Item(0, text, text)], event=START)
        event = Event(Kind.ADD, 5, text)
        store.append_event(name, event, epoch=1, certificate=Certificate(1, 0, text))
        record = store.contest(name)
        assert (record.name, record.settings, record.state) == (name, text, text)
        assert store.items(name) == [Item(0, text, text)]
        assert store.certificates(name) == [Certificate(1, 0, text)]
        assert check_log(store, name)[-1].payload == text

    @pytest.mark.parametrize("text", ["a\0b", "half \ud83d"])
    def test_text_that_not_all_engines_hold_is_refused(self, store: Store, text: str) -> None:
        """All methods refuse NUL and lone surrogates before they write anything."""
        record = opened(store)
        event = Event(Kind.ADD, 5, text)
        refused: list[Callable[[], object]] = [
            lambda: store.create(text, "{}", state=OPEN, items=[], event=START),
            lambda: store.create("x", text, state=OPEN, items=[], event=START),
            lambda: store.create("x", "{}", state=text, items=[], event=START),
            lambda: store.create("x", "{}", state=OPEN, items=[Item(0, text)], event=START),
            lambda: store.create("x", "{}", state=OPEN, items=[Item(0, "", text)], event=START),
            lambda: store.create("x", "{}", state=OPEN, items=[], event=event),
            lambda: store.append_event(NAME, event, epoch=1),
            lambda: store.append_event(NAME, START, epoch=1, state=text),
            lambda: store.append_event(NAME, START, epoch=1, items=[Item(9, text)]),
            lambda: store.append_event(NAME, START, epoch=1, certificate=Certificate(1, 0, text)),
            lambda: store.put_asset(text, b"x"),
        ]
        for call in refused:
            with pytest.raises(InvalidInput):
                call()
        assert store.contests() == [record]
        assert store.items(NAME) == list(ITEMS)
        check_log(store)

    @pytest.mark.parametrize("name", ["nobody", "", "a\0b", "half \ud83d"])
    def test_an_unknown_contest_is_said_to_be_unknown(self, store: Store, name: str) -> None:
        """Every method that takes a name raises `UnknownContest`."""
        opened(store)
        calls: list[Callable[[], object]] = [
            lambda: store.contest(name),
            lambda: store.append_answers(name, [vote(1, 0)]),
            lambda: store.append_answers(name, []),
            lambda: store.append_event(name, START, epoch=1),
            lambda: store.entries(name),
            lambda: store.events(name),
            lambda: store.answers_of(name, 0),
            lambda: store.answers_of_several(name, [0], upto=9),
            lambda: store.rater(name, key_of(1)),
            lambda: list(store.raters(name)),
            lambda: store.items(name),
            lambda: store.certificates(name),
            lambda: store.put_snapshot(name, Snapshot(1, b"")),
            lambda: store.snapshot(name),
        ]
        for call in calls:
            with pytest.raises(UnknownContest):
                call()
        assert len(store.contests()) == 1
