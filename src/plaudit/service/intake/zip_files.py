"""The files of a ZIP archive from anyone: their number and size are limited before unpacking.

No name in the archive is ever used as a path: files are unpacked into memory, and names are only
shown and compared.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator

from plaudit.errors import InvalidInput
from plaudit.phrase import Phrase
from plaudit.service.intake.images.checking import MAX_BYTES, too_large
from plaudit.service.intake.mistakes import Mistakes
from plaudit.words import N_

MOST_FILES, MOST_UNPACKED = 500, 64_000_000
# Pictures are compressed already; drawings (SVG) shrink to a tenth. Small files may shrink more.
MOST_RATIO, SMALL = 100, 100_000
_MARKS = (b"PK\x03\x04", b"PK\x05\x06")
# The record at the end of an archive; the list of its files comes before it.
_END, _END_MARK = struct.Struct("<4s4H2IH"), b"PK\x05\x06"
_LONGEST_COMMENT, _LIST_BYTES = 2**16, 2**20
_WRONG = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, RuntimeError,
)  # fmt: skip
_UNREADABLE = Phrase(N_("This ZIP archive cannot be read. Pack it again."))
_LOCKED = Phrase(N_("This file is locked with a password. Pack it without one."))
_UNUSUAL = Phrase(N_("This file is packed in an unusual way. Make an ordinary ZIP archive."))
_DAMAGED = Phrase(N_("This file is damaged in the archive. Pack it again."))

File = tuple[str, bytes]


def is_zip(body: bytes) -> bool:
    """Whether a file says that it is a ZIP archive."""
    return body.startswith(_MARKS)


def files_of_zip(body: bytes, mistakes: Mistakes, *, named: str) -> Iterator[File]:
    """The files of an archive with their names; what cannot be used is noted as a mistake."""
    with mistakes.noting(None, file=named):
        archive, wanted = _opened(body)
        for info in wanted:
            name = _name(info)
            with mistakes.noting(None, file=name):
                yield name, _content(archive, info)


def _opened(body: bytes) -> tuple[zipfile.ZipFile, list[zipfile.ZipInfo]]:
    short = _with_short_list(body)
    try:
        archive = zipfile.ZipFile(io.BytesIO(short))
    except _WRONG:
        raise InvalidInput(_UNREADABLE) from None
    wanted = [info for info in archive.infolist() if not _is_clutter(info)]
    if len(wanted) > MOST_FILES:
        raise InvalidInput(_too_many())
    if not wanted:
        raise InvalidInput(Phrase(N_("There is no file in this ZIP archive.")))
    if (size := sum(info.file_size for info in wanted)) > MOST_UNPACKED:
        told = N_(
            "Unpacked, these files have {size} bytes; at most {most} are taken at once. Pack them "
            "into several archives, and add one after the other."
        )
        raise InvalidInput(Phrase(told, size=size, most=MOST_UNPACKED))
    return archive, wanted


def _with_short_list(body: bytes) -> bytes:
    """The archive without its comment; refused if its list of files is long and slow to read."""
    at = body.rfind(_END_MARK, max(0, len(body) - _END.size - _LONGEST_COMMENT))
    if not 0 <= at <= len(body) - _END.size:
        raise InvalidInput(_UNREADABLE)
    end = _END.unpack(body[at : at + _END.size])
    large = body[max(0, at - 20) : at].startswith(b"PK\x06\x07")
    if large or end[4] > 2 * MOST_FILES + 100 or end[5] > _LIST_BYTES:
        raise InvalidInput(_too_many())
    return body[:at] + _END.pack(*end[:-1], 0)


def _too_many() -> Phrase:
    told = N_(
        "This ZIP archive has more than {most} files, the most that are taken at once. Pack them "
        "into several archives, and add one after the other."
    )
    return Phrase(told, most=MOST_FILES)


def _is_clutter(info: zipfile.ZipInfo) -> bool:
    """Whether it is a folder, or a file that an operating system put there."""
    parts = info.filename.replace("\\", "/").split("/")
    hidden = parts[0] == "__MACOSX" or parts[-1].startswith(".")
    return info.is_dir() or hidden or parts[-1].lower() in ("thumbs.db", "desktop.ini")


def _name(info: zipfile.ZipInfo) -> str:
    """The name of a file; some programs write UTF-8 without saying so."""
    if info.flag_bits & 0x800:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.flag_bits & 1:
        raise InvalidInput(_LOCKED)
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise InvalidInput(_UNUSUAL)
    if info.file_size > MAX_BYTES:
        raise InvalidInput(too_large(info.file_size))
    if info.file_size > max(SMALL, MOST_RATIO * info.compress_size):
        told = N_(
            "Unpacked, this file would be more than {ratio} times as large, which no picture is. "
            "It is not opened."
        )
        raise InvalidInput(Phrase(told, ratio=MOST_RATIO))
    try:
        with archive.open(info) as packed:
            # Never more than the size that it declares.
            return packed.read(info.file_size)
    except _WRONG:
        raise InvalidInput(_DAMAGED) from None
