"""`plaudit.evaluate`: winners, calls, cache, retries, budgets, interrupts; plain and async."""

import asyncio
import io
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import dataclass

import numpy as np
import pytest

import plaudit
from plaudit.errors import EvaluationFailed, InvalidInput
from plaudit.evaluation.progress import Bar
from plaudit.scale import FUNNY

SKILL = {"plain": 0.55, "terse": 0.3, "steps": 0.8, "rude": 0.2}
EXAMPLES = list(range(400))


def judged(name, example):
    """A fixed table of scores, by the name of a prompt and the number of an example."""
    return float(random.Random(f"{name} {example}").random() < SKILL[name])


def grid_winner(skill=SKILL):
    return max(skill, key=lambda name: sum(judged(name, example) for example in EXAMPLES))


class Judge:
    """Counts its calls; may fail or break off at some of them."""

    def __init__(self, *, failing=(), breaking=None):
        self.calls, self.seen = 0, []
        self.failing, self.breaking = set(failing), breaking
        self.lock, self.running, self.most = threading.Lock(), 0, 0

    def __call__(self, name, example):
        with self.lock:
            self.calls += 1
            number = self.calls
            self.seen.append((name, example))
            self.running += 1
            self.most = max(self.most, self.running)
        try:
            if number in self.failing:
                raise ConnectionError("try later")
            if number == self.breaking:
                signal.raise_signal(signal.SIGINT)
            return judged(name, example)
        finally:
            with self.lock:
                self.running -= 1


def test_it_names_the_winner_of_the_grid_with_a_part_of_its_calls():
    judge = Judge()
    found = plaudit.evaluate(list(SKILL), EXAMPLES, judge, seed=1)
    assert found
    assert found.winners == (grid_winner(),) == ("steps",)
    assert found.calls == judge.calls == len(set(judge.seen))
    assert found.full == 1600
    assert found.calls + found.saved == found.full
    assert found.saved > 1000
    assert judge.most <= 8
    means = {row.candidate: row for row in found.rows}
    for name in SKILL:
        truth = np.mean([judged(name, example) for example in EXAMPLES])
        assert means[name].lower <= truth <= means[name].upper


def test_candidates_meet_the_same_examples_in_the_same_shuffled_order():
    judge = Judge()
    found = plaudit.evaluate(list(SKILL), EXAMPLES, judge, concurrency=1)
    met = {name: [example for one, example in judge.seen if one == name] for name in SKILL}
    longest = max(met.values(), key=len)
    assert longest != sorted(longest)
    for name in SKILL:
        assert met[name] == longest[: len(met[name])]
    rows = {row.candidate: row for row in found.rows}
    assert len(met["rude"]) < len(met["steps"])
    assert rows["rude"].examples == len(met["rude"])
    assert rows["rude"].standing == "out"


@pytest.mark.parametrize("concurrency", [1, 3, 64])
def test_concurrency_changes_the_time_and_nothing_else(concurrency):
    one = plaudit.evaluate(list(SKILL), EXAMPLES, judged, concurrency=1)
    many = plaudit.evaluate(list(SKILL), EXAMPLES, judged, concurrency=concurrency)
    assert many.winners == one.winners
    assert many.rows == one.rows
    # What is asked ahead of time may turn out to be superfluous.
    assert one.calls <= many.calls <= one.calls + 3 * concurrency


def test_coroutines_and_functions_find_the_same():
    running = most = 0

    async def slow(name, example):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return judged(name, example)

    plain = plaudit.evaluate(list(SKILL), EXAMPLES, judged)
    here = plaudit.evaluate(list(SKILL), EXAMPLES, slow, concurrency=5)
    awaited = asyncio.run(plaudit.evaluate_async(list(SKILL), EXAMPLES, slow))
    threads = asyncio.run(plaudit.evaluate_async(list(SKILL), EXAMPLES, judged))
    assert plain.rows == here.rows == awaited.rows == threads.rows
    assert 1 < most <= 8

    async def inside():
        return plaudit.evaluate(list(SKILL), EXAMPLES, slow)

    with pytest.raises(InvalidInput, match=r"await plaudit\.evaluate_async"):
        asyncio.run(inside())


