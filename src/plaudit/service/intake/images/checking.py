"""Uploaded pictures: what they are by their content, and whether they may be shown.

A name or a declared type proves nothing, so neither is looked at. Pictures are kept as they
came, byte for byte, and must be sent with the media type found here and `nosniff`.
"""

from collections.abc import Callable

from plaudit.errors import InvalidInput
from plaudit.service.intake.images import raster
from plaudit.service.intake.images.svg import check_svg

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
        raise InvalidInput(
            f"The file is compressed (gzip, as in .svgz). Unpack it; allowed are {ALLOWED}."
        )
    if not body.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n").startswith(b"<"):
        raise InvalidInput(f"The file is not a picture that can be shown. Allowed are {ALLOWED}.")
    _check_pixels(*check_svg(body))
    return "image/svg+xml"


def too_large(size: int) -> str:
    """The message about a file of so many bytes."""
    return (
        f"The picture has {size:,} bytes; at most {MAX_BYTES:,} are allowed. "
        "Save it smaller: a page shows it a few hundred pixels wide."
    )


def _check_pixels(width: float, height: float) -> None:
    if width * height > MAX_PIXELS:
        raise InvalidInput(
            f"The picture has {width:,.0f} × {height:,.0f} pixels; at most "
            f"{MAX_PIXELS // 10**6} million are allowed. Scale it down."
        )
