"""Destinations, marks, the queue of notices and leases, the same over every SQL engine."""

import json
from collections.abc import Sequence

from plaudit.store.checks import can_hold, check_text, check_whole
from plaudit.store.notices import WAITING, Delivery, Destination, Mark, NewDelivery
from plaudit.store.sql.database import Database, Row, run
from plaudit.store.sql.log_reading import contest_id

_DESTINATION = "d.number, c.name, d.way, d.address, d.kinds, d.salt, d.made_at"
_DELIVERY = ", ".join(f"q.{field}" for field in Delivery._fields)
_FROM = "FROM destinations AS d JOIN contests AS c ON c.id = d.contest"
DESTINATIONS = f"SELECT {_DESTINATION} {_FROM} ORDER BY d.number"
DESTINATIONS_OF = f"SELECT {_DESTINATION} {_FROM} WHERE c.id = :contest ORDER BY d.number"
ADD = (
    "INSERT INTO destinations (contest, way, address, kinds, salt, made_at)"
    " VALUES (:contest, :way, :address, :kinds, :salt, :at) RETURNING number"
)
DROP = "DELETE FROM destinations WHERE number = :number AND contest = :contest"
MARK = "SELECT version, body FROM notice_marks WHERE contest = :contest"
SET_MARK = (
    "INSERT INTO notice_marks (contest, version, body) VALUES (:contest, :version, :body)"
    " ON CONFLICT (contest) DO UPDATE SET version = excluded.version, body = excluded.body"
    " WHERE notice_marks.version = excluded.version - 1"
)
QUEUE = (
    "INSERT INTO deliveries"
    " (destination, id, kind, body, made_at, state, tries, due_at, tried_at, outcome)"
    f" SELECT number, :id, :kind, :body, :made_at, '{WAITING}', 0, :made_at, NULL, ''"
    " FROM destinations WHERE number = :destination"
)
DELIVERIES = (
    f"SELECT {_DELIVERY} FROM deliveries AS q JOIN destinations AS d ON d.number = q.destination"
    " WHERE d.contest = :contest ORDER BY q.number DESC LIMIT :limit"
)
DUE = (
    f"SELECT {_DESTINATION}, {_DELIVERY} FROM deliveries AS q"
    " JOIN destinations AS d ON d.number = q.destination JOIN contests AS c ON c.id = d.contest"
    " WHERE q.number IN (SELECT min(number) FROM deliveries"
    f" WHERE state = '{WAITING}' AND due_at <= :at GROUP BY destination)"
    " ORDER BY q.number LIMIT :limit"
)
SETTLE = (
    "UPDATE deliveries SET tries = tries + 1, state = :state, due_at = :due_at, tried_at = :at,"
    f" outcome = :outcome WHERE number = :number AND tries = :tries AND state = '{WAITING}'"
)
AGAIN = (
    f"UPDATE deliveries SET state = '{WAITING}', tries = 0, due_at = :at WHERE number = :number"
    " AND destination IN (SELECT number FROM destinations WHERE contest = :contest)"
)
FORGET = f"DELETE FROM deliveries WHERE made_at < :before AND state <> '{WAITING}'"
LEASE = (
    "INSERT INTO leases (name, holder, until) VALUES (:name, :holder, :until)"
    " ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until"
    " WHERE leases.holder = excluded.holder OR leases.until <= :now"
)
GIVE = "DELETE FROM leases WHERE name = :name AND holder = :holder"
_WIDTH = len(Destination._fields)


