"""Tables for people who work with frames; neither pandas nor polars is needed."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

# The first that is installed makes the frame.
LIBRARIES = ("pandas", "polars")


def frame_of(columns: dict[str, Any]) -> Any:
    """The columns as a frame of pandas or polars, whichever is installed; else as they are."""
    for library in LIBRARIES:
        if find_spec(library) is not None:
            return import_module(library).DataFrame(columns)
    return columns
