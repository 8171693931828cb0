"""Writing contests and their logs, the same over every SQL engine."""

import secrets
from collections.abc import Sequence
from dataclasses import replace

from plaudit.errors import EpochMoved, UnknownContest
from plaudit.proof.digests import BLINDING_BYTES
from plaudit.store.checks import (
    can_hold,
    check_answers,
    check_blinding,
    check_certificate,
    check_event,
    check_items,
    check_text,
)
from plaudit.store.contract import Appended, Archive, Certificate, ContestRecord, Item, Snapshot
from plaudit.store.log import Answer, Entry, Event, first_digest
from plaudit.store.people import Deed
from plaudit.store.sql import statements
from plaudit.store.sql.database import Database, Transaction, run
from plaudit.store.sql.grouping import Standing, event_entry, extend_digest
from plaudit.store.sql.log_reading import contest_id
from plaudit.store.sql.log_steps import (
    add_certificate,
    add_contest,
    add_items,
    erase_rater,
    standing_of,
)
from plaudit.store.sql.people_deeds import add_deed
from plaudit.store.sql.restoring import load_archive


class LogWriter:
    """The part of a store that writes contests and their logs."""

    def __init__(self, database: Database) -> None:
        self._database = database

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
        """Writes a new contest with its items and first event; `ContestExists` if it exists."""
        _check_contest(name, settings, state)
        check_items(items)
        check_event(event)
        start = first_digest(name, settings)
        entry = event_entry(Standing(0, state, 0, 0, start), event)
        digest = extend_digest(start, [entry])
        blinding = secrets.token_bytes(BLINDING_BYTES)
        record = ContestRecord(name, settings, state, 1, 1, digest, event.at, blinding)
        with self._database.writing() as transaction:
            contest = add_contest(transaction, record)
            transaction.insert("items", contest, statements.ITEM, items)
            transaction.insert("log", contest, statements.ENTRY, [entry])
            if deed is not None:
                add_deed(transaction, deed._replace(contest=name, position=entry.position))
        return record

    def append_answers(self, name: str, answers: Sequence[Answer]) -> Appended:
        """Writes a group of answers in one transaction, in the given order."""
        check_answers(answers)
        if not can_hold(name):
            raise UnknownContest(name)
        return self._database.append(name, answers)

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
        """Writes an event together with a new state, new items, a certificate or an erasure."""
        check_event(event)
        check_text("A contest's state", state or "")
        check_items(items)
        if certificate is not None:
            check_certificate(certificate)
        with self._database.writing() as transaction:
            standing = standing_of(transaction, name)
            _check_epoch(name, standing, epoch)
            entry = _add_event(transaction, standing, event, state)
            add_items(transaction, name, standing.contest, items)
            if certificate is not None:
                add_certificate(transaction, standing.contest, entry.position, certificate)
            if erase is not None:
                erase_rater(transaction, name, standing.contest, erase)
            if deed is not None:
                add_deed(transaction, deed._replace(contest=name, position=entry.position))
        return entry

    def put_snapshot(self, name: str, snapshot: Snapshot) -> None:
        """Keeps a snapshot, unless there is a later one. Deletes earlier ones."""
        contest = contest_id(self._database, name)
        run(self._database, statements.PUT_SNAPSHOT, contest=contest, **snapshot._asdict())

    def restore(self, archive: Archive) -> ContestRecord:
        """Writes a whole contest, or nothing.

        The archive is read while the transaction is open: read it from a file, not from a slow
        network. With SQLite, nobody else can write meanwhile.
        """
        record = archive.record
        _check_contest(record.name, record.settings, record.state)
        check_blinding(record.blinding)
        if not record.blinding:
            record = replace(record, blinding=secrets.token_bytes(BLINDING_BYTES))
        with self._database.writing(long=True) as transaction:
            load_archive(transaction, add_contest(transaction, record), archive)
        return record


def _check_contest(name: str, settings: str, state: str) -> None:
    check_text("A contest's name", name)
    check_text("A contest's settings", settings)
    check_text("A contest's state", state)


def _check_epoch(name: str, standing: Standing, epoch: int) -> None:
    if standing.epoch != epoch:
        raise EpochMoved(
            f"The contest {name!r} has changed in the meantime: its epoch is {standing.epoch}, "
            f"not {epoch}. Read it again, then repeat the step."
        )


def _add_event(
    transaction: Transaction, standing: Standing, event: Event, state: str | None
) -> Entry:
    entry = event_entry(standing, event)
    transaction.insert("log", standing.contest, statements.ENTRY, [entry])
    transaction.run(
        statements.MOVE_CONTEST,
        contest=standing.contest,
        state=standing.state if state is None else state,
        position=entry.position,
        epoch=standing.epoch + 1,
        digest=extend_digest(standing.digest, [entry]),
    )
    return entry