def test_a_rerun_is_free_and_a_new_version_is_not(tmp_path):
    settings = {"cache": tmp_path / "scores.db", "concurrency": 1}
    first = plaudit.evaluate(list(SKILL), EXAMPLES, judged, **settings)
    judge = Judge()
    again = plaudit.evaluate(list(SKILL), EXAMPLES, judge, **settings)
    assert judge.calls == again.calls == 0
    assert again.cached == first.calls
    assert again.rows == first.rows
    assert again.saved == first.saved
    assert plaudit.evaluate(list(SKILL), EXAMPLES, judge, version="2", **settings).calls > 0
    # The same name with another prompt is another candidate.
    by_name = {name: name for name in SKILL}
    same = plaudit.evaluate(by_name, EXAMPLES, judged, **settings)
    assert same.calls == 0
    with closing(sqlite3.connect(tmp_path / "scores.db")) as file:
        assert file.execute("SELECT count(DISTINCT version) FROM scores").fetchone() == (2,)


def test_what_is_another_candidate_or_example_is_asked(tmp_path):
    @dataclass(frozen=True)
    class Example:
        number: int

    def score(prompt, example):
        return judged(prompt.split()[0], example.number)

    examples, cache = [Example(number) for number in range(400)], tmp_path / "scores.db"
    names = {name: f"{name} please" for name in SKILL}
    first = plaudit.evaluate(names, examples, score, cache=cache)
    assert plaudit.evaluate(names, examples, score, cache=cache).calls == 0
    names["steps"] += " now"
    more = plaudit.evaluate(names, examples, score, cache=cache)
    assert first.rows[2].examples <= more.calls < first.calls
    with pytest.raises(InvalidInput, match="say key="):
        plaudit.evaluate(names, [object()] * 3, score, cache=cache)
    keyed = plaudit.evaluate(["a", "b"], [object()] * 3, lambda *_: 1, cache=cache, key=id)
    assert keyed.calls + keyed.cached == 6


def test_ctrl_c_keeps_everything(tmp_path):
    cache, judge = tmp_path / "scores.db", Judge(breaking=30)
    found = plaudit.evaluate(list(SKILL), EXAMPLES, judge, cache=cache)
    assert found.interrupted
    assert not found
    assert found.calls == judge.calls < 50
    assert str(found).startswith("Stopped by Ctrl-C, and nothing is decided")
    rest = Judge()
    done = plaudit.evaluate(list(SKILL), EXAMPLES, rest, cache=cache)
    assert done.winners == ("steps",)
    assert done.cached == found.calls
    assert set(rest.seen).isdisjoint(judge.seen)


def test_ctrl_c_in_coroutines(tmp_path):
    judge = Judge(breaking=30)

    async def slow(name, example):
        await asyncio.sleep(0)
        return judge(name, example)

    found = plaudit.evaluate(list(SKILL), EXAMPLES, slow, cache=tmp_path / "scores.db")
    assert found.interrupted
    assert not found
    again = plaudit.evaluate(list(SKILL), EXAMPLES, judged, cache=tmp_path / "scores.db")
    assert again.cached == found.calls > 20


def test_a_budget_is_kept_and_the_next_run_goes_on(tmp_path):
    cache, judge = tmp_path / "scores.db", Judge()
    found = plaudit.evaluate(list(SKILL), EXAMPLES, judge, budget=50, cache=cache)
    assert not found
    assert found.calls == judge.calls == 50
    assert found.out_of_budget
    assert str(found).startswith("The budget is used up, and nothing is decided")
    runs = 1
    while not found:
        found = plaudit.evaluate(list(SKILL), EXAMPLES, judge, budget=50, cache=cache)
        runs += 1
    assert found.winners == ("steps",)
    assert len(set(judge.seen)) == judge.calls <= 50 * runs


def test_calls_that_fail_are_tried_again():
    judge = Judge(failing=[3, 4, 20])
    found = plaudit.evaluate(list(SKILL), EXAMPLES, judge, pause_seconds=0, concurrency=1)
    assert found.rows == plaudit.evaluate(list(SKILL), EXAMPLES, judged).rows
    assert judge.calls == found.calls + 3


