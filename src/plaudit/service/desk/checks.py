"""What a step of the desk must not do to a contest, checked before it is in the log."""

from collections.abc import Iterable, Sequence
from typing import Any

from plaudit.errors import NotAllowed, UnknownItem
from plaudit.service.contest.history import History
from plaudit.service.contest.races import make_race, race_of
from plaudit.service.contest.settings import ContestSettings
from plaudit.store.log import Kind


def check_algorithms(settings: ContestSettings) -> None:
    """Returns if no algorithm is for a fixed set of items: refused before it is in the log."""
    for lane in range(len(settings.lanes)):
        make_race(settings, lane, settings.top + 2).add(1)


def check_races(history: History, kind: Kind, payload: dict[str, Any]) -> None:
    """Returns if every race can be set up after the event: one that cannot would stop a worker."""
    history.contest.move_items(kind, payload)
    for lane in range(len(history.settings.lanes)):
        race_of(history.settings, history.contest, lane)


def check_items(history: History, items: Iterable[int]) -> None:
    """Returns if there are items of these numbers, withdrawn or not."""
    known = history.contest.items
    for item in items:
        if not 0 <= item < known:
            raise UnknownItem(f"There is no item {item}: items are 0 to {known - 1}.")


def check_left(history: History, left: int, told: str) -> None:
    """Returns if so many items are enough; `told` begins the sentence that says they are not."""
    settings = history.settings
    if left <= settings.top:
        raise NotAllowed(
            f"{told} would leave {left}, and the contest is {settings.purpose}. Keep more, or "
            "close the contest."
        )


def check_alone(history: History, back: Iterable[int], *, without: Sequence[int] = ()) -> None:
    """Returns if nobody would be present beside an item that stands for them."""
    contest = history.contest
    present = (set(range(contest.items)) - contest.withdrawn - set(without)) | set(back)
    for number, pool in contest.pools.items():
        if number in present:
            beside = sorted((pool.sources - {number}) & present)
            if beside:
                pair = (
                    (number, beside[0])
                    if number in contest.pools.stand_ins
                    else (beside[0], number)
                )
                raise NotAllowed(
                    f"Item {pair[0]} stands for item {pair[1]}: they cannot both be there. "
                    "Withdraw one of them first, or undo the step that put it there."
                )
