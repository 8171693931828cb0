"""The files of a ZIP archive that anyone may have packed: bounded before anything is unpacked.

No name in it is ever used as a path: files are unpacked into memory, and a name is only shown
and compared.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator

from plaudit.errors import InvalidInput
from plaudit.service.intake.images.checking import MAX_BYTES, too_large
from plaudit.service.intake.mistakes import Mistakes

MOST_FILES, MOST_UNPACKED = 500, 64_000_000
# Pictures are compressed already; drawings (SVG) come to a tenth. Small files may be anything.
MOST_RATIO, SMALL = 100, 100_000
_MARKS = (b"PK\x03\x04", b"PK\x05\x06")
# The record at the end of an archive; the list of its files stands before it.
_END, _END_MARK = struct.Struct("<4s4H2IH"), b"PK\x05\x06"
_LONGEST_COMMENT, _LIST_BYTES = 2**16, 2**20
_WRONG = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, RuntimeError,
)  # fmt: skip
_UNREADABLE = "This ZIP archive cannot be read. Pack it again."

File = tuple[str, bytes]


def is_zip(body: bytes) -> bool:
    """Whether a file says that it is a ZIP archive."""
    return body.startswith(_MARKS)


def files_of_zip(body: bytes, mistakes: Mistakes, *, named: str) -> Iterator[File]:
    """The files of an archive, by name; what cannot be used is noted, and nothing raised."""
    with mistakes.noting(None, file=named):
        archive, wanted = _opened(body)
        for info in wanted:
            name = _name(info)
            with mistakes.noting(None, file=name):
                yield name, _content(archive, info)


def _opened(body: bytes) -> tuple[zipfile.ZipFile, list[zipfile.ZipInfo]]:
    bounded = _bounded(body)
    try:
        archive = zipfile.ZipFile(io.BytesIO(bounded))
    except _WRONG:
        raise InvalidInput(_UNREADABLE) from None
    wanted = [info for info in archive.infolist() if not _is_chaff(info)]
    if len(wanted) > MOST_FILES:
        raise InvalidInput(_too_many())
    if not wanted:
        raise InvalidInput("There is no file in this ZIP archive.")
    if (size := sum(info.file_size for info in wanted)) > MOST_UNPACKED:
        raise InvalidInput(
            f"Unpacked, these files have {size:,} bytes; at most {MOST_UNPACKED:,} are taken at "
            "once. Pack them into several archives, and add one after the other."
        )
    return archive, wanted


def _bounded(body: bytes) -> bytes:
    """The archive without its comment, if its list of files is short: to read it takes a while."""
    at = body.rfind(_END_MARK, max(0, len(body) - _END.size - _LONGEST_COMMENT))
    if not 0 <= at <= len(body) - _END.size:
        raise InvalidInput(_UNREADABLE)
    end = _END.unpack(body[at : at + _END.size])
    large = body[max(0, at - 20) : at].startswith(b"PK\x06\x07")
    if large or end[4] > 2 * MOST_FILES + 100 or end[5] > _LIST_BYTES:
        raise InvalidInput(_too_many())
    return body[:at] + _END.pack(*end[:-1], 0)


def _too_many() -> str:
    return (
        f"This ZIP archive has more than {MOST_FILES} files, the most that are taken at once. Pack "
        "them into several, and add one after the other."
    )


def _is_chaff(info: zipfile.ZipInfo) -> bool:
    """Whether it is a folder, or a file that only a computer put there."""
    parts = info.filename.replace("\\", "/").split("/")
    hidden = parts[0] == "__MACOSX" or parts[-1].startswith(".")
    return info.is_dir() or hidden or parts[-1].lower() in ("thumbs.db", "desktop.ini")


def _name(info: zipfile.ZipInfo) -> str:
    """The name of a file; some programs write UTF-8 and do not say so."""
    if info.flag_bits & 0x800:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.flag_bits & 1:
        raise InvalidInput("This file is locked with a password. Pack it without one.")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise InvalidInput("This file is packed in an unusual way. Make an ordinary ZIP archive.")
    if info.file_size > MAX_BYTES:
        raise InvalidInput(too_large(info.file_size))
    if info.file_size > max(SMALL, MOST_RATIO * info.compress_size):
        raise InvalidInput(
            f"This file is {MOST_RATIO} times as large unpacked, which no picture is. It is not "
            "opened."
        )
    try:
        with archive.open(info) as packed:
            # Never more than it says that it has, whatever it holds.
            return packed.read(info.file_size)
    except _WRONG:
        raise InvalidInput("This file is damaged in the archive. Pack it again.") from None
