"""Sessions and failed guesses of passwords, the same over every SQL engine."""

from plaudit.store.checks import check_text
from plaudit.store.people import Account, Guesses, Session
from plaudit.store.sql import people_statements as statements
from plaudit.store.sql.database import Database, Transaction, run
from plaudit.store.sql.people_deeds import accounts_in, locked_accounts


class Sessions:
    """The part of a store that keeps sessions and counts failures to sign in."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_session(self, session: Session, *, password: str, subject: bytes = b"") -> bool:
        """Starts a session if its account still has this password. Returns whether it does."""
        check_text("A browser's name", session.agent)
        with locked_accounts(self._database) as transaction:
            passwords = {a.number: a.password for a in accounts_in(transaction)}
            if passwords.get(session.account) != password:
                return False
            if subject and not _leads_to(transaction, subject, session.account):
                return False
            transaction.run(statements.ADD_SESSION, **session._asdict())
        return True

    def session(self, hash: bytes) -> tuple[Session, Account] | None:
        """The session with this hash and its account, or None."""
        rows = self._database.rows(statements.SESSION_OF, hash=hash)
        return (Session(*rows[0][:5]), Account(*rows[0][5:])) if rows else None

    def sessions(self, account: int) -> list[Session]:
        """The sessions of an account, oldest first."""
        rows = self._database.rows(statements.SESSIONS, account=account)
        return [Session(*row) for row in rows]

    def touch_session(self, hash: bytes, at: int) -> None:
        """Records that a session was in use at this time."""
        run(self._database, statements.TOUCH_SESSION, hash=hash, at=at)

    def drop_session(self, hash: bytes) -> bool:
        """Ends a session. Returns whether it existed."""
        return run(self._database, statements.DROP_SESSION, hash=hash) > 0

    def guesses(self, who: bytes) -> Guesses:
        """The failures of `who` to sign in; `Guesses(0, 0)` if there are none."""
        rows = self._database.rows(statements.GUESSES, who=who)
        return Guesses(*rows[0]) if rows else Guesses(0, 0)

    def count_guess(self, who: bytes, *, seen: Guesses, now: Guesses) -> bool:
        """Replaces the count `seen` by `now` if it is still the same. Returns whether it was."""
        given = {"failures": now.failures, "at": now.at}
        given |= {"seen_failures": seen.failures, "seen_at": seen.at}
        return run(self._database, statements.COUNT_GUESS, who=who, **given) > 0

    def forget_guesses(self, who: bytes) -> None:
        """Deletes the failures of `who`."""
        run(self._database, statements.FORGET_GUESSES, who=who)

    def forget_stale(
        self, *, begun_before: int, seen_before: int, expired_before: int, guessed_before: int
    ) -> None:
        """Deletes sessions, links and failures that are older than the given times."""
        with locked_accounts(self._database) as transaction:
            transaction.run(
                statements.STALE_SESSIONS, begun_before=begun_before, seen_before=seen_before
            )
            transaction.run(statements.STALE_INVITATIONS, expired_before=expired_before)
            transaction.run(statements.STALE_GUESSES, guessed_before=guessed_before)


def _leads_to(transaction: Transaction, subject: bytes, number: int) -> bool:
    rows = transaction.rows(statements.SUBJECT_ACCOUNT, hash=subject)
    return bool(rows) and Account(*rows[0]).number == number
