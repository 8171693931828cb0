"""How a form of the desk changes a contest: only as its sender saw it.

A page about a contest knows the `epoch` that it shows (`DeskRequest.contest_page` gives it), and
every form that changes the contest carries it in a hidden field of that name. The handler says
what to do, and where to go afterwards:

    return await change(
        request,
        lambda epoch: request.desk.withdraw(name, items, by=request.actor, epoch=epoch),
        then=lambda entry: f"/desk/contests/{name}/items?done=withdrawn",
    )

- Once the step is in the log and this worker has folded it, the browser goes to `then`, whose page
  shows it.
- If somebody else changed the contest meanwhile, nothing is written and the answer is a page (409)
  that says who did what since. It keeps all that was typed, with the current epoch: one button
  sends it again. `typed` names the fields to show, with their labels; they can be changed there.
- If the step would take back a verdict that stands, nothing is written either: the answer is a page
  (409) that names what would be lost, and one button says that it may be. `request.desk` takes
  such a step only after that.
- Whatever else is wrong (`NotAllowed`, `InvalidInput`) is raised, for the handler to show at its
  field.
"""

from collections.abc import Callable, Mapping

from starlette.responses import Response

from plaudit.errors import EpochMoved, VerdictStands
from plaudit.service.desk.trail import trail_since
from plaudit.service.intake.contest_form import TIMES
from plaudit.service.intake.filled_form import in_utc
from plaudit.store.log import Entry
from plaudit.web.desk.requests.request import REVOKE, DeskRequest

# A verdict that falls meanwhile is another one: consent is asked for again.
_OWN = ("form_token", "epoch", REVOKE)


async def change(
    request: DeskRequest,
    work: Callable[[int], Entry],
    *,
    then: Callable[[Entry], str],
    typed: Mapping[str, str] | None = None,
) -> Response:
    """Takes a step, then goes on; or the page that says what was changed meanwhile."""
    epoch = request.number("epoch")
    try:
        entry = await request.site.change(work, epoch)
    except EpochMoved:
        return await _moved(request, epoch, typed or {})
    except VerdictStands as error:
        return request.contest_page(
            "revoke.html", code=409, lost=error.lost, epoch=epoch, hidden=_kept(request)
        )
    await request.site.folded(request.live.name, entry.position)
    return request.go(then(entry))


async def _moved(request: DeskRequest, epoch: int, typed: Mapping[str, str]) -> Response:
    store, name = request.site.store, request.live.name
    steps = (await request.site.blocking(trail_since, store, name, epoch)).steps
    now = (await request.site.blocking(store.heads))[name]
    await request.site.folded(name, now.position)
    kept = _kept(request)
    return request.contest_page(
        "moved.html",
        code=409,
        steps=steps,
        epoch=now.epoch,
        times=TIMES,
        shown=[(key, typed[key], value) for key, value in kept if key in typed],
        hidden=[(key, value) for key, value in kept if key not in typed],
    )


def _kept(request: DeskRequest) -> list[tuple[str, str]]:
    """The fields of a form as they are sent again."""
    return [
        (key, in_utc(value) if key in TIMES else value)
        for key, value in request.form
        if key not in _OWN
    ]
