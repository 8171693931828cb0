"""The package as a newcomer meets it: names, errors, scales, README."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import plaudit
from plaudit import bounds
from plaudit.errors import InvalidInput, PlauditError, UnknownName, VoteFileError
from plaudit.race import ALGORITHMS
from plaudit.scale import FUNNY, STARS, THUMBS, Scale

ROOT = Path(__file__).parent.parent


def test_every_public_name_exists_and_is_listed():
    for name in plaudit.__all__:
        assert getattr(plaudit, name) is not None
        assert name in dir(plaudit)
    with pytest.raises(AttributeError, match="nothing"):
        _ = plaudit.nothing


def test_importing_loads_no_compiler():
    code = "import sys, plaudit; print('numba' in sys.modules, 'numpy' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]


@pytest.mark.parametrize("room", ["race", "simulation", "datasets"])
def test_names_of_rooms_are_there_when_they_are_used(room):
    found = import_module(f"plaudit.{room}")
    for name in found.__all__:
        assert name.isupper() or getattr(found, name).__name__ == name
    with pytest.raises(AttributeError, match=f"plaudit.{room}.*nothing"):
        _ = found.nothing


def test_a_service_that_starts_loads_nothing_that_it_may_never_need():
    others = {
        "httpx2",
        "numba",
        "scipy",
        "yaml",
        "smtplib",
        "rich",
        "psycopg",
        "authlib",
        "joserfc",
    }
    ours = {"simulation.planning", "race.paired", "datasets.votes"}
    never = others | {f"plaudit.{room}" for room in ours}
    code = f"import sys, plaudit.web.server; print(sorted({never} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_errors_are_one_tree():
    assert issubclass(InvalidInput, PlauditError)
    assert issubclass(InvalidInput, ValueError)
    assert VoteFileError("oops", line=3).line == 3
    assert str(VoteFileError("oops", line=3)) == "Line 3: oops"


def test_the_nearest_name_ignores_case():
    assert "Did you mean 'Funny'?" in str(UnknownName("label", "FUNY", FUNNY.labels))
    assert "Did you mean" not in str(UnknownName("label", "zzz", FUNNY.labels))


def test_scales():
    assert THUMBS.values == (0.0, 1.0)
    assert STARS.level(" 3 STARS ") == 2
    assert Scale.parse("a=0, b=.25,c=1").labels == ("a", "b", "c")
    assert Scale.parse("x=y=0,z=1").labels == ("x=y", "z")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a=0", "2 to"),
        ("a=0,b", "label=value"),
        ("a=0,b=x", "label=value"),
        ("a=0,b=nan", "label=value"),
        ("a=0,b=2", r"\[0, 1\]"),
        ("a=0,=1", "empty"),
        ("a=0,b=0", "same value"),
        ("", "label=value"),
    ],
)
def test_bad_scales_are_named(text, message):
    with pytest.raises(InvalidInput, match=message):
        Scale.parse(text)


def test_labels_must_differ():
    with pytest.raises(InvalidInput, match="the same"):
        Scale(("a", "A"), (0.0, 1.0))
    with pytest.raises(InvalidInput, match="the same"):
        Scale.parse("a=0,a=1")


@pytest.mark.parametrize("name", bounds.NAMES)
def test_every_bound_has_a_theory_page(name):
    assert (ROOT / "docs" / "theory" / "bounds" / f"{name}.md").is_file()


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_every_algorithm_has_a_theory_page(name):
    page = name.replace("++", "-plus-plus")
    assert (ROOT / "docs" / "theory" / "algorithms" / f"{page}.md").is_file()


def code_blocks(page):
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize(
    "page", ["README.md", "docs/guide.md", "docs/planning.md", "docs/evaluate.md"]
)
@pytest.mark.slow
def test_examples_run_in_order(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = code_blocks(ROOT / page)
    assert blocks
    names: dict[str, object] = {"__name__": "example"}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
