"""YAML as a tree in which every part knows its line, and nothing is more than text.

YAML guesses what a word is: `No` becomes False, `2026-12-01` a date, `1e-3` a text. Items and
labels are people's own words, so here nothing is guessed: a part keeps its text, and who reads
it says what it should be. There are no tags, so a file makes no objects, and no aliases, so a
small file cannot grow into a large one.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import yaml

from plaudit.service.intake.mistakes import Mistakes

MAX_DEPTH = 8

_QUOTE = "Put a text that holds ': ' or ' #', or starts with a sign, between quotation marks."
# libyaml is twenty times faster; the Python parser says the same where it is missing.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Scalar(NamedTuple):
    """A single value. `kind`: "plain" (could be a number), "text", "number", "flag", "nothing"."""

    text: str
    line: int | None
    kind: str


class Listing(NamedTuple):
    """A list."""

    children: list["Node"]
    line: int | None


class Table(NamedTuple):
    """Keys with what they hold, in order; a key may be there twice."""

    pairs: list[tuple[Scalar, "Node"]]
    line: int | None


Node: TypeAlias = Scalar | Listing | Table


class _Refused(Exception):
    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def parse_yaml(text: str, mistakes: Mistakes) -> Node | None:
    """The tree of a YAML document; None, with the mistake noted, where it is not one."""
    try:
        events = _events(text)
        first = next(events, None)
        tree = Scalar("", 1, "nothing") if first is None else _node(first, events, MAX_DEPTH)
        if extra := next(events, None):
            raise _Refused(_line(extra), "A second document starts here: keep one in a file.")
        return tree
    except _Refused as refused:
        mistakes.add(refused.line, str(refused))
    except yaml.MarkedYAMLError as error:
        # Where the file ends too soon, what was left open tells more than its end.
        ended = "end of stream" in (error.problem or "")
        mark = (ended and error.context_mark) or error.problem_mark
        line = None if mark is None else mark.line + 1
        mistakes.add(line, f"This is not YAML ({error.problem}). {_QUOTE}")
    except yaml.YAMLError as error:
        mistakes.add(None, f"This is not YAML ({error}). {_QUOTE}")
    return None


def tree_of(data: Any, *, depth: int = MAX_DEPTH) -> Node:
    """The same tree from what a JSON reader gives; it has no lines.

    >>> tree_of({"top": 3}).pairs
    [(Scalar(text='top', line=None, kind='text'), Scalar(text='3', line=None, kind='number'))]
    """
    if isinstance(data, dict | list) and depth == 0:
        return Scalar("more than is read", None, "nesting")
    if isinstance(data, dict):
        keys = (Scalar(str(key), None, "text") for key in data)
        return Table(
            [
                (key, tree_of(v, depth=depth - 1))
                for key, v in zip(keys, data.values(), strict=True)
            ],
            None,
        )
    if isinstance(data, list):
        return Listing([tree_of(child, depth=depth - 1) for child in data], None)
    if data is None:
        return Scalar("", None, "nothing")
    if isinstance(data, bool):
        return Scalar(str(data).lower(), None, "flag")
    return Scalar(str(data), None, "number" if isinstance(data, int | float) else "text")


def _events(text: str) -> Iterator[yaml.Event]:
    edges = yaml.StreamStartEvent, yaml.StreamEndEvent, yaml.DocumentStartEvent
    for event in yaml.parse(text, Loader=_LOADER):
        if not isinstance(event, (*edges, yaml.DocumentEndEvent)):
            yield event


def _node(event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Node:
    line = _line(event)
    if isinstance(event, yaml.AliasEvent):
        raise _Refused(line, "'*' starts an alias, which is not read here. " + _QUOTE)
    if tag := getattr(event, "tag", None):
        raise _Refused(line, f"'!' starts a tag ({tag}), which is not read here. " + _QUOTE)
    if isinstance(event, yaml.ScalarEvent):
        return _scalar(event, line)
    if depth == 0:
        raise _Refused(line, "Lists or keys are nested too deeply: no part needs so many levels.")
    if isinstance(event, yaml.SequenceStartEvent):
        return Listing([_node(child, events, depth - 1) for child in _inside(events)], line)
    pairs = []
    for key in _inside(events):
        if not isinstance(key, yaml.ScalarEvent):
            raise _Refused(_line(key), "A key must be a word, not a list or another set of keys.")
        pairs.append((_scalar(key, _line(key)), _node(next(events), events, depth - 1)))
    return Table(pairs, line)


def _inside(events: Iterator[yaml.Event]) -> Iterator[yaml.Event]:
    # The children read their own ends, so the next end is this one's.
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            return
        yield event


def _scalar(event: yaml.ScalarEvent, line: int) -> Scalar:
    plain = event.implicit[0]
    if plain and event.value in ("", "~", "null", "Null", "NULL"):
        return Scalar(event.value, line, "nothing")
    return Scalar(event.value, line, "plain" if plain else "text")


def _line(event: yaml.Event) -> int:
    return 1 if event.start_mark is None else int(event.start_mark.line) + 1
