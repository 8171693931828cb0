"""Routes for whole contests: list, create, export, restore. All need an API key."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
from starlette.responses import StreamingResponse

from plaudit.service.archive.export import gzipped, items_csv, summary_csv, votes_csv
from plaudit.service.archive.format import contest_lines
from plaudit.service.archive.proposals_csv import proposals_csv
from plaudit.service.archive.restore import restore_contest
from plaudit.service.contest.settings import DELETED
from plaudit.service.intake.contest_file import read_contest
from plaudit.service.intake.images.checking import MAX_BYTES
from plaudit.service.intake.pictures import hashes_in
from plaudit.service.live.contest import LiveContest
from plaudit.store.contract import ContestRecord, Store
from plaudit.web.endpoint import CONTEST, LARGE, Answered, Call, Endpoint
from plaudit.web.problem import Problem
from plaudit.web.site import Site
from plaudit.web.wire.running import (
    AssetHash,
    ContestLine,
    ContestList,
    Done,
    Verdicts,
)

CSV = "text/csv; charset=utf-8"


def _packed(store: Store, name: str) -> Iterator[bytes]:
    return gzipped(contest_lines(store, name))


EXPORTS: dict[str, tuple[Callable[..., Iterator[bytes]], str]] = {
    "votes.csv": (votes_csv, CSV),
    "items.csv": (items_csv, CSV),
    "summary.csv": (summary_csv, CSV),
    "proposals.csv": (proposals_csv, CSV),
    "contest.jsonl.gz": (_packed, "application/gzip"),
}


def contest_line(live: LiveContest) -> ContestLine:
    """A contest in a list."""
    contest = live.contest
    return ContestLine(
        name=live.name,
        title=live.settings.title,
        state=contest.state,
        items=contest.items - len(contest.withdrawn),
        votes=int(contest.counts.sum()),
        position=contest.position,
        epoch=contest.epoch,
        decided=live.all_decided,
    )


async def list_contests(call: Call) -> ContestList:
    """All contests, oldest first, without deleted drafts."""
    known = [live for live in call.site.worker.all if live.contest.state != DELETED]
    return ContestList([contest_line(live) for live in known])


async def create(call: Call) -> Answered:
    """A new contest from the keys of a contest file, as JSON; pictures by hash, put there first."""
    site = call.site

    def work() -> Done:
        there = site.hold(hashes_in(msgspec.json.encode(call.body).decode()))
        draft = read_contest(call.body, is_there=there.__contains__)
        record = site.desk.create(draft.name, draft.settings, draft.items, by=call.actor)
        return _made(record, draft.notes)

    return await _there(site, await site.change(work))


async def _there(site: Site, made: Done) -> Answered:
    """The answer for a new contest, once this worker has it too."""
    await site.folded(made.contest, made.position)
    return Answered(made, 201)


def _made(record: ContestRecord, notes: Sequence[str] = ()) -> Done:
    place = (record.position, record.epoch, record.state)
    return Done(record.name, *place, notes=list(notes))


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
    # It reads much before the first chunk, so it runs off the event loop.
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
        return _made(record)

    return await _there(call.site, await call.site.change(work))


CHANGES = (400, 401, 403, 404, 409, 413, 503)
ENDPOINTS = (
    Endpoint("GET", "/api/v1/contests", list_contests, gives=ContestList, scope="read",
             errors=(401, 403)),
    Endpoint("POST", "/api/v1/contests", create, takes=dict[str, Any], gives=Done, scope="manage",
             limit=LARGE, errors=CHANGES),
    Endpoint("POST", "/api/v1/restore", restore, takes=bytes, gives=Done, scope="manage",
             limit=4 * LARGE, errors=CHANGES),
    Endpoint("POST", "/api/v1/assets", put_asset, takes=bytes, gives=AssetHash, scope="manage",
             limit=MAX_BYTES, errors=CHANGES),
    Endpoint("GET", CONTEST + "/verdicts", verdicts, gives=Verdicts, scope="read",
             errors=(401, 403, 404, 503)),
    Endpoint("GET", CONTEST + "/export/{file}", export, gives=bytes, scope="export",
             media="application/gzip, text/csv", errors=(400, 401, 403, 404, 409, 503),
             query=(("spreadsheet", "Make cells of a CSV file safe for spreadsheet programs.",
                     {"type": "boolean"}),)),
)  # fmt: skip
