"""What a setting of a contest may be.

Each rule stands here once. Contest files, forms, the API and `ContestSettings` itself apply it and
give the same message.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from inspect import signature
from typing import Any, Protocol
from urllib.parse import urlsplit

from plaudit.bounds import Bets
from plaudit.datasets.csv_reader import shorten
from plaudit.errors import InvalidInput, UnknownName
from plaudit.phrase import Phrase
from plaudit.race import Race
from plaudit.race.algorithms import ALGORITHMS
from plaudit.race.settings import MAX_ITEMS, Settings, method_of
from plaudit.service.contest.proposals import OFF
from plaudit.words import N_

LONGEST_LINE = 300
LONGEST_TEXT = 20_000
LONGEST_LINK = 2_000
MOST_VOTES_PER_VISIT = 1_000_000
LARGEST_SHARE = 1e9
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_PORT = r"(?::[0-9]{1,5})?"
ORIGIN = re.compile(
    rf"https://{_LABEL}(?:\.{_LABEL})*{_PORT}|http://(?:localhost|127\.0\.0\.1){_PORT}"
)
# What a race is like unless it is told otherwise.
RACE_DEFAULTS: dict[str, Any] = {
    name: given.default
    for name, given in signature(Race).parameters.items()
    if given.default is not given.empty
}


class Rule(Protocol):
    """Something that a value must satisfy."""

    def check(self, name: str, value: Any) -> None:
        """Raises `InvalidInput` if the value is not allowed; `name` is what people call it."""


@dataclass(frozen=True)
class Must:
    """A value must be what `wanted` says, which is the template of a phrase."""

    wanted: str
    allows: Callable[[Any], bool]

    def check(self, name: str, value: Any) -> None:
        """Raises `InvalidInput` if the value is not allowed."""
        if self.allows(value):
            return
        facts = {"key": Phrase(name), "wanted": Phrase(self.wanted)}
        if isinstance(value, tuple):
            raise InvalidInput(Phrase(N_("{key} must be {wanted}."), **facts))
        given = shorten(value) if isinstance(value, str) else str(value)
        raise InvalidInput(Phrase(N_("{key} must be {wanted}; got {given}."), given=given, **facts))


@dataclass(frozen=True)
class RaceTakes:
    """A value must be one that a race takes as this argument; the race's own message says why."""

    argument: str

    def check(self, name: str, value: Any) -> None:
        """Raises the `InvalidInput` of a race that refuses the value."""
        _check_argument(self.argument, value)


@dataclass(frozen=True)
class LearnedBets:
    """A text must be one that `plaudit learn` wrote."""

    def check(self, name: str, value: Any) -> None:
        """Raises the `InvalidInput` that says what is wrong with the text."""
        Bets.from_json(value)


# Settings are read again and again with the same numbers. Typed: 1.0 is not a whole number.
@lru_cache(maxsize=256, typed=True)
def _check_argument(argument: str, value: float) -> None:
    race_settings({argument: value})


def race_settings(given: dict[str, Any]) -> Settings:
    """The settings of a race, for any number of items unless one is given; checked by the race."""
    return Settings(**{"items": MAX_ITEMS} | RACE_DEFAULTS | given)


def check_race(given: dict[str, Any]) -> None:
    """Raises `InvalidInput` if no race can do what these settings ask for together."""
    method_of(race_settings(given))


def one_of(words: tuple[str, ...]) -> Must:
    """The value is one of these words.

    >>> one_of(("public", "private")).wanted
    'public or private'
    """
    return Must(" or ".join(words), lambda value: value in words)


SHARE_OF_VOTES = Must(
    N_("a share from 0 to below 1, such as 0.1"), lambda value: 0.0 <= value < 1.0
)
# A share of half of the raters or more leaves nothing to rely on.
DISHONEST_RATERS = Must(
    N_("a whole number of raters, such as 3, or a share of them below 50 %, such as 1 %"),
    lambda value: 0.0 <= value < 0.5 or (value >= 1.0 and value == int(value) <= MAX_ITEMS),
)
VISIT_LIMIT = Must(
    N_("a whole number of at least 1, or left out for no limit"),
    lambda value: isinstance(value, int) and 1 <= value <= MOST_VOTES_PER_VISIT,
)
FEW_PROPOSALS = Must(
    N_("a whole number from 1 to 100"), lambda value: isinstance(value, int) and 1 <= value <= 100
)
MANY_PROPOSALS = Must(
    N_("a whole number from 1 to 1000"), lambda value: isinstance(value, int) and 1 <= value <= 1000
)
RESULTS = Must(
    "end or after-visit or always or never",
    lambda value: isinstance(value, bool) or value in ("end", "after-visit"),
)
WEB_LINK = Must(
    N_("a link that starts with https:// or http://"),
    lambda value: len(value) <= LONGEST_LINK and is_link(value),
)
SOME_ALGORITHM = Must(N_("names with shares, such as {{plaudit: 0.7, lil-klucb: 0.3}}"), bool)
DIFFERENT_ALGORITHMS = Must(
    N_("names that differ: each algorithm takes part once"),
    lambda lanes: len({lane.algorithm for lane in lanes}) == len(lanes),
)


def is_link(text: str) -> bool:
    """Whether a text is a web address that may stand in a page.

    >>> is_link("https://example.org/done?id=1"), is_link("javascript:alert(1)")
    (True, False)
    """
    try:
        parts = urlsplit(text)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    return sound and not re.search(r'[\x00-\x20\x7f\s"<>\\]', text)


def check_site(origin: str) -> None:
    """Raises `InvalidInput` if a site may not stand in the header that allows frames."""
    if not ORIGIN.fullmatch(origin):
        told = N_(
            "embed names sites that may show the contest, such as https://example.org (or "
            "http://localhost:8000), without a path; got {given}."
        )
        raise InvalidInput(Phrase(told, given=shorten(origin)))


def check_lane(algorithm: str, share: float | None) -> None:
    """Raises `InvalidInput` if there is no such algorithm, or its share is no number above 0."""
    if algorithm not in ALGORITHMS:
        raise UnknownName(N_("algorithm"), algorithm, ALGORITHMS)
    if share is None or not 0.0 < share < LARGEST_SHARE:
        told = N_("The share of {algorithm} must be a number above 0, such as 0.7.")
        raise InvalidInput(Phrase(told, algorithm=algorithm))


def check_late_items(proposals: str, algorithms: Iterable[str]) -> None:
    """Raises `InvalidInput` if raters propose and an algorithm is proven for a fixed set only."""
    for algorithm in algorithms:
        if proposals != OFF and not _lets_items_join(algorithm):
            told = N_(
                "proposals must be off with {algorithm}, which is proven for a fixed set of items. "
                "Choose another algorithm, such as plaudit."
            )
            raise InvalidInput(Phrase(told, algorithm=algorithm))


@lru_cache(maxsize=64)
def _lets_items_join(algorithm: str) -> bool:
    return method_of(race_settings({"algorithm": algorithm})).accepts_changes


def check_times(opens: int | None, closes: int | None, name: str = "closes") -> None:
    """Raises `InvalidInput` if a contest closes before it opens."""
    if opens is not None and closes is not None and closes <= opens:
        raise InvalidInput(Phrase(N_("{key} must be later than opens."), key=Phrase(name)))
