"""Which tests belong to a room, and which to the files that have changed.

`changed_rooms.py race service/desk` prints the tests of these rooms, and `changed_rooms.py`
alone those of all that differs from the main branch: committed, uncommitted and untracked.
Rooms that import a changed room are left to `make test`.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
SOURCE = PurePosixPath("src/plaudit")
TESTS = PurePosixPath("tests")


def rooms(root: Path = ROOT) -> list[str]:
    """All that has tests of its own: rooms, modules beside them, and folders such as docs."""
    files = [path.relative_to(root / TESTS) for path in (root / TESTS).rglob("test_*.py")]
    folders = {parent.as_posix() for path in files for parent in path.parents} - {"."}
    single = {path.stem.removeprefix("test_") for path in files if len(path.parts) == 1}
    known = {
        name
        for name in single
        if any((root / top).exists() for top in (name, SOURCE / f"{name}.py"))
    }
    return sorted(folders | known)


def paths_of_room(room: str, root: Path = ROOT) -> list[str]:
    """The paths that pytest takes for a room: its tests, and its modules for their examples."""
    if room not in rooms(root):
        raise ValueError(f"There is no room {room!r} with tests. Rooms: {', '.join(rooms(root))}.")
    candidates = [TESTS / room, TESTS / f"test_{room}.py", SOURCE / room, SOURCE / f"{room}.py"]
    return [str(path) for path in candidates if (root / path).exists()]


def paths_of_changes(changed: Iterable[str], root: Path = ROOT) -> list[str]:
    """The paths that pytest takes for changed files, none inside another."""
    found = {path for name in changed for path in _tests_of(PurePosixPath(name), root)}
    return sorted(str(path) for path in found if not found & set(path.parents))


def _tests_of(changed: PurePosixPath, root: Path) -> Iterator[PurePosixPath]:
    if changed.is_relative_to(SOURCE):
        if changed.suffix == ".py" and (root / changed).exists():
            yield changed  # for the examples in it
        yield from _tests_of_source(changed.relative_to(SOURCE), root)
    elif changed.is_relative_to(TESTS / "support"):
        yield from _users_of(changed, root)
    elif changed.is_relative_to(TESTS):
        test = changed.parent if changed.name == "conftest.py" else changed
        if test.name.startswith("test_") or changed.name == "conftest.py":
            yield from [test] if (root / test).exists() and test != TESTS else []
    else:
        # A folder beside the source, such as docs and benchmarks.
        beside = [TESTS / changed.parts[0], TESTS / f"test_{changed.parts[0]}.py"]
        yield from [path for path in beside if (root / path).exists()]


def _tests_of_source(changed: PurePosixPath, root: Path) -> Iterator[PurePosixPath]:
    """The nearest room with tests: a module without tests of its own belongs to its folder."""
    if len(changed.parts) == 1:
        test = TESTS / f"test_{changed.name}"
        yield from [test] if (root / test).exists() else []
        return
    for room in changed.parents:
        if room != PurePosixPath() and (root / TESTS / room).is_dir():
            yield TESTS / room
            return


def _users_of(helper: PurePosixPath, root: Path) -> Iterator[PurePosixPath]:
    """The tests that name a helper in an import."""
    module = ".".join(helper.relative_to(TESTS).with_suffix("").parts)
    imported = re.compile(rf"^(from|import) {re.escape(module)}\b", re.MULTILINE)
    for path in sorted((root / TESTS).rglob("test_*.py")):
        if imported.search(path.read_text(encoding="utf-8")):
            yield PurePosixPath(path.relative_to(root).as_posix())


def changed_files(root: Path = ROOT, main: str = "main") -> list[str]:
    """All files that differ from where this branch left the main one."""
    base = _git(root, "merge-base", "HEAD", _main_branch(root, main))[0]
    return _git(root, "diff", "--name-only", "--no-renames", base) + _git(
        root, "ls-files", "--others", "--exclude-standard"
    )


def _main_branch(root: Path, main: str) -> str:
    """The main branch, here or where it was cloned from; without one, the last commit."""
    known = _git(root, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes")
    return next((name for name in (main, f"origin/{main}") if name in known), "HEAD")


def _git(root: Path, *command: str) -> list[str]:
    done = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def main(*wanted: str) -> int:
    """Prints paths for pytest, those of the named rooms or those of what has changed."""
    try:
        paths = (
            [path for room in wanted for path in paths_of_room(room.strip("/"))]
            if wanted
            else paths_of_changes(changed_files())
        )
    except ValueError as wrong:
        sys.stderr.write(f"{wrong}\n")
        return 2
    sys.stdout.write("".join(f"{path}\n" for path in paths))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
