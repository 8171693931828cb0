"""What verbs print: JSON for machines, tables for people."""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

tolerance_option = click.option(
    "--tolerance",
    type=int,
    default=0,
    show_default=True,
    help="How many dishonest raters the verdict must withstand.",
)
top_option = click.option(
    "--top", type=int, default=1, show_default=True, help="How many items are wanted."
)
epsilon_option = click.option(
    "--epsilon", type=float, default=0.0, show_default=True, help="Slack allowed."
)
scale_option = click.option(
    "--scale", help='Labels and values: "Unfunny=0,Somewhat funny=0.5,Funny=1".'
)
show_option = click.option(
    "--show", type=click.IntRange(min=0), default=20, show_default=True, help="Rows of the table."
)


def _read_bets(context: click.Context, option: click.Parameter, given: Path | None) -> Any:
    """The bets of a file that `plaudit learn` wrote; an error that names the file."""
    if given is None:
        return None
    from plaudit.bounds.learned import Bets
    from plaudit.errors import InvalidInput

    try:
        return Bets.from_json(given.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"Cannot read the bets in {given}: {error}.") from None
    except InvalidInput as error:
        raise InvalidInput(f"{given}: {error}") from None


bets_option = click.option(
    "--bets",
    type=click.Path(path_type=Path),
    callback=_read_bets,
    help="Learned weights: a file that `plaudit learn` wrote before the first vote.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")


def even_if(withstands: int | None) -> str:
    """How many dishonest raters a verdict withstands, as the end of a sentence; "" if none.

    >>> even_if(3), even_if(1), even_if(0)
    (', even if any 3 raters were dishonest', ', even if any one rater was dishonest', '')
    """
    if not withstands:
        return ""
    who = "one rater was" if withstands == 1 else f"{withstands:,} raters were"
    return f", even if any {who} dishonest"


def certified_words(answer: dict[str, Any]) -> str:
    """What a verdict on the best items promises, as a sentence."""
    top, epsilon = answer["top"], answer["epsilon"]
    names = "this item is" if top == 1 else f"these {top} items are"
    slack = f" up to {epsilon:g}" if epsilon else ""
    best = f"{names} the best{slack}{even_if(answer['withstands'])}"
    return f"Certified. {sure_of(answer)}, {best}."


def sure_of(answer: dict[str, Any]) -> str:
    """How sure a verdict is, as the start of a sentence."""
    return f"With at least {100 * (1 - answer['delta']):.6g} % confidence"


def one_line(text: str, width: int) -> str:
    """A text in one line, cut to a width.

    >>> one_line("a  very long caption", 7)
    'a very…'
    """
    line = " ".join(text.split()) or "(empty)"
    return line if len(line) <= width else line[: width - 1] + "…"


def print_json(answer: dict[str, Any]) -> None:
    """Prints one JSON object; infinite numbers and NaN become null."""
    click.echo(json.dumps(_finite(answer), ensure_ascii=False, indent=2, allow_nan=False))


def say(words: str, answer: dict[str, Any], *, as_json: bool) -> None:
    """Prints words for people, or the same answer as JSON for machines."""
    if as_json:
        print_json(answer)
    elif words:
        click.echo(words)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_pairs(title: str, pairs: dict[str, str]) -> None:
    """Prints a small table of names and values."""
    from rich.table import Table

    table = Table(title=title, show_header=False, title_justify="left")
    table.add_column(style="bold")
    table.add_column()
    for name, value in pairs.items():
        table.add_row(name, value)
    console().print(table)


def add_typed_column(table: Any, name: str, values: Iterable[str], **more: Any) -> None:
    """Adds a column of what one types in other commands: it is never cut, in any window."""
    longest = max((len(value) for value in values), default=0)
    table.add_column(name, no_wrap=True, min_width=max(longest, len(name)), **more)


def console(*, stderr: bool = False) -> Any:
    """Rich's console, without markup, so that captions are printed unchanged."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False)


def print_shortlists(lists: Any, names: Any = None) -> None:
    """Prints the shortlists of a race: the k-th item, and what is certified for the first k."""
    from rich.table import Table

    table = Table(title="Shortlists", title_justify="left")
    table.add_column("k", justify="right", no_wrap=True)
    table.add_column("epsilon", justify="right", no_wrap=True)
    table.add_column("the k-th item", no_wrap=True)
    for k, item, epsilon in zip(lists.k, lists.items, lists.epsilon, strict=True):
        name = " ".join(str(names[item]).split()) if names is not None else str(item)
        table.add_row(str(k), f"{epsilon:.4f}", name)
    sure = f"With at least {100 * (1 - lists.delta):.6g} % confidence"
    out = console()
    out.print(table)
    out.print(f"{sure} of their own, for every k the first k are the best k up to epsilon.")


@contextmanager
def working(words: Callable[..., tuple[str, float]]) -> Iterator[Any]:
    """Shows a progress bar while simulations run; yields the function that moves it.

    `words` turns what is reported into the text beside the bar and the share that is done. It
    yields None if there is no terminal.
    """
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    text = TextColumn("{task.description}")
    with Progress(
        SpinnerColumn(), text, BarColumn(), TimeElapsedColumn(), console=screen, transient=True
    ) as bar:
        task = bar.add_task("getting ready (the first run compiles for a while)", total=None)

        def report(*found: Any) -> None:
            description, share = words(*found)
            bar.update(task, description=description, total=1.0, completed=share)

        yield report
