"""A race on disk: one NumPy archive without pickles, settings as JSON beside the arrays."""

import json
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaudit.bounds.arrays import valid
from plaudit.errors import InvalidInput
from plaudit.race.settings import Settings
from plaudit.race.state import State
from plaudit.scale import Scale

FORMAT = "plaudit race 1"


def save(
    file: str | Path | BinaryIO, state: State, settings: Settings, changes: dict[str, int]
) -> None:
    """Writes what a race cannot recompute; trees are rebuilt from it."""
    about = {"format": FORMAT, "settings": settings.as_dict(), "changes": changes}
    count = int(state.header[0]["items"])
    np.savez_compressed(
        file,
        about=np.array(json.dumps(about)),
        header=state.header,
        items=state.items[:count],
        levels=state.levels[:count],
        standing=state.standing[:count],
        leaders=state.leaders.owner,
    )


def read(file: str | Path | BinaryIO) -> tuple[Settings, dict[str, NDArray[Any]], dict[str, int]]:
    """The settings, arrays and changes that `save` wrote."""
    try:
        with np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        about = json.loads(str(arrays.pop("about")))
        if about["format"] != FORMAT:
            raise KeyError(about["format"])
    except FileNotFoundError:
        raise InvalidInput(f"There is no saved race at {file}.") from None
    except (OSError, ValueError, KeyError, BadZipFile, EOFError):
        raise InvalidInput(f"{file} is not a race saved by this version of Plaudit.") from None
    fields = about["settings"]
    scale = fields.pop("scale")
    made = Scale(tuple(scale["labels"]), tuple(scale["values"])) if scale else None
    return Settings(scale=made, **fields), arrays, about["changes"]


def put(state: State, arrays: dict[str, NDArray[Any]]) -> None:
    """Puts saved arrays into a state that is large enough."""
    state.header[:] = arrays["header"]
    count = len(arrays["items"])
    state.items[:count] = arrays["items"]
    state.levels[:count] = arrays["levels"]
    state.standing[: len(arrays["standing"])] = arrays["standing"]
    state.leaders.owner[:] = arrays["leaders"]


def load_counts(
    state: State, votes: ArrayLike, totals: ArrayLike, levels: ArrayLike | None
) -> None:
    """Puts counts and sums per item into a fresh state, checked."""
    counts = valid("votes", votes, lambda v: (v >= 0) & (v == np.floor(v)) & (v < 2**53), "whole")
    sums = valid("totals", totals, np.isfinite, "finite numbers")
    if counts.shape != sums.shape or counts.ndim != 1:
        raise InvalidInput("votes and totals must be lists of the same length, one entry an item.")
    if ((sums < 0) | (sums > counts)).any():
        raise InvalidInput("A total must lie between 0 and the number of its votes.")
    if levels is not None:
        table = np.asarray(levels)
        if table.shape != state.levels.shape or (table.sum(axis=1) != counts).any():
            raise InvalidInput("levels must have a row an item and a column a level of the scale.")
        state.levels[:] = table
    elif state.values.size:
        raise InvalidInput("This race has a scale: give the counts of each level as `levels`.")
    records = state.items
    records["votes"], records["total"] = counts.astype(np.int64), sums
    h = state.header[0]
    h["votes"], h["most_votes"] = records["votes"].sum(), records["votes"].max()
    h["unsampled"] = int((records["votes"] == 0).sum())