@pytest.mark.parametrize("slow", [False, True])
def test_calls_that_fail_for_good(slow, tmp_path):
    judge = Judge(failing=range(30, 33))

    async def coroutine(name, example):
        return judge(name, example)

    def plain(name, example):
        return judge(name, example)

    score, cache = coroutine if slow else plain, tmp_path / "scores.db"
    settings = {"pause_seconds": 0, "concurrency": 1, "cache": cache}
    with pytest.raises(EvaluationFailed, match=r"candidate '\w+' on example \d+ failed: Conn") as e:
        plaudit.evaluate(list(SKILL), EXAMPLES, score, **settings)
    assert e.value.partial.calls == 29
    assert not e.value.partial
    assert str(e.value.partial).startswith("A call failed, and nothing is decided")
    assert "saved" not in str(e.value.partial)
    assert isinstance(e.value.__cause__, ConnectionError)
    # What counts instead is not kept as if it had been said.
    judge = Judge(failing=range(1, 4))
    instead = plaudit.evaluate(list(SKILL), EXAMPLES, score, failed=0.0, **settings)
    assert instead.winners == ("steps",)
    judge = Judge()
    assert plaudit.evaluate(list(SKILL), EXAMPLES, judge, **settings).calls == judge.calls == 1


def test_scores_on_scales():
    def funny(name, example):
        return "Funny" if judged(name, example) else "Somewhat funny"

    def points(name, example):
        return 10 * judged(name, example) - 5

    labels = plaudit.evaluate(list(SKILL), EXAMPLES, funny, scale=FUNNY)
    assert labels.winners == ("steps",)
    assert labels.rows[2].mean > 0.5
    numbers = plaudit.evaluate(list(SKILL), EXAMPLES, points, scale=(-5, 5), epsilon=0.2)
    assert numbers.winners == ("steps",)
    assert numbers.epsilon == pytest.approx(0.2)
    usual = plaudit.evaluate(list(SKILL), EXAMPLES, judged, epsilon=0.02)
    assert numbers.rows[2].mean == pytest.approx(10 * usual.rows[2].mean - 5)
    with pytest.raises(InvalidInput, match=r"candidate '\w+' on example \d+: A score must lie in"):
        plaudit.evaluate(list(SKILL), EXAMPLES, lambda *_: 7, scale=(-5, 5))
    with pytest.raises(InvalidInput, match="number in"):
        plaudit.evaluate(list(SKILL), EXAMPLES, lambda *_: 7)


def test_a_judge_of_two_sees_both_sides():
    seen = []

    def better(one, other, example):
        seen.append((one, other, example))
        # Favours whoever comes first.
        mine, theirs = judged(one, example) + 0.5, judged(other, example)
        return "won" if mine > theirs else "tied" if mine == theirs else "lost"

    found = plaudit.evaluate(list(SKILL), EXAMPLES, better, against="plain", concurrency=1)
    assert found.winners == ("steps",)
    assert found.full == 3 * 400 * 2
    assert found.calls == len(seen)
    assert all("plain" in (one, other) for one, other, _ in seen)
    assert {(other, one, example) for one, other, example in seen} == set(seen)
    rows = {row.candidate: row for row in found.rows}
    assert rows["plain"].mean == 0.5
    assert rows["rude"].mean < 0.5 < rows["steps"].mean


def test_the_top_three_and_a_certain_answer():
    found = plaudit.evaluate(list(SKILL), EXAMPLES, judged, top=3)
    assert set(found.winners) == {"steps", "plain", "terse"}
    equal = plaudit.evaluate(["a", "b"], range(20), lambda *_: 0.5)
    assert equal.certain
    assert equal.calls == equal.full == 40
    assert "certainly the best of 2 on all 20 examples" in str(equal)
    assert equal._repr_html_() == f"<pre>{str(equal).replace('<', '&lt;')}</pre>"
    assert not found.certain


def test_what_comes_back_prints_and_converts():
    found = plaudit.evaluate({"a long name " * 9: 1, **{str(n): 0 for n in range(12)}}, range(90),
                             lambda good, _: good)  # fmt: skip
    lines = str(found).splitlines()
    assert lines[0].startswith("a long name a long name a long …: with 95 % confidence the best")
    assert lines[1].endswith("%).")
    assert lines[-1] == "  … and 3 more"
    assert json.loads(json.dumps(found.to_dict()))["saved"] == found.saved
    assert list(found.to_frame()["standing"])[:2] == ["in", "out"]
    assert "rows=" not in repr(found)
    nothing = plaudit.evaluate(["a", "b"], [1], lambda *_: 1, budget=0)
    assert nothing.to_dict()["rows"][0]["mean"] is None
    assert "nan" in str(nothing)


