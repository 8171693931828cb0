"""How verbs speak: JSON for machines, tables for people."""

import json
import math
from typing import Any

import click

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")


def print_json(answer: dict[str, Any]) -> None:
    """One JSON object on standard output; a number that does not exist is null."""
    click.echo(json.dumps(_finite(answer), ensure_ascii=False, indent=2, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_pairs(title: str, pairs: dict[str, str]) -> None:
    """A small table of names and values."""
    from rich.table import Table

    table = Table(title=title, show_header=False, title_justify="left")
    table.add_column(style="bold")
    table.add_column()
    for name, value in pairs.items():
        table.add_row(name, value)
    console().print(table)


def console(*, stderr: bool = False) -> Any:
    """Rich's console; it reads no markup in what it prints, so captions stay as they are."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False)
