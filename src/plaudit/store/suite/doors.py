"""Doors: how raters came in, and how many were turned away."""

import pytest

from plaudit.errors import InvalidInput, UnknownContest
from plaudit.store.contract import Store
from plaudit.store.doors import Refusals
from plaudit.store.log import Event, Kind
from plaudit.store.suite.samples import NAME, Reopen, opened, vote


class DoorContract:
    """The promises at the top of `plaudit.store.doors`."""

    def test_raters_are_counted_by_the_door_of_their_first_answer(
        self, store: Store, reopen: Reopen
    ) -> None:
        """A later answer, or one sent again, changes nothing."""
        opened(store)
        assert store.raters_by_door(NAME) == {}
        first = [vote(1, 0)._replace(door=3), vote(2, 0)._replace(door=3), vote(3, 0)]
        store.append_answers(NAME, [*first, vote(1, 1)._replace(door=5)])
        store.append_answers(NAME, [vote(2, 0)._replace(door=7), vote(4, 0)._replace(door=127)])
        other = reopen()
        assert other.raters_by_door(NAME) == {0: 1, 3: 2, 127: 1}
        other.close()

    def test_an_erased_rater_came_by_no_known_door(self, store: Store) -> None:
        """Nothing is left of who it was."""
        opened(store)
        store.append_answers(NAME, [vote(1, 0)._replace(door=3), vote(2, 0)._replace(door=3)])
        store.append_event(NAME, Event(Kind.ERASE, 9, "{}"), epoch=1, erase=0)
        assert store.raters_by_door(NAME) == {0: 1, 3: 1}

    @pytest.mark.parametrize("door", [-1, 128, 1.5, None])
    def test_a_door_that_is_no_small_number_is_refused(self, store: Store, door: object) -> None:
        """And nothing is written."""
        opened(store)
        with pytest.raises(InvalidInput, match="door"):
            store.append_answers(NAME, [vote(1, 0)._replace(door=door)])  # type: ignore[arg-type]
        assert store.contest(NAME).position == 1

    def test_refusals_add_up(self, store: Store, reopen: Reopen) -> None:
        """By contest, day and reason, whoever adds them."""
        opened(store)
        opened(store, "other")
        store.add_refusals([Refusals(NAME, 7, "code_unknown", 2), Refusals("other", 7, "x", 1)])
        other = reopen()
        other.add_refusals([Refusals(NAME, 7, "code_unknown", 3), Refusals(NAME, 8, "x", 1)])
        other.close()
        assert store.refusals(NAME) == [
            Refusals(NAME, 7, "code_unknown", 5), Refusals(NAME, 8, "x", 1),
        ]  # fmt: skip
        assert store.refusals("other") == [Refusals("other", 7, "x", 1)]

    def test_refusals_of_a_contest_that_is_not_there_are_left_out(self, store: Store) -> None:
        """The others are kept."""
        opened(store)
        store.add_refusals([Refusals("gone", 1, "x", 1), Refusals(NAME, 1, "x", 1)])
        store.add_refusals([Refusals("a\0b", 1, "x", 1)])
        store.add_refusals([])
        assert store.refusals(NAME) == [Refusals(NAME, 1, "x", 1)]
        for ask in (store.refusals, store.raters_by_door):
            with pytest.raises(UnknownContest):
                ask("gone")

    def test_refusals_that_make_no_sense_are_refused(self, store: Store) -> None:
        """And none of the call is written."""
        opened(store)
        sound = Refusals(NAME, 1, "x", 1)
        for wrong in (sound._replace(times=-1), sound._replace(reason="a\0b")):
            with pytest.raises(InvalidInput):
                store.add_refusals([sound, wrong])
        assert store.refusals(NAME) == []
