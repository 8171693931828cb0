"""Candidates and examples as they are given: their names, and what the cache knows them by."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

from plaudit.errors import InvalidInput
from plaudit.race.item_names import some_of

KeyOf = Callable[[Any], str]


@dataclass(frozen=True)
class Candidates:
    """Candidates with their names, in the order in which they were given."""

    names: tuple[str, ...]
    objects: tuple[Any, ...]

    @classmethod
    def read(cls, given: Any) -> "Candidates":
        """Candidates from a mapping by name, or from a list of texts or other things.

        In a list, a text is its own name; anything else has its `__name__`, or how it prints.
        """
        if isinstance(given, Mapping):
            return cls(tuple(map(str, given)), tuple(given.values()))
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InvalidInput(
                f"Candidates must be given as a list, or as {{name: candidate, …}}; got {given!r}."
            )
        objects = tuple(given)
        return cls(tuple(_name_of(one) for one in objects), objects)

    def __post_init__(self) -> None:
        if len(self.names) < 2:
            raise InvalidInput(
                f"There must be at least two candidates to choose from; got {len(self.names)}."
            )

    def number(self, name: Any) -> int:
        """The number of a candidate, by its name."""
        if name not in self.names:
            known = some_of(self.names)
            raise InvalidInput(f"There is no candidate {name!r}: candidates are {known}.")
        return self.names.index(name)

    def key(self, number: int) -> str:
        """What the cache knows a candidate by: its name, and what it is if JSON can say that."""
        try:
            return _as_json([self.names[number], self.objects[number]])
        except TypeError:
            return _as_json([self.names[number]])


def read_examples(given: Any) -> list[Any]:
    """The examples as a list."""
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise InvalidInput(f"Examples must be given as a list; got {type(given).__name__}.")
    examples = list(given)
    if not examples:
        raise InvalidInput("There are no examples: give at least one.")
    return examples


def example_key(example: Any, key: KeyOf | None) -> str:
    """What the cache knows an example by."""
    if key is not None:
        return str(key(example))
    try:
        return _as_json(example)
    except TypeError:
        raise InvalidInput(
            f"The cache cannot tell examples of type {type(example).__name__} apart: give examples "
            "as texts, numbers, lists or dicts, or say key=… with a function that gives each "
            "example a text of its own."
        ) from None


def _name_of(candidate: Any) -> str:
    return str(getattr(candidate, "__name__", candidate))


def _as_json(thing: Any) -> str:
    return json.dumps(thing, sort_keys=True, ensure_ascii=False, default=_plain)


def _plain(thing: Any) -> Any:
    if is_dataclass(thing) and not isinstance(thing, type):
        return asdict(thing)
    raise TypeError(thing)
