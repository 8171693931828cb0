"""Benchmarks are commands; only what needs no clock is tested."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


def test_both_sides_of_before_after_have_the_same_names() -> None:
    from benchmarks.before_after import after

    tree = ast.parse((ROOT / "benchmarks/before_after/before.py").read_text())
    before = {
        name
        for node in tree.body
        for name in (
            [target.id for target in node.targets if isinstance(target, ast.Name)]
            if isinstance(node, ast.Assign)
            else [node.name]
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
            else []
        )
        if not name.startswith("_")
    }
    assert before == set(after.__all__)
    assert all(hasattr(after, name) for name in before)


def test_all_planned_tasks_exist() -> None:
    from benchmarks.before_after.plan import PLAN, chosen
    from benchmarks.before_after.task import Task
    from benchmarks.before_after.tasks import task_named

    assert all(issubclass(task_named(planned.task), Task) for planned in PLAN)
    assert chosen("") == PLAN
    assert [planned.task for planned in chosen("vote,Ask")] == ["Vote", "Ask"]
    with pytest.raises(SystemExit, match="no task 'walk'"):
        chosen("walk")


def test_a_revision_that_is_not_there_is_named() -> None:
    from benchmarks.before_after.code_trees import source_of

    with (
        pytest.raises(SystemExit, match="'no-such-revision', is not in this repository"),
        source_of("no-such-revision"),
    ):
        pass


def test_a_ratio_and_its_interval() -> None:
    import numpy as np
    from benchmarks.before_after.ratios import ratio_of

    below = np.random.default_rng(1).normal(1.0, 0.01, size=(4, 12))
    value, low, high = ratio_of(1.1 * below, below)
    assert low <= value <= high
    assert value == pytest.approx(1.1)
    assert ratio_of(below[::-1], below).low < 1.0 < ratio_of(below[::-1], below).high


def test_the_floor_of_the_service_answers() -> None:
    testing = pytest.importorskip("starlette.testclient")
    from benchmarks.bare_app import app

    site = testing.TestClient(app)
    vote = {"ticket": "x" * 60, "level": 1, "response_ms": 900}
    for path, body in (("votes", vote), ("ask", {"count": 3})):
        answer = site.post(f"/api/v1/contests/bench/{path}", json=body)
        assert answer.status_code == 200, answer.text
