"""The formats of the API for running contests: requests and answers, checked by msgspec."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from plaudit.phrase import ITEM_ID
from plaudit.service.contest.grounds import GROUNDS, VOTES
from plaudit.service.desk.desk import STEPS
from plaudit.service.intake.item_list import LONGEST_ITEM
from plaudit.web.wire.voting import In, TrailStep

ItemText = Annotated[str, Meta(max_length=LONGEST_ITEM)]
ImageHash = Annotated[str, Meta(pattern="^([0-9a-f]{64})?$")]


class NewItem(In):
    """An item to add: a text, a picture (by its hash) or both."""

    text: ItemText = ""
    image: ImageHash = ""


class Change(In, kw_only=True):
    """A step on a contest; `epoch` is the one that was seen, if it must not have moved.

    A step that would take back a verdict is refused unless `revoke_verdict` is true.
    """

    epoch: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    revoke_verdict: bool = False


class Step(Change, kw_only=True):
    """A step in a contest's life."""

    step: Annotated[str, Meta(pattern=f"^({'|'.join(STEPS)})$")]


class NewItems(Change, kw_only=True):
    """Items to add."""

    items: Annotated[list[NewItem], Meta(min_length=1, max_length=100_000)]


# An id, such as "i8"; or the position of the item in the log, a number from 0.
ItemRef = Annotated[int, Meta(ge=0, le=2**31)] | Annotated[str, Meta(pattern=ITEM_ID)]


class ItemRefs(Change, kw_only=True):
    """Items by id, such as `"i8"`; a number is a position in the log, from 0."""

    items: Annotated[list[ItemRef], Meta(min_length=1, max_length=100_000)]


class Merge(Change, kw_only=True):
    """Items that are one: their votes pool. What is left out is as with the first of them."""

    items: Annotated[list[ItemRef], Meta(min_length=2, max_length=1_000)]
    text: ItemText | None = None
    image: ImageHash | None = None


class Edit(Change, kw_only=True):
    """An item that says something else; `votes` says what becomes of those that it has."""

    item: ItemRef
    votes: Literal["keep", "anew"]
    text: ItemText | None = None
    image: ImageHash | None = None


class Undo(Change, kw_only=True):
    """A step to undo, by its position in the log."""

    position: Annotated[int, Meta(ge=1, le=2**53)]


RaterHash = Annotated[str, Meta(pattern="^[0-9a-f]{32}$", description="As exports show a rater.")]


class OneRater(Change, kw_only=True):
    """A rater."""

    rater: RaterHash


class ManyRaters(Change, kw_only=True):
    """One rater, or several in one step."""

    rater: RaterHash | None = None
    raters: Annotated[list[RaterHash], Meta(max_length=1_000)] = field(default_factory=list)


class Exclude(ManyRaters, kw_only=True):
    """Raters to exclude; `grounds` says why.

    Only `votes` is a choice made with the data: a verdict then says whether it rests on it.
    """

    grounds: Annotated[str, Meta(pattern=f"^({'|'.join(GROUNDS)})$")] = VOTES


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
    """A step that is in the log: where, and how the contest stands after it.

    `epoch` is the contest's right after the step, for the next one. `item` is the position of the
    first item that the step added, from 0, and `id` its id.
    """

    contest: str
    position: int
    epoch: int
    state: str
    item: int | None = None
    notes: list[str] = []
    id: str | None = None


class AssetHash(Struct):
    """A picture that was kept."""

    hash: str
    media_type: str


class Verdicts(Struct):
    """The certificates of a contest, one a verdict, oldest first."""

    certificates: list[dict[str, Any]]


class TrailShown(Struct):
    """What was done to a contest, latest first, and the epoch that it led to."""

    contest: str
    epoch: int
    steps: list[TrailStep]


class SettingsShown(Struct):
    """The settings in force, by the keys of a contest file, and which of them may change now."""

    contest: str
    epoch: int
    settings: dict[str, Any]
    changeable: list[str]
