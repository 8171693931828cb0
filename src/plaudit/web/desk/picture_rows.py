"""Pictures in a form of items: rows as they were sent, and files that become rows.

A row is a hidden field `picture` (hash and file name), a field `picture_text`, and a box
`picture_gone` (the place of the row) where it is ticked.
"""

import re
from typing import Any, NamedTuple

from starlette.responses import JSONResponse, Response

from plaudit.service.accounts.roles import EDITOR
from plaudit.service.intake.images.checking import MAX_BYTES
from plaudit.service.intake.item_box import in_lines
from plaudit.service.intake.mistakes import Mistake
from plaudit.service.intake.picture_files import (
    MOST_PICTURES,
    Row,
    picture_items,
    read_files,
    shown_name,
)
from plaudit.service.intake.zip_files import MOST_FILES, MOST_UNPACKED
from plaudit.store.contract import Item
from plaudit.web import rendering
from plaudit.web.desk.contest_forms import MOST_BYTES, MOST_FIELDS
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.desk.requests.route import desk_route

# What is read of a form with pictures, or with very many items.
LARGE: dict[str, Any] = {
    "role": EDITOR,
    "limit": MOST_BYTES + MOST_UNPACKED,
    "most_fields": MOST_FIELDS + 3 * MOST_PICTURES,
    # More are read than are allowed, so that the page can say how many are too many.
    "most_files": 4 * MOST_FILES,
}
LIMITS = {"files": MOST_FILES, "megabytes": MOST_UNPACKED // 10**6, "bytes": MAX_BYTES}
_ROW = re.compile(r"([0-9a-f]{64}) (.*)")


class Taken(NamedTuple):
    """The rows of a form; of them, `fresh` have just come, with texts that belong into the box.

    `mistakes` are those of the files.
    """

    rows: list[Row]
    fresh: int
    texts: list[str]
    mistakes: list[Mistake]


def sent_rows(request: DeskRequest) -> list[Row]:
    """The rows as they were sent; anything else is left out."""
    gone = set(request.fields("picture_gone"))
    texts = request.fields("picture_text")
    rows: list[Row] = []
    first: dict[str, int] = {}
    for place, sent in enumerate(request.fields("picture")[:MOST_PICTURES]):
        if found := _ROW.fullmatch(sent):
            image, name = found[1], shown_name(found[2])
            text = texts[place] if place < len(texts) else ""
            same = first.setdefault(image, place + 1)
            rows.append(Row(image, name, text, str(place) in gone, same if same <= place else 0))
    return rows


async def take_pictures(request: DeskRequest) -> Taken:
    """The rows of a form, with those of the files that came with it; the files are kept."""
    rows = sent_rows(request)
    files = [upload for name, upload in request.uploads if name == "pictures"]
    if not files:
        return Taken(rows, 0, [], [])
    clock = request.site.worker.clock

    def work() -> Taken:
        # Away from the event loop: to unpack and check many files may take a second.
        sent = read_files(files, before=rows)
        for asset in sent.assets:
            request.site.store.put_asset(asset.media_type, asset.body, at=clock())
        return Taken([*rows, *sent.rows], len(sent.rows), sent.texts, sent.mistakes)

    async with request.site.reading_files:
        return await request.site.blocking(work)


def with_texts(box: str, taken: Taken) -> str:
    """What the box of items holds, with the texts that came with the files."""
    parts = (box.rstrip("\r\n"), in_lines(taken.texts))
    return "\n".join(filter(None, parts)) if taken.texts else box


async def items_of(request: DeskRequest, rows: list[Row]) -> tuple[list[Item], list[Mistake]]:
    """The items that the rows are, and what is wrong with them; their pictures are held."""

    def work() -> tuple[list[Item], list[Mistake]]:
        there = request.site.hold(row.image for row in rows)
        return picture_items(rows, is_there=there.__contains__)

    return await request.site.blocking(work)


async def read_pictures(request: DeskRequest) -> Response:
    """Files that were chosen, as rows to add to the page; for a script."""
    taken = await take_pictures(request)
    before = len(taken.rows) - taken.fresh
    part = rendering.page("desk/picture_part.html", rows=taken.rows, after=before)
    return JSONResponse(
        {
            "rows": bytes(part.body).decode(),
            "items": in_lines(taken.texts),
            "mistakes": [rendering.shown(mistake) for mistake in taken.mistakes],
        }
    )


ROUTES = [desk_route("/desk/new/pictures", post=read_pictures, **LARGE)]
