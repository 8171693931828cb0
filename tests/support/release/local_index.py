"""A local index: wheels of Plaudit and of what it needs, made from what is installed here.

Nothing is fetched: an installed package has all files of its wheel, so it is packed again. What
installs from this folder gets nothing from the environment of the tests.
"""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[3]
# What an installer adds; a wheel does not have it.
OF_INSTALLERS = {"INSTALLER", "REQUESTED", "RECORD", "direct_url.json", "uv_cache.json"}


def build(folder: Path, source: Path = ROOT, *kinds: str) -> list[Path]:
    """Builds the wheel, the sdist or both (`-t wheel`, `-t sdist`) of a source tree."""
    options = [word for kind in kinds for word in ("-t", kind)]
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder), *options],
        cwd=source,
        check=True,
        capture_output=True,
    )
    return sorted(folder.glob("plaudit-*"))


def needed_by(wheel: Path, extras: tuple[str, ...]) -> dict[str, Distribution]:
    """The installed packages that a wheel needs with these extras, and all that they need."""
    found: dict[tuple[str, frozenset[str]], Distribution] = {}

    def look(lines: list[str], extras: frozenset[str]) -> None:
        for each in _wanted(lines, extras):
            name, more = each.name.lower(), frozenset(each.extras)
            if (name, more) not in found:
                found[name, more] = package = distribution(name)
                look(package.requires or [], more)

    look(requirements_of(wheel), frozenset(extras))
    return {name: package for (name, _), package in found.items()}


def requirements_of(wheel: Path) -> list[str]:
    """What a wheel says that it needs, with the extras that need it."""
    with zipfile.ZipFile(wheel) as opened:
        (name,) = (each for each in opened.namelist() if each.endswith(".dist-info/METADATA"))
        lines = opened.read(name).decode().partition("\n\n")[0].splitlines()
    return [line.partition(": ")[2] for line in lines if line.startswith("Requires-Dist: ")]


def _wanted(lines: list[str], extras: frozenset[str]) -> Iterator[Requirement]:
    for wanted in map(Requirement, lines):
        marker = wanted.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield wanted


def repack(package: Distribution, folder: Path) -> None:
    """Writes the wheel that an installed package came from, not compressed."""
    said = dict(line.split(": ", 1) for line in _text(package, "WHEEL").splitlines() if line)
    name = package.name.replace("-", "_").replace(".", "_")
    path = folder / f"{name}-{package.version}-{said['Tag']}.whl"
    kept = [
        file
        for file in package.files or ()
        if file.suffix != ".pyc" and file.name not in OF_INSTALLERS and file.parts[0] != ".."
    ]
    (record,) = (file for file in package.files or () if file.name == "RECORD")
    with zipfile.ZipFile(path, "w") as wheel:
        for file in kept:
            wheel.write(str(file.locate()), file.as_posix())
        lines = [f"{file.as_posix()},," for file in (*kept, record)]
        wheel.writestr(record.as_posix(), "\n".join(lines) + "\n")


def _text(package: Distribution, name: str) -> str:
    text = package.read_text(name)
    assert text is not None, f"{package.name} has no {name}"
    return text


def make_index(folder: Path, extras: tuple[str, ...]) -> None:
    """Fills a folder with the wheel of Plaudit and those of all that it needs."""
    (wheel,) = build(folder, ROOT, "wheel")
    for package in needed_by(wheel, extras).values():
        repack(package, folder)
