"""The mistakes in what was typed or uploaded, collected so that all are shown at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from plaudit.errors import InvalidInput, VoteFileError
from plaudit.phrase import Phrase, Words, Writer, sentence, words_of
from plaudit.words import N_

MOST_SHOWN = 20
# Enough for any person; a file of a million bad lines must not fill the memory.
MOST_KEPT = 1_000


class Mistake(NamedTuple):
    """What is wrong and where: `line` counts from 1, or is None; `file` may be empty."""

    line: int | None
    words: Words
    file: str = ""

    @property
    def message(self) -> str:
        """What is wrong, without the place, for programs."""
        return str(self.words)

    @property
    def phrase(self) -> Phrase:
        """What is wrong, with its place."""
        facts = {"file": self.file, "line": str(self.line), "words": self.words}
        if self.file and self.line is not None:
            return Phrase(N_("{file}, line {line}: {words}"), **facts)
        if self.line is not None:
            return Phrase(N_("Line {line}: {words}"), **facts)
        return Phrase(N_("{file}: {words}") if self.file else "{words}", **facts)

    def written(self, writer: Writer) -> str:
        """The mistake, for one reader."""
        return self.phrase.written(writer)

    def __str__(self) -> str:
        return str(self.phrase)


class ContestFileError(InvalidInput):
    """A contest file that cannot be used; `mistakes` are all that were found."""

    def __init__(self, mistakes: tuple[Mistake, ...]) -> None:
        self.mistakes = mistakes
        shown = [mistake.phrase for mistake in mistakes[:MOST_SHOWN]]
        if len(mistakes) > MOST_SHOWN:
            more = len(mistakes) - MOST_SHOWN
            shown.append(Phrase(N_("… and {count} more like these."), count=more))
        super().__init__(sentence(shown, "\n"))


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

    def add(self, line: int | None, words: Words, *, file: str | None = None) -> None:
        """Notes a mistake, in the contest file itself unless another file is named."""
        if not self.full:
            self.found.append(Mistake(line, words, self.file if file is None else file))

    @contextmanager
    def noting(self, line: int | None, *, file: str | None = None) -> Iterator[None]:
        """Notes an error that is raised inside, and goes on after it."""
        try:
            yield
        except VoteFileError as error:
            self.add(line if error.line is None else error.line, error.words, file=file)
        except InvalidInput as error:
            self.add(line, words_of(error), file=file)

    def raise_if_any(self) -> None:
        """Raises all mistakes at once, in the order of their lines within each file."""
        if self.found:
            # A stable sort: files stay in the order of their first mistake.
            files = list(dict.fromkeys(mistake.file for mistake in self.found))
            self.found.sort(key=lambda one: (files.index(one.file), one.line or 0))
            raise ContestFileError(tuple(self.found))
