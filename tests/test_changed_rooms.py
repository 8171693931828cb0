"""Which tests `make check` and `make test ROOM=...` run."""

import shutil
import subprocess
from pathlib import Path

import pytest

from support.changed_rooms import changed_files, main, paths_of_changes, paths_of_room, rooms

FILES = {
    "src/plaudit/__init__.py": "",
    "src/plaudit/client.py": "",
    "src/plaudit/errors.py": "",
    "src/plaudit/race/state.py": "",
    "src/plaudit/service/desk/step.py": "",
    "src/plaudit/service/watch/dashboard.py": "",
    "src/plaudit/web/desk/static/desk.js": "",
    "src/plaudit/charts/look.py": "",
    "docs/index.md": "",
    "benchmarks/race.py": "",
    "pyproject.toml": "",
    "tests/conftest.py": "",
    "tests/test_client.py": "",
    "tests/test_house.py": "",
    "tests/docs/test_pages.py": "",
    "tests/test_benchmarks.py": "",
    "tests/race/test_race.py": "from support.reference import plain_race\n",
    "tests/service/desk/test_steps.py": "",
    "tests/web/desk/test_desk.py": "from support.reference_pages import page\n",
    "tests/web/browser/conftest.py": "",
    "tests/web/browser/test_desk.py": "",
    "tests/support/reference.py": "",
}


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small house with rooms."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "paths"),
    [
        (["src/plaudit/race/state.py"], ["src/plaudit/race/state.py", "tests/race"]),
        (["src/plaudit/race/gone.py"], ["tests/race"]),
        (["src/plaudit/client.py"], ["src/plaudit/client.py", "tests/test_client.py"]),
        (["src/plaudit/errors.py"], ["src/plaudit/errors.py"]),
        (
            ["src/plaudit/service/desk/step.py"],
            ["src/plaudit/service/desk/step.py", "tests/service/desk"],
        ),
        # A room without tests of its own belongs to the one around it.
        (
            ["src/plaudit/service/watch/dashboard.py"],
            ["src/plaudit/service/watch/dashboard.py", "tests/service"],
        ),
        (["src/plaudit/charts/look.py"], ["src/plaudit/charts/look.py"]),
        (["src/plaudit/web/desk/static/desk.js"], ["tests/web/desk"]),
        (["tests/race/test_race.py"], ["tests/race/test_race.py"]),
        (["tests/race/test_race.py", "src/plaudit/race/gone.py"], ["tests/race"]),
        (["tests/race/test_gone.py"], []),
        (["tests/web/browser/conftest.py"], ["tests/web/browser"]),
        (["tests/conftest.py"], []),
        (["tests/support/reference.py"], ["tests/race/test_race.py"]),
        (["docs/index.md"], ["tests/docs"]),
        (["benchmarks/race.py"], ["tests/test_benchmarks.py"]),
        (["pyproject.toml"], []),
        ([], []),
    ],
)
def test_tests_of_what_has_changed(house: Path, changed: list[str], paths: list[str]) -> None:
    assert paths_of_changes(changed, house) == paths


def test_rooms_are_folders_and_modules_with_tests(house: Path) -> None:
    wanted = "benchmarks client docs race service service/desk web web/browser web/desk"
    assert rooms(house) == wanted.split()


def test_tests_of_a_room(house: Path) -> None:
    assert paths_of_room("race", house) == ["tests/race", "src/plaudit/race"]
    assert paths_of_room("service/desk", house) == [
        "tests/service/desk",
        "src/plaudit/service/desk",
    ]
    assert paths_of_room("client", house) == ["tests/test_client.py", "src/plaudit/client.py"]
    with pytest.raises(
        ValueError, match=r"no room 'racing' with tests. Rooms: benchmarks, client, docs, race"
    ):
        paths_of_room("racing", house)


def test_a_wrong_room_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main("no-such-room") == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("There is no room 'no-such-room'")
    assert len(told.err.splitlines()) == 1
    assert main("cli/") == 0
    assert capsys.readouterr().out.splitlines() == ["tests/cli", "src/plaudit/cli"]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_changed_is_what_differs_from_the_main_branch(house: Path) -> None:
    def git(*command: str) -> None:
        settings = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", *settings, *command], cwd=house, check=True, capture_output=True)

    git("init", "--initial-branch", "main")
    git("add", ".")
    git("commit", "--message", "All")
    git("switch", "--create", "branch")
    assert changed_files(house) == []
    (house / "src/plaudit/client.py").write_text("CHANGED = 1\n")
    git("commit", "--all", "--message", "Client")
    git("mv", "src/plaudit/errors.py", "src/plaudit/mistakes.py")
    (house / "docs/index.md").write_text("Changed.\n")
    (house / "docs/new.md").write_text("New.\n")
    assert sorted(changed_files(house)) == [
        "docs/index.md",
        "docs/new.md",
        "src/plaudit/client.py",
        "src/plaudit/errors.py",
        "src/plaudit/mistakes.py",
    ]
    git("switch", "--create", "other", "main", "--discard-changes")
    git("branch", "--delete", "--force", "main")
    assert "src/plaudit/client.py" not in changed_files(house)
