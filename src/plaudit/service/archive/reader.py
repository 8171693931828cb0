"""Reads the file of a contest as a stream; every error has its line."""

import hashlib
import itertools
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn, TypeVar

import msgspec

from plaudit.errors import ArchiveDamaged
from plaudit.service.archive.format import (
    FIRST_FORMAT,
    FORMAT,
    SECTIONS,
    Counts,
    Footer,
    Header,
)

# A picture of 5 MB takes 7 MB here. A certificate names every item, and may be much longer.
MAX_LINE_BYTES = 16 * 2**20
MAX_CERTIFICATE_BYTES = 256 * 2**20
_PIECE = 2**20
_NOT_OURS = (msgspec.DecodeError, UnicodeDecodeError, LookupError, TypeError, RecursionError)

T = TypeVar("T")


class ArchiveReader:
    """The parts of a file, to be read in order: header, sections, footer."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self.number = 0
        self._lines = _split(_unpacked(chunks))
        self._sha = hashlib.sha256()
        self._counts = dict.fromkeys(SECTIONS, 0)
        self._line = b""
        self._advance()

    def header(self) -> Header:
        """The first line."""
        if not self._line:
            self.refuse("it is empty")
        try:
            form = msgspec.json.decode(self._line)["format"]
        except _NOT_OURS:
            self.refuse("it does not begin like the export of a contest")
        if form not in (FORMAT, FIRST_FORMAT):
            self.refuse(
                f"its format is {str(form)[:60]!r}, and only {FORMAT!r} and {FIRST_FORMAT!r} are "
                "read here"
            )
        header = self._decoded(msgspec.json.Decoder(Header))
        if bool(header.record.blinding) != (form == FORMAT):
            self.refuse("the blinding of the contest is missing, or does not belong there")
        self._advance()
        return header

    def section(self, name: str, line_type: Any) -> Iterator[Any]:
        """The lines of a section without their kind; `number` is the current line."""
        decoder = msgspec.json.Decoder(line_type)
        begin = f'["{name}",'.encode()
        while self._line.startswith(begin):
            fields = self._decoded(decoder)
            self._counts[name] += 1
            yield fields[1:]
            self._advance()

    def footer(self) -> None:
        """Returns if the last line is here, and the lines before it are unchanged."""
        if not self._line:
            self.refuse("it was cut off: its last line is missing")
        if not self._line.startswith(b"{"):
            self.refuse("a line is damaged or out of place")
        footer = self._decoded(msgspec.json.Decoder(Footer))
        if footer.counts != Counts(**self._counts):
            self.refuse("lines are missing or were added")
        if footer.sha256 != self._sha.hexdigest():
            self.refuse("it was changed: its SHA-256 differs")
        self._advance()
        if self._line:
            self.refuse("something follows its last line")

    def refuse(
        self, why: str, cause: Exception | None = None, *, line: int | None = None
    ) -> NoReturn:
        """Raises the error about a line, by default the current one; `cause` is quoted."""
        quoted = "" if cause is None else f" {cause}"
        raise ArchiveDamaged(
            f"The export is damaged at line {line or self.number}: {why}.{quoted} Nothing was "
            "restored; export the contest again, or use another copy."
        )

    def _decoded(self, decoder: msgspec.json.Decoder[T]) -> T:
        try:
            return decoder.decode(self._line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self.refuse(f"{error}")

    def _advance(self) -> None:
        # The footer is not part of the SHA-256: a line is added when the next one is read.
        if self._line:
            self._sha.update(self._line)
        self.number += 1
        try:
            self._line = next(self._lines, b"")
        except zlib.error as error:
            self.refuse(f"it cannot be unpacked by gzip ({error})")
        except _TooLong as long:
            self.refuse(f"the line has more than {long.most:,} bytes")


class _TooLong(Exception):
    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.most = most


def _unpacked(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks, unpacked if they are gzip: JSON never begins with the first byte of gzip."""
    rest = iter(chunks)
    first = next((chunk for chunk in rest if chunk), b"")
    if first[:1] != b"\x1f":
        yield first
        yield from rest
        return
    unpacker = zlib.decompressobj(wbits=31)
    for chunk in itertools.chain((first,), rest):
        packed = chunk
        while packed:
            # In pieces, so that a small file cannot fill the memory.
            yield unpacker.decompress(packed, _PIECE)
            packed = unpacker.unconsumed_tail or unpacker.unused_data
            if unpacker.eof and packed:  # several gzip files may be concatenated
                unpacker = zlib.decompressobj(wbits=31)
    yield unpacker.flush()
    if not unpacker.eof:
        raise zlib.error("it was cut off")


def _split(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Whole lines, each with its line feed, from chunks that are cut anywhere."""
    pending: list[bytes] = []
    length = 0
    for chunk in chunks:
        *lines, last = chunk.split(b"\n")
        for line in lines:
            yield b"".join((*pending, line, b"\n"))
            pending, length = [], 0
        if last:
            pending.append(last)
            length += len(last)
        if length > MAX_LINE_BYTES and length > (most := _most(pending[0])):
            raise _TooLong(most)
    if pending:
        yield b"".join(pending)


def _most(begin: bytes) -> int:
    """How many bytes a line with this beginning may have."""
    return MAX_CERTIFICATE_BYTES if begin.startswith(b'["certificate",') else MAX_LINE_BYTES
