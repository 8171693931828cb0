"""`plaudit promptfoo`: what a result file of promptfoo proves, and which calls would decide."""

from pathlib import Path
from typing import Any

import click

from plaudit.cli.compare import answer_of, print_answer
from plaudit.cli.output import (
    console,
    epsilon_option,
    json_option,
    one_line,
    print_json,
    show_option,
    top_option,
)

WIDTH_OF_NAMES = 50


@click.command("promptfoo")
@click.argument("file", metavar="RESULTS", type=click.Path(path_type=Path))
@top_option
@click.option("--delta", type=float, default=0.05, show_default=True, help="Total error allowed.")
@epsilon_option
@click.option(
    "--score", default="score", show_default=True, help="score, pass, or the name of a metric."
)
@show_option
@json_option
def command(file: Path, score: str, show: int, as_json: bool, **settings: Any) -> None:
    """Compare the prompts and providers of a result file, test by test.

    RESULTS is what `promptfoo eval --output results.json` wrote. Tests should be a random choice
    of what the prompts will meet; you may run more of them and look again as often as you like.
    """
    from plaudit.adapters.promptfoo import read_results

    results = read_results(file, score=score)
    race = results.race(**settings)
    answer = answer_of(race, results.candidates)
    if results.errors:
        answer["warnings"].append(f"{results.errors:,} calls ended in errors and have no score.")
    answer["to_decide"] = [vars(pair) for pair in results.to_decide(race)]
    if as_json:
        print_json(answer)
        return
    print_answer(answer, file, show, "tests")
    for words in _advice(answer):
        console().print(words)


def _advice(answer: dict[str, Any]) -> list[str]:
    """Which calls would decide, and which are not needed any more."""
    out = [row["item"] for row in answer["ranking"] if row["status"] == "out"]
    said = []
    if out and not answer["certified"]:
        said.append(f"Not needed any more: {', '.join(_short(name) for name in out)}.")
    for pair in answer["to_decide"]:
        names = f"{_short(pair['first'])} and {_short(pair['second'])}"
        if pair["needed"] is None:
            said.append(f"{names} hardly differ: no number of tests like these would decide.")
            continue
        more = pair["needed"] - pair["tests"]
        said.append(f"{names}: about {more:,} more tests with both ({2 * more:,} calls).")
    return said


def _short(name: str) -> str:
    return one_line(name, WIDTH_OF_NAMES)
