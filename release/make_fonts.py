"""Makes the fonts of the pages anew: `python release/make_fonts.py`.

It takes the two families from npm, at the versions below, keeps the letters, weights and features
that pages use, and writes them with their licences to `src/plaudit/web/shared/static/fonts/`. The
name of a file has a checksum of its content, which is put into `plaudit.css` too: so browsers may
keep a file for a year. It needs npm and `pip install "fonttools[woff]"`.
"""

import hashlib
import json
import re
import subprocess
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

STATIC = Path(__file__).parent.parent / "src" / "plaudit" / "web" / "shared" / "static"
FONTS = STATIC / "fonts"
# What one types in western Europe, and the letters of its other languages in a file of their own,
# which a browser loads only where a page has one of them.
WESTERN = (
    "U+20-7E,U+A0-FF,U+131,U+152-153,U+2013-2014,U+2018-201A,U+201C-201E,U+2022,U+2026,"
    "U+2039-203A,U+20AC,U+2212"
)
OTHER_LATIN = "U+100-130,U+132-151,U+154-17F,U+218-21B"
FEATURES = ["kern", "liga", "mark", "mkmk", "ccmp", "locl", "tnum", "rvrn"]


class Family(NamedTuple):
    """A family, the file of its package, and the axes to pin or to narrow."""

    name: str
    package: str
    version: str
    file: str
    axes: dict[str, float | tuple[float, float]]


FAMILIES = (
    # Drawn for news on screens. A size of about 28 pixels suits captions and headlines.
    Family(
        "newsreader",
        "@fontsource-variable/newsreader",
        "5.3.0",
        "newsreader-{letters}-standard-normal.woff2",
        {"opsz": 28, "wght": (400, 700)},
    ),
    Family(
        "figtree",
        "@fontsource-variable/figtree",
        "5.3.0",
        "figtree-{letters}-wght-normal.woff2",
        {"wght": (400, 700)},
    ),
)


def main() -> None:
    """Writes all files, and their names into the style sheet."""
    FONTS.mkdir(exist_ok=True)
    for old in FONTS.glob("*.woff2"):
        old.unlink()
    for family in FAMILIES:
        package = fetched(family)
        (FONTS / f"{family.name}-LICENSE.txt").write_bytes(package["package/LICENSE"])
        for letters, kept in (("latin", WESTERN), ("latin-ext", OTHER_LATIN)):
            source = package["package/files/" + family.file.format(letters=letters)]
            write(f"{family.name}-{letters}", lean(source, kept, family))


def fetched(family: Family) -> dict[str, bytes]:
    """The files of a package by their names."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = f"{family.package}@{family.version}"
        packed = subprocess.run(
            ["npm", "pack", "--json", wanted], cwd=folder, check=True, capture_output=True
        )
        name = json.loads(packed.stdout)[0]["filename"]
        with tarfile.open(Path(folder) / name) as archive:
            found = ((each.name, archive.extractfile(each)) for each in archive.getmembers())
            return {path: opened.read() for path, opened in found if opened is not None}


def lean(source: bytes, kept: str, family: Family) -> bytes:
    """A font with only what pages use."""
    font = TTFont(BytesIO(source))
    font = instancer.instantiateVariableFont(font, family.axes)
    options = subset.Options(flavor="woff2", layout_features=FEATURES, hinting=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=subset.parse_unicodes(kept))
    subsetter.subset(font)
    # The time of making would change the checksum.
    font["head"].modified = font["head"].created
    font.recalcTimestamp = False
    made = BytesIO()
    subset.save_font(font, made, options)
    return made.getvalue()


def write(name: str, body: bytes) -> None:
    """Writes a font, and its name where style sheet and templates have it."""
    full = f"{name}-{hashlib.sha256(body).hexdigest()[:8]}.woff2"
    (FONTS / full).write_bytes(body)
    for path in (STATIC / "plaudit.css", STATIC.parent / "templates" / "base.html"):
        if path.exists():
            text = path.read_text("utf-8")
            path.write_text(re.sub(rf"{name}-[0-9a-f]{{8}}\.woff2", full, text), "utf-8")
    print(f"{len(body):7,} bytes  {full}")  # noqa: T201


if __name__ == "__main__":
    main()