class Notices:
    """The part of a store that keeps destinations, what was told, the queue and leases."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def destinations(self, name: str | None = None) -> list[Destination]:
        """The destinations of a contest, or of all, oldest first."""
        if name is None:
            return [_destination(row) for row in self._database.rows(DESTINATIONS)]
        rows = self._database.rows(DESTINATIONS_OF, contest=contest_id(self._database, name))
        return [_destination(row) for row in rows]

    def add_destination(
        self, name: str, way: str, address: str, kinds: Sequence[str], *, salt: bytes, at: int
    ) -> Destination:
        """Adds a destination to a contest."""
        check_text("A destination", way, address, *kinds)
        contest = contest_id(self._database, name)
        given = {"way": way, "address": address, "salt": salt, "at": at}
        with self._database.writing() as transaction:
            kept = json.dumps(list(kinds))
            number = transaction.rows(ADD, contest=contest, kinds=kept, **given)[0][0]
        return Destination(number, name, way, address, tuple(kinds), salt, at)

    def drop_destination(self, name: str, number: int) -> bool:
        """Removes a destination with its deliveries. Returns whether the contest had it."""
        contest = contest_id(self._database, name)
        return run(self._database, DROP, contest=contest, number=number) > 0

    def mark(self, name: str) -> Mark | None:
        """The mark of a contest, or None."""
        rows = self._database.rows(MARK, contest=contest_id(self._database, name))
        return Mark(*rows[0]) if rows else None

    def tell(self, name: str, mark: Mark, deliveries: Sequence[NewDelivery]) -> bool:
        """Sets the next mark and queues deliveries; false if another mark was set meanwhile."""
        check_text("A mark", mark.body)
        check_whole("A mark's version", mark.version)
        for one in deliveries:
            check_text("A delivery", one.id, one.kind, one.body)
        contest = contest_id(self._database, name)
        with self._database.writing() as transaction:
            if not transaction.run(SET_MARK, contest=contest, **mark._asdict()):
                return False
            for one in deliveries:
                transaction.run(QUEUE, **one._asdict())
        return True

    def deliveries(self, name: str, *, limit: int) -> list[Delivery]:
        """The deliveries of a contest, latest first."""
        contest = contest_id(self._database, name)
        rows = self._database.rows(DELIVERIES, contest=contest, limit=limit)
        return [Delivery(*row) for row in rows]

    def due_deliveries(self, *, at: int, limit: int) -> list[tuple[Destination, Delivery]]:
        """The oldest delivery of each destination that waits and is due, with where it goes."""
        rows = self._database.rows(DUE, at=at, limit=limit)
        return [(_destination(row[:_WIDTH]), Delivery(*row[_WIDTH:])) for row in rows]

    def settle(
        self, number: int, *, tries: int, state: str, due_at: int, at: int, outcome: str
    ) -> bool:
        """Notes one more try of a delivery that had so many before; false if it had not."""
        check_text("An outcome", state, outcome)
        given = {"number": number, "tries": tries, "state": state}
        return run(self._database, SETTLE, due_at=due_at, at=at, outcome=outcome, **given) > 0

    def send_again(self, name: str, number: int, *, at: int) -> bool:
        """Makes a delivery of a contest due at once, with no tries. Returns whether it is there."""
        contest = contest_id(self._database, name)
        return run(self._database, AGAIN, contest=contest, number=number, at=at) > 0

    def forget_deliveries(self, *, before: int) -> int:
        """Deletes deliveries that do not wait and were made before a time. Returns how many."""
        return run(self._database, FORGET, before=before)

    def take_lease(self, name: str, holder: str, *, now: int, until: int) -> bool:
        """Takes or keeps a lease; false if somebody else holds it now."""
        check_text("A lease", name, holder)
        given = {"name": name, "holder": holder}
        return run(self._database, LEASE, now=now, until=until, **given) > 0

    def give_lease(self, name: str, holder: str) -> None:
        """Gives a lease back, if it is this holder's."""
        if can_hold(name) and can_hold(holder):
            run(self._database, GIVE, name=name, holder=holder)


def _destination(row: Row) -> Destination:
    number, contest, way, address, kinds, salt, made_at = row
    return Destination(
        number, contest, way, address, tuple(json.loads(kinds)), bytes(salt), made_at
    )
