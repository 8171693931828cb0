"""YAML as a tree (see `tree`) in which every part knows its line, and every value stays text.

YAML guesses types: `No` becomes False, `2026-12-01` a date, `1e-3` a text. Items and labels are
people's own words, so nothing is guessed here: a part keeps its text, and its reader says what it
should be. There are no tags, so a file creates no objects, and no aliases, so a small file cannot
grow into a large one.
"""

from collections.abc import Iterator
from typing import Any

import yaml

from plaudit.phrase import Phrase, Words
from plaudit.service.intake.mistakes import Mistakes
from plaudit.service.intake.tree import MAX_DEPTH, Listing, Node, Scalar, Table
from plaudit.words import N_

_QUOTE = Phrase(
    N_("Put a text that holds ': ' or ' #', or starts with a sign, between quotation marks.")
)
_NOT_YAML = N_("This is not YAML ({reason}). {advice}")
_NO_ALIAS = N_("'*' starts an alias, which is not read here. {advice}")
_NO_TAG = N_("'!' starts a tag ({tag}), which is not read here. {advice}")
_TOO_DEEP = N_("Lists or keys are nested too deeply: no part needs so many levels.")
_NOT_A_KEY = N_("A key must be a word, not a list or another set of keys.")
_SECOND = N_("A second document starts here: keep one in a file.")
# libyaml is twenty times faster; without it the Python parser gives the same results.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Refused(Exception):
    def __init__(self, line: int, words: Words) -> None:
        super().__init__(words)
        self.line = line
        self.words = words


def parse_yaml(text: str, mistakes: Mistakes) -> Node | None:
    """The tree of a YAML document; None, with the mistake noted, if it is not YAML."""
    try:
        events = _events(text)
        first = next(events, None)
        tree = Scalar("", 1, "nothing") if first is None else _node(first, events, MAX_DEPTH)
        if extra := next(events, None):
            raise _Refused(_line(extra), Phrase(_SECOND))
        return tree
    except _Refused as refused:
        mistakes.add(refused.line, refused.words)
    except yaml.MarkedYAMLError as error:
        # If the file ends too early, the place that was left open says more than the end.
        found = error.problem_mark
        ended = found is not None and found.index >= len(text.rstrip())
        mark = (error.context_mark if ended else None) or found
        line = None if mark is None else mark.line + 1
        mistakes.add(line, Phrase(_NOT_YAML, reason=error.problem, advice=_QUOTE))
    except yaml.YAMLError as error:
        mistakes.add(None, Phrase(_NOT_YAML, reason=error, advice=_QUOTE))
    return None


def _events(text: str) -> Iterator[yaml.Event]:
    edges = yaml.StreamStartEvent, yaml.StreamEndEvent, yaml.DocumentStartEvent
    for event in yaml.parse(text, Loader=_LOADER):
        if not isinstance(event, (*edges, yaml.DocumentEndEvent)):
            yield event


def _node(event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Node:
    line = _line(event)
    if isinstance(event, yaml.AliasEvent):
        raise _Refused(line, Phrase(_NO_ALIAS, advice=_QUOTE))
    if tag := getattr(event, "tag", None):
        raise _Refused(line, Phrase(_NO_TAG, tag=tag, advice=_QUOTE))
    if isinstance(event, yaml.ScalarEvent):
        return _scalar(event, line)
    if depth == 0:
        raise _Refused(line, Phrase(_TOO_DEEP))
    if isinstance(event, yaml.SequenceStartEvent):
        return Listing([_node(child, events, depth - 1) for child in _inside(events)], line)
    pairs = []
    for key in _inside(events):
        if not isinstance(key, yaml.ScalarEvent):
            raise _Refused(_line(key), Phrase(_NOT_A_KEY))
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
