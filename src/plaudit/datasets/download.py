"""Downloads of contests, cached with pooch, and checked before and after.

A file enters the cache under its final name only when it arrived whole, reads as a
contest summary and, where its hash is known, has that hash. Where no hash is known, the
hash of the download is written beside it, as a pooch registry of one line, and counts
from then on.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from plaudit.datasets.catalogue import SHA256, SOURCE
from plaudit.datasets.summary_file import read_contest, sha256
from plaudit.errors import DataUnavailable
from plaudit.extras import require

TIMEOUT_SECONDS = 30
CHUNK_BYTES = 1 << 15
REASONS = (
    ("Timeout", "no answer in time"),
    ("SSL", "its certificate is not trusted"),
    ("Proxy", "the proxy refused"),
    ("Schema", "not an http address"),
    ("URL", "not an address"),
    ("Connection", "no connection"),
)
OTHERWISE = (
    "Or put the file into a folder and name that folder with --data or PLAUDIT_DATA. "
    "The contest 'synthetic' needs no file."
)


class Progress(Protocol):
    """What shows how far a download is: pooch sets the total and calls the rest."""

    total: int

    def update(self, count: int) -> None:
        """Counts this many more bytes."""

    def reset(self) -> None:
        """Starts again from 0."""

    def close(self) -> None:
        """Done."""


def cache_folder() -> Path:
    """Where downloads are kept: a folder of Plaudit's in the user's cache."""
    return Path(_pooch().os_cache("plaudit")) / "contests"


def fetch(stem: str, *, source: str = SOURCE, progress: Progress | None = None) -> Path:
    """The path of a contest's file in the cache, after its download."""
    path = cache_folder() / f"{stem}.csv"
    with _explained(path, source):
        _download(path, source, progress)
    return cached(path)


def cached(path: Path) -> Path:
    """The path of a file in the cache, after comparing it with its hash."""
    expected = SHA256.get(path.stem) or _recorded(path)
    if expected is None:
        read_contest(path)
        with suppress(OSError):  # a cache that may only be read is checked at each use
            _record(path, sha256(path))
    elif sha256(path) != expected:
        raise DataUnavailable(
            f"The file {path} is not what was downloaded: its SHA-256 should be {expected}. "
            f"Delete it, then run `plaudit data get {path.stem}`."
        )
    return path


def _download(path: Path, source: str, progress: Progress | None) -> None:
    pooch = _pooch()
    known = SHA256.get(path.stem)

    def whole(url: str, target: str, keeper: Any) -> None:
        """Downloads to a file of another name; pooch renames it if nothing is raised."""
        get = pooch.HTTPDownloader(
            progressbar=progress or False, chunk_size=CHUNK_BYTES, timeout=TIMEOUT_SECONDS
        )
        get(url, target, keeper)
        read_contest(Path(target), called=f"What {url} sent")
        digest = sha256(Path(target))
        if known is None:
            _record(path, digest)
        elif digest != known:
            raise DataUnavailable(
                f"What {url} sent is not the {path.name} that Plaudit knows: its SHA-256 is "
                f"{digest}, not {known}. Nothing was kept. Try again. {OTHERWISE}"
            )

    keeper = pooch.Pooch(path.parent, source.rstrip("/") + "/", registry={path.name: known})
    with _quiet(pooch.get_logger()):
        keeper.fetch(path.name, downloader=whole)


@contextmanager
def _explained(path: Path, source: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:  # what requests raises is one, too
        answer = getattr(error, "response", None)
        if answer is not None:
            answer.close()  # pooch leaves it open
        host = urlsplit(source).netloc or source
        raise DataUnavailable(f"{_explain(error, path, host)} {OTHERWISE}") from error


def _explain(error: OSError, path: Path, host: str) -> str:
    failed: Any = import_module("requests.exceptions")  # pooch needs it, so it is there
    if isinstance(error, failed.HTTPError):
        status = error.response.status_code
        if status == 404:
            return f"{host} has no file {path.name} (404). Check the name."
        return f"{host} did not send {path.name} but the answer {status}. Try again later."
    if isinstance(error, failed.ChunkedEncodingError | failed.ContentDecodingError):
        return f"The download of {path.name} from {host} broke off; nothing was kept. Try again."
    if isinstance(error, failed.RequestException):
        reason = next((text for kind, text in REASONS if kind in type(error).__name__), "no answer")
        return f"Cannot reach {host} for {path.name} ({reason}). Check the connection, try again."
    return (
        f"Cannot write to the cache folder {path.parent} ({error.strerror or error}). "
        "Make room, or give yourself the right to write there."
    )


def _registry(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def _record(path: Path, digest: str) -> None:
    _registry(path).write_text(f"{path.name} {digest}\n", encoding="utf-8")


def _recorded(path: Path) -> str | None:
    """The hash written at the download; None if there is no whole one."""
    try:
        name, digest = _registry(path).read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return None
    return digest if name == path.name else None


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Without pooch's notes on standard error: the caller decides what is said."""
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


def _pooch() -> Any:
    require("studies", "Downloads of caption contests", "pooch")
    import pooch

    return pooch
