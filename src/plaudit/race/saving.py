"""A race on disk: one NumPy archive without pickles, settings as JSON beside the arrays."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaudit.bounds.arrays import valid
from plaudit.bounds.learned import Bets
from plaudit.errors import InvalidInput
from plaudit.race.lead.book import NOBODY
from plaudit.race.lead.parts import APPOINTING
from plaudit.race.settings import Settings
from plaudit.race.state import FRESH, LEAD, WITHDRAWN, State
from plaudit.scale import Scale

FORMAT = "plaudit race 8"
# Races saved before there was a tolerance have none in their headers and settings. Of those whose
# leaders are appointed only these can be read: others counted other votes.
READABLE = (*(f"plaudit race {number}" for number in range(3, 8)), FORMAT)
ARRAYS = ("header", "items", "levels", "standing", "seats", "chosen")
# What else there is of a race whose leaders are appointed: all that cannot be made again.
OF_LEAD = ("book", "fresh", "fresh_levels", "apart_levels", "marked_levels")


def save(
    file: str | Path | BinaryIO, state: State, settings: Settings, history: dict[str, Any]
) -> None:
    """Writes what a race cannot recompute; trees are rebuilt from it."""
    about = {"format": FORMAT, "settings": settings.as_dict(), "history": history}
    count = int(state.header[0]["items"])
    arrays: dict[str, Any] = {
        "about": np.array(json.dumps(about)),
        "header": state.header,
        "items": state.items[:count],
        "levels": state.levels[:count],
        "standing": state.standing[:count],
        "seats": state.seats,
        "chosen": state.chosen,
    }
    with opened(file, "wb") as stream:
        np.savez_compressed(stream, **arrays, **_lead_of(state))


def read(file: str | Path | BinaryIO) -> tuple[Settings, dict[str, NDArray[Any]], dict[str, Any]]:
    """The settings, arrays and history that `save` wrote."""
    name = file if isinstance(file, str | Path) else getattr(file, "name", "The file")
    try:
        with opened(file, "rb") as stream, np.load(stream, allow_pickle=False) as archive:
            wanted = (*ARRAYS, "about", *(name for name in OF_LEAD if name in archive))
            arrays = {key: archive[key] for key in wanted}
        about = json.loads(str(arrays.pop("about")))
        fields = about["settings"]
        scale, bets = fields.pop("scale"), fields.pop("bets", None)
        made = Scale(tuple(scale["labels"]), tuple(scale["values"])) if scale else None
        settings = Settings(scale=made, bets=Bets.from_record(bets) if bets else None, **fields)
        if about["format"] not in READABLE or len(arrays["items"]) != arrays["header"][0]["items"]:
            raise ValueError(about["format"])
        complete = about["format"] == FORMAT and all(name in arrays for name in OF_LEAD)
        if settings.stopping in APPOINTING and not complete:
            raise ValueError("no book")
    except FileNotFoundError:
        raise InvalidInput(f"There is no saved race at {name}.") from None
    except Exception:
        # What is something else or damaged: each way of packing has errors of its own, and Python
        # learns new ones.
        raise InvalidInput(f"{name} is not a race saved by this version of Plaudit.") from None
    return settings, arrays, about["history"]


def _lead_of(state: State) -> dict[str, Any]:
    if int(state.header[0]["stopping"]) not in (LEAD, FRESH):
        return {}
    return dict(zip(OF_LEAD, state.rare.lead[: len(OF_LEAD)], strict=True))


def opened(file: str | Path | BinaryIO, mode: str) -> Any:
    """The file at a path, opened, or a file that is open already."""
    return open(file, mode) if isinstance(file, str | Path) else nullcontext(file)


def put(state: State, arrays: dict[str, NDArray[Any]]) -> None:
    """Puts saved arrays into a state that is large enough."""
    for name in arrays["header"].dtype.names or ():
        state.header[name] = arrays["header"][name]
    count = len(arrays["items"])
    state.items[:count] = arrays["items"]
    state.levels[:count] = arrays["levels"]
    state.standing[: len(arrays["standing"])] = arrays["standing"]
    state.seats[:] = arrays["seats"]
    state.chosen[:] = arrays["chosen"]
    for name, kept in _lead_of(state).items():
        kept[:] = arrays[name]
    if int(state.header[0]["stopping"]) == FRESH:
        # The table of a leader's bets is not saved.
        state.rare.lead.book["leader"] = NOBODY


def load_counts(
    state: State, items: int, votes: ArrayLike, totals: ArrayLike, levels: ArrayLike | None
) -> None:
    """Checks counts and sums of each item, and puts them in place of those of the state."""
    counts = valid("votes", votes, lambda v: (v >= 0) & (v == np.floor(v)) & (v < 2**53), "whole")
    sums = valid("totals", totals, np.isfinite, "finite numbers")
    if counts.shape != sums.shape or counts.shape != (items,):
        raise InvalidInput(
            f"votes and totals must be lists of the same length, one entry for each of {items} "
            "items."
        )
    if ((sums < 0) | (sums > counts)).any():
        raise InvalidInput("A total must lie between 0 and the number of its votes.")
    if levels is not None:
        table = valid("levels", levels, lambda v: (v >= 0) & (v == np.floor(v)), "whole numbers")
        if table.shape != (items, state.values.size) or (table.sum(axis=1) != counts).any():
            raise InvalidInput("levels must have a row an item and a column a level of the scale.")
        # In the order in which a vote sums them, so that both agree to the last bit.
        added = sum(table[:, k] * value for k, value in enumerate(state.values))
        if np.abs(added - sums).max() > 1e-6 * max(1.0, counts.max()):
            raise InvalidInput("totals are not what the levels and the scale add up to.")
        state.levels[:items] = table
        sums = np.asarray(added)
    elif state.values.size:
        raise InvalidInput("This race has a scale: give the counts of each level as `levels`.")
    records = state.items[:items]
    records["votes"], records["total"] = counts.astype(np.int64), sums
    count_all(state, items)


def count_all(state: State, items: int) -> None:
    """Counts the votes of the items that compete, for the header."""
    records = state.items[:items]
    votes = records["votes"][records["status"] != WITHDRAWN]
    h = state.header[0]
    h["votes"], h["most_votes"] = votes.sum(), votes.max()
    h["unsampled"] = int((votes == 0).sum())
    h["dominant"] = -1
