"""The command line as Markdown, from the commands themselves."""

import re
from collections.abc import Iterator
from inspect import cleandoc

import click

SPECIAL = re.compile(r"([\\*_\[\]<>${}|#])")


def walk(
    command: click.Command, path: tuple[str, ...], parent: click.Context | None = None
) -> Iterator[tuple[tuple[str, ...], click.Context]]:
    """A command and all those below it, each with the words that call it."""
    context = click.Context(command, parent=parent, info_name=path[-1])
    yield path, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from walk(below, (*path, name), context)


def options_of(context: click.Context) -> list[click.Option]:
    """The options of a command that its help shows."""
    return [
        param
        for param in context.command.params
        if isinstance(param, click.Option) and not param.hidden
    ]


def verbs_page(command: click.Command, name: str) -> str:
    """Every command with its usage, what it does and its options."""
    return "\n\n".join(_section(path, context) for path, context in walk(command, (name,)))


def _section(path: tuple[str, ...], context: click.Context) -> str:
    usage = " ".join([*path, *context.command.collect_usage_pieces(context)])
    lines = [
        "#" * (len(path) + 1) + " " + " ".join(path),
        f"```text\n{usage}\n```",
        plain(context.command.help or ""),
    ]
    options = [_line(option, context) for option in options_of(context)]
    return "\n\n".join([*lines, "\n".join(options)]).rstrip()


def _line(option: click.Option, context: click.Context) -> str:
    record = option.get_help_record(context)
    assert record is not None
    declaration, told = record
    return f"- `{declaration}`: {plain(told)}" if told else f"- `{declaration}`"


def plain(text: str) -> str:
    r"""A help text as Markdown that shows it as it stands; what is in backticks stays code.

    >>> plain("from `a*b` to *")
    'from `a*b` to \\*'
    """
    text = cleandoc(text.replace("\b", ""))
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else SPECIAL.sub(r"\\\1", part) for part in parts)
