"""`plaudit interval`: the bounds on one mean."""

from typing import Any, TextIO

import click

from plaudit.cli.output import json_option, print_json, print_pairs


@click.command("interval")
@click.option("--bound", help="The bound's name.  [default: lil-kl, or by what --values has]")
@click.option("--mean", type=float, help="The empirical mean, in [0, 1].")
@click.option("--votes", type=int, help="How many votes it is the mean of.")
@click.option("--counts", help='Instead of both, votes at each level: "0=550,0.5=300,1=150".')
@click.option(
    "--values",
    type=click.File(encoding="utf-8"),
    help="Instead, a file of values in the order in which they came, one a line; two a line, with "
    "a comma between them, are paired scores, of which the difference counts. - is standard input.",
)
@click.option(
    "--of",
    type=int,
    help="With --values: they are drawn without replacement from so many, whose mean is bounded.",
)
@click.option("--delta", type=float, required=True, help="Error probability of each side.")
@click.option("-N", "N", type=int, default=8, show_default=True, help="A power of two.")
@click.option("--two-sided", is_flag=True, help="Split delta over the two sides.")
@click.option("--time", type=int, help="Rounds of the race, for kl-lucb and hoeffding.")
@json_option
def command(
    bound: str | None,
    mean: float | None,
    votes: int | None,
    counts: str | None,
    values: TextIO | None,
    of: int | None,
    delta: float,
    N: int,
    two_sided: bool,
    time: int | None,
    as_json: bool,
) -> None:
    """Print `lower` and `upper`, each one-sided at delta and valid at all times at once."""
    from plaudit.errors import InvalidInput

    if 0.5 < delta < 1:
        raise InvalidInput(
            f"--delta is how likely a bound may fail, at most 0.5; got {delta:g}. For "
            f"{100 * delta:.6g} % confidence say --delta {1 - delta:.6g}."
        )
    side = delta / 2 if two_sided else delta
    if values is not None:
        if (mean, votes, counts) != (None, None, None):
            raise InvalidInput("Give --values, or --mean and --votes, or --counts: one of them.")
        found = _in_order(bound, values, of, side)
    elif of is not None:
        raise InvalidInput("--of needs --values: what is left depends on the order of the values.")
    else:
        found = _from_counts(bound or "lil-kl", mean, votes, counts, N, side, time)
    answer = found | {"delta": delta, "two_sided": two_sided}
    if as_json:
        print_json(answer)
        return
    sure = f"{100 * (1 - delta):.6g} %"
    whole = f" of {of:,}" if of is not None else ""
    title = f"{answer['bound']}: mean {answer['mean']:g} of {answer['votes']:,}{whole} votes"
    ends = {name: f"{answer[name]:.9f}" for name in ("lower", "upper")}
    note = f"{sure}, both together" if two_sided else f"{sure}, each"
    print_pairs(title, ends | {"confidence": note})


def _in_order(name: str | None, file: TextIO, of: int | None, side: float) -> dict[str, Any]:
    """The bounds from a file of values, or of paired scores."""
    from plaudit import bounds
    from plaudit.errors import InvalidInput

    rows = _read_rows(file)
    paired = bool(rows) and len(rows[0]) == 2
    fitting = "differences" if paired else "without-replacement"
    if not paired and of is None:
        raise InvalidInput(
            "Values of one column need --of, the size of the set that they are drawn from; for "
            "values that are drawn afresh give --mean and --votes, or --counts."
        )
    if name not in (None, fitting):
        raise InvalidInput(f"The bound for such values is {fitting}; got --bound {name}.")
    chosen = bounds.in_order(fitting, of=of)
    series = [row[0] - row[1] if paired else row[0] for row in rows]
    return {
        "bound": fitting,
        "mean": sum(series) / max(len(series), 1),
        "votes": len(series),
        "of": of,
        "lower": chosen.lower(series, side),
        "upper": chosen.upper(series, side),
    }


def _read_rows(file: TextIO) -> list[list[float]]:
    """The numbers of each line, one or two; empty lines are passed over."""
    from plaudit.errors import InvalidInput

    rows: list[list[float]] = []
    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        try:
            row = [float(part) for part in line.split(",")]
        except ValueError:
            row = []
        if len(row) not in (1, 2) or (rows and len(row) != len(rows[0])):
            raise InvalidInput(
                f"Line {number} of --values is {line.strip()!r}: every line must have one number, "
                "or every line two with a comma between them."
            )
        if not all(0.0 <= value <= 1.0 for value in row):
            raise InvalidInput(
                f"Line {number} of --values is {line.strip()!r}: values lie in [0, 1]."
            )
        rows.append(row)
    return rows


def _from_counts(
    name: str,
    mean: float | None,
    votes: int | None,
    counts: str | None,
    N: int,
    side: float,
    time: int | None,
) -> dict[str, Any]:
    """The bounds from a mean and the number of votes, or from the votes at each level."""
    from plaudit import bounds
    from plaudit.errors import InvalidInput

    chosen = bounds.get(name, N=N)
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
    return {"bound": name, "mean": mean, "votes": votes, "N": N, "lower": lower, "upper": upper}


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
