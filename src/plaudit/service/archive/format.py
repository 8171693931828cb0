"""A whole contest in one file: JSON Lines, read and written as a stream.

The first line is a header with the record of the contest. Then come items, raters, entries of the
log, pictures and certificates, one a line, as arrays that begin with their kind. The last line
has their numbers and the SHA-256 of all lines before it. So a file that was cut off or changed is
recognised, and `restore` can read it without holding it in memory.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from plaudit.errors import EpochMoved
from plaudit.phrase import Phrase
from plaudit.service.contest.events import SettingsChanged, events_in
from plaudit.service.contest.settings import ContestSettings
from plaudit.store.contract import Certificate, ContestRecord, Item, Store
from plaudit.store.log import Entry
from plaudit.words import N_

FORMAT = "plaudit contest 1"
PAGE = 10_000
ATTEMPTS = 5

Count = Annotated[int, Meta(ge=0)]
Hex = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class Record(Struct, frozen=True, forbid_unknown_fields=True):
    """The record of a contest, with its digest in hexadecimal."""

    name: str
    settings: str
    state: str
    position: Count
    epoch: Count
    digest: Hex
    created_at: int


class Header(Struct, frozen=True, forbid_unknown_fields=True):
    """The first line."""

    format: str
    record: Record


class Counts(Struct, frozen=True, forbid_unknown_fields=True):
    """How many lines of each kind there are."""

    item: Count = 0
    rater: Count = 0
    entry: Count = 0
    asset: Count = 0
    certificate: Count = 0


class Footer(Struct, frozen=True, forbid_unknown_fields=True):
    """The last line; `sha256` is over all bytes before it."""

    counts: Counts
    sha256: Hex


# In the order in which they stand in a file.
SECTIONS = Counts.__struct_fields__
ItemLine = tuple[Literal["item"], Count, str, str]
RaterLine = tuple[Literal["rater"], Count, str | None]
EntryLine = tuple[Literal["entry"], int, int, int, int, int, int, int, int, str]
AssetLine = tuple[Literal["asset"], Hex, str, str]
CertificateLine = tuple[Literal["certificate"], Count, int, str]

Line = tuple[str | int | None, ...]
Section = tuple[str, Iterable[Sequence[Line]]]


def contest_lines(store: Store, name: str) -> Iterator[bytes]:
    """The file of a contest as it is now, in chunks of whole lines, for `restore_contest`."""
    return _lines(store, *_at_one_moment(store, name))


def _at_one_moment(store: Store, name: str) -> tuple[ContestRecord, list[Item], list[Certificate]]:
    """The record of a contest, with the items and certificates of the same epoch."""
    for _ in range(ATTEMPTS):
        record, items = store.contest(name), store.items(name)
        certificates = store.certificates(name)
        if store.contest(name).epoch == record.epoch:
            return record, items, certificates
    told = N_("The contest {name!r} changed while it was read. Export it again in a moment.")
    raise EpochMoved(Phrase(told, name=name))


def _lines(
    store: Store, record: ContestRecord, items: list[Item], certificates: list[Certificate]
) -> Iterator[bytes]:
    sha = hashlib.sha256()
    counts = dict.fromkeys(SECTIONS, 0)
    encode = msgspec.json.Encoder().encode_lines
    fields = {**vars(record), "digest": record.digest.hex()}
    fields.pop("blinding")
    header = encode([Header(FORMAT, Record(**fields))])
    sha.update(header)
    yield header
    sections: tuple[Section, ...] = (
        ("item", [[("item", *item) for item in items]]),
        ("rater", _rater_pages(store, record.name)),
        ("entry", _entry_pages(store, record)),
        ("asset", _asset_pages(store, record, items)),
        ("certificate", ([("certificate", *one)] for one in certificates)),
    )
    for section, pages in sections:
        for page in pages:
            counts[section] += len(page)
            chunk = encode(page)
            sha.update(chunk)
            yield chunk
    yield encode([Footer(Counts(**counts), sha.hexdigest())])


def context_images(settings: str, events: Iterable[Entry]) -> list[str]:
    """All pictures that the context of a contest has ever had."""
    named = [ContestSettings.from_json(settings).context.image]
    for event in events_in(events):
        if isinstance(event, SettingsChanged):
            named.append(event.set.get("context", {}).get("image", ""))
    return named


def _rater_pages(store: Store, name: str) -> Iterator[list[Line]]:
    page: list[Line] = []
    for number, key, *_ in store.raters(name):
        page.append(("rater", number, None if key is None else key.hex()))
        if len(page) == PAGE:
            yield page
            page = []
    yield page


def _entry_pages(store: Store, record: ContestRecord) -> Iterator[list[Line]]:
    position = 0
    while position < record.position:
        limit = min(PAGE, record.position - position)
        page = store.entries(record.name, after=position, limit=limit)
        yield [("entry", *entry) for entry in page]
        position = page[-1].position


def _asset_pages(store: Store, record: ContestRecord, items: list[Item]) -> Iterator[list[Line]]:
    named = context_images(record.settings, store.events(record.name))
    named += [item.image for item in items]
    for hash_ in dict.fromkeys(filter(None, named)):
        if asset := store.asset(hash_):
            yield [("asset", hash_, asset.media_type, base64.b64encode(asset.body).decode())]
