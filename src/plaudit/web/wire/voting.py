"""The formats of the API for raters: requests and answers, checked by msgspec.

Those for running contests are in `running`, those for their settings in `settings`. Everywhere
`id` is the id of an item, such as `i8`, and `item` its position in the log, from 0.
"""

from typing import Annotated

from msgspec import Meta, Struct

from plaudit.scale import MAX_LEVELS
from plaudit.service.contest.settings import REASONS
from plaudit.service.door.puzzle import LARGEST_NONCE, PUZZLES

TicketText = Annotated[str, Meta(min_length=1, max_length=80, description="A ticket from `ask`.")]


class In(Struct, forbid_unknown_fields=True):
    """A request's body."""


class WorkDone(In):
    """The challenge of an answer `work_required`, and what was found.

    `nonces` solve its puzzles, in their order. They are left out by those who waited instead.
    """

    challenge: Annotated[str, Meta(min_length=1, max_length=200)]
    nonces: Annotated[
        list[Annotated[int, Meta(ge=0, le=LARGEST_NONCE)]], Meta(max_length=PUZZLES)
    ] = []


class NewRater(In):
    """Who the rater is to someone else, such as a panel; left out for anybody.

    At a door, what it asks for: `code`, or `external` with its `signature` where links are signed.
    `work` is what was asked for by an answer `work_required`.
    """

    external: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    code: Annotated[str, Meta(min_length=1, max_length=100)] | None = None
    signature: Annotated[str, Meta(max_length=200)] | None = None
    work: WorkDone | None = None


class Ask(In):
    """What a rater asks for."""

    count: Annotated[int, Meta(ge=1, le=10)] = 1
    visit: Annotated[int, Meta(ge=1, le=1_000_000)] = 1
    consent: bool = False
    holding: Annotated[list[TicketText], Meta(max_length=20)] = []


class Vote(In):
    """A vote: the ticket, and the place of the chosen label on the scale, from 0."""

    ticket: TicketText
    level: Annotated[int, Meta(ge=0, le=MAX_LEVELS - 1)]
    response_ms: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None


class Skip(In):
    """An item that the rater will not judge."""

    ticket: TicketText
    response_ms: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None


class Flag(In):
    """An item that someone should look at, and why."""

    ticket: TicketText
    reason: Annotated[str, Meta(pattern=f"^({'|'.join(REASONS)})$")] = REASONS[-1]
    response_ms: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None


class RaterToken(Struct):
    """What the rater sends as `X-Plaudit-Rater`, or as the cookie that comes with it."""

    rater: str


class ShownItem(Struct):
    """An item to show, and the ticket to answer it with."""

    item: int
    id: str
    text: str
    image: str
    ticket: str


class VisitEnd(Struct):
    """Why there is no item: `visit`, `all_seen`, `enough` or `decided`.

    `enough`: the contest needs no vote of this rater on the items that are left. `more` is true if
    there are items left for the rater who wants them: ask with a larger `visit`. `results` is true
    if this rater may see the results now.
    """

    reason: str
    thanks: str
    code: str
    return_url: str
    more: bool
    results: bool


class Asked(Struct):
    """The items to show now, oldest first; the same ones until they are answered.

    `answered` counts the rater's votes, without skips and flags, and `of` is how many end the
    visit: there are always items for so many. `passes` is how many items the rater may skip or flag
    before the next vote.
    """

    items: list[ShownItem]
    answered: int
    of: int | None
    end: VisitEnd | None
    passes: int


class Recorded(Struct):
    """What is in the log, on disk: for a replay, the first answer.

    `answered` counts the rater's votes so far, without skips and flags.
    `receipt` is for the rater to keep: it proves later that the answer was taken. For a replay it
    may be empty.
    """

    item: int
    id: str
    level: int | None
    answered: int
    receipt: str = ""


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
    """A contest as raters see it; `door` is `open`, `codes`, `list`, `links` or `sign-in`.

    `public_results` is true if everybody may see the results now. `votes_after_verdict` is true if
    raters may vote on once it is `decided`. `proposals` says whether raters may propose items:
    `off`, `held` for an editor, or `at-once`.
    """

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
    door: str
    decided: bool
    votes_after_verdict: bool
    proposals: str


class Leader(Struct):
    """An item with the interval that the verdict uses."""

    item: int
    id: str
    text: str
    image: str
    votes: int
    mean: float | None
    lower: float
    upper: float
    standing: str


class ShortlistRow(Struct):
    """The item that joins as the k-th, and the smallest epsilon certified for the first k."""

    k: int
    item: int
    id: str
    text: str
    epsilon: float


class ShownExclusions(Struct):
    """What a verdict owes to excluded raters.

    `by_votes` of the `raters` were excluded because of how they voted. `same` says whether the
    verdict is proven to be the same with or without those; otherwise it rests on excluding them.
    """

    raters: int
    by_votes: int
    same: bool
    sentence: str


class LaneResults(Struct):
    """How far one algorithm is.

    `exclusions` is null before a verdict and if nobody is excluded. `tolerance` is how many
    dishonest raters a verdict must withstand; `withstands` is how many the verdict does, and null
    before it, or where that is not known.
    """

    algorithm: str
    votes: int
    decided: bool
    delta: float | None
    gap: float
    winners: list[int]
    winner_ids: list[str]
    sentence: str
    exclusions: ShownExclusions | None
    tolerance: int
    withstands: int | None
    leaders: list[Leader]
    shortlists: list[ShortlistRow]


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
    goal: str
    lanes: list[LaneResults]


class TrailStep(Struct):
    """A step of the desk, a verdict, or a note, whose `position` is 0; `at` in ms since 1970.

    `fixed` says why it cannot be undone, and is empty where it can. `answers` came in since the
    event before.
    """

    position: int
    at: int
    who: str
    what: str
    kind: str
    fixed: str
    answers: int


class WorkAsked(Struct):
    """Work for a newcomer: solve all puzzles, each with so many zero bits, or wait so long.

    Puzzle i is solved by a nonce such that the SHA-256 of three parts begins with `bits` zero bits:
    the SHA-256 of the challenge, i in 4 bytes, and the nonce in 8 (both big-endian).
    """

    challenge: str
    puzzles: int
    bits: int
    wait_ms: int


class ErrorBody(Struct, omit_defaults=True):
    """What went wrong: a code for programs, a message for people.

    With `changed_meanwhile` come the contest's epoch and what was done since the one given, with
    `work_required` the work.
    """

    code: str
    message: str
    epoch: int | None = None
    steps: list[TrailStep] = []
    work: WorkAsked | None = None


class Error(Struct):
    """The one shape of errors."""

    error: ErrorBody
