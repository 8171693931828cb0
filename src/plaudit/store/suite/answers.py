"""Answers: one per rater and item, in order, and only while the contest is open."""

import pytest
from msgspec.structs import replace

from plaudit.errors import InvalidInput, NotOpen
from plaudit.store.contract import Rater, Receipt, Store
from plaudit.store.log import NONE, Answer, Entry, Kind
from plaudit.store.suite.samples import (
    NAME,
    START,
    Reopen,
    check_log,
    key_of,
    opened,
    raters_of,
    vote,
)


class AnswerContract:
    """An acknowledged answer is in the log once."""

    def test_answers_become_entries_in_order(self, store: Store, reopen: Reopen) -> None:
        """All fields are kept. Raters are numbered in the order of their first answers."""
        opened(store)
        group = [
            Answer(Kind.VOTE, key_of(50), 2, 1, 0, 2_000, 800),
            Answer(Kind.SKIP, key_of(40), 2, NONE, 1, 2_001, NONE),
            Answer(Kind.FLAG, key_of(50), 0, 3, NONE, 1_999, 2**31 - 1),
        ]
        appended = store.append_answers(NAME, group)
        assert appended.entries == [
            Entry(2, Kind.VOTE, 2_000, 0, 2, 1, 0, 800, ""),
            Entry(3, Kind.SKIP, 2_001, 1, 2, NONE, 1, NONE, ""),
            Entry(4, Kind.FLAG, 1_999, 0, 0, 3, NONE, 2**31 - 1, ""),
        ]
        assert appended.receipts == [
            Receipt(2, Kind.VOTE, 1, 0, True),
            Receipt(3, Kind.SKIP, NONE, 1, True),
            Receipt(4, Kind.FLAG, 3, 0, True),
        ]
        other = reopen()
        assert check_log(other)[1:] == appended.entries
        other.close()

    def test_a_replay_gets_the_receipt_of_the_first(self, store: Store) -> None:
        """Also with another level or kind. Nothing is written."""
        opened(store)
        (first,) = store.append_answers(NAME, [vote(1, 0, 2)]).receipts
        before = store.contest(NAME)
        other_kind = Answer(Kind.FLAG, key_of(1), 0, 1, NONE, 9_000, 1)
        for again in (vote(1, 0, 2), vote(1, 0, 1), other_kind):
            replayed = store.append_answers(NAME, [again])
            assert replayed.receipts == [replace(first, fresh=False)]
            assert replayed.entries == []
        assert store.contest(NAME) == before

    def test_raters_are_recalled_in_one_go(self, store: Store) -> None:
        """Those whom the log has, with all their answers; nobody else."""
        opened(store)
        group = [vote(1, 0, 2), vote(2, 1, 0), vote(1, 2, 1)]
        store.append_answers(NAME, [*group, Answer(Kind.SKIP, key_of(2), 0, NONE, 0, 9_000, NONE)])
        found = store.recall(NAME, [key_of(n) for n in (2, 3, 1)])
        assert found.keys() == {key_of(1), key_of(2)}
        assert [found[key_of(n)].number for n in (1, 2)] == [0, 1]
        assert sorted(found[key_of(1)].answers) == [(0, Kind.VOTE, 2), (2, Kind.VOTE, 1)]
        assert sorted(found[key_of(2)].answers) == [(0, Kind.SKIP, NONE), (1, Kind.VOTE, 0)]
        assert store.recall(NAME, []) == store.recall("nowhere", [key_of(1)]) == {}

    def test_a_replay_inside_a_group(self, store: Store) -> None:
        """By a new rater, and by a known one."""
        opened(store)
        store.append_answers(NAME, [vote(1, 0)])
        group = [vote(1, 1, 2), vote(2, 1, 0), vote(1, 1, 1), vote(2, 1, 2), vote(1, 0, 2)]
        appended = store.append_answers(NAME, group)
        assert appended.receipts == [
            Receipt(3, Kind.VOTE, 2, 0, True),
            Receipt(4, Kind.VOTE, 0, 1, True),
            Receipt(3, Kind.VOTE, 2, 0, False),
            Receipt(4, Kind.VOTE, 0, 1, False),
            Receipt(2, Kind.VOTE, 1, 0, False),
        ]
        assert len(appended.entries) == 2
        check_log(store)

    def test_a_new_rater_with_many_answers_gets_one_number(self, store: Store) -> None:
        """All answers are in one group."""
        opened(store)
        appended = store.append_answers(NAME, [vote(9, item) for item in range(50)])
        assert {receipt.rater for receipt in appended.receipts} == {0}
        assert raters_of(store) == [Rater(0, key_of(9))]
        check_log(store)

    def test_a_group_tells_the_digest_after_it(self, store: Store) -> None:
        """It is that of the log, whether all or nothing of the group is new."""
        opened(store)
        for group in ([vote(1, 0), vote(2, 0)], [vote(2, 0), vote(2, 1)], [vote(1, 0)]):
            assert store.append_answers(NAME, group).digest == store.contest(NAME).digest

    def test_an_empty_group_writes_nothing(self, store: Store) -> None:
        """It is not an error."""
        record = opened(store)
        assert store.append_answers(NAME, [])[:2] == ([], [])
        assert store.contest(NAME) == record

    @pytest.mark.parametrize("state", ["draft", "paused", "closed", "retired", "OPEN", ""])
    def test_a_contest_that_is_not_open_takes_nothing(self, store: Store, state: str) -> None:
        """It refuses new answers and replays, and gets no entry and no rater."""
        opened(store)
        store.append_answers(NAME, [vote(1, 0)])
        store.append_event(NAME, START, epoch=1, state=state)
        before = store.contest(NAME)
        for group in ([vote(2, 0)], [vote(1, 0)], [vote(1, 0), vote(3, 0)]):
            with pytest.raises(NotOpen):
                store.append_answers(NAME, group)
        assert store.contest(NAME) == before
        assert len(list(store.raters(NAME))) == 1
        store.append_event(NAME, START, epoch=2, state="open")
        assert store.append_answers(NAME, [vote(2, 0)]).receipts[0].fresh
        check_log(store)

    @pytest.mark.parametrize(
        "wrong",
        [
            vote(1, -1),
            vote(1, 2**63),
            vote(1, 0, 2**15),
            vote(1, 0, at=2**63),
            vote(1, 0)._replace(rater=b"short"),
            vote(1, 0)._replace(kind=Kind.STATE),
            vote(1, 0)._replace(kind=4),
            vote(1, 0)._replace(lane=-(2**15) - 1),
            vote(1, 0)._replace(response_ms=2**31),
        ],
    )
    def test_an_answer_that_the_log_cannot_hold(self, store: Store, wrong: Answer) -> None:
        """The whole group is refused."""
        record = opened(store)
        with pytest.raises(InvalidInput):
            store.append_answers(NAME, [vote(5, 0), wrong])
        assert store.contest(NAME) == record
        assert list(store.raters(NAME)) == []
        assert store.append_answers(NAME, [vote(5, 0)]).receipts[0].position == 2

    def test_large_numbers_are_kept(self, store: Store) -> None:
        """Up to the limits of their fields."""
        opened(store)
        answer = Answer(Kind.VOTE, b"\xff" * 16, 2**63 - 1, 2**15 - 1, -(2**15), 2**62, -(2**31))
        (entry,) = store.append_answers(NAME, [answer]).entries
        assert check_log(store)[-1] == entry
        assert entry[2:8] == (2**62, 0, 2**63 - 1, 2**15 - 1, -(2**15), -(2**31))

    def test_contests_are_apart(self, store: Store) -> None:
        """The same rater has a number and an answer in each."""
        opened(store, "one")
        opened(store, "two")
        store.append_answers("one", [vote(7, 0), vote(8, 0)])
        (receipt,) = store.append_answers("two", [vote(8, 0)]).receipts
        assert receipt == Receipt(2, Kind.VOTE, 1, 0, True)
        check_log(store, "one")
        check_log(store, "two")

    def test_a_large_group(self, store: Store) -> None:
        """Three thousand answers, half of them replays."""
        opened(store)
        group = [vote(n % 300, n // 300 % 5, n % 3) for n in range(3_000)]
        appended = store.append_answers(NAME, group)
        assert len(appended.entries) == 1_500
        assert [receipt.fresh for receipt in appended.receipts] == [True] * 1_500 + [False] * 1_500
        assert check_log(store)[1:] == appended.entries

    def test_entries_are_read_from_a_position_on(self, store: Store) -> None:
        """They come in order, up to the limit."""
        opened(store)
        written = store.append_answers(NAME, [vote(n, 0) for n in range(30)]).entries
        assert store.entries(NAME, after=1) == written
        assert store.entries(NAME, after=11, limit=5) == written[10:15]
        assert store.entries(NAME, after=31) == []
        assert store.entries(NAME, after=2**70) == []
        assert store.entries(NAME, limit=0) == []

    def test_the_answers_of_a_rater(self, store: Store) -> None:
        """They come in the order of the log, whatever the items."""
        opened(store)
        for item in (5, 1, 3):
            store.append_answers(NAME, [vote(1, item), vote(2, item)])
        assert [entry.item for entry in store.answers_of(NAME, 0)] == [5, 1, 3]
        assert [entry.position for entry in store.answers_of(NAME, 1)] == [3, 5, 7]
        assert store.answers_of(NAME, 2) == []
        assert store.answers_of(NAME, NONE) == []

    def test_the_answers_of_several_raters(self, store: Store) -> None:
        """Answers of every kind up to a position, of one contest, in the order of the log."""
        opened(store)
        opened(store, "other")
        flag = Answer(Kind.FLAG, key_of(3), 2, 1, NONE, 1, 1)
        given = [vote(1, 5), vote(2, 0), flag, vote(1, 1), vote(3, 0), vote(2, 9)]
        entries = store.append_answers(NAME, given).entries
        store.append_answers("other", [vote(1, 0), vote(3, 0)])
        end = store.contest(NAME).position
        several = store.answers_of_several
        assert several(NAME, [2, 0], upto=end) == [entries[k] for k in (0, 2, 3, 4)]
        assert several(NAME, [2, 0], upto=entries[3].position) == [entries[k] for k in (0, 2, 3)]
        assert several(NAME, range(9), upto=2**70) == entries
        # Events have no rater.
        assert several(NAME, [7, NONE], upto=end) == several(NAME, [], upto=end) == []
        assert several(NAME, [1], upto=0) == []

    def test_the_answers_on_items(self, store: Store) -> None:
        """Answers of every kind, of one contest, in order."""
        opened(store)
        opened(store, "other")
        flag = Answer(Kind.FLAG, key_of(9), 2, 1, NONE, 1, 1)
        given = [vote(1, 0), vote(1, 1), vote(2, 2), vote(2, 0), flag]
        entries = store.append_answers(NAME, given).entries
        store.append_answers("other", [vote(1, 0)])
        assert store.answers_on(NAME, [0]) == [entries[0], entries[3]]
        assert store.answers_on(NAME, [2, 0]) == [entries[k] for k in (0, 2, 3, 4)]
        assert store.answers_on(NAME, [7]) == store.answers_on(NAME, []) == []

    def test_an_origin_is_kept_with_the_first_answer(self, store: Store, reopen: Reopen) -> None:
        """Later origins of the rater are ignored, and the log has none."""
        opened(store)
        here, there = b"\0\xff origin"[:8], b"elsewher"
        first = [vote(1, 0)._replace(origin=here), vote(2, 0), vote(1, 1)._replace(origin=there)]
        store.append_answers(NAME, first)
        store.append_answers(NAME, [vote(2, 1)._replace(origin=there)])
        other = reopen()
        known = [Rater(0, key_of(1), here), Rater(1, key_of(2), None)]
        assert raters_of(other) == known
        assert [other.rater(NAME, key_of(n)) for n in (1, 2)] == list(other.raters(NAME))
        check_log(other)
        other.close()

    @pytest.mark.parametrize("origin", [b"seven b", b"nine byte"])
    def test_an_origin_has_eight_bytes(self, store: Store, origin: bytes) -> None:
        """Or it is empty. Other lengths are refused, and nothing is written."""
        opened(store)
        with pytest.raises(InvalidInput, match="8 bytes"):
            store.append_answers(NAME, [vote(1, 0)._replace(origin=origin)])
        assert list(store.raters(NAME)) == []

    def test_a_rater_is_found_by_key(self, store: Store) -> None:
        """From the first answer on. All raters are listed by number."""
        opened(store)
        assert store.rater(NAME, key_of(3)) is None
        store.append_answers(NAME, [vote(n, 0) for n in range(12_000, 0, -1)])
        known = list(store.raters(NAME))
        assert store.rater(NAME, key_of(12_000)) == known[0]
        assert store.rater(NAME, key_of(1)) == known[-1]
        assert (known[0].number, known[-1].number) == (0, 11_999)
        assert list(store.raters(NAME, first=11_000)) == known[11_000:]
        assert store.rater(NAME, b"x") is None
        keys = [rater.key for rater in store.raters(NAME)]
        assert keys == [key_of(n) for n in range(12_000, 0, -1)]
