"""How raters came in, and how many were turned away: the same over every SQL engine."""

from collections.abc import Iterable

from plaudit.store.checks import can_hold, check_text, check_whole
from plaudit.store.doors import Refusals
from plaudit.store.sql.database import Database
from plaudit.store.sql.log_reading import contest_id

BY_DOOR = "SELECT door, count(*) FROM raters WHERE contest = :contest GROUP BY door ORDER BY door"
ADD_REFUSALS = (
    "INSERT INTO turned_away (contest, day, reason, times)"
    " SELECT id, :day, :reason, :times FROM contests WHERE name = :contest"
    " ON CONFLICT (contest, day, reason) DO UPDATE SET times = turned_away.times + excluded.times"
)
REFUSALS = (
    "SELECT day, reason, times FROM turned_away WHERE contest = :contest ORDER BY day, reason"
)


class Doors:
    """The part of a store that counts those who came in and those who did not."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def raters_by_door(self, name: str) -> dict[int, int]:
        """How many raters came by each door."""
        rows = self._database.rows(BY_DOOR, contest=contest_id(self._database, name))
        return dict(rows)

    def add_refusals(self, refusals: Iterable[Refusals]) -> None:
        """Adds to the counts of refusals, in one transaction and always in the same order."""
        known = sorted(one for one in refusals if can_hold(one.contest))
        for one in known:
            check_text("A reason", one.reason)
            check_whole("A day", one.day)
            check_whole("A count of refusals", one.times)
        if not known:
            return
        with self._database.writing() as transaction:
            for one in known:
                transaction.run(ADD_REFUSALS, **one._asdict())

    def refusals(self, name: str) -> list[Refusals]:
        """What the door of a contest turned away, by day and reason."""
        rows = self._database.rows(REFUSALS, contest=contest_id(self._database, name))
        return [Refusals(name, *row) for row in rows]
