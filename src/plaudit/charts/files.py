"""A chart as files, made without a browser: SVG for pages, PNG for slides, PDF for print."""

import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from plaudit.extras import require

PIXELS_PER_UNIT = 2
_COORDINATES = re.compile(r' (?:d|transform)="[^"]*"')
_LONG_NUMBER = re.compile(r"\d+\.\d{3,}(?![\de])")


def require_charts() -> ModuleType:
    """The renderer; an error that says how to install it where it is missing."""
    require("studies", "Charts", "altair", "vl_convert")
    import vl_convert

    renderer: ModuleType = vl_convert
    return renderer


def save_chart(chart: Any, stem: Path) -> list[Path]:
    """Writes `stem`.svg, .png and .pdf from an Altair chart; their paths."""
    renderer = require_charts()
    spec = json.dumps(chart.to_dict())
    made = {
        ".svg": short_numbers(renderer.vegalite_to_svg(spec)).encode(),
        ".png": renderer.vegalite_to_png(spec, scale=PIXELS_PER_UNIT),
        ".pdf": renderer.vegalite_to_pdf(spec),
    }
    paths = []
    for suffix, content in made.items():
        path = stem.with_suffix(suffix)
        path.write_bytes(content)
        paths.append(path)
    return paths


def short_numbers(svg: str) -> str:
    """The picture with coordinates to a hundredth of a unit: half the size, and looks the same.

    >>> short_numbers('<path d="M1.23456,7"/><text>0.00123</text>')
    '<path d="M1.23,7"/><text>0.00123</text>'
    """

    def shorten(attribute: re.Match[str]) -> str:
        return _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.2f}", attribute[0])

    return _COORDINATES.sub(shorten, svg)
