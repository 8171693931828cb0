"""A contest's settings: what its file says, checked, and kept with its log."""

import re
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct

from plaudit.errors import InvalidInput, UnknownName
from plaudit.race.algorithms import ALGORITHMS
from plaudit.race.goals import ALL_GOOD_GOAL, GOALS, TOP_GOAL
from plaudit.scale import MAX_LEVELS, Scale
from plaudit.store.log import NONE

NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_PORT = r"(?::[0-9]{1,5})?"
ORIGIN = re.compile(
    rf"https://{_LABEL}(?:\.{_LABEL})*{_PORT}|http://(?:localhost|127\.0\.0\.1){_PORT}"
)
# The lane of votes on items drawn uniformly; algorithms are lanes 0, 1, 2, …
UNIFORM = NONE
AUTOMATIC = "auto"
STATES = DRAFT, OPEN, PAUSED, CLOSED, RETIRED = "draft", "open", "paused", "closed", "retired"
# Why a rater may flag an item.
REASONS = ("offensive", "duplicate", "unreadable", "other")

Text = Annotated[str, Meta(max_length=20_000)]
Line = Annotated[str, Meta(max_length=300)]
Share = Annotated[float, Meta(ge=0.0, le=1.0)]


class Level(Struct, frozen=True):
    """A label that a rater may choose, and its value in [0, 1]."""

    label: Line
    value: float


class Lane(Struct, frozen=True):
    """An algorithm that takes part, and its share of the asks (shares are relative)."""

    algorithm: str
    share: float = 1.0


class Context(Struct, frozen=True):
    """What the items are about: a text, a picture (hash of an asset) or both."""

    text: Text = ""
    image: str = ""
    alt: Line = ""


class ContestSettings(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Everything that a contest was set up with. Times are milliseconds since 1970, UTC."""

    title: Line
    scale: tuple[Level, ...]
    lanes: tuple[Lane, ...]
    context: Context = Context()
    delta: float = 0.01
    epsilon: float = 0.0
    top: int = 1
    goal: str = TOP_GOAL
    seed: int = 0
    uniform: Share = 0.0
    consent: Text = ""
    instructions: Text = ""
    votes_per_visit: int = 0
    thanks: Text = ""
    completion_code: Line = ""
    return_url: str = ""
    opens: int | None = None
    closes: int | None = None
    skip: bool = True
    flag: bool = True
    public_results: bool = True
    listed: bool = True
    embed: tuple[str, ...] = ()

    @property
    def shares(self) -> tuple[float, ...]:
        """The part of all votes that each race hears of: its own, and those on random items."""
        whole = sum(lane.share for lane in self.lanes)
        return tuple(
            self.uniform + (1.0 - self.uniform) * lane.share / whole for lane in self.lanes
        )

    def __post_init__(self) -> None:
        if not self.title.strip():
            raise InvalidInput("The contest has no title: give it one.")
        if not 2 <= len(self.scale) <= MAX_LEVELS:
            raise InvalidInput(f"A scale has 2 to {MAX_LEVELS} labels; got {len(self.scale)}.")
        if self.goal not in GOALS:
            raise UnknownName("goal", self.goal, GOALS)
        if not self.lanes:
            raise InvalidInput("The contest has no algorithm: name at least one.")
        for lane in self.lanes:
            if lane.algorithm not in ALGORITHMS:
                raise UnknownName("algorithm", lane.algorithm, ALGORITHMS)
            if not lane.share > 0.0:
                raise InvalidInput(f"The share of {lane.algorithm} must be above 0.")
        if len({lane.algorithm for lane in self.lanes}) < len(self.lanes):
            raise InvalidInput("An algorithm is named twice: each takes part once.")
        if self.uniform >= 1.0:
            raise InvalidInput("uniform must be below 1, or no algorithm would ever ask.")
        if self.votes_per_visit < 0:
            raise InvalidInput("votes_per_visit must be at least 1, or left out for no limit.")
        if self.opens is not None and self.closes is not None and self.closes <= self.opens:
            raise InvalidInput("The contest closes before it opens: correct one of the times.")
        # These end up in headers and links, whichever way the settings came here.
        for origin in self.embed:
            if not ORIGIN.fullmatch(origin):
                raise InvalidInput(
                    f"embed names sites such as https://example.org; got {origin[:80]!r}."
                )
        if self.return_url and not is_link(self.return_url):
            raise InvalidInput(
                f"return_url must start with https:// or http://; got {self.return_url[:80]!r}."
            )
        _ = self.race_scale

    @property
    def wants_all_good(self) -> bool:
        """Whether it is for all items within epsilon of the best, and not for the best `top`."""
        return self.goal == ALL_GOOD_GOAL

    @property
    def purpose(self) -> str:
        """What the contest is for, in words."""
        if self.wants_all_good:
            return f"for all items within {self.epsilon:.12g} of the best"
        return f"for the best {self.top}"

    @property
    def race_scale(self) -> Scale:
        """The scale as the races know it."""
        labels = tuple(level.label for level in self.scale)
        return Scale(labels, tuple(level.value for level in self.scale))

    def to_json(self) -> str:
        """The settings as JSON, in one way only, since the log's chain begins with them."""
        return msgspec.json.encode(self, order="deterministic").decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> "ContestSettings":
        """The settings that `to_json` wrote."""
        return msgspec.json.decode(text, type=cls)


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


def check_name(name: str) -> str:
    """The name, if it may stand in a link; an error that says what is allowed otherwise."""
    if not NAME.fullmatch(name):
        raise InvalidInput(
            f"{name!r} cannot be a contest's name: use 1 to 64 small letters, digits and "
            "hyphens, such as 'office-elephant'."
        )
    return name
