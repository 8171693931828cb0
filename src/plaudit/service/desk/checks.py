"""Checks that refuse a step of the desk before it is written to the log."""

from collections.abc import Iterable, Sequence

from plaudit.errors import NotAllowed, UnknownItem
from plaudit.phrase import Item, Items, Phrase
from plaudit.service.contest.events import ContestEvent, Past
from plaudit.service.contest.history import NO_ANSWERS, History
from plaudit.service.contest.races import make_race, race_of
from plaudit.service.contest.settings import ContestSettings
from plaudit.words import N_


def check_algorithms(settings: ContestSettings) -> None:
    """Raises an error if an algorithm of the contest works on a fixed set of items only."""
    for lane in range(len(settings.lanes)):
        make_race(settings, lane, settings.top + 2).add(1)


def check_races(history: History, event: ContestEvent) -> None:
    """Raises an error if a race cannot be built after the event, or delta would not cover it."""
    contest = history.contest
    known = len(contest.rival_sets())
    contest.take(event, Past(contest.position + 1, NO_ANSWERS, NO_ANSWERS))
    for earlier, later in contest.rival_sets()[known:]:
        text = N_(
            "This contest merged {earlier} before. If it merges {later} now, the choice between "
            "the two could be one by votes, which delta does not cover. Merge all items that are "
            "the same, or withdraw the duplicate."
        )
        raise NotAllowed(Phrase(text, earlier=Items(earlier), later=Items(later)))
    settings = contest.settings
    for lane in range(len(settings.lanes)):
        race_of(settings, contest, lane)


def check_items(history: History, items: Iterable[int]) -> None:
    """Raises `UnknownItem` unless items of these numbers exist, withdrawn or not."""
    known = history.contest.items
    for item in items:
        if not 0 <= item < known:
            text = N_("There is no item {item}: items are {first} to {last}.")
            raise UnknownItem(Phrase(text, item=Item(item), first=Item(0), last=Item(known - 1)))


def check_left(history: History, left: int) -> None:
    """Raises `NotAllowed` if too few items would be left."""
    settings = history.settings
    if left <= settings.top:
        text = N_(
            "This would leave {left} items, and the contest is {purpose}. Keep more, or close the "
            "contest."
        )
        raise NotAllowed(Phrase(text, left=left, purpose=settings.purpose))


def check_alone(history: History, back: Iterable[int], *, without: Sequence[int] = ()) -> None:
    """Raises `NotAllowed` if an item would be in the race beside one that stands for it."""
    contest = history.contest
    present = (set(range(contest.items)) - contest.withdrawn - set(without)) | set(back)
    for number, pool in contest.pools.items():
        beside = sorted((pool.sources - {number}) & present) if number in present else []
        if beside:
            stands = number in contest.pools.stand_ins
            whole, part = (number, beside[0]) if stands else (beside[0], number)
            text = N_(
                "Item {whole} stands for item {part}: they cannot both be in the contest. Withdraw "
                "one of them first, or undo the step that added it."
            )
            raise NotAllowed(Phrase(text, whole=Item(whole), part=Item(part)))
