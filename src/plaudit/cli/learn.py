"""`plaudit learn`: weights for the bets of a contest to come, from past contests."""

from pathlib import Path
from typing import Any

import click

from plaudit.cli.data import data_option
from plaudit.cli.output import json_option, say, scale_option, top_option, working


@click.command("learn")
@click.argument("past", nargs=-1, required=True, metavar="PAST...")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The file to write: a line of JSON.",
)
@click.option("--delta", type=float, default=0.01, show_default=True, help="Total error allowed.")
@click.option("--epsilon", type=float, default=0.05, show_default=True, help="Slack allowed.")
@top_option
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same weights.")
@click.option(
    "--max-votes", type=int, default=3_000_000, show_default=True, help="Where a race is given up."
)
@scale_option
@data_option
@json_option
def command(
    past: tuple[str, ...],
    out: Path,
    scale: str | None,
    data: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Learn from past contests how to bet, so that a contest like them needs fewer votes.

    PAST are contests by name (558, 512_LilUCB) or files of votes (csv:FILE): a summary, as `plaudit
    contest export --what summary` writes it, or one vote a row with --scale. They are raced again,
    and the weights with which they need the fewest votes are written to --out. Use them with
    `--bets` in race, rank and plan, as `Race(bets=...)`, or as the setting `bets` of a contest, but
    fix them before its first vote.
    """
    with working(_done) as report:
        from plaudit.simulation import learn

        profiles = [_profile(name, scale, data) for name in past]
        names = ", ".join(Path(name.removeprefix("csv:")).stem for name in past)
        about = "top {top}, epsilon {epsilon:g}, delta {delta:g}".format(**options)
        bets = learn(profiles, source=f"{names}; {about}"[:500], progress=report, **options)
    out.write_text(bets.to_json() + "\n", "utf-8")
    words = f"Wrote {out}: bets learned from {names}. Fix them before the first vote of a contest."
    say(words, {"file": str(out), "bets": bets.to_record()}, as_json=as_json)


def _profile(name: str, scale: str | None, data: Path | None) -> Any:
    """The frequencies of a past contest's votes, without items that have none."""
    from plaudit.datasets import load_contest, read_votes
    from plaudit.errors import InvalidInput
    from plaudit.scale import Scale
    from plaudit.simulation import Profile

    known = Scale.parse(scale) if scale else None
    file = Path(name.removeprefix("csv:")) if name.startswith("csv:") else None
    table = load_contest(name, data=data) if file is None else read_votes(file, scale=known)
    if table.levels is None or table.scale is None:
        raise InvalidInput(f"{name} has no votes at each level of a scale, so nothing is learned.")
    counts = table.levels[table.votes > 0]
    if len(counts) < 2:
        raise InvalidInput(f"{name} has {len(counts)} items with votes; at least 2 are needed.")
    return Profile.frequencies(counts, table.scale.values)


def _done(share: float) -> tuple[str, float]:
    return "racing past contests again", share
