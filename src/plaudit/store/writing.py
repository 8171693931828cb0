"""Writing to a store, the same over every SQL engine, but for groups of answers."""

import json
from collections.abc import Sequence

from plaudit.errors import EpochMoved
from plaudit.store import statements
from plaudit.store.checks import can_hold, check_certificate, check_event, check_items, check_text
from plaudit.store.contract import ApiKey, Archive, Certificate, ContestRecord, Item, Snapshot
from plaudit.store.grouping import Standing, event_entry, extended
from plaudit.store.log import Entry, Event, first_digest
from plaudit.store.people import Deed
from plaudit.store.people_writing import add_deed
from plaudit.store.pictures import PictureWriting
from plaudit.store.restoring import damaged
from plaudit.store.transaction import (
    AlreadyThere,
    add_certificate,
    add_contest,
    add_items,
    erase_rater,
    load,
    standing_of,
)


class SqlStore(PictureWriting):
    """A store over an SQL engine, which says what a transaction is."""

    def create(
        self,
        name: str,
        settings: str,
        *,
        state: str,
        items: Sequence[Item],
        event: Event,
        deed: Deed | None = None,
    ) -> ContestRecord:
        """Writes a new contest with its items and first event; `ContestExists` if it is there."""
        check_text("A contest's name", name)
        check_text("A contest's settings", settings)
        check_text("A contest's state", state)
        check_items(items)
        check_event(event)
        start = first_digest(name, settings)
        entry = event_entry(Standing(0, state, 0, 0, start), event)
        digest = extended(start, [entry])
        record = ContestRecord(name, settings, state, 1, 1, digest, event.at)
        with self._writing() as transaction:
            contest = add_contest(transaction, record)
            transaction.insert("items", contest, statements.ITEM, items)
            transaction.insert("log", contest, statements.ENTRY, [entry])
            if deed is not None:
                add_deed(transaction, deed._replace(contest=name, position=entry.position))
        return record

    def append_event(
        self,
        name: str,
        event: Event,
        *,
        epoch: int,
        state: str | None = None,
        items: Sequence[Item] = (),
        certificate: Certificate | None = None,
        erase: int | None = None,
        deed: Deed | None = None,
    ) -> Entry:
        """Writes an event, and with it a new state, items, a certificate or an erasure."""
        check_event(event)
        check_text("A contest's state", state or "")
        check_items(items)
        if certificate is not None:
            check_certificate(certificate)
        with self._writing() as transaction:
            standing = standing_of(transaction, name)
            if standing.epoch != epoch:
                raise EpochMoved(
                    f"The contest {name!r} has changed meanwhile: its epoch is "
                    f"{standing.epoch}, not {epoch}. Look again, then repeat the step."
                )
            entry = event_entry(standing, event)
            transaction.insert("log", standing.contest, statements.ENTRY, [entry])
            add_items(transaction, name, standing.contest, items)
            if certificate is not None:
                add_certificate(transaction, standing.contest, entry.position, certificate)
            if erase is not None:
                erase_rater(transaction, name, standing.contest, erase)
            if deed is not None:
                add_deed(transaction, deed._replace(contest=name, position=entry.position))
            transaction.run(
                statements.MOVE_CONTEST,
                contest=standing.contest,
                state=standing.state if state is None else state,
                position=entry.position,
                epoch=epoch + 1,
                digest=extended(standing.digest, [entry]),
            )
        return entry

    def put_snapshot(self, name: str, snapshot: Snapshot) -> None:
        """Keeps a snapshot, unless there is one of a later position; earlier ones go."""
        self._run(
            statements.PUT_SNAPSHOT,
            contest=self._id(name),
            position=snapshot.position,
            body=snapshot.body,
        )

    def put_key(self, key: ApiKey) -> None:
        """Keeps an API key, in the place of one with the same name."""
        check_text("An API key's name", key.name)
        check_text("An API key's scope", *key.scopes)
        scopes = json.dumps(list(key.scopes))
        self._run(
            statements.PUT_KEY,
            name=key.name,
            hash=key.hash,
            scopes=scopes,
            created_at=key.created_at,
        )

    def drop_key(self, name: str) -> bool:
        """Takes an API key away; whether it was there."""
        return can_hold(name) and self._run(statements.DROP_KEY, name=name) > 0

    def restore(self, archive: Archive) -> ContestRecord:
        """Writes a whole contest, all or nothing.

        The archive is read while the transaction is open, so let it come from a file, not
        from a slow line. Over SQLite nothing else is written meanwhile.
        """
        record = archive.record
        check_text("A contest's name", record.name)
        check_text("A contest's settings", record.settings)
        check_text("A contest's state", record.state)
        with self._writing(long=True) as transaction:
            contest = add_contest(transaction, record)
            try:
                load(transaction, contest, archive)
            except AlreadyThere:
                why = "an item, rater, rater's key or answer is in it twice"
                raise damaged(record.name, why) from None
        return record

    def check(self) -> None:
        """Returns if the store can be read and written now; `StoreUnavailable` otherwise."""
        self._run(statements.BEAT)
