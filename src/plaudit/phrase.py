"""Sentences that carry their facts, and are written out where a person or a program reads them.

A phrase is an English template and the facts that fill it. Code that needs a fact reads it from the
phrase; no code takes a sentence apart. An item is written as its id, the same for programs and
people (docs/decisions/an-item-has-one-id.md).
"""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias

from plaudit.words import N_, Plural

Translate = Callable[[str], str]
# More items or raters than this are given as a number, not as a list.
MOST_NAMED = 12


ITEM_ID = r"^[iI][1-9][0-9]{0,9}$"


def _english_form(one: str, other: str, n: int) -> str:
    return one if n == 1 else other


def _english_number(value: Any) -> str:
    return f"{value:,}"


class Writer(NamedTuple):
    """How to write a phrase for a reader: the language."""

    translate: Translate = str
    # The form of a text that fits a number.
    plural: Callable[[str, str, int], str] = _english_form
    # A whole number, or one with decimal places.
    number: Callable[[Any], str] = _english_number


PROGRAMS = Writer()
PEOPLE = Writer()


def item_id(position: int) -> str:
    """The id of an item, which people and programs see: `i1` is the first, at position 0.

    The letter keeps it from being taken for a position, which the log counts from 0.

    >>> item_id(0), item_id(41)
    ('i1', 'i42')
    """
    return f"i{position + 1}"


def position_of(item: int | str) -> int:
    """The position of an item in the log, from its id or its position; `ValueError` otherwise.

    >>> position_of("i42"), position_of("I42"), position_of(41), position_of("41")
    (41, 41, 41, 41)
    """
    if isinstance(item, int) or re.fullmatch("[0-9]{1,10}", item):
        return int(item)
    if re.match(ITEM_ID, item):
        return int(item[1:]) - 1
    raise ValueError(item)


class Figure(str):
    """A number as programs read it, such as 0.05; people see it as their language writes it.

    >>> print(Figure("1500.25"), Figure("1500.25").written(PEOPLE))
    1500.25 1,500.25
    """

    def written(self, writer: Writer) -> str:
        """The number as the reader sees it."""
        return str(self) if writer is PROGRAMS else writer.number(Decimal(self))


class Item(int):
    """The position of an item in the log, written as its id."""

    def written(self, writer: Writer) -> str:
        """The id of the item."""
        return item_id(self)


class Numbered(tuple[int, ...]):
    """Numbers of raters or items; `forms` has the words for one, for a few and for many."""

    forms = (N_("rater {one}"), N_("raters {several} and {one}"), N_("{count} raters"))

    def shown(self, number: int, writer: Writer) -> str:
        """One of the numbers, as the reader sees it."""
        return str(number)

    def written(self, writer: Writer) -> str:
        """All of them in words.

        >>> Items([3]).written(PROGRAMS), Items([3, 7, 9]).written(PROGRAMS)
        ('item i4', 'items i4, i8 and i10')
        >>> Items(range(50)).written(PROGRAMS)
        '50 items'
        >>> Items([]).written(PROGRAMS)
        '0 items'
        """
        one, few, many = self.forms
        if not self or len(self) > MOST_NAMED:
            return writer.translate(many).format(count=writer.number(len(self)))
        names = [self.shown(number, writer) for number in self]
        form = one if len(names) == 1 else few
        several, last = ", ".join(names[:-1]), names[-1]
        return writer.translate(form).format(several=several, one=last)


class Raters(Numbered):
    """Raters by number."""


class Items(Numbered):
    """Items by position in the log, written as ids."""

    forms = (N_("item {one}"), N_("items {several} and {one}"), N_("{count} items"))

    def shown(self, number: int, writer: Writer) -> str:
        """The id of an item."""
        return Item(number).written(writer)


class Phrase:
    """A template and its facts; the template may be a pair of forms that a number decides between.

    >>> merged = Phrase("merged {old} into item {new}", old=Items([0, 7]), new=Item(12))
    >>> str(merged)
    'merged items i1 and i8 into item i13'
    """

    __slots__ = ("facts", "template")

    def __init__(self, template: str | Plural, /, **facts: Any) -> None:
        self.template = template
        self.facts = facts

    def written(self, writer: Writer) -> str:
        """The sentence as one reader sees it."""
        facts = {name: _written(fact, writer) for name, fact in self.facts.items()}
        if isinstance(self.template, Plural):
            return writer.plural(*self.template).format(**facts)
        # gettext takes an empty text for the head of a catalogue.
        template = self.template and writer.translate(self.template)
        return template.format(**facts)

    def __str__(self) -> str:
        return self.written(PROGRAMS)

    def __repr__(self) -> str:
        return f"Phrase({self.template!r}, **{self.facts!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Phrase):
            return NotImplemented
        return self.template == other.template and self.facts == other.facts

    def __hash__(self) -> int:
        return hash(self.template)


# What a message may be: a phrase, or plain text that only programs and terminals show.
Words: TypeAlias = Phrase | str


def words_of(error: Exception) -> Words:
    """What an error says: its phrase, or its text where it has none.

    >>> words_of(ValueError(Phrase("There are {count} items.", count=3))).facts
    {'count': 3}
    """
    said = error.args[0] if error.args else ""
    return said if isinstance(said, Phrase) else str(error)


def sentence(phrases: Sequence[Phrase], joint: str = " and ") -> Phrase:
    """Several phrases joined into one."""
    names = [f"part_{place}" for place in range(len(phrases))]
    template = joint.join(f"{{{name}}}" for name in names)
    return Phrase(template, **dict(zip(names, phrases, strict=True)))


def written(words: object, writer: Writer) -> str:
    """A phrase, an error with one, or a plain text, for one reader."""
    return _written(words_of(words) if isinstance(words, Exception) else words, writer)


def _written(fact: Any, writer: Writer) -> str:
    if hasattr(fact, "written"):
        return str(fact.written(writer))
    return writer.number(fact) if type(fact) is int else str(fact)
