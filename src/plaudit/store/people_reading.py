"""Reading of those who run contests, the same over every SQL engine."""

from plaudit.store import people_statements as statements
from plaudit.store.checks import can_hold
from plaudit.store.people import Account, Deed, Guesses, Invitation, Session
from plaudit.store.reading import SqlReading


class PeopleReading(SqlReading):
    """The part of a store that reads about people."""

    def accounts(self) -> list[Account]:
        """All accounts, oldest first."""
        return [Account(*row) for row in self._rows(statements.ACCOUNTS)]

    def account(self, folded: str) -> Account | None:
        """The account of a name as it is looked up, or None."""
        rows = self._rows(statements.ACCOUNT_NAMED, folded=folded) if can_hold(folded) else []
        return Account(*rows[0]) if rows else None

    def invitation(self, hash: bytes) -> Invitation | None:
        """A link, in date or not, or None."""
        rows = self._rows(statements.INVITATION_OF, hash=hash)
        return Invitation(*rows[0]) if rows else None

    def invitations(self) -> list[Invitation]:
        """All links, oldest first."""
        return [Invitation(*row) for row in self._rows(statements.INVITATIONS)]

    def session(self, hash: bytes) -> tuple[Session, Account] | None:
        """A session with its account, or None."""
        rows = self._rows(statements.SESSION_OF, hash=hash)
        return (Session(*rows[0][:5]), Account(*rows[0][5:])) if rows else None

    def sessions(self, account: int) -> list[Session]:
        """The sessions of an account, oldest first."""
        return [Session(*row) for row in self._rows(statements.SESSIONS, account=account)]

    def guesses(self, who: bytes) -> Guesses:
        """How often this one failed; none and 0 where nothing is known."""
        rows = self._rows(statements.GUESSES, who=who)
        return Guesses(*rows[0]) if rows else Guesses(0, 0)

    def deeds(self, *, limit: int = 100, contest: str | None = None) -> list[Deed]:
        """The last deeds, latest first; of one contest where it is named."""
        if contest is None:
            rows = self._rows(statements.DEEDS, limit=limit)
        else:
            held = can_hold(contest)
            given = {"contest": contest, "limit": limit}
            rows = self._rows(statements.DEEDS_OF, **given) if held else []
        return [Deed(*row) for row in rows]
