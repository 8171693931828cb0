"""The fields of a table, each read as text, number, flag or time; mistakes are noted."""

import math
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache

import numpy as np
from numpy.typing import NDArray

from plaudit.datasets.csv_reader import number, shorten
from plaudit.errors import UnknownName
from plaudit.phrase import Phrase, Words, sentence, words_of
from plaudit.service.contest.rules import LONGEST_LINE, LONGEST_TEXT
from plaudit.service.intake.mistakes import Mistakes
from plaudit.service.intake.tree import Listing, Node, Scalar, Table
from plaudit.words import N_

# The most accents that one letter may have; Unicode advises at most 30. The time to sort them
# grows with the square of their number, and everything else waits.
MOST_MARKS = 60
FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
# Tabs and line feeds are text; other control characters and lone surrogates are not.
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")


class Fields:
    """The fields of one table; keys that are not known, or there twice, are noted at once.

    `names` is what messages call a key, where it is no word for those who read them.
    """

    def __init__(
        self,
        table: Table,
        mistakes: Mistakes,
        known: Sequence[str],
        *,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self.mistakes = mistakes
        self._names = names or {}
        self.line = table.line
        self._nodes: dict[str, Node] = {}
        self._lines: dict[str, int | None] = {}
        for key, node in table.pairs:
            if key.text not in known:
                # Searching for the nearest name takes a while, so not for each of a million keys.
                if not mistakes.full:
                    unknown = UnknownName(N_("key"), key.text[:80], known)
                    mistakes.add(key.line, words_of(unknown))
            elif key.text in self._nodes:
                mistakes.add(key.line, _twice(key, self._lines[key.text]))
            else:
                self._nodes[key.text], self._lines[key.text] = node, key.line

    def node(self, key: str) -> Node | None:
        """The value of a key; None if it is missing or empty."""
        node = self._nodes.get(key)
        return None if isinstance(node, Scalar) and node.kind == "nothing" else node

    def line_of(self, key: str) -> int | None:
        """The line of a key, or of the table if the key is missing."""
        return self._lines.get(key, self.line)

    def name_of(self, key: str) -> str:
        """What messages call a key."""
        return self._names.get(key, key)

    def wrong(self, key: str, wanted: Words) -> None:
        """Notes that a key has another kind of value than is wanted."""
        told = N_("{key} must be {wanted}; got {given}.")
        facts = {"key": Phrase(self.name_of(key)), "given": shown(self.node(key))}
        self.mistakes.add(self.line_of(key), Phrase(told, wanted=wanted, **facts))

    def text(self, key: str, *, longest: int = LONGEST_TEXT) -> str:
        """A text in Unicode's composed form, without outer spaces; "" if it is missing."""
        node = self.node(key)
        if node is None:
            return ""
        if not isinstance(node, Scalar) or node.kind not in ("plain", "text"):
            self.wrong(key, Phrase(N_("a text")))
            return ""
        text = clean(node.text)
        if fault := fault_of(text, longest, Phrase(self.name_of(key))):
            self.mistakes.add(self.line_of(key), fault)
        return text

    def number(self, key: str, default: float) -> float:
        """A number; whole numbers are `int`."""
        node = self.node(key)
        if node is None:
            return default
        value = number_of(node)
        if value is None:
            told = N_("a number, with a point before its decimals and no quotation marks")
            self.wrong(key, Phrase(told))
        return default if value is None else value

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        node = self.node(key)
        if node is None:
            return default
        value = None
        if isinstance(node, Scalar) and node.kind in ("plain", "flag"):
            value = FLAGS.get(node.text.lower())
        if value is None:
            self.wrong(key, Phrase(N_("true or false")))
        return default if value is None else value

    def choice(self, key: str, allowed: Sequence[str]) -> str:
        """One of the allowed words; the first one if the key is missing."""
        given = self.text(key)
        if given and given not in allowed:
            self.wrong(key, sentence([Phrase("{word}", word=word) for word in allowed], " or "))
        return given if given in allowed else allowed[0]

    def time(self, key: str) -> int | None:
        """A time with its zone, in milliseconds since 1970; None if it is missing."""
        given = self.text(key, longest=LONGEST_LINE)
        if not given:
            return None
        try:
            moment = datetime.fromisoformat(given)
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            told = N_("a time with its zone, such as 2026-12-01T09:00:00+01:00")
            self.wrong(key, Phrase(told))
            return None
        return round(moment.timestamp() * 1000)

    def texts(self, key: str) -> Iterator[tuple[int | None, str]]:
        """The texts of a list, each with its line; a single text counts as a list of one."""
        node = self.node(key)
        children = node.children if isinstance(node, Listing) else [] if node is None else [node]
        for child in children:
            if isinstance(child, Scalar) and child.kind in ("plain", "text"):
                yield child.line, clean(child.text)
            else:
                self.wrong(key, Phrase(N_("a list of texts")))


def number_of(node: Node) -> float | None:
    """The number that a part of the tree holds, or None.

    >>> number_of(Scalar("1e-3", 1, "plain")), number_of(Scalar("three", 1, "plain"))
    (0.001, None)
    """
    if not isinstance(node, Scalar) or node.kind not in ("plain", "number"):
        return None
    if _WHOLE.fullmatch(node.text):
        return int(node.text)
    value = number(node.text)
    return value if value is not None and math.isfinite(value) else None


def clean(text: str) -> str:
    """The text in Unicode's composed form, with line feeds only and without outer spaces.

    A text that `fault_of` refuses is left unchanged.
    """
    tidy = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    # The composed form has at least a quarter of the length.
    if len(tidy) > 4 * LONGEST_TEXT or is_crowded(tidy):
        return tidy
    return unicodedata.normalize("NFC", tidy)


def is_crowded(text: str) -> bool:
    """Whether a letter of a text has more accents than any script needs.

    >>> is_crowded("e" + 2 * "\u0301"), is_crowded("e" + 100 * "\u0301")
    (False, True)
    """
    if text.isascii() or len(text) <= MOST_MARKS:
        return False
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    marks = _marks()[letters]
    if np.count_nonzero(marks) <= MOST_MARKS:
        return False
    gaps = np.diff(np.flatnonzero(~marks), prepend=-1, append=len(text))
    return int(gaps.max()) > MOST_MARKS + 1


@cache
def _marks() -> NDArray[np.bool_]:
    """For every character: whether its decomposition begins with an accent."""
    marks = np.zeros(sys.maxunicode + 1, dtype=bool)
    # There are none before this range, and none after it.
    marks[0x300:0x20000] = [_is_mark(chr(number)) for number in range(0x300, 0x20000)]
    return marks


def _is_mark(sign: str) -> bool:
    if not unicodedata.decomposition(sign):
        return unicodedata.combining(sign) > 0
    return unicodedata.combining(unicodedata.normalize("NFKD", sign)[0]) > 0


def fault_of(text: str, longest: int, name: Words) -> Phrase | None:
    """Why a text cannot be shown, or None; `name` is what the text is called."""
    if len(text) > longest:
        told = N_("{name} has {count} characters; at most {most} are allowed. Shorten it.")
        return Phrase(told, name=name, count=len(text), most=longest)
    if is_crowded(text):
        told = N_("{name} has a letter with more than {most} accents. Remove some.")
        return Phrase(told, name=name, most=MOST_MARKS)
    if found := FORBIDDEN.search(text):
        told = N_(
            "{name} holds the control character U+{code}, which cannot be shown. Delete it, or "
            "save the file again as UTF-8."
        )
        return Phrase(told, name=name, code=f"{ord(found.group()):04X}")
    return None


def _twice(key: Scalar, first: int | None) -> Phrase:
    """The mistake of a key that is there twice; `first` is the line of the first one."""
    if key.line is None:
        return Phrase(N_("{key} is there already: keep one of the two."), key=key.text)
    told = N_("{key} is there already (line {line}): keep one of the two.")
    return Phrase(told, key=key.text, line=str(first))


def shown(node: Node | None) -> Words:
    """What was given, short enough for a message."""
    if isinstance(node, Listing):
        return Phrase(N_("a list"))
    if isinstance(node, Table):
        return Phrase(N_("a set of keys"))
    if node is None or node.kind == "nothing":
        return Phrase(N_("nothing"))
    return node.text if node.kind in ("number", "flag", "nesting") else shorten(node.text)