def test_the_bar_says_how_far_it_is():
    from rich.console import Console

    text = io.StringIO()
    bar = Bar(Console(file=text, force_terminal=True, width=120))

    class Standing:
        race = plaudit.FiniteRace(3, examples=50)
        calls = 7

    bar.show(Standing())
    bar.close()
    assert "example 0 of 50, 3 of 3 in, 7 calls" in text.getvalue()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"candidates": ["a"]}, "at least two candidates"),
        ({"candidates": "a"}, "Candidates must be given as a list"),
        ({"candidates": ["a", "a"]}, "Two items have the name 'a'"),
        ({"examples": []}, "no examples"),
        ({"examples": "abc"}, "Examples must be given as a list"),
        ({"delta": 0.95}, "say delta=0.05"),
        ({"epsilon": "much"}, "epsilon must lie"),
        ({"concurrency": 0}, "concurrency must be"),
        ({"budget": -1}, "budget must be"),
        ({"retries": -1}, "retries must be"),
        ({"pause_seconds": -1}, "pause_seconds must be"),
        ({"scale": (1, 1)}, "scale must be"),
        ({"scale": 3}, "scale must be"),
        ({"against": "c"}, "no candidate 'c': candidates are 'a', 'b'."),
        ({"score": 3}, r"called as score\(candidate, example\); got 3"),
        ({"score": lambda example: 1}, r"score\(example\): too many positional"),
        ({"score": lambda a, b: 1, "against": "a"}, r"called as score\(one, other, example\)"),
        ({"against": "a", "scale": FUNNY}, "leave out scale"),
    ],
)
def test_what_is_refused_before_the_first_call(settings, words):
    judge = Judge()
    with pytest.raises(InvalidInput, match=words):
        plaudit.evaluate(**{"candidates": ["a", "b"], "examples": [1], "score": judge} | settings)
    assert judge.calls == 0


def test_files_that_are_no_cache_are_left_alone(tmp_path):
    (tmp_path / "text").write_text("a file of words, longer than a header of a database " * 20)
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE mine (one)")
    for name, words in (("text", "not a cache"), ("other.db", "not a cache"),
                        ("none/file", "Cannot use")):  # fmt: skip
        with pytest.raises(InvalidInput, match=words):
            plaudit.evaluate(["a", "b"], [1], judged, cache=tmp_path / name)
    assert (tmp_path / "text").read_text().startswith("a file of words")


def test_evaluate_is_callable_and_loads_no_bar():
    code = (
        "import sys, plaudit; found = plaudit.evaluate(['a', 'b'], [1], lambda *_: 1);"
        "print(callable(plaudit.evaluate), 'rich' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert run.stdout.split() == ["True", "False"]


def test_a_second_ctrl_c_gives_up():
    def twice(name, example):
        signal.raise_signal(signal.SIGINT)
        # Two at once would be heard as one.
        while signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            threading.Event().wait(0.001)
        signal.raise_signal(signal.SIGINT)
        return 1.0

    with pytest.raises(KeyboardInterrupt):
        plaudit.evaluate(["a", "b"], range(50), twice, concurrency=1)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_cancelled_evaluation_keeps_what_was_answered(tmp_path):
    answered = 0

    async def score(name, example):
        nonlocal answered
        if answered == 20:
            await asyncio.Event().wait()
        answered += 1
        return judged(name, example)

    async def cancelled():
        running = asyncio.ensure_future(
            plaudit.evaluate_async(list(SKILL), EXAMPLES, score, cache=tmp_path / "scores.db")
        )
        while answered < 20:
            await asyncio.sleep(0)
        running.cancel()
        await running

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    again = plaudit.evaluate(list(SKILL), EXAMPLES, judged, cache=tmp_path / "scores.db")
    assert again.cached >= 12


def test_the_bar_is_shown_where_it_is_wanted(capsys):
    plaudit.evaluate(["a", "b"], range(30), lambda name, _: name == "a", progress=True)
    assert "of 30, " in capsys.readouterr().err
    plaudit.evaluate(["a", "b"], range(30), lambda name, _: name == "a")
    assert capsys.readouterr().err == ""
