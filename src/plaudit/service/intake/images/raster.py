"""The sizes of PNG, JPEG, GIF and WebP pictures, read from their own structure.

Each function walks through all blocks up to the end mark, so that a file that was cut off, or
only begins like a picture, is refused. Compressed content inside the blocks is not unpacked.
"""

import struct
import zlib
from typing import NoReturn

from plaudit.errors import InvalidInput
from plaudit.phrase import Phrase
from plaudit.words import N_

Size = tuple[int, int]

# Colour types of PNG, each with the depths that it may have.
_PNG_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
# Markers of JPEG frames; C4, C8 and CC mean something else.
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})


def png_size(body: bytes) -> Size:
    """Width and height of a PNG picture."""
    size, data, at = None, False, 8
    while True:
        length, kind = struct.unpack(">I4s", _part(body, at, 8, "PNG"))
        content = _part(body, at + 8, length, "PNG")
        (checksum,) = struct.unpack(">I", _part(body, at + 8 + length, 4, "PNG"))
        # A lower-case first letter marks a block that viewers may ignore.
        if kind[:1].isupper() and zlib.crc32(kind + content) != checksum:
            _refuse("PNG", N_("a checksum is wrong"))
        if size is None:
            size = _png_header(kind, content)
        data |= kind == b"IDAT"
        at += 12 + length
        if kind == b"IEND":
            break
    return size if data else _refuse("PNG", N_("there is no picture in it"))


def _png_header(kind: bytes, content: bytes) -> Size:
    if kind != b"IHDR" or len(content) != 13:
        _refuse("PNG", N_("its header is missing"))
    width, height, depth, colour, packing, filtering, lacing = struct.unpack(">IIBBBBB", content)
    sound = depth in _PNG_DEPTHS.get(colour, ()) and (packing, filtering) == (0, 0)
    if not (sound and lacing in (0, 1) and 0 < width < 2**31 and 0 < height < 2**31):
        _refuse("PNG", N_("its header makes no sense"))
    return width, height


def jpeg_size(body: bytes) -> Size:
    """Width and height of a JPEG picture."""
    size, at = None, 2
    while True:
        start, marker = _part(body, at, 2, "JPEG")
        if start != 0xFF:
            _refuse("JPEG", N_("its segments do not follow each other"))
        if marker == 0xFF:  # padding
            at += 1
            continue
        if marker in _JPEG_ALONE:
            at += 2
            continue
        if marker in (0xD8, 0xD9):
            _refuse("JPEG", N_("there is no picture in it"))
        (length,) = struct.unpack(">H", _part(body, at + 2, 2, "JPEG"))
        content = _part(body, at + 4, length - 2, "JPEG")
        at += 2 + length
        if marker in _JPEG_FRAMES:
            if size is not None:
                _refuse("JPEG", N_("it has two frames"))
            size = _jpeg_frame(content)
        if marker == 0xDA:
            break
    if size is None or body.find(b"\xff\xd9", at) < 0:
        _refuse("JPEG", N_("it was cut off"))
    return size


def _jpeg_frame(content: bytes) -> Size:
    if len(content) < 6:
        _refuse("JPEG", N_("its frame is cut off"))
    depth, height, width, components = struct.unpack(">BHHB", content[:6])
    if depth not in (8, 12) or not width or not height or len(content) != 6 + 3 * components:
        _refuse("JPEG", N_("its frame makes no sense"))
    return width, height


def gif_size(body: bytes) -> Size:
    """Width and height of a GIF picture, or of its largest frame if that is larger."""
    width, height, flags = struct.unpack("<HHB", _part(body, 6, 5, "GIF"))
    at, frames = 13 + _colours(flags), 0
    while True:
        if at == len(body) and frames:  # old programs leave the end mark out
            break
        kind = _part(body, at, 1, "GIF")[0]
        if kind == 0x3B:
            break
        if kind == 0x21:
            at = _gif_blocks(body, at + 2)
        elif kind == 0x2C:
            left, top, wide, high, flags = struct.unpack("<HHHHB", _part(body, at + 1, 9, "GIF"))
            width, height = max(width, left + wide), max(height, top + high)
            at = _gif_blocks(body, at + 11 + _colours(flags))
            frames += 1
        else:
            _refuse("GIF", N_("its blocks do not follow each other"))
    return (width, height) if frames else _refuse("GIF", N_("there is no picture in it"))


def _gif_blocks(body: bytes, at: int) -> int:
    while length := _part(body, at, 1, "GIF")[0]:
        at += 1 + length
    return at + 1


def _colours(flags: int) -> int:
    return 3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0


def webp_size(body: bytes) -> Size:
    """Width and height of a WebP picture, still or animated."""
    mark, length = struct.unpack("<4sI", _part(body, 0, 8, "WebP"))
    if mark != b"RIFF":
        _refuse("WebP", N_("its header is missing"))
    content = _part(body, 8, length, "WebP")
    sizes, pictures, at = [], 0, 4
    while at < len(content):
        kind, length = struct.unpack("<4sI", _part(content, at, 8, "WebP"))
        chunk = _part(content, at + 8, length, "WebP")
        if kind in _WEBP_SIZES:
            sizes.append(_WEBP_SIZES[kind](chunk))
        pictures += kind in (b"VP8 ", b"VP8L", b"ANMF")
        at += 8 + length + length % 2
    if not sizes or not pictures:
        _refuse("WebP", N_("there is no picture in it"))
    return max(width for width, _ in sizes), max(height for _, height in sizes)


def _lossy(chunk: bytes) -> Size:
    start = _part(chunk, 0, 10, "WebP")
    if start[0] & 1 or start[3:6] != b"\x9d\x01\x2a":
        _refuse("WebP", N_("its header makes no sense"))
    width, height = struct.unpack("<HH", start[6:])
    return _not_empty(width & 0x3FFF, height & 0x3FFF)


def _lossless(chunk: bytes) -> Size:
    mark, bits = struct.unpack("<BI", _part(chunk, 0, 5, "WebP"))
    if mark != 0x2F or bits >> 29:
        _refuse("WebP", N_("its header makes no sense"))
    return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1


def _canvas(chunk: bytes) -> Size:
    start = _part(chunk, 0, 10, "WebP")
    return int.from_bytes(start[4:7], "little") + 1, int.from_bytes(start[7:], "little") + 1


def _frame(chunk: bytes) -> Size:
    start = _part(chunk, 0, 16, "WebP")
    return int.from_bytes(start[6:9], "little") + 1, int.from_bytes(start[9:12], "little") + 1


_WEBP_SIZES = {b"VP8 ": _lossy, b"VP8L": _lossless, b"VP8X": _canvas, b"ANMF": _frame}


def _not_empty(width: int, height: int) -> Size:
    return (width, height) if width and height else _refuse("WebP", N_("it has no size"))


def _part(body: bytes, start: int, length: int, name: str) -> bytes:
    if length < 0 or start + length > len(body):
        _refuse(name, N_("it was cut off"))
    return body[start : start + length]


def _refuse(name: str, fault: str) -> NoReturn:
    told = N_(
        "The file begins like a {format} picture but is not one: {fault}. Save the picture again, "
        "and send the whole file."
    )
    raise InvalidInput(Phrase(told, format=name, fault=Phrase(fault)))
