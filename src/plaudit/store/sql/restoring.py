"""Loading an archive into a store, with checks while it streams: the same for every engine."""

import hashlib
import secrets
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import ParamSpec, TypeVar

from plaudit.errors import ArchiveDamaged, InvalidInput
from plaudit.proof.digests import MARK_BYTES, SALT_BYTES
from plaudit.store.checks import (
    check_certificate,
    check_items,
    check_key,
    check_salt,
    check_text,
    check_whole,
)
from plaudit.store.contract import Archive, Asset, Certificate, Item, Rater
from plaudit.store.log import ANSWERS, NONE, Entry, first_digest
from plaudit.store.proofs import KeptCheckpoint, Signer
from plaudit.store.sql import statements
from plaudit.store.sql.database import AlreadyThere, Transaction
from plaudit.store.sql.grouping import extend_digest
from plaudit.store.sql.log_steps import add_certificate
from plaudit.store.sql.pictures import add_asset
from plaudit.store.sql.proofs import add_proofs, check_checkpoint

T = TypeVar("T")
P = ParamSpec("P")
_CHUNK = 10_000


def load_archive(transaction: Transaction, contest: int, archive: Archive) -> None:
    """Adds all parts of an archive to a new contest; `ArchiveDamaged` if they do not fit."""
    try:
        _load(transaction, contest, archive)
    except AlreadyThere:
        why = "an item, rater, rater's key or answer is in it twice"
        raise _damaged(archive.record.name, why) from None


def _load(transaction: Transaction, contest: int, archive: Archive) -> None:
    check = _ArchiveCheck(archive)
    for items in check.items(archive.items):
        transaction.insert("items", contest, statements.ITEM, items)
    for raters in check.raters(archive.raters):
        transaction.insert("raters", contest, statements.RATER_FIELDS, raters)
    signers, checkpoints = check.proofs(archive.signers, archive.checkpoints)
    add_proofs(transaction, contest, signers, checkpoints)
    for entries in check.entries(archive.entries):
        transaction.insert("log", contest, statements.ENTRY, entries)
    for asset in archive.assets:
        add_asset(transaction, check.asset(asset))
    for number, certificate in check.certificates(archive.certificates):
        add_certificate(transaction, contest, number, certificate)
    check.end()


def _chunks(stream: Iterable[T]) -> Iterator[list[T]]:
    """The stream as short lists, so that it need not fit into memory."""
    rest = iter(stream)
    while chunk := list(islice(rest, _CHUNK)):
        yield chunk


class _ArchiveCheck:
    """Checks each part of an archive as it streams by, and at the end that they fit together."""

    def __init__(self, archive: Archive) -> None:
        self._record = archive.record
        self._raters: set[int] = set()
        self._position = 0
        self._epoch = 0
        self._digest = first_digest(archive.record.name, archive.record.settings)

    def items(self, stream: Iterable[Item]) -> Iterator[list[Item]]:
        """The items, in chunks, each checked that the store can keep it."""
        for chunk in _chunks(stream):
            self._sound(check_items, chunk)
            yield chunk

    def raters(self, stream: Iterable[Rater]) -> Iterator[list[Rater]]:
        """The raters, in chunks, with their numbers and keys checked."""
        for chunk in _chunks(stream):
            for rater in chunk:
                self._sound(check_whole, "A rater's number", rater.number)
                if rater.key is not None:
                    self._sound(check_key, rater.key)
                self._sound(check_salt, rater)
            self._raters.update(rater.number for rater in chunk)
            yield [_salted(rater) for rater in chunk]

    def proofs(
        self, signers: Iterable[Signer], checkpoints: Iterable[KeptCheckpoint]
    ) -> tuple[list[Signer], list[KeptCheckpoint]]:
        """The public keys and checkpoints, each checked that the store can keep it."""
        keys, kept = [*signers], [*checkpoints]
        for key in keys:
            self._sound(check_text, "A public key", key.vkey)
        for checkpoint in kept:
            self._sound(check_checkpoint, checkpoint)
            if checkpoint.size > self._record.position + 1:
                raise self._damaged(f"its checkpoint of size {checkpoint.size} is beyond its log")
        return keys, kept

    def entries(self, stream: Iterable[Entry]) -> Iterator[list[Entry]]:
        """The entries, in chunks, each checked to be in order and of a known rater."""
        for chunk in _chunks(stream):
            for entry in chunk:
                self._follow(entry)
            self._digest = self._sound(extend_digest, self._digest, chunk)
            yield chunk

    def asset(self, asset: Asset) -> Asset:
        """The picture, checked against its hash."""
        self._sound(check_text, "A picture's media type", asset.media_type)
        if hashlib.sha256(asset.body).hexdigest() != asset.hash:
            raise self._damaged(f"the picture {asset.hash} does not match its hash")
        return asset

    def certificates(self, stream: Iterable[Certificate]) -> Iterator[tuple[int, Certificate]]:
        """The certificates, numbered from 1. There are at most as many as events."""
        for number, certificate in enumerate(stream, start=1):
            self._sound(check_certificate, certificate)
            if number > self._epoch:
                raise self._damaged(f"it has more certificates than its {self._epoch} events")
            yield number, certificate

    def end(self) -> None:
        """Returns if the log ends as the record says; `ArchiveDamaged` otherwise."""
        record = self._record
        if self._position != record.position:
            raise self._damaged(f"it has {self._position} entries, not {record.position}")
        if self._epoch != record.epoch:
            raise self._damaged(f"it has {self._epoch} events, not {record.epoch}")
        if self._digest != record.digest:
            raise self._damaged(
                f"its log's digest is {self._digest.hex()}, not {record.digest.hex()}"
            )

    def _follow(self, entry: Entry) -> None:
        self._position += 1
        if entry.position != self._position:
            raise self._damaged(f"entry {self._position} has the position {entry.position}")
        if entry.kind in ANSWERS:
            if entry.rater not in self._raters or entry.item < 0 or entry.payload:
                raise self._damaged(f"entry {entry.position} is no valid answer of a listed rater")
            return
        self._epoch += 1
        if entry.rater != NONE:
            raise self._damaged(f"entry {entry.position} is an event, but has a rater")
        self._sound(check_text, "An event's payload", entry.payload)

    def _sound(self, check: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        try:
            return check(*given, **named)
        except InvalidInput as error:
            raise self._damaged(str(error)) from None

    def _damaged(self, why: str) -> ArchiveDamaged:
        return _damaged(self._record.name, why)


def _salted(rater: Rater) -> Rater:
    """A rater with salt or mark; archives of before have none."""
    if rater.salt:
        return rater
    return rater._replace(salt=secrets.token_bytes(MARK_BYTES if rater.key is None else SALT_BYTES))


def _damaged(name: str, why: str) -> ArchiveDamaged:
    return ArchiveDamaged(
        f"The archive of contest {name!r} is damaged: {why.rstrip('.')}. Nothing was restored; "
        "export the contest again, or use another copy."
    )
