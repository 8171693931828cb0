"""Many callers at once: the promises hold when threads write to one contest or to several."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import TypeVar

from msgspec.structs import astuple

from plaudit.errors import ContestExists, EpochMoved, LiveError, NotOpen
from plaudit.store.contract import Receipt, Store
from plaudit.store.log import ANSWERS, Event, Kind
from plaudit.store.suite.samples import NAME, START, Reopen, check_log, opened, vote

R = TypeVar("R")


def at_once(calls: Sequence[Callable[[], R]]) -> list[R | type[LiveError]]:
    """What the calls return or raise when all start together, each in its own thread."""
    barrier = Barrier(len(calls))

    def run(call: Callable[[], R]) -> R | type[LiveError]:
        barrier.wait()
        try:
            return call()
        except (EpochMoved, ContestExists, NotOpen) as error:
            return type(error)

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))


def voting(store: Store, name: str, raters: range) -> Callable[[], list[Receipt]]:
    """A call that votes in small groups and returns all receipts."""

    def run() -> list[Receipt]:
        receipts: list[Receipt] = []
        for rater in raters:
            group = [vote(rater, item) for item in range(3)]
            receipts += store.append_answers(name, group).receipts
        return receipts

    return run


class ConcurrencyContract:
    """Writers to one contest take turns, over all processes that have the store open."""

    def test_one_of_two_events_wins(self, store: Store, reopen: Reopen) -> None:
        """Both callers saw the same epoch. Each time exactly one event is written."""
        opened(store)
        other = reopen()
        for epoch in range(1, 21):
            event = Event(Kind.STATE, epoch, "{}")
            outcomes = at_once(
                [partial(each.append_event, NAME, event, epoch=epoch) for each in (store, other)]
            )
            assert outcomes.count(EpochMoved) == 1
        assert len(check_log(other)) == 21
        other.close()

    def test_one_of_many_creates_a_contest(self, store: Store, reopen: Reopen) -> None:
        """The others get `ContestExists`."""
        other = reopen()
        calls = [lambda: opened(store), lambda: opened(other), lambda: opened(store)]
        outcomes = at_once(calls)
        assert outcomes.count(ContestExists) == 2
        assert len(store.contests()) == 1
        check_log(store)
        other.close()

    def test_threads_vote_in_one_contest(self, store: Store, reopen: Reopen) -> None:
        """No gap, no answer lost or written twice, and each receipt is right."""
        opened(store)
        other = reopen()
        ranges = [range(start, start + 25) for start in (0, 25, 50, 75)]
        calls = [voting(s, NAME, r) for s, r in zip([store, other] * 2, ranges, strict=True)]
        outcomes = at_once(calls)
        receipts = [receipt for found in outcomes if isinstance(found, list) for receipt in found]
        entries = {entry.position: entry for entry in check_log(store)}
        assert len(receipts) == len(entries) - 1 == 300
        for receipt in receipts:
            entry = entries[receipt.position]
            assert (entry.kind, entry.level, entry.rater) == (
                receipt.kind,
                receipt.level,
                receipt.rater,
            )
        assert {receipt.position for receipt in receipts} == set(range(2, 302))
        other.close()

    def test_the_same_answers_from_all_sides(self, store: Store, reopen: Reopen) -> None:
        """Each is written once. All callers get the same receipt, except for `fresh`."""
        opened(store)
        other = reopen()
        calls = [voting(s, NAME, range(20)) for s in [store, other] * 2]
        outcomes = [found for found in at_once(calls) if isinstance(found, list)]
        assert len(outcomes) == len(calls)
        assert len(check_log(store)) == 61
        for receipts in zip(*outcomes, strict=True):
            assert sum(receipt.fresh for receipt in receipts) == 1
            assert len({astuple(receipt)[:4] for receipt in receipts}) == 1
        other.close()

    def test_threads_vote_in_several_contests(self, store: Store) -> None:
        """Each has its own log."""
        names = ["one", "two", "three", "four"]
        for name in names:
            opened(store, name)
        at_once([voting(store, name, range(20)) for name in names])
        for name in names:
            assert len(check_log(store, name)) == 61

    def test_nobody_votes_after_the_close(self, store: Store, reopen: Reopen) -> None:
        """Once the contest is closed, no vote follows in the log."""
        opened(store)
        other = reopen()
        closing = Event(Kind.STATE, 9_000, "closed")
        at_once(
            [
                voting(store, NAME, range(200)),
                voting(other, NAME, range(200, 400)),
                lambda: other.append_event(NAME, closing, epoch=1, state="closed"),
            ]
        )
        entries = check_log(store)
        assert entries[-1].payload == "closed"
        assert entries[-1].kind not in ANSWERS
        other.close()

    def test_a_reader_sees_all_before_what_it_sees(self, store: Store, reopen: Reopen) -> None:
        """A follower that continues from the last position misses nothing."""
        opened(store)
        other = reopen()
        followed: list[int] = []

        def follow() -> None:
            while len(followed) < 1 + 2 * 90:
                page = other.entries(NAME, after=len(followed), limit=50)
                followed.extend(entry.position for entry in page)

        at_once([voting(store, NAME, range(30)), voting(store, NAME, range(30, 60)), follow])
        assert followed == list(range(1, 182))
        store.append_event(NAME, START, epoch=1)
        check_log(other)
        other.close()
