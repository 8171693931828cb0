"""Routes for steps on a contest: its state, items, settings and raters, undo, and the trail.

Each step needs an API key, and is one event in the log under the name of the key. It may name the
epoch that its sender saw: if that is no longer the current one, nothing is written, and the answer
says what was done since. A step that would take back a verdict must say that it may.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from plaudit.errors import EpochMoved
from plaudit.phrase import item_id, position_of, words_of
from plaudit.service.accounts.roles import Actor
from plaudit.service.desk.desk import Desk
from plaudit.service.desk.step import taken
from plaudit.service.desk.trail import Trail, trail_of, trail_since
from plaudit.service.intake.contest_file import checked_items
from plaudit.service.intake.setting_keys import change_of_json, changeable_keys, keys_of
from plaudit.store.log import Entry, Kind
from plaudit.web.api.contest_routes import CHANGES
from plaudit.web.endpoint import CONTEST, LARGE, Call, Endpoint
from plaudit.web.problem import Problem
from plaudit.web.wire.running import (
    Done,
    Edit,
    Exclude,
    ItemRefs,
    ManyRaters,
    Merge,
    NewItems,
    OneRater,
    SettingsShown,
    Step,
    TrailShown,
    Undo,
)
from plaudit.web.wire.settings import SettingsChange
from plaudit.web.wire.voting import TrailStep

MOST_STEPS = 10_000
# Steps that need the scope `manage`; undoing them needs it too.
OF_MANAGERS = frozenset({Kind.STATE, Kind.SETTINGS, Kind.ADD, Kind.REVOKE, Kind.LIST})


async def step(call: Call) -> Done:
    """Opens, pauses, closes, reopens or retires a contest, or brings it back."""
    return await take_step(call, desk_of(call).step, call.body.step)


async def add_items(call: Call) -> Done:
    """Lets items join a contest, also while it runs."""
    given = [(item.text, item.image) for item in call.body.items]
    desk = desk_of(call)

    def work(name: str, *, by: Actor, epoch: int | None) -> Entry:
        there = call.site.hold(image for _, image in given)
        items = checked_items(given, is_there=there.__contains__)
        return desk.add_items(name, items, by=by, epoch=epoch)

    return await take_step(call, work)


async def withdraw(call: Call) -> Done:
    """Takes items out of a contest."""
    return await take_step(call, desk_of(call).withdraw, _positions(call.body.items))


async def bring_back(call: Call) -> Done:
    """Lets withdrawn items come back, with their votes."""
    return await take_step(call, desk_of(call).restore, _positions(call.body.items))


async def merge(call: Call) -> Done:
    """Puts one item in the place of several that say the same; their votes pool."""
    body: Merge = call.body
    return await take_step(
        call, desk_of(call).replace, _positions(body.items), body.text, body.image, keep_votes=True
    )


async def edit(call: Call) -> Done:
    """Puts a corrected item in the place of one, with its votes or without."""
    body: Edit = call.body
    keep = body.votes == "keep"
    return await take_step(
        call, desk_of(call).replace, _positions([body.item]), body.text, body.image, keep_votes=keep
    )


async def show_settings(call: Call) -> SettingsShown:
    """The settings in force, and which of them may change now."""
    name = call.path["contest"]
    history = await call.site.blocking(call.site.desk.history, name)
    keys = keys_of(history.settings)
    return SettingsShown(name, history.record.epoch, keys, changeable_keys(history))


async def change_settings(call: Call) -> Done:
    """Changes settings: any of a draft that nobody has voted on, later those that may."""
    desk, given = desk_of(call), msgspec.to_builtins(call.body.set)

    def work(name: str, *, by: Actor, epoch: int | None) -> Entry:
        fields = change_of_json(desk.history(name), given, is_there=call.site.has_picture)
        return desk.change(name, fields, by=by, epoch=epoch)

    return await take_step(call, work)


async def exclude(call: Call) -> Done:
    """Lets no vote of a rater count, or of several in one step."""
    return await take_step(call, desk_of(call).exclude, *_raters(call), grounds=call.body.grounds)


async def readmit(call: Call) -> Done:
    """Lets the votes of excluded raters count again."""
    return await take_step(call, desk_of(call).readmit, *_raters(call))


def desk_of(call: Call) -> Desk:
    """The desk, which takes back verdicts only if the request says so."""
    return call.site.desk.revoking(call.body.revoke_verdict)


def _positions(items: Sequence[int | str]) -> list[int]:
    return [position_of(item) for item in items]


def _raters(call: Call) -> list[str]:
    body: ManyRaters = call.body
    return [*body.raters, *([body.rater] if body.rater else [])]


async def erase(call: Call) -> Done:
    """Forgets who a rater was, for good; their votes no longer count."""
    return await take_step(call, desk_of(call).erase, call.body.rater)


async def undo(call: Call) -> Done:
    """Undoes a step of the trail by its opposite; what "manage" did takes that scope too."""
    site, name, position = call.site, call.path["contest"], call.body.position
    happened = (await site.blocking(site.desk.history, name)).at(position)
    if happened is not None and happened.event.kind in OF_MANAGERS:
        await site.check_scope(call.header(b"authorization"), "manage")
    return await take_step(call, desk_of(call).undo, position)


async def show_trail(call: Call) -> TrailShown:
    """Who did what to a contest and when, latest first, and what can be undone."""
    name, store = call.path["contest"], call.site.store
    limit = call.number("limit", 100, least=1, most=MOST_STEPS)
    if call.query("since"):
        since = call.number("since", 0, least=0, most=2**53)
        found = await call.site.blocking(trail_since, store, name, since)
    else:
        found = await call.site.blocking(trail_of, store, name)
    return TrailShown(name, found.epoch, _shown(found)[:limit])


def _shown(trail: Trail) -> list[TrailStep]:
    return [
        TrailStep(
            step.position,
            step.at,
            step.who,
            str(step.what),
            step.kind,
            str(step.fixed or ""),
            step.answers,
        )
        for step in trail.steps
    ]


async def take_step(call: Call, work: Any, *given: Any, **named: Any) -> Done:
    """Takes a step, if the epoch is still the one that its sender saw; says where it is."""
    site, name, epoch = call.site, call.path["contest"], call.body.epoch
    try:
        entry: Entry = await site.change(work, name, *given, by=call.actor, epoch=epoch, **named)
    except EpochMoved as error:
        if epoch is None:
            raise
        found = await site.blocking(trail_since, site.store, name, epoch)
        steps = _shown(found)[:MOST_STEPS]
        told = words_of(error)
        raise Problem(409, error.code, told, epoch=found.epoch, steps=steps) from None
    # Whoever opens a contest and asks at once is asking an open one.
    await site.folded(name, entry.position)
    done = await site.blocking(taken, site.store, name, entry)
    return Done(name, *done, id=None if done.item is None else item_id(done.item))


def _posts(path: str, handler: Any, takes: Any, scope: str, limit: int = LARGE) -> Endpoint:
    return Endpoint(
        "POST", CONTEST + path, handler, takes=takes, gives=Done, scope=scope, limit=limit,
        errors=CHANGES,
    )  # fmt: skip


_READS = (400, 401, 403, 404, 503)
_LIMIT = {"type": "integer", "minimum": 1, "maximum": MOST_STEPS}
ENDPOINTS = (
    _posts("/step", step, Step, "manage"),
    _posts("/items", add_items, NewItems, "manage"),
    _posts("/settings", change_settings, SettingsChange, "manage"),
    _posts("/withdraw", withdraw, ItemRefs, "moderate"),
    _posts("/bring-back", bring_back, ItemRefs, "moderate"),
    _posts("/merge", merge, Merge, "moderate"),
    _posts("/edit", edit, Edit, "moderate"),
    _posts("/raters/exclude", exclude, Exclude, "moderate"),
    _posts("/raters/readmit", readmit, ManyRaters, "moderate"),
    _posts("/raters/erase", erase, OneRater, "erase"),
    _posts("/undo", undo, Undo, "moderate"),
    Endpoint("GET", CONTEST + "/settings", show_settings, gives=SettingsShown, scope="read",
             errors=_READS),
    Endpoint("GET", CONTEST + "/trail", show_trail, gives=TrailShown, scope="read", errors=_READS,
             query=(("limit", "How many steps, the latest.", _LIMIT),
                    ("since", "Only steps after this epoch.", {"type": "integer", "minimum": 0}))),
)  # fmt: skip
