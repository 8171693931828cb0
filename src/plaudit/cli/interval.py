"""`plaudit interval`: the bounds on one mean."""

import click

from plaudit.cli.output import json_option, print_json, print_pairs


@click.command("interval")
@click.option("--bound", default="lil-kl", show_default=True, help="The bound's name.")
@click.option("--mean", type=float, required=True, help="The empirical mean, in [0, 1].")
@click.option("--votes", type=int, required=True, help="How many votes it is the mean of.")
@click.option("--delta", type=float, required=True, help="Error probability of each side.")
@click.option("-N", "N", type=int, default=8, show_default=True, help="A power of two.")
@click.option("--two-sided", is_flag=True, help="Split delta over the two sides.")
@click.option("--time", type=int, help="Rounds of the race, for kl-lucb and hoeffding.")
@json_option
def command(
    bound: str,
    mean: float,
    votes: int,
    delta: float,
    N: int,
    two_sided: bool,
    time: int | None,
    as_json: bool,
) -> None:
    """Print `lower` and `upper`, each one-sided at delta and valid at all times at once."""
    from plaudit import bounds

    chosen = bounds.get(bound, N=N)
    side = delta / 2 if two_sided else delta
    moment = max(votes, 1) if time is None else time
    answer = {
        "bound": bound,
        "mean": mean,
        "votes": votes,
        "delta": delta,
        "N": N,
        "two_sided": two_sided,
        "lower": chosen.lower(mean, votes, side, time=moment),
        "upper": chosen.upper(mean, votes, side, time=moment),
    }
    if as_json:
        print_json(answer)
        return
    sure = f"{100 * (1 - delta):.6g} %"
    title = f"{bound}: mean {mean:g} of {votes:,} votes"
    ends = {name: f"{answer[name]:.9f}" for name in ("lower", "upper")}
    note = f"{sure}, both together" if two_sided else f"{sure}, each"
    print_pairs(title, ends | {"confidence": note})
