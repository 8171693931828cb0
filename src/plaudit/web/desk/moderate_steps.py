"""What the pages of moderation share: what they show of a contest, and how a step is taken."""

import re
from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import quote

from starlette.responses import Response

from plaudit.errors import InvalidInput, NotAllowed, UnknownItem
from plaudit.service.live.snapshot import ContestSnapshot
from plaudit.service.moderation.docket import Moderation
from plaudit.service.moderation.reviewed import Subject, mark_reviewed, withdraw_review
from plaudit.store.log import Entry
from plaudit.web.desk.desk_steps import change
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.rendering import shown
from plaudit.words import _

# Raters who can be excluded, or looked at, in one step.
MOST_AT_ONCE = 500
# What cannot be undone.
FOR_GOOD = frozenset({"erased"})

Again = Callable[[DeskRequest, str], Awaitable[Response]]


def seen_of(request: DeskRequest) -> ContestSnapshot:
    """The contest as it is now; races are made from the counts where a page needs them."""
    return request.live.snapshot(races=False)


def moderation_of(request: DeskRequest) -> Moderation:
    """The service that computes what moderators see."""
    found: Moderation = request.http.app.state.moderation
    return found


def base_of(request: DeskRequest) -> str:
    """The address of this contest's moderation."""
    return f"/desk/contests/{quote(request.live.name)}/moderate"


def numbers_in(text: str) -> tuple[int, ...]:
    """The numbers of a text, each once, in order; an error where there is something else.

    >>> numbers_in(" 3, 12 3.7")
    (3, 12, 7)
    """
    words = re.split(r"[\s,;.#]+", text.strip())
    if not all(re.fullmatch(r"[0-9]{1,9}", word) for word in words if word):
        raise InvalidInput(
            _("“%(text)s” is not a list of numbers. Write them like 3, 12, 7.", text=text[:60])
        )
    return tuple(dict.fromkeys(int(word) for word in words if word))


def positions_in(text: str) -> tuple[int, ...]:
    """The positions of items that a person names by id; a bare 3 is i3, as pages counted before.

    >>> positions_in("i3, I12 7")
    (2, 11, 6)
    """
    plain = re.sub(r"(?<![0-9a-zA-Z])[iI](?=[0-9])", "", text)
    try:
        return tuple(number - 1 for number in numbers_in(plain))
    except InvalidInput:
        told = _("“%(text)s” is not a list of ids. Write them like i3, i12.", text=text[:60])
        raise InvalidInput(told) from None


def given_numbers(request: DeskRequest, *names: str) -> tuple[int, ...]:
    """The numbers in fields of a form, or in the address where there is no form."""
    query = request.http.query_params
    texts = [text for name in names for text in (*request.fields(name), *query.getlist(name))]
    return numbers_in(" ".join(texts))[:MOST_AT_ONCE]


def undoable(request: DeskRequest) -> str:
    """The position of the step that was just taken, for the button that undoes it."""
    text = request.http.query_params.get("step", "")
    return text if re.fullmatch(r"[0-9]{1,15}", text) else ""


def back_of(request: DeskRequest) -> str:
    """Where a form wants to go back to: a page of moderation."""
    wanted = request.field("back")
    known = re.fullmatch(r"duplicates|raters/[0-9]{1,9}", wanted)
    return f"{base_of(request)}/{wanted}" if known else base_of(request)


async def take(
    request: DeskRequest,
    work: Callable[[int], Entry],
    *,
    done: str,
    again: Again,
    typed: Mapping[str, str] | None = None,
) -> Response:
    """Takes a step of the desk and goes back, with a way to undo it.

    `work` gets the epoch that the editor saw and returns what it wrote. If the step is not
    allowed, `again` shows the page with the reason. `typed` names what people wrote.
    """

    def then(entry: Entry) -> str:
        undoing = "" if done in FOR_GOOD else f"&step={entry.position}"
        return f"{back_of(request)}?done={done}{undoing}"

    try:
        return await change(request, work, then=then, typed=typed)
    except (InvalidInput, NotAllowed, UnknownItem) as error:
        return await again(request, shown(error))


async def undo_step(request: DeskRequest, *, again: Again) -> Response:
    """Undoes the step at a position."""
    desk, name, by, position = (
        request.desk, request.live.name, request.actor, request.number("step"),
    )  # fmt: skip
    return await take(
        request,
        lambda epoch: desk.undo(name, position, by=by, epoch=epoch),
        done="undone",
        again=again,
    )


async def note(request: DeskRequest, subject: Subject, *, again: bool = False) -> Response:
    """Marks a subject as reviewed, or takes that back."""
    store, name, by, clock = (
        request.site.store,
        request.live.name,
        request.actor,
        request.browsers.clock,
    )
    position = request.live.contest.position
    if again:
        await request.site.blocking(withdraw_review, store, name, subject, by=by, clock=clock)
    else:
        await request.site.blocking(
            mark_reviewed, store, name, subject, position=position, by=by, clock=clock
        )
    return request.go(f"{back_of(request)}?done={'look-again' if again else 'let-be'}")
