"""The wire formats of the API: what comes in and what goes out, checked by msgspec."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

TicketText = Annotated[str, Meta(min_length=1, max_length=80, description="A ticket from `ask`.")]


class In(Struct, forbid_unknown_fields=True):
    """A request's body."""


class NewRater(In):
    """Who the rater is to someone else, such as a panel; left out for anybody."""

    external: Annotated[str, Meta(min_length=1, max_length=200)] | None = None


class Ask(In):
    """What a rater asks for."""

    count: Annotated[int, Meta(ge=1, le=10)] = 1
    visit: Annotated[int, Meta(ge=1, le=1_000_000)] = 1
    consent: bool = False
    holding: Annotated[list[TicketText], Meta(max_length=20)] = []


class Vote(In):
    """A vote: the ticket, and the place of the chosen label on the scale, from 0."""

    ticket: TicketText
    level: Annotated[int, Meta(ge=0, le=63)]
    response_ms: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None


class Skip(In):
    """An item that the rater will not judge."""

    ticket: TicketText
    response_ms: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None


class Flag(In):
    """An item that someone should look at, and why."""

    ticket: TicketText
    reason: Annotated[str, Meta(pattern="^(offensive|duplicate|unreadable|other)$")] = "other"
    response_ms: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None


class NewItem(In):
    """An item to add: a text, a picture (by its hash) or both."""

    text: Annotated[str, Meta(max_length=2000)] = ""
    image: Annotated[str, Meta(pattern="^([0-9a-f]{64})?$")] = ""


class NewContext(In):
    """What the items are about; a picture by the hash of its upload."""

    text: str | None = None
    image: str | None = None
    alt: str | None = None


class NewContest(In):
    """The keys of a contest file; docs/live/first-contest.md says what they mean."""

    title: str
    items: list[str | NewItem]
    name: str | None = None
    context: str | NewContext | None = None
    duplicates: Literal["drop", "keep", "error"] | None = None
    scale: str | dict[str, float] | None = None
    delta: float | None = None
    epsilon: float | None = None
    top: int | None = None
    algorithm: str | None = None
    algorithms: dict[str, float] | list[str] | None = None
    uniform: float | None = None
    consent: str | None = None
    instructions: str | None = None
    votes_per_visit: int | None = None
    thanks: str | None = None
    completion_code: str | None = None
    return_url: str | None = None
    opens: str | None = None
    closes: str | None = None
    skip: bool | None = None
    flag: bool | None = None
    results: Literal["public", "private"] | None = None
    listed: bool | None = None
    embed: list[str] | str | None = None
    seed: int | None = None


class Step(In):
    """A step in a contest's life."""

    step: Annotated[str, Meta(pattern="^(open|pause|close|reopen|retire|unretire)$")]


class NewItems(In):
    """Items to add."""

    items: Annotated[list[NewItem], Meta(min_length=1, max_length=100_000)]


class ItemNumbers(In):
    """Items by number."""

    items: Annotated[
        list[Annotated[int, Meta(ge=0, le=2**31)]], Meta(min_length=1, max_length=100_000)
    ]


class RaterHash(In):
    """A rater, as exports show one."""

    rater: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]


class RaterToken(Struct):
    """What the rater sends as `X-Plaudit-Rater`, or as the cookie that comes with it."""

    rater: str


class ShownItem(Struct):
    """An item to show, and the ticket to answer it with."""

    item: int
    text: str
    image: str
    ticket: str


class VisitEnd(Struct):
    """Why there is no item: `visit`, `all_seen` or `decided`."""

    reason: str
    thanks: str
    code: str
    return_url: str
    more: bool


class Asked(Struct):
    """The items to show now, oldest first; the same ones until they are answered."""

    items: list[ShownItem]
    answered: int
    of: int | None
    end: VisitEnd | None


class Recorded(Struct):
    """What is in the log, on disk: for a replay, the first answer."""

    item: int
    level: int | None
    answered: int


class ShownContext(Struct):
    """What the items are about."""

    text: str
    image: str
    alt: str


class ShownLevel(Struct):
    """A label of the scale and its value in [0, 1]."""

    label: str
    value: float


class ShownContest(Struct):
    """A contest as raters see it."""

    name: str
    title: str
    state: str
    taking_answers: bool
    context: ShownContext
    scale: list[ShownLevel]
    items: int
    consent: str
    instructions: str
    votes_per_visit: int
    skip: bool
    flag: bool
    public_results: bool
    opens: int | None
    closes: int | None


class Leader(Struct):
    """An item with the interval that the verdict uses."""

    item: int
    text: str
    image: str
    votes: int
    mean: float | None
    lower: float
    upper: float
    standing: str


class LaneResults(Struct):
    """How far one algorithm is."""

    algorithm: str
    votes: int
    decided: bool
    delta: float | None
    gap: float
    winners: list[int]
    sentence: str
    leaders: list[Leader]


class Results(Struct):
    """The results of a contest at a position of its log."""

    contest: str
    title: str
    state: str
    position: int
    votes: int
    raters: int
    items: int
    skips: int
    flags: int
    delta: float
    epsilon: float
    top: int
    lanes: list[LaneResults]


class ContestLine(Struct):
    """A contest in a list."""

    name: str
    title: str
    state: str
    items: int
    votes: int
    position: int
    epoch: int
    decided: bool


class ContestList(Struct):
    """All contests."""

    contests: list[ContestLine]


class Done(Struct):
    """A step that is in the log: where, and how the contest stands after it."""

    contest: str
    position: int
    state: str
    notes: list[str] = []


class AssetHash(Struct):
    """A picture that was kept."""

    hash: str
    media_type: str


class Verdicts(Struct):
    """The certificates of a contest, one a verdict, oldest first."""

    certificates: list[dict[str, Any]]


class ErrorBody(Struct):
    """What went wrong: a code for programs, a message for people."""

    code: str
    message: str


class Error(Struct):
    """The one shape of errors."""

    error: ErrorBody
