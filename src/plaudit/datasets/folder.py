"""A folder of contest files that someone names, used instead of the network and the cache."""

import os
from pathlib import Path

from plaudit.datasets.catalogue import choose, name_few, plain_name
from plaudit.errors import DataUnavailable

VARIABLE = "PLAUDIT_DATA"

PathLike = str | os.PathLike[str]


def named_folder(data: PathLike | None = None) -> Path | None:
    """The folder that `data` or the variable PLAUDIT_DATA names, or None if neither does."""
    given = os.environ.get(VARIABLE) or None if data is None else data
    if given is None:
        return None
    folder = Path(given).expanduser()
    fault = _fault(folder)
    if fault:
        raise DataUnavailable(
            f"{_described(folder, data)} {fault}. Name a folder with contest summaries, such as "
            "558_LilUCB.csv, or none, to download contests."
        )
    return folder


def _fault(folder: Path) -> str:
    if not folder.is_dir():
        return "is a file, not a folder" if folder.exists() else "does not exist"
    if files_in(folder):
        return ""
    inside = folder / "summaries"
    return "has no CSV files" + (f", but {inside} has" if files_in(inside) else "")


def files_in(folder: Path) -> dict[str, Path]:
    """The CSV files of a folder by their stems, in order; none if it does not exist."""
    return {path.stem: path for path in sorted(folder.glob("*.csv")) if path.is_file()}


def file_in(folder: Path, name: str | int, *, data: PathLike | None = None) -> Path:
    """The file of a contest in a folder; `data` is how the folder was named, if it was."""
    files = files_in(folder)
    stem = choose(name, files)
    if stem is not None:
        return files[stem]
    raise DataUnavailable(
        f"{_described(folder, data)} has no contest {plain_name(name)!r}. It has "
        f"{name_few(files)}. Put the file there, name another folder, or none, to download it."
    )


def _described(folder: Path, data: PathLike | None) -> str:
    return f"The folder {folder}" + (f" (from {VARIABLE})" if data is None else "")
