"""Names of a room that are loaded at their first use: who needs few of them waits less."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def late(room: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """The `__getattr__` of a room: `homes` says which of its modules has which names."""
    home_of = {name: home for home, names in homes.items() for name in names}

    def load(name: str) -> Any:
        if name in homes:
            return import_module(f"{room}.{name}")
        if name not in home_of:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        return getattr(import_module(f"{room}.{home_of[name]}"), name)

    return load
