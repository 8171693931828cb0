"""`plaudit interval`: the bounds on one mean."""

import click

from plaudit.cli.output import json_option, print_json, print_pairs


@click.command("interval")
@click.option("--bound", default="lil-kl", show_default=True, help="The bound's name.")
@click.option("--mean", type=float, help="The empirical mean, in [0, 1].")
@click.option("--votes", type=int, help="How many votes it is the mean of.")
@click.option("--counts", help='Instead of both, votes at each level: "0=550,0.5=300,1=150".')
@click.option("--delta", type=float, required=True, help="Error probability of each side.")
@click.option("-N", "N", type=int, default=8, show_default=True, help="A power of two.")
@click.option("--two-sided", is_flag=True, help="Split delta over the two sides.")
@click.option("--time", type=int, help="Rounds of the race, for kl-lucb and hoeffding.")
@json_option
def command(
    bound: str,
    mean: float | None,
    votes: int | None,
    counts: str | None,
    delta: float,
    N: int,
    two_sided: bool,
    time: int | None,
    as_json: bool,
) -> None:
    """Print `lower` and `upper`, each one-sided at delta and valid at all times at once."""
    from plaudit import bounds
    from plaudit.errors import InvalidInput

    chosen = bounds.get(bound, N=N)
    side = delta / 2 if two_sided else delta
    if counts is not None:
        levels = _levels(mean, votes, counts)
        numbers, values = list(levels.values()), list(levels)
        votes = sum(numbers)
        mean = sum(x * c for x, c in levels.items()) / max(votes, 1)
        lower = chosen.lower_from_levels(numbers, values, side)
        upper = chosen.upper_from_levels(numbers, values, side)
    elif mean is None or votes is None:
        raise InvalidInput("Give --mean and --votes, or --counts such as 0=550,0.5=300,1=150.")
    else:
        moment = max(votes, 1) if time is None else time
        lower = chosen.lower(mean, votes, side, time=moment)
        upper = chosen.upper(mean, votes, side, time=moment)
    answer = {
        "bound": bound,
        "mean": mean,
        "votes": votes,
        "delta": delta,
        "N": N,
        "two_sided": two_sided,
        "lower": lower,
        "upper": upper,
    }
    if as_json:
        print_json(answer)
        return
    sure = f"{100 * (1 - delta):.6g} %"
    title = f"{bound}: mean {mean:g} of {votes:,} votes"
    ends = {name: f"{answer[name]:.9f}" for name in ("lower", "upper")}
    note = f"{sure}, both together" if two_sided else f"{sure}, each"
    print_pairs(title, ends | {"confidence": note})


def _levels(mean: float | None, votes: int | None, counts: str) -> dict[float, int]:
    """Votes by value of the level."""
    from plaudit.errors import InvalidInput

    if mean is not None or votes is not None:
        raise InvalidInput("Give --mean and --votes, or --counts alone: they say the same.")
    levels: dict[float, int] = {}
    for part in counts.split(","):
        value, _, number = part.partition("=")
        try:
            levels[float(value)] = levels.get(float(value), 0) + int(number)
        except ValueError:
            raise InvalidInput(
                f"Cannot read {part.strip()!r} in --counts: write value=votes pairs with commas "
                "between them, such as 0=550,0.5=300,1=150."
            ) from None
    return levels
