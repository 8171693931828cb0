"""The pictures that a contest names: files on an editor's disk, or hashes of uploads."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from plaudit.errors import InvalidInput
from plaudit.phrase import Phrase, Words, words_of
from plaudit.service.accounts.sessions import LONGEST_MS
from plaudit.service.intake.images.checking import MAX_BYTES, check_image, too_large
from plaudit.service.intake.mistakes import Mistakes
from plaudit.store.contract import Asset, PictureStore
from plaudit.words import N_

# All pictures of a contest are in memory at once while it is set up.
MAX_TOTAL_BYTES = 500_000_000
# A picture that no contest uses is kept for as long as a session can last: whoever sends a form
# that names it was signed in when it was uploaded or last named.
HELD_MS = LONGEST_MS
_HASH = re.compile(r"[0-9a-f]{64}")


class FolderPictures:
    """Picture files, named by their paths from a folder; each file is read once."""

    def __init__(self, folder: Path, mistakes: Mistakes) -> None:
        self.assets: dict[str, Asset] = {}
        self._folder = folder
        self._mistakes = mistakes
        self._hashes: dict[str, str] = {}
        self._bytes = 0

    def hash_of(self, named: str, line: int | None, *, file: str | None = None) -> str:
        """The hash of a picture file; "" if none is named or it cannot be used."""
        if not named or named in self._hashes:
            return self._hashes.get(named, "")
        self._hashes[named] = ""
        with self._mistakes.noting(line, file=file):
            self._hashes[named] = self._read(named)
        return self._hashes[named]

    def _read(self, named: str) -> str:
        body = _body(self._folder / named, named)
        try:
            media_type = check_image(body)
        except InvalidInput as error:
            raise InvalidInput(_of_file(named, words_of(error))) from None
        hash_ = hashlib.sha256(body).hexdigest()
        if hash_ not in self.assets:
            self._bytes += len(body)
        if self._bytes > MAX_TOTAL_BYTES:
            told = N_(
                "The pictures up to {file} have more than {most} MB together. Make them smaller: a "
                "page shows them a few hundred pixels wide."
            )
            raise InvalidInput(Phrase(told, file=named, most=MAX_TOTAL_BYTES // 10**6))
        self.assets[hash_] = Asset(hash_, media_type, body)
        return hash_


class UploadedPictures:
    """Pictures that are in the store already, named by their hashes."""

    def __init__(self, mistakes: Mistakes, *, is_there: Callable[[str], bool]) -> None:
        self.assets: dict[str, Asset] = {}
        self._mistakes = mistakes
        self._is_there = is_there

    def hash_of(self, named: str, line: int | None, *, file: str | None = None) -> str:
        """The hash itself; "" if none is named or the store has no such picture."""
        if not named:
            return ""
        if _HASH.fullmatch(named) and self._is_there(named):
            return named
        told = N_(
            "There is no picture {name!r} here. Upload it first, and name it by the hash (64 "
            "hexadecimal digits) that the upload returns."
        )
        self._mistakes.add(line, Phrase(told, name=named[:80]), file=file)
        return ""


Pictures = FolderPictures | UploadedPictures


def hashes_in(text: str) -> set[str]:
    """Everything in a text that may be the hash of a picture."""
    return set(_HASH.findall(text))


def drop_pictures(store: PictureStore, clock: Callable[[], int]) -> int:
    """Deletes the pictures that no contest uses and no form can name; returns how many."""
    return store.drop_assets(before=clock() - HELD_MS)


def _body(path: Path, named: str) -> bytes:
    try:
        if (size := path.stat().st_size) > MAX_BYTES:
            raise InvalidInput(_of_file(named, too_large(size)))
        return path.read_bytes()
    except FileNotFoundError:
        told = N_("There is no picture {file}; paths start at the folder of the contest file.")
        words = Phrase(told, file=named)
    except (OSError, ValueError) as error:  # ValueError: a NUL inside the path
        if isinstance(error, InvalidInput):
            raise
        reason = getattr(error, "strerror", "") or error
        words = Phrase(N_("Cannot read the picture {file} ({reason})."), file=named, reason=reason)
    raise InvalidInput(words)


def _of_file(named: str, words: Words) -> Phrase:
    return Phrase(N_("{file}: {words}"), file=named, words=words)
