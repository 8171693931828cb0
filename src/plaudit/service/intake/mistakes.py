"""The mistakes of a contest file, collected, so that all are told at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from plaudit.errors import InvalidInput, VoteFileError

MOST_SHOWN = 20
# Enough for any person; a file of a million bad lines must not fill the memory.
MOST_KEPT = 1_000


class Mistake(NamedTuple):
    """What is wrong and where: `line` counts from 1, or is None; `file` may be empty."""

    line: int | None
    message: str
    file: str = ""

    def __str__(self) -> str:
        places = [self.file] if self.file else []
        if self.line is not None:
            places.append(f"line {self.line}" if self.file else f"Line {self.line}")
        return f"{', '.join(places)}: {self.message}" if places else self.message


class ContestFileError(InvalidInput):
    """A contest file that cannot be used; `mistakes` are all that were found."""

    def __init__(self, mistakes: tuple[Mistake, ...]) -> None:
        self.mistakes = mistakes
        shown = [str(mistake) for mistake in mistakes[:MOST_SHOWN]]
        if len(mistakes) > MOST_SHOWN:
            shown.append(f"… and {len(mistakes) - MOST_SHOWN} more like these.")
        super().__init__("\n".join(shown))


class Mistakes:
    """A list of mistakes that grows while a file is read."""

    def __init__(self, file: str = "") -> None:
        self.file = file
        self.found: list[Mistake] = []

    def __len__(self) -> int:
        return len(self.found)

    @property
    def full(self) -> bool:
        """Whether no more mistakes are kept."""
        return len(self.found) >= MOST_KEPT

    def add(self, line: int | None, message: str, *, file: str | None = None) -> None:
        """Notes a mistake, in the contest file itself unless another is named."""
        if not self.full:
            self.found.append(Mistake(line, message, self.file if file is None else file))

    @contextmanager
    def noting(self, line: int | None, *, file: str | None = None) -> Iterator[None]:
        """Notes what is refused inside, and goes on after it."""
        try:
            yield
        except VoteFileError as error:
            told = str(error)
            if error.line is not None:
                line, told = error.line, told.removeprefix(f"Line {error.line}: ")
            self.add(line, told, file=file)
        except InvalidInput as error:
            self.add(line, str(error), file=file)

    def raise_if_any(self) -> None:
        """Raises all that were noted, those of the contest file in the order of its lines."""
        if self.found:
            # A stable sort: within one file by line, files in the order of their first mistake.
            files = list(dict.fromkeys(mistake.file for mistake in self.found))
            self.found.sort(key=lambda one: (files.index(one.file), one.line or 0))
            raise ContestFileError(tuple(self.found))
