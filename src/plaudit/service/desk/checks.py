"""What a step of the desk must not do to a contest, checked before it is in the log."""

from collections.abc import Iterable, Sequence

from plaudit.errors import NotAllowed, UnknownItem
from plaudit.phrase import Item, Phrase
from plaudit.service.contest.events import ContestEvent, Past
from plaudit.service.contest.history import NO_ANSWERS, History
from plaudit.service.contest.races import make_race, race_of
from plaudit.service.contest.settings import ContestSettings
from plaudit.words import N_


def check_algorithms(settings: ContestSettings) -> None:
    """Returns if no algorithm is for a fixed set of items: refused before it is in the log."""
    for lane in range(len(settings.lanes)):
        make_race(settings, lane, settings.top + 2).add(1)


def check_races(history: History, event: ContestEvent) -> None:
    """Returns if every race can be set up after the event: one that cannot would stop a worker."""
    contest = history.contest
    contest.take(event, Past(contest.position + 1, NO_ANSWERS, NO_ANSWERS))
    settings = contest.settings
    for lane in range(len(settings.lanes)):
        race_of(settings, contest, lane)


def check_items(history: History, items: Iterable[int]) -> None:
    """Returns if there are items of these numbers, withdrawn or not."""
    known = history.contest.items
    for item in items:
        if not 0 <= item < known:
            told = N_("There is no item {item}: items are {first} to {last}.")
            raise UnknownItem(Phrase(told, item=Item(item), first=Item(0), last=Item(known - 1)))


def check_left(history: History, left: int) -> None:
    """Returns if so many items are enough for the contest."""
    settings = history.settings
    if left <= settings.top:
        told = N_(
            "This would leave {left} items, and the contest is {purpose}. Keep more, or close the "
            "contest."
        )
        raise NotAllowed(Phrase(told, left=left, purpose=settings.purpose))


def check_alone(history: History, back: Iterable[int], *, without: Sequence[int] = ()) -> None:
    """Returns if no item would be there beside one that stands for it."""
    contest = history.contest
    present = (set(range(contest.items)) - contest.withdrawn - set(without)) | set(back)
    for number, pool in contest.pools.items():
        beside = sorted((pool.sources - {number}) & present) if number in present else []
        if beside:
            stands = number in contest.pools.stand_ins
            whole, part = (number, beside[0]) if stands else (beside[0], number)
            told = N_(
                "Item {whole} stands for item {part}: they cannot both be there. Withdraw one of "
                "them first, or undo the step that put it there."
            )
            raise NotAllowed(Phrase(told, whole=Item(whole), part=Item(part)))
