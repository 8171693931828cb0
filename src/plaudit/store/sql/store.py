"""A whole store, put together from its parts over one database."""

from plaudit.store.sql import statements
from plaudit.store.sql.database import Database, run
from plaudit.store.sql.doors import Doors
from plaudit.store.sql.log_reading import LogReader
from plaudit.store.sql.log_writing import LogWriter
from plaudit.store.sql.notices import Notices
from plaudit.store.sql.people_accounts import Accounts
from plaudit.store.sql.people_deeds import Deeds
from plaudit.store.sql.people_keys import ApiKeys
from plaudit.store.sql.people_links import Links
from plaudit.store.sql.people_sessions import Sessions
from plaudit.store.sql.people_subjects import Subjects
from plaudit.store.sql.pictures import Pictures
from plaudit.store.sql.proofs import Proofs


class SqlStore:
    """A `Store` over an SQL database.

    Each method of the contract is that of a part, taken over as it is: a call goes straight to
    the part. The lines below are the list of who does what.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._take_log(LogReader(database), LogWriter(database))
        self._take_accounts(Accounts(database), Links(database))
        self._take_subjects(Subjects(database))
        self._take_sessions(Sessions(database))
        self._take_deeds_and_keys(Deeds(database), ApiKeys(database))
        self._take_proofs(Proofs(database))
        self._take_doors(Doors(database))
        self._take_notices(Notices(database))
        self._take_pictures(Pictures(database))

    def check(self) -> None:
        """Returns if the store can be read and written now; `StoreUnavailable` otherwise."""
        run(self._database, statements.BEAT)

    def close(self) -> None:
        """Closes all connections."""
        self._database.close()

    def _take_log(self, reader: LogReader, writer: LogWriter) -> None:
        self.contests = reader.contests
        self.contest = reader.contest
        self.heads = reader.heads
        self.entries = reader.entries
        self.events = reader.events
        self.answers_of = reader.answers_of
        self.answers_of_several = reader.answers_of_several
        self.answers_on = reader.answers_on
        self.rater = reader.rater
        self.recall = reader.recall
        self.raters = reader.raters
        self.items = reader.items
        self.certificates = reader.certificates
        self.snapshot = reader.snapshot
        self.create = writer.create
        self.append_answers = writer.append_answers
        self.append_event = writer.append_event
        self.put_snapshot = writer.put_snapshot
        self.restore = writer.restore

    def _take_accounts(self, accounts: Accounts, links: Links) -> None:
        self.accounts = accounts.accounts
        self.account = accounts.account
        self.add_account = accounts.add_account
        self.reset_password = accounts.reset_password
        self.change_password = accounts.change_password
        self.change_role = accounts.change_role
        self.drop_account = accounts.drop_account
        self.put_invitation = links.put_invitation
        self.invitation = links.invitation
        self.invitations = links.invitations
        self.drop_invitation = links.drop_invitation

    def _take_subjects(self, subjects: Subjects) -> None:
        self.subjects = subjects.subjects
        self.account_of = subjects.account_of
        self.put_subject = subjects.put_subject
        self.drop_subject = subjects.drop_subject

    def _take_sessions(self, sessions: Sessions) -> None:
        self.put_session = sessions.put_session
        self.session = sessions.session
        self.sessions = sessions.sessions
        self.touch_session = sessions.touch_session
        self.drop_session = sessions.drop_session
        self.guesses = sessions.guesses
        self.count_guess = sessions.count_guess
        self.forget_guesses = sessions.forget_guesses
        self.forget_stale = sessions.forget_stale

    def _take_deeds_and_keys(self, deeds: Deeds, keys: ApiKeys) -> None:
        self.note = deeds.note
        self.deeds = deeds.deeds
        self.put_key = keys.put_key
        self.keys = keys.keys
        self.drop_key = keys.drop_key

    def _take_proofs(self, proofs: Proofs) -> None:
        self.put_tiles = proofs.put_tiles
        self.tile = proofs.tile
        self.tile_count = proofs.tile_count
        self.put_checkpoint = proofs.put_checkpoint
        self.checkpoint = proofs.checkpoint
        self.checkpoints = proofs.checkpoints
        self.signing_keys = proofs.signing_keys
        self.add_signing_key = proofs.add_signing_key
        self.signers = proofs.signers

    def _take_doors(self, doors: Doors) -> None:
        self.raters_by_door = doors.raters_by_door
        self.add_refusals = doors.add_refusals
        self.refusals = doors.refusals

    def _take_notices(self, notices: Notices) -> None:
        self.destinations = notices.destinations
        self.add_destination = notices.add_destination
        self.drop_destination = notices.drop_destination
        self.mark = notices.mark
        self.tell = notices.tell
        self.deliveries = notices.deliveries
        self.due_deliveries = notices.due_deliveries
        self.settle = notices.settle
        self.send_again = notices.send_again
        self.forget_deliveries = notices.forget_deliveries
        self.take_lease = notices.take_lease
        self.give_lease = notices.give_lease

    def _take_pictures(self, pictures: Pictures) -> None:
        self.put_asset = pictures.put_asset
        self.hold_assets = pictures.hold_assets
        self.drop_assets = pictures.drop_assets
        self.asset = pictures.asset
