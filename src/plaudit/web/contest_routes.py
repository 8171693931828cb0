"""What those who run contests do: create, step, moderate, export. All of it takes an API key."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from starlette.responses import StreamingResponse

from plaudit.service.archive import contest_lines
from plaudit.service.contest_file import checked_items, read_contest
from plaudit.service.export import gzipped, items_csv, summary_csv, votes_csv
from plaudit.service.images import MAX_BYTES
from plaudit.service.live import LiveContest
from plaudit.service.pictures import hashes_in
from plaudit.service.restore import restore_contest
from plaudit.service.roles import Actor, key_actor
from plaudit.store.contract import Store
from plaudit.store.log import Entry
from plaudit.web.endpoint import LARGE, Answered, Call, Endpoint
from plaudit.web.problem import Problem
from plaudit.web.rater_routes import CONTEST
from plaudit.web.wire import (
    AssetHash,
    ContestLine,
    ContestList,
    Done,
    ItemNumbers,
    NewItems,
    RaterHash,
    Step,
    Verdicts,
)

CSV = "text/csv; charset=utf-8"


def _packed(store: Store, name: str) -> Iterator[bytes]:
    return gzipped(contest_lines(store, name))


EXPORTS: dict[str, tuple[Callable[..., Iterator[bytes]], str]] = {
    "votes.csv": (votes_csv, CSV),
    "items.csv": (items_csv, CSV),
    "summary.csv": (summary_csv, CSV),
    "contest.jsonl.gz": (_packed, "application/gzip"),
}


def contest_line(live: LiveContest) -> ContestLine:
    """A contest in a list."""
    tally = live.tally
    return ContestLine(
        name=live.name,
        title=live.settings.title,
        state=tally.state,
        items=tally.items - len(tally.withdrawn),
        votes=int(tally.counts.sum()),
        position=tally.position,
        epoch=tally.epoch,
        decided=live.all_decided,
    )


async def list_contests(call: Call) -> ContestList:
    """All contests, oldest first."""
    return ContestList([contest_line(live) for live in call.site.contests.all])


async def create(call: Call) -> Answered:
    """A new contest from the keys of a contest file, as JSON; pictures by hash, put there first."""
    site = call.site

    def work() -> Done:
        there = site.hold(hashes_in(msgspec.json.encode(call.body).decode()))
        draft = read_contest(call.body, is_there=there.__contains__)
        record = site.desk.create(draft.name, draft.settings, draft.items, by=key_actor(call.key))
        return Done(record.name, record.position, record.state, draft.notes)

    return Answered(await site.change(work), 201)


async def step(call: Call) -> Done:
    """Opens, pauses, closes, reopens or retires a contest, or brings it back."""
    return await _step(call, call.site.desk.step, call.body.step)


async def add_items(call: Call) -> Done:
    """Lets items join a contest, also while it runs."""
    given = [(item.text, item.image) for item in call.body.items]

    def work(name: str, given: list[tuple[str, str]], *, by: Actor) -> Entry:
        there = call.site.hold(image for _, image in given)
        items = checked_items(given, is_there=there.__contains__)
        return call.site.desk.add_items(name, items, by=by)

    return await _step(call, work, given)


async def withdraw(call: Call) -> Done:
    """Takes items out of a contest."""
    return await _step(call, call.site.desk.withdraw, call.body.items)


async def exclude(call: Call) -> Done:
    """Lets no vote of a rater count."""
    return await _step(call, call.site.desk.exclude, call.body.rater)


async def readmit(call: Call) -> Done:
    """Lets the votes of an excluded rater count again."""
    return await _step(call, call.site.desk.readmit, call.body.rater)


async def erase(call: Call) -> Done:
    """Forgets who a rater was, for good; their votes no longer count."""
    return await _step(call, call.site.desk.erase, call.body.rater)


async def _step(call: Call, work: Any, given: Any) -> Done:
    name = call.path["contest"]
    entry: Entry = await call.site.change(work, name, given, by=key_actor(call.key))
    record = await call.site.blocking(call.site.store.contest, name)
    return Done(name, entry.position, record.state)


async def put_asset(call: Call) -> Answered:
    """Keeps a picture, checked by its content, to be named in a contest by its hash."""
    return Answered(AssetHash(*await call.site.blocking(call.site.keep_picture, call.body)), 201)


async def verdicts(call: Call) -> Verdicts:
    """The certificates of a contest, one a verdict, oldest first."""
    found = await call.site.blocking(call.site.store.certificates, call.path["contest"])
    return Verdicts([msgspec.json.decode(certificate.body) for certificate in found])


async def export(call: Call) -> StreamingResponse:
    """A file of the contest, streamed: votes, items, summary, or all of it."""
    name, what = call.path["contest"], call.path["file"]
    if what not in EXPORTS:
        known = ", ".join(EXPORTS)
        raise Problem(404, "not_found", f"There is no export {what!r}; there are {known}.")
    make, media = EXPORTS[what]
    given = {"spreadsheet": _flag(call, "spreadsheet")} if media == CSV else {}
    # What it reads before the first chunk is much: away from the event loop.
    chunks = await call.site.blocking(make, call.site.store, name, **given)
    named = {"content-disposition": f'attachment; filename="{name}-{what}"'}
    return StreamingResponse(chunks, media_type=media, headers=named)


def _flag(call: Call, name: str) -> bool:
    given = call.query(name)
    if given not in ("", "true", "false"):
        raise Problem(400, "bad_request", f"{name} must be true or false.")
    return given == "true"


async def restore(call: Call) -> Answered:
    """A whole contest from its export, all or nothing."""
    body = call.body

    def work() -> Done:
        record = restore_contest(call.site.store, [body])
        return Done(record.name, record.position, record.state)

    return Answered(await call.site.change(work), 201)


CHANGES = (400, 401, 403, 404, 409, 413, 503)
RATER = CONTEST + "/raters"
ENDPOINTS = (
    Endpoint("GET", "/api/v1/contests", list_contests, gives=ContestList, scope="read",
             errors=(401, 403)),
    Endpoint("POST", "/api/v1/contests", create, takes=dict[str, Any], gives=Done, scope="manage",
             limit=LARGE, errors=CHANGES),
    Endpoint("POST", "/api/v1/restore", restore, takes=bytes, gives=Done, scope="manage",
             limit=4 * LARGE, errors=CHANGES),
    Endpoint("POST", "/api/v1/assets", put_asset, takes=bytes, gives=AssetHash, scope="manage",
             limit=MAX_BYTES, errors=CHANGES),
    Endpoint("POST", CONTEST + "/step", step, takes=Step, gives=Done, scope="manage",
             errors=CHANGES),
    Endpoint("POST", CONTEST + "/items", add_items, takes=NewItems, gives=Done, scope="manage",
             limit=LARGE, errors=CHANGES),
    Endpoint("POST", CONTEST + "/withdraw", withdraw, takes=ItemNumbers, gives=Done,
             scope="moderate", limit=LARGE, errors=CHANGES),
    Endpoint("POST", RATER + "/exclude", exclude, takes=RaterHash, gives=Done, scope="moderate",
             errors=CHANGES),
    Endpoint("POST", RATER + "/readmit", readmit, takes=RaterHash, gives=Done, scope="moderate",
             errors=CHANGES),
    Endpoint("POST", RATER + "/erase", erase, takes=RaterHash, gives=Done, scope="moderate",
             errors=CHANGES),
    Endpoint("GET", CONTEST + "/verdicts", verdicts, gives=Verdicts, scope="read",
             errors=(401, 403, 404, 503)),
    Endpoint("GET", CONTEST + "/export/{file}", export, gives=bytes, scope="export",
             media="application/gzip, text/csv", errors=(400, 401, 403, 404, 409, 503),
             query=(("spreadsheet", "Make cells of a CSV file safe for spreadsheet programs.",
                     {"type": "boolean"}),)),
)  # fmt: skip
