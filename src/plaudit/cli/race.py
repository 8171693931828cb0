"""`plaudit race`: one simulated race, from the first vote to the verdict."""

from pathlib import Path
from typing import Any

import click

from plaudit.cli.output import (
    bets_option,
    epsilon_option,
    even_if,
    json_option,
    print_json,
    print_pairs,
    print_shortlists,
    tolerance_option,
    top_option,
    working,
)


@click.command("race")
@click.option(
    "--profile",
    required=True,
    help="power:EXPONENT (with --items), means:0.5,0.4,... or csv:FILE (a contest summary).",
)
@click.option("--items", type=int, help="How many items, for power profiles.")
@click.option("--algorithm", default="plaudit", show_default=True, help="Its name.")
@click.option("--stopping", help="fresh, lead, evidence, ... [default: that of the algorithm]")
@click.option("--delta", type=float, default=0.01, show_default=True, help="Total error allowed.")
@epsilon_option
@click.option("--goal", default="top", show_default=True, help="top, or all-good.")
@top_option
@tolerance_option
@bets_option
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same race.")
@click.option("-N", "N", type=int, default=8, show_default=True, help="A power of two.")
@click.option("--accounting", default="total", show_default=True, help="total, or paper: 2 delta.")
@click.option("--max-votes", type=int, default=100_000_000, show_default=True, help="Then give up.")
@click.option("--shortlists", is_flag=True, help="The smallest epsilon for each k as well.")
@json_option
def command(
    profile: str, items: int | None, shortlists: bool, as_json: bool, **options: Any
) -> None:
    """Run one simulated race; print `winner` (or `winners`), `votes` and `votes_per_item`.

    The exit code is 1 where the votes ran out before a verdict.
    """
    max_votes = options.pop("max_votes")
    with working(_so_far) as report:
        from plaudit.simulation import SimulatedRace

        simulated = SimulatedRace(_profile(profile, items), **options)
        outcome = simulated.run(max_votes=max_votes, progress=report)
    answer = _answer(simulated, outcome, options)
    lists = simulated.race.shortlists() if shortlists else None
    if as_json:
        print_json(answer | ({"shortlists": lists.to_dict()} if lists else {}))
    else:
        _print(answer)
        if lists:
            print_shortlists(lists)
    if not outcome.stopped:
        click.get_current_context().exit(1)


def _profile(text: str, items: int | None) -> Any:
    from plaudit.errors import InvalidInput
    from plaudit.simulation import Profile, parse_profile

    if not text.startswith("csv:"):
        return parse_profile(text, items)
    from plaudit.datasets import read_votes

    table = read_votes(Path(text.removeprefix("csv:")))
    if table.levels is None or table.scale is None:
        raise InvalidInput(f"{text!r} must be a contest summary, with the votes of each level.")
    if items is not None and items != len(table.items):
        raise InvalidInput(f"{text!r} has {len(table.items)} items, and --items says {items}.")
    return Profile.frequencies(table.levels, table.scale.values)


def _answer(simulated: Any, outcome: Any, options: dict[str, Any]) -> dict[str, Any]:
    items = len(simulated.profile)
    winners = list(outcome.winners)
    one = options["top"] == 1 and options["goal"] == "top"
    named = {"winner": winners[0]} if one else {"winners": winners}
    return named | {
        "votes": outcome.votes,
        "votes_per_item": outcome.votes / items,
        "stopped": outcome.stopped,
        "certified": outcome.certified,
        "correct": outcome.correct,
        "smallest_epsilon": max(0.0, outcome.gap) if options["goal"] == "top" else None,
        "items": items,
        "total_delta": simulated.race.verdict().delta,
        "withstands": simulated.race.verdict().withstands,
        **options,
        "bets": bets.source if (bets := options["bets"]) else None,
    }


def _print(answer: dict[str, Any]) -> None:
    key = "winner" if "winner" in answer else "winners"
    all_good = answer["goal"] == "all-good"
    named = answer[key]
    listed = ", ".join(map(str, named)) if isinstance(named, list) else str(named)
    rows = {
        key if answer["stopped"] else "leading": listed,
        "votes": f"{answer['votes']:,}",
        "votes_per_item": f"{answer['votes_per_item']:.2f}",
        "truly so" if all_good else "truly the best": "yes" if answer["correct"] else "no",
        "verdict": _claim(answer),
    }
    stops = f", stopping {answer['stopping']}" if answer["stopping"] else ""
    title = f"{answer['algorithm']}{stops}, {answer['items']:,} items, seed {answer['seed']}"
    print_pairs(title, rows)


def _claim(answer: dict[str, Any]) -> str:
    all_good = answer["goal"] == "all-good"
    if not answer["stopped"] and all_good:
        return "not yet: some items are still open"
    if not answer["stopped"]:
        return f"not yet: certified within {answer['smallest_epsilon']:.6f} only"
    if answer["total_delta"] is None:
        return "named without a proven error"
    slack = f", within {answer['epsilon']:g}" if answer["epsilon"] else ""
    if all_good:
        slack = f" that all within {answer['epsilon']:g} of the best are named"
    sure = f"at {100 * (1 - answer['total_delta']):.6g} % confidence"
    return f"certified{slack}, {sure}{even_if(answer['withstands'])}"


def _so_far(votes: int, gap: float) -> tuple[str, float]:
    """The votes so far, and how close the verdict is."""
    slack = min(1.0, max(gap, 0.0))
    return f"{votes:,} votes, certified within {slack:.4f}", 1.0 - slack
