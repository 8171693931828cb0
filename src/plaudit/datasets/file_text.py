"""The text of a file, whatever program saved it: UTF-8, UTF-16, Windows-1252 or a mixture."""

import codecs
import os
import re
from pathlib import Path

from plaudit.errors import VoteFileError
from plaudit.phrase import Phrase
from plaudit.words import N_

_SIGNATURES = {
    b"PK\x03\x04": N_(
        "The file looks like a spreadsheet (xlsx or ods), not like CSV. Open it in a spreadsheet "
        "program, save the sheet as CSV (UTF-8) and read that file."
    ),
    b"\xd0\xcf\x11\xe0": N_(
        "The file looks like a spreadsheet (xls), not like CSV. Open it in a spreadsheet program, "
        "save the sheet as CSV (UTF-8) and read that file."
    ),
    b"%PDF": N_("The file is a PDF, not CSV text. Export the votes as CSV and read that file."),
    b"\x1f\x8b": N_("The file is compressed (gzip). Unpack it and read the file inside."),
}
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Tabs and the characters that break lines are text; a stray control character
# further down may be a slip of someone's keyboard, in the first line it is not.
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def read_text(path: str | os.PathLike[str]) -> tuple[str, tuple[str, ...]]:
    """The text of the file, without a byte-order mark, and warnings about its encoding."""
    data = _read_bytes(path)
    for signature, message in _SIGNATURES.items():
        if data.startswith(signature):
            raise VoteFileError(Phrase(message))
    text, warnings = _decode(data)
    _refuse_binary(text)
    return text, warnings


def _read_bytes(path: str | os.PathLike[str]) -> bytes:
    name = os.fspath(path)
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        message = f"There is no file {name}. Check the path and the spelling of the name."
    except IsADirectoryError:
        message = f"{name} is a folder; give the path of one CSV file inside it."
    except (OSError, ValueError) as error:  # ValueError: a NUL inside the path
        reason = getattr(error, "strerror", None) or error
        message = (
            f"Cannot read the file {name!r} ({reason}). "
            "Check the path, and that you are allowed to read it."
        )
    raise VoteFileError(message)


def _decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    if data.startswith(_UTF16_MARKS):
        return _decode_utf16(data), ()
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError:
        return _decode_line_by_line(data)


def _decode_utf16(data: bytes) -> str:
    try:
        return data.decode("utf-16")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-16", errors="replace")
        told = N_(
            "The file starts as UTF-16 but is damaged or cut off here. Save it again, as CSV in "
            "UTF-8."
        )
        raise VoteFileError(Phrase(told), line=_line_of_end(before)) from None


def _decode_line_by_line(data: bytes) -> tuple[str, tuple[str, ...]]:
    """The text, each line read as UTF-8 where it is and as Windows-1252 where not."""
    lines: list[str] = []
    foreign: list[int] = []
    for number, line in enumerate(data.splitlines(keepends=True), start=1):
        try:
            lines.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            lines.append(_decode_windows(line, number))
            foreign.append(number)
    warning = (
        f"Lines that are not UTF-8 and were read as Windows-1252: {len(foreign)} of {len(lines)} "
        f"(the first is line {foreign[0]}). Check the accents and quotation marks there, "
        "or save the file as UTF-8."
    )
    return "".join(lines), (warning,)


def _decode_windows(line: bytes, number: int) -> str:
    try:
        return line.decode("cp1252")
    except UnicodeDecodeError as error:
        told = N_(
            "The byte 0x{byte} is neither UTF-8 nor Windows-1252: the file is damaged, in another "
            "encoding, or not text at all. Save it as CSV in UTF-8."
        )
        words = Phrase(told, byte=f"{line[error.start]:02X}")
        raise VoteFileError(words, line=number) from None


def _refuse_binary(text: str) -> None:
    first_line = re.match(r"\s*[^\r\n]*", text)
    control = _CONTROL.search(first_line.group()) if first_line else None
    position = control.start() if control else text.find("\0")
    if position < 0:
        return
    told = N_(
        "The file holds the control character 0x{code}: it is binary, or UTF-16 without its "
        "byte-order mark. If it is a spreadsheet, save it as CSV (UTF-8)."
    )
    words = Phrase(told, code=f"{ord(text[position]):02X}")
    raise VoteFileError(words, line=_line_of_end(text[:position]))


def _line_of_end(before: str) -> int:
    """The line on which this beginning of a file ends, counted as `csv` counts.

    >>> _line_of_end("a\\r\\nb\\rc\\n")
    4
    """
    # Not str.splitlines, which also breaks at form feeds and U+2028.
    return len(re.findall(r"\r\n|\r|\n", before)) + 1
