"""The house itself: small rooms that say what they promise, tests that mirror them."""

import ast
import pydoc
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "plaudit"
TESTS = ROOT / "tests"
MODULES_IN_A_FOLDER = 25
LINES_OF_ARCHITECTURE = 150
# Folders of tests that are no rooms: what tests share, what they read, pages in a browser.
BESIDE_THE_ROOMS = {
    "support",
    "support/browser",
    "support/commands",
    "support/network",
    "support/languages",
    "support/provider",
    "support/proof",
    "support/references",
    "support/release",
    "store/data",
    "adapters/data",
    "service/archive/data",
    "web/browser",
}
# A path such as `web/desk/` or `store/people.py`, or a dotted module such as `plaudit.web.gate`.
NAMED = re.compile(r"(?<![\w/.:*-])(?:plaudit(?:\.\w+)+|[\w.-]+(?:/[\w.-]+)*(?:/|\.py))(?![\w/])")


def folders(top: Path) -> list[Path]:
    """All folders, but those that tools make."""
    found = [top, *(path for path in sorted(top.rglob("*")) if path.is_dir())]
    return [path for path in found if not re.search(r"__pycache__|/\.", path.as_posix())]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("folder", [*folders(SOURCE), *folders(TESTS)], ids=name)
def test_a_folder_can_be_taken_in_at_a_glance(folder: Path) -> None:
    assert len(list(folder.glob("*.py"))) <= MODULES_IN_A_FOLDER


@pytest.mark.parametrize("package", sorted(SOURCE.rglob("__init__.py")), ids=name)
def test_a_room_says_what_it_promises(package: Path) -> None:
    said = ast.get_docstring(ast.parse(package.read_text(encoding="utf-8"))) or ""
    assert re.search(r"\w+(\W+\w+){3,}\.(\s|$)", said), "at least one full sentence"


def test_folders_with_modules_are_packages() -> None:
    assert [
        name(folder)
        for folder in folders(SOURCE)
        if any(folder.glob("*.py")) and not (folder / "__init__.py").exists()
    ] == []


def test_the_tests_have_the_rooms_of_the_source() -> None:
    """A folder of tests is named as a room of the source or a folder beside it, such as docs."""
    rooms = {folder.relative_to(TESTS).as_posix() for folder in folders(TESTS)} - {"."}
    strange = {
        room
        for room in rooms - BESIDE_THE_ROOMS
        if not (SOURCE / room / "__init__.py").exists()
        and not (len(Path(room).parts) == 1 and (ROOT / room).is_dir())
    }
    assert strange == set()


def test_tests_beside_the_rooms_are_of_a_module_a_folder_or_the_house() -> None:
    of_the_house = {"house", "package", "changed_rooms"}
    subjects = {path.stem.removeprefix("test_") for path in TESTS.glob("test_*.py")} - of_the_house
    known = {each for each in subjects if (SOURCE / f"{each}.py").exists()}
    beside = {each for each in subjects if (ROOT / each).is_dir()}
    assert subjects - known - beside == set()


def test_what_tests_share_is_in_support() -> None:
    """A module beside tests is a test or a conftest; all others are helpers."""
    helpers = [
        name(path)
        for path in sorted(TESTS.rglob("*.py"))
        if not path.is_relative_to(TESTS / "support")
        and not path.name.startswith("test_")
        and path.name not in ("conftest.py", "__init__.py")
    ]
    assert helpers == []


# The picture of the house


def architecture() -> str:
    return (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def named_places(text: str) -> set[str]:
    """The paths and modules that a text names in code, inline or in a block."""
    blocks = re.findall(r"```.*?```", text, re.DOTALL)
    inline = re.findall(r"`[^`\n]+`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return {place for code in [*blocks, *inline] for place in NAMED.findall(code)}


def exists(place: str) -> bool:
    """Whether some module or folder has this name, or a path that ends so."""
    if place.startswith("plaudit."):
        return pydoc.locate(place) is not None
    parts = tuple(place.strip("/").split("/"))
    tops = [ROOT / top for top in ("src", "tests", "docs", "benchmarks", "examples", "checker")]
    known = (path for top in tops for path in [top, *top.rglob(parts[-1])])
    return any(path.parts[-len(parts) :] == parts for path in known)


def test_the_architecture_is_read_in_one_go() -> None:
    assert len(architecture().splitlines()) <= LINES_OF_ARCHITECTURE


def test_the_architecture_names_only_what_exists() -> None:
    assert {place for place in named_places(architecture()) if not exists(place)} == set()


def test_names_of_places_are_found_in_a_text() -> None:
    text = (
        "`store/people.py`, `desk/`, `plaudit.web.gate` and/or `Race.tell`\n```\nrace/ a/b c\n```"
    )
    assert named_places(text) == {"store/people.py", "desk/", "plaudit.web.gate", "race/"}
    assert exists("bounds/")
    assert exists("errors.py")
    assert not exists("store/nobody.py")
    assert exists("plaudit.errors")
    assert not exists("plaudit.web.door")
