"""Uploaded pictures: their types, by content, and whether they may be shown.

A name or a declared type proves nothing, so both are ignored. Pictures are kept byte for byte, and
must be sent with the media type that is found here and with `nosniff`.
"""

from collections.abc import Callable

from plaudit.errors import InvalidInput
from plaudit.phrase import Phrase
from plaudit.service.intake.images import raster
from plaudit.service.intake.images.svg import check_svg
from plaudit.words import N_

MAX_BYTES = 5_000_000
MAX_PIXELS = 40_000_000
ALLOWED = "PNG, JPEG, GIF, WebP or SVG"

Measure = Callable[[bytes], tuple[int, int]]

_RASTER: tuple[tuple[bytes, int, str, Measure], ...] = (
    (b"\x89PNG\r\n\x1a\n", 0, "image/png", raster.png_size),
    (b"\xff\xd8\xff", 0, "image/jpeg", raster.jpeg_size),
    (b"GIF87a", 0, "image/gif", raster.gif_size),
    (b"GIF89a", 0, "image/gif", raster.gif_size),
    (b"WEBP", 8, "image/webp", raster.webp_size),
)


def check_image(body: bytes) -> str:
    """The media type of a picture that may be shown; `InvalidInput` says why it may not."""
    if len(body) > MAX_BYTES:
        raise InvalidInput(too_large(len(body)))
    for mark, offset, media_type, measure in _RASTER:
        if body.startswith(mark, offset):
            _check_pixels(*measure(body))
            return media_type
    if body.startswith(b"\x1f\x8b"):
        told = N_("The file is compressed (gzip, as in .svgz). Unpack it; allowed are {formats}.")
        raise InvalidInput(Phrase(told, formats=ALLOWED))
    if not body.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n").startswith(b"<"):
        told = N_("The file is not a picture that can be shown. Allowed are {formats}.")
        raise InvalidInput(Phrase(told, formats=ALLOWED))
    _check_pixels(*check_svg(body))
    return "image/svg+xml"


def too_large(size: int) -> Phrase:
    """What is wrong with a picture of this many bytes."""
    told = N_(
        "The picture has {size} bytes; at most {most} are allowed. Save it smaller: a page shows "
        "it a few hundred pixels wide."
    )
    return Phrase(told, size=size, most=MAX_BYTES)


def _check_pixels(width: float, height: float) -> None:
    if width * height > MAX_PIXELS:
        told = N_(
            "The picture has {width} × {height} pixels; at most {most} million are allowed. Scale "
            "it down."
        )
        size = {"width": f"{width:,.0f}", "height": f"{height:,.0f}"}
        raise InvalidInput(Phrase(told, most=MAX_PIXELS // 10**6, **size))
