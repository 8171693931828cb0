"""Links that work once: to a first account, to another account, or to a new password."""

from plaudit.errors import LinkGone
from plaudit.store.checks import check_text
from plaudit.store.people import FIRST, RESET, Deed, Invitation
from plaudit.store.sql import people_statements as statements
from plaudit.store.sql.database import Database, Transaction
from plaudit.store.sql.people_deeds import add_deed, changing_accounts, locked_accounts


class Links:
    """The part of a store that keeps links."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_invitation(self, invitation: Invitation, *, deed: Deed) -> None:
        """Keeps a link. A first link or a password link replaces earlier ones."""
        check_text("A link", invitation.kind, invitation.role)
        with changing_accounts(self._database, deed) as transaction:
            if invitation.kind == FIRST:
                transaction.run(statements.DROP_FIRST)
            if invitation.kind == RESET:
                transaction.run(statements.DROP_RESETS, account=invitation.account)
            transaction.run(statements.ADD_INVITATION, **invitation._asdict())

    def invitation(self, hash: bytes) -> Invitation | None:
        """The link with this hash, expired or not, or None."""
        rows = self._database.rows(statements.INVITATION_OF, hash=hash)
        return Invitation(*rows[0]) if rows else None

    def invitations(self) -> list[Invitation]:
        """All links, oldest first."""
        return [Invitation(*row) for row in self._database.rows(statements.INVITATIONS)]

    def drop_invitation(self, hash: bytes, *, deed: Deed) -> bool:
        """Deletes a link. Returns whether it existed."""
        with locked_accounts(self._database) as transaction:
            if not transaction.run(statements.DROP_INVITATION, hash=hash):
                return False
            add_deed(transaction, deed)
        return True


def use_link(transaction: Transaction, hash: bytes, at: int) -> Invitation:
    """Uses a link up and returns it; `LinkGone` if it is unknown or expired at this time."""
    rows = transaction.rows(statements.INVITATION_OF, hash=hash)
    if not rows or Invitation(*rows[0]).expires_at <= at:
        raise LinkGone
    transaction.run(statements.DROP_INVITATION, hash=hash)
    return Invitation(*rows[0])
