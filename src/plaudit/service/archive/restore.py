"""Restores a contest from its export, whole or not at all."""

import base64
import binascii
import hashlib
from collections.abc import Iterable, Iterator

import msgspec

from plaudit.errors import ContestExists, InvalidInput
from plaudit.service.archive.check import ArchiveCheck
from plaudit.service.archive.check_proofs import ProofCheck
from plaudit.service.archive.evidence import Evidence
from plaudit.service.archive.format import (
    AssetLine,
    CertificateLine,
    CheckpointLine,
    EntryLine,
    FirstRaterLine,
    Header,
    ItemLine,
    KeyLine,
    RaterLine,
)
from plaudit.service.archive.reader import ArchiveReader
from plaudit.service.contest.settings import ContestSettings, check_name
from plaudit.service.intake.images.checking import check_image
from plaudit.store.contract import (
    Archive,
    Asset,
    Certificate,
    ContestRecord,
    Item,
    Rater,
    Store,
)
from plaudit.store.log import Entry
from plaudit.store.proofs import KeptCheckpoint, Signer


def restore_contest(
    store: Store, lines: Iterable[bytes], *, name: str | None = None
) -> ContestRecord:
    """Puts the contest that `contest_lines` wrote into this store, and returns its record.

    `lines` may be cut anywhere, and packed by gzip. They are read once, while a transaction of
    the store is open, so they should come from a file. A contest keeps its name, because the hash
    chain of its log begins with it; `name` is the name that the caller expects. If the archive is
    damaged (`ArchiveDamaged`) or the name is taken (`ContestExists`), nothing is written.
    """
    reader = ArchiveReader(lines)
    header = reader.header()
    record, settings = _record(header, reader)
    if name is not None and name != record.name:
        raise InvalidInput(
            f"The export is of the contest {record.name!r}, not of {name!r}. A contest can only be "
            "restored under its own name, because the proof of its log begins with it."
        )
    evidence = Evidence(record)
    check = ArchiveCheck(record, settings, reader.refuse)
    parts = _Parts(reader, check, evidence, ProofCheck(record.name, evidence, reader.refuse))
    try:
        return store.restore(parts.archive(record))
    except ContestExists as taken:
        taken.args = (
            f"There is a contest named {record.name!r} in this store already, and an export can "
            "only be restored under its own name. Restore it into another store.",
        )
        raise
    finally:
        evidence.close()


def _record(header: Header, reader: ArchiveReader) -> tuple[ContestRecord, ContestSettings]:
    fields = msgspec.structs.asdict(header.record)
    hexadecimal = {name: bytes.fromhex(fields[name]) for name in ("digest", "blinding")}
    record = ContestRecord(**fields | hexadecimal)
    try:
        check_name(record.name)
        return record, ContestSettings.from_json(record.settings)
    except (InvalidInput, msgspec.DecodeError, UnicodeError) as error:
        reader.refuse("the name or the settings of the contest are wrong", error, line=1)


class _Parts:
    """The streams of an archive, in the order in which a store takes them."""

    def __init__(
        self, reader: ArchiveReader, check: ArchiveCheck, evidence: Evidence, proofs: ProofCheck
    ) -> None:
        self._reader = reader
        self._check = check
        self._evidence = evidence
        self._proofs = proofs

    def archive(self, record: ContestRecord) -> Archive:
        return Archive(
            record,
            items=self.items(),
            raters=self.raters(),
            entries=self.entries(),
            assets=self.assets(),
            signers=self.signers(),
            checkpoints=self.checkpoints(),
            certificates=self.certificates(),
        )

    def items(self) -> Iterator[Item]:
        for fields in self._reader.section("item", ItemLine):
            item = self._check.item(Item._make(fields))
            self._evidence.item(item)
            yield item

    def raters(self) -> Iterator[Rater]:
        line = RaterLine if self._evidence.has_tree else FirstRaterLine
        for number, key, *salt in self._reader.section("rater", line):
            rater = Rater(number, self._check.rater(number, key))
            if salt:
                rater = rater._replace(salt=self._check.salt(number, rater.key, *salt))
            self._evidence.rater(rater)
            yield rater

    def entries(self) -> Iterator[Entry]:
        for fields in self._reader.section("entry", EntryLine):
            entry = self._check.entry(Entry._make(fields))
            self._evidence.entry(entry)
            yield entry
        self._check.end()

    def assets(self) -> Iterator[Asset]:
        for hash_, media_type, packed in self._reader.section("asset", AssetLine):
            yield self._picture(hash_, media_type, packed)
            self._check.pictures.discard(hash_)
        if self._check.pictures:
            self._reader.refuse(f"the picture {min(self._check.pictures)} is missing")

    def signers(self) -> Iterator[Signer]:
        for vkey, made_at, retired_at in self._reader.section("key", KeyLine):
            yield self._proofs.key(vkey, made_at, retired_at)

    def checkpoints(self) -> Iterator[KeptCheckpoint]:
        for size, body in self._reader.section("checkpoint", CheckpointLine):
            yield self._proofs.checkpoint(size, body)

    def certificates(self) -> Iterator[Certificate]:
        for fields in self._reader.section("certificate", CertificateLine):
            yield self._proofs.certificate(Certificate._make(fields))
        # Before the store's transaction ends, so that a file that was cut off changes nothing.
        self._reader.footer()

    def _picture(self, hash_: str, media_type: str, packed: str) -> Asset:
        try:
            body = base64.b64decode(packed, validate=True)
            # A file from elsewhere is trusted no more than an upload.
            found = check_image(body)
        except (binascii.Error, InvalidInput) as error:
            self._reader.refuse(f"the picture {hash_} cannot be shown", error)
        if found != media_type or hashlib.sha256(body).hexdigest() != hash_:
            self._reader.refuse(f"the picture {hash_} does not match its hash or type")
        return Asset(hash_, media_type, body)
