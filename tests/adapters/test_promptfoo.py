"""Result files of promptfoo: a real one, what it proves, and what would decide the rest."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from plaudit.adapters.promptfoo import Results, read_results
from plaudit.cli import main
from plaudit.errors import InvalidInput

REAL = Path(__file__).parent / "data" / "promptfoo.json"


def changed(tmp_path: Path, change: Any) -> Path:
    """A copy of the real file in which `change` was done to each result."""
    whole = json.loads(REAL.read_text(encoding="utf-8"))
    for row in whole["results"]["results"]:
        change(row)
    path = tmp_path / "results.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


def test_a_real_file_is_read() -> None:
    """Repeated tests count once, and calls that failed have no score."""
    results = read_results(REAL)
    assert results.candidates == ("plain", "brief", "polite")
    assert results.scores.shape == (30, 3)
    assert results.errors == 2
    assert np.isnan(results.scores).sum() == 1
    assert np.isnan(results.scores[7, 1])
    np.testing.assert_allclose(np.nanmean(results.scores, axis=0), [0.5, 23 / 29, 0.1])


def test_other_scores_can_be_chosen(tmp_path: Path) -> None:
    by_metric = read_results(REAL, score="accuracy")
    passed = read_results(REAL, score="pass")
    np.testing.assert_array_equal(by_metric.scores, passed.scores)
    with pytest.raises(InvalidInput, match="it has 'score', 'pass', 'accuracy'"):
        read_results(REAL, score="fluency")
    with pytest.raises(InvalidInput, match=r"score 2.0, which is outside \[0, 1\]"):
        read_results(changed(tmp_path, lambda row: row.update(score=2)))


def test_repeats_are_averaged(tmp_path: Path) -> None:
    def split(row: dict[str, Any]) -> None:
        row["score"] = row["testIdx"] % 2

    assert (read_results(changed(tmp_path, split)).scores[:, 0] == 0.5).all()


def test_candidates_are_named_by_what_differs(tmp_path: Path) -> None:
    def by_provider(row: dict[str, Any]) -> None:
        row["provider"]["label"] = f"model-{row['promptIdx']}"
        row["prompt"]["label"] = "one prompt"

    def alike(row: dict[str, Any]) -> None:
        row["prompt"]["label"] = "the same"

    assert read_results(changed(tmp_path, by_provider)).candidates[0] == "model-0"
    assert read_results(changed(tmp_path, alike)).candidates[2] == "the same #2"


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    for text in ("", "[]", '{"results": {}}', '{"results": {"results": [1]}}', "{}"):
        path = tmp_path / "other.json"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InvalidInput, match="no result file of promptfoo"):
            read_results(path)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_results(tmp_path / "none.json")
    with pytest.raises(InvalidInput, match="only one candidate"):
        read_results(changed(tmp_path, lambda row: row.update(promptIdx=0)))


def random_results(tests: int, *means: float) -> Results:
    rng = np.random.default_rng(5)
    luck = rng.random((tests, 1))
    own = rng.random((tests, len(means)))
    scores = (0.7 * luck + 0.3 * own < np.array(means)).astype(float)
    return Results(tuple("abcdef"[: len(means)]), scores)


def test_what_would_decide_is_about_right() -> None:
    """Going on as before, the race is decided near the number that was said."""
    few = random_results(60, 0.6, 0.5, 0.1)
    race = few.race(delta=0.05)
    assert not race.verdict()
    (pair,) = few.to_decide(race)
    assert {pair.first, pair.second} == {"a", "b"}
    assert pair.tests == 60
    assert pair.needed is not None
    assert pair.needed > 60
    times = pair.needed // 60
    fewer, enough = (
        Results(few.candidates, np.tile(few.scores, (n, 1))) for n in (times, times + 1)
    )
    assert not fewer.race(delta=0.05).verdict()
    assert enough.race(delta=0.05).verdict()


def test_what_does_not_differ_is_never_decided() -> None:
    same = Results(("a", "b"), np.tile([[1.0, 1.0], [0.0, 0.0]], (50, 1)))
    (pair,) = same.to_decide(same.race())
    assert pair.needed is None
    never_met = Results(("a", "b"), np.array([[1.0, np.nan], [np.nan, 0.0]]))
    (pair,) = never_met.to_decide(never_met.race())
    assert (pair.tests, pair.needed) == (0, None)


def said(*words: object, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["promptfoo", *map(str, words)])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def test_the_verb_says_what_is_certain_and_what_would_decide() -> None:
    text = said(REAL, "--delta", "0.01")
    assert "brief leads. Not certified within 0" in text
    assert "Not needed any more: polite." in text
    assert "brief and plain: about" in text
    assert "2 calls ended in errors" in text
    answer = json.loads(
        CliRunner().invoke(main, ["promptfoo", str(REAL), "--delta", "0.01", "--json"]).stdout
    )
    (pair,) = answer["to_decide"]
    assert (pair["first"], pair["second"], pair["tests"]) == ("brief", "plain", 29)
    more = pair["needed"] - 29
    assert f"about {more} more tests with both ({2 * more} calls)" in text


def test_the_verb_certifies(tmp_path: Path) -> None:
    assert "Certified." in said(REAL)
    assert "cannot be read" in said(tmp_path / "none.json", code=2)
