"""Checks of an archive while it streams into a store: the same for every engine."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import ParamSpec, TypeVar

from plaudit.errors import ArchiveDamaged, InvalidInput
from plaudit.store.checks import (
    check_certificate,
    check_items,
    check_key,
    check_text,
    check_whole,
)
from plaudit.store.contract import Archive, Asset, Certificate, Item, Rater
from plaudit.store.grouping import extended
from plaudit.store.log import ANSWERS, NONE, Entry, first_digest

T = TypeVar("T")
P = ParamSpec("P")
_CHUNK = 10_000


def chunks(stream: Iterable[T]) -> Iterator[list[T]]:
    """A stream in lists, so that it need not fit into memory."""
    rest = iter(stream)
    while chunk := list(islice(rest, _CHUNK)):
        yield chunk


class Inspection:
    """Follows an archive's parts as they pass, and says at the end whether they add up."""

    def __init__(self, archive: Archive) -> None:
        self._record = archive.record
        self._raters: set[int] = set()
        self._position = 0
        self._epoch = 0
        self._digest = first_digest(archive.record.name, archive.record.settings)

    def items(self, stream: Iterable[Item]) -> Iterator[list[Item]]:
        """The items, in chunks, as long as they can be kept."""
        for chunk in chunks(stream):
            self._sound(check_items, chunk)
            yield chunk

    def raters(self, stream: Iterable[Rater]) -> Iterator[list[Rater]]:
        """The raters, in chunks, as long as numbers and keys are sound."""
        for chunk in chunks(stream):
            for number, key, _ in chunk:
                self._sound(check_whole, "A rater's number", number)
                if key is not None:
                    self._sound(check_key, key)
            self._raters.update(rater.number for rater in chunk)
            yield chunk

    def entries(self, stream: Iterable[Entry]) -> Iterator[list[Entry]]:
        """The entries, in chunks, as long as they are in order and their raters are known."""
        for chunk in chunks(stream):
            for entry in chunk:
                self._follow(entry)
            self._digest = self._sound(extended, self._digest, chunk)
            yield chunk

    def asset(self, asset: Asset) -> Asset:
        """The picture, if it is what its hash says."""
        self._sound(check_text, "A picture's media type", asset.media_type)
        if hashlib.sha256(asset.body).hexdigest() != asset.hash:
            raise self._damaged(f"the picture {asset.hash} has another content than its hash")
        return asset

    def certificates(self, stream: Iterable[Certificate]) -> Iterator[tuple[int, Certificate]]:
        """The certificates with their places, counted from 1; each belongs to an event."""
        for number, certificate in enumerate(stream, start=1):
            self._sound(check_certificate, certificate)
            if number > self._epoch:
                raise self._damaged(f"it has more certificates than its {self._epoch} events")
            yield number, certificate

    def end(self) -> None:
        """Returns if the log ended as the record says; `ArchiveDamaged` otherwise."""
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
            raise self._damaged(f"entry {self._position} says that it is {entry.position}")
        if entry.kind in ANSWERS:
            if entry.rater not in self._raters or entry.item < 0 or entry.payload:
                raise self._damaged(f"entry {entry.position} is no answer of a rater it lists")
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
        return damaged(self._record.name, why)


def damaged(name: str, why: str) -> ArchiveDamaged:
    """The error for an archive that does not add up."""
    return ArchiveDamaged(
        f"The archive of contest {name!r} is damaged: {why.rstrip('.')}. Nothing was restored; "
        "export the contest again, or take another copy."
    )
