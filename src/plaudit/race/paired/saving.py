"""A paired race on disk: one NumPy archive without pickles, settings as JSON beside the arrays."""

import json
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from plaudit.errors import InvalidInput
from plaudit.race.paired.settings import PairedSettings
from plaudit.race.saving import opened
from plaudit.scale import Scale

FORMAT = "plaudit paired race 1"

Arrays = dict[str, NDArray[Any]]


def save(
    file: str | Path | BinaryIO, settings: PairedSettings, arrays: Arrays, history: dict[str, Any]
) -> None:
    """Writes what a paired race cannot recompute."""
    about = {"format": FORMAT, "settings": settings.as_dict(), "history": history}
    with opened(file, "wb") as stream:
        whole: dict[str, Any] = {"about": np.array(json.dumps(about)), **arrays}
        np.savez_compressed(stream, **whole)


def read(file: str | Path | BinaryIO) -> tuple[PairedSettings, Arrays, dict[str, Any]]:
    """The settings, arrays and history that `save` wrote."""
    name = file if isinstance(file, str | Path) else getattr(file, "name", "The file")
    try:
        with opened(file, "rb") as stream, np.load(stream, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
        about = json.loads(str(arrays.pop("about")))
        if about["format"] != FORMAT:
            raise ValueError(about["format"])
        fields = about["settings"]
        scale = fields.pop("scale")
        made = Scale(tuple(scale["labels"]), tuple(scale["values"])) if scale else None
        settings = PairedSettings(scale=made, **fields)
    except FileNotFoundError:
        raise InvalidInput(f"There is no saved race at {name}.") from None
    except Exception:
        raise InvalidInput(
            f"{name} is not a paired race saved by this version of Plaudit."
        ) from None
    return settings, arrays, about["history"]
