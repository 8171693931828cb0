"""Caption contests by name: from a folder, from the cache, from the network, or built in.

The folder that `data` names is used alone. Without it the folder in the variable
PLAUDIT_DATA is, and without that the cache, which is filled from the public data set.
"""

from dataclasses import dataclass
from pathlib import Path

from plaudit.datasets import download as downloads
from plaudit.datasets.catalogue import SOURCE, STEMS, SYNTHETIC, number_of, plain_name, public_stem
from plaudit.datasets.folder import PathLike, file_in, files_in, named_folder
from plaudit.datasets.summary_file import read_contest
from plaudit.datasets.synthetic import synthetic_contest
from plaudit.datasets.table import VoteTable
from plaudit.errors import DataUnavailable, InvalidInput

FOLDER, CACHE, DOWNLOAD, BUILT_IN = "folder", "cache", "download", "built in"


@dataclass(frozen=True)
class Contest:
    """A contest that can be loaded by its `stem`.

    `where` is folder, cache, download or built in; `path` is its file, if that is
    on this machine; `number` the contest's, if it has one.
    """

    stem: str
    where: str
    path: Path | None = None

    @property
    def number(self) -> int | None:
        """The contest's number, if it has one."""
        return number_of(self.stem)


def load_contest(
    name: str | int, *, data: PathLike | None = None, source: str = SOURCE
) -> VoteTable:
    """The votes of a contest: a number (558), a file's stem ("512_LilUCB") or "synthetic".

    The public files have two forms, with and without the column `rank`; both are read. A contest
    that is neither in the folder nor in the cache is downloaded.

    >>> load_contest("synthetic").items[0]
    'Caption 0001'
    """
    if _is_synthetic(name):
        return synthetic_contest()
    return read_contest(find_contest(name, data=data, source=source))


def find_contest(
    name: str | int,
    *,
    data: PathLike | None = None,
    download: bool = True,
    source: str = SOURCE,
    progress: downloads.Progress | None = None,
) -> Path:
    """The file of a contest, after a download if need be and `download` allows it.

    A file from the cache is compared with its hash first. `source` is the address of
    the folder with the files; `progress` shows how far a download is.
    """
    path = contest_path(name, data=data)
    if named_folder(data) is not None:
        return path
    if path.is_file():
        return downloads.cached(path)
    if download:
        return downloads.fetch(path.stem, source=source, progress=progress)
    raise DataUnavailable(
        f"Contest {path.stem} is not in the cache folder {path.parent}. Download it with "
        f"`plaudit data get {path.stem}`. {downloads.OTHERWISE}"
    )


def contest_path(name: str | int, *, data: PathLike | None = None) -> Path:
    """Where the file of a contest is, or will be in the cache; only the name is checked."""
    if _is_synthetic(name):
        raise InvalidInput(
            f"The contest {SYNTHETIC!r} has no file: it is made where it is loaded, by that name."
        )
    folder = named_folder(data)
    if folder is not None:
        return file_in(folder, name, data=data)
    return downloads.cache_folder() / f"{public_stem(name)}.csv"


def list_contests(*, data: PathLike | None = None) -> tuple[Contest, ...]:
    """The contests that can be loaded, in the order of their numbers."""
    folder = named_folder(data)
    if folder is not None:
        known = {stem: Contest(stem, FOLDER, path) for stem, path in files_in(folder).items()}
    else:
        known = {stem: Contest(stem, DOWNLOAD) for stem in STEMS}
        for stem, path in files_in(downloads.cache_folder()).items():
            known[stem] = Contest(stem, CACHE, path)
    ordered = sorted(known.values(), key=lambda contest: (contest.number or 0, contest.stem))
    return (*ordered, Contest(SYNTHETIC, BUILT_IN))


def data_folder(*, data: PathLike | None = None) -> Path:
    """The folder in use: the one that is named, or the cache."""
    return named_folder(data) or downloads.cache_folder()


def _is_synthetic(name: str | int) -> bool:
    return plain_name(name).casefold() == SYNTHETIC
