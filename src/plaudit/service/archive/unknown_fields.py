"""Fields of a file that this version does not know, and so cannot have checked: they are named."""

import json
from collections.abc import Iterator
from typing import Any

from msgspec import inspect

from plaudit.service.contest.events import SettingsChanged, as_written
from plaudit.service.contest.settings import ContestSettings
from plaudit.store.contract import Store


def unknown_in_export(store: Store, name: str) -> dict[str, list[str]]:
    """Unknown fields in the settings and events of a contest, by the place where they stand."""
    created = json.loads(store.contest(name).settings)
    found = {"the first line of the export": unknown_in_settings(created)}
    for entry in store.events(name):
        kind, said = as_written(entry)
        names = unknown_fields(said, kind)
        if kind is SettingsChanged:
            names += [f"set.{one}" for one in unknown_in_settings(said["set"])]
        found[f"entry {entry.position} of the export"] = names
    return found


def unknown_in_settings(settings: Any) -> list[str]:
    """The fields of settings, as JSON has them, that no contest has."""
    return unknown_fields(settings, ContestSettings)


def unknown_fields(value: Any, kind: Any) -> list[str]:
    """Where a value of plain JSON has fields that its type does not have.

    >>> from plaudit.service.contest.settings import Context
    >>> unknown_fields({"text": "a", "size": 3}, Context)
    ['size']
    """
    return [*_walk(value, inspect.type_info(kind), "")]


def _walk(value: Any, kind: inspect.Type, path: str) -> Iterator[str]:
    match kind:
        case inspect.UnionType(types=kinds):
            # A union here is one struct or list, or null, or a plain value.
            for one in kinds:
                yield from _walk(value, one, path)
        case inspect.Metadata(type=inner):
            yield from _walk(value, inner, path)
        case inspect.StructType(fields=fields) if isinstance(value, dict):
            known = {field.encode_name: field.type for field in fields}
            for name, part in value.items():
                if name in known:
                    yield from _walk(part, known[name], f"{path}{name}.")
                else:
                    yield f"{path}{name}"
        case inspect.ListType(item_type=inner) | inspect.VarTupleType(item_type=inner):
            for part in value if isinstance(value, list) else ():
                yield from _walk(part, inner, path)
