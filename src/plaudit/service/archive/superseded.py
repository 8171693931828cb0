"""What became of a verdict in the rest of its log: whether a later event took it back."""

from typing import NamedTuple

from plaudit.phrase import Phrase
from plaudit.service.contest.events import ContestEvent, VerdictReached
from plaudit.service.contest.history import History, LoggedEvent
from plaudit.service.contest.words import step_words
from plaudit.words import N_


class Superseded(NamedTuple):
    """The event that took a verdict back, and the verdict that stands in its place, if any."""

    entry: int
    at: int
    by: Phrase
    later: int | None
    winners: tuple[int, ...]

    @property
    def words(self) -> Phrase:
        """What happened, in a sentence."""
        if self.later is None:
            text = N_("Superseded at entry {entry}, by a step that {by}. No verdict stands now.")
            return Phrase(text, entry=str(self.entry), by=self.by)
        text = N_(
            "Superseded at entry {entry}, by a step that {by}. The verdict at entry {later} "
            "stands now."
        )
        return Phrase(text, entry=str(self.entry), by=self.by, later=str(self.later))


def superseded(history: History, lane: int, judged_at: int) -> Superseded | None:
    """What took back the verdict of a lane that was judged at a position; None if it stands.

    A verdict is taken back by the first event after it that builds the races anew: items that came,
    went or were merged, raters who were excluded, readmitted or erased, settings of the race that
    changed. That the event was undone later does not bring the verdict back.
    """
    after = [logged for logged in history.events if logged.position > judged_at]
    taken = next((logged for logged in after if logged.event.reopens), None)
    if taken is None:
        return None
    later = _standing(history, lane)
    return Superseded(
        taken.position,
        taken.at,
        step_words(history, taken),
        None if later is None else later.position,
        () if later is None else history.contest.verdicts[lane].winners,
    )


def recorded(history: History, lane: int, judged_at: int) -> ContestEvent | None:
    """The next event after a position that may be the verdict of a lane that was judged there.

    Steps that leave the races as they are, such as a pause, may come in between, and verdicts of
    other lanes; anything that builds the races anew would have taken the verdict away first. A log
    that goes on without the verdict gives its next event; None if there is no event any more.
    """
    after = [logged.event for logged in history.events if logged.position > judged_at]
    for event in after:
        if event.reopens or (isinstance(event, VerdictReached) and event.lane == lane):
            return event
    return after[0] if after else None


def _standing(history: History, lane: int) -> LoggedEvent | None:
    """The event of the verdict that stands in a lane at the end of the log."""
    if lane not in history.contest.verdicts:
        return None
    standing = [
        logged
        for logged in history.events
        if isinstance(logged.event, VerdictReached) and logged.event.lane == lane
    ]
    return standing[-1]
