"""Pictures in a form of items: rows as they were sent, and files that become rows.

A row is a hidden field `picture` (hash and file name), a field `picture_text`, and a box
`picture_gone` (the place of the row) where it is ticked.
"""

import re
from typing import Any, NamedTuple

from starlette.responses import JSONResponse, Response

from plaudit.service.images import MAX_BYTES
from plaudit.service.item_box import in_lines
from plaudit.service.mistakes import Mistake
from plaudit.service.picture_files import (
    MOST_PICTURES,
    Row,
    picture_items,
    read_files,
    shown_name,
)
from plaudit.service.roles import EDITOR
from plaudit.service.zip_files import MOST_FILES, MOST_UNPACKED
from plaudit.store.contract import Item
from plaudit.web import pages
from plaudit.web.contest_forms import MOST_BYTES, MOST_FIELDS
from plaudit.web.errand import Errand, desk_route

# What is read of a form with pictures, or with very many items.
LARGE: dict[str, Any] = {
    "role": EDITOR,
    "limit": MOST_BYTES + MOST_UNPACKED,
    "most_fields": MOST_FIELDS + 3 * MOST_PICTURES,
    # So many are read that one can be told of those that are too many.
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


def sent_rows(errand: Errand) -> list[Row]:
    """The rows as they were sent; what is no row is left out."""
    gone = set(errand.fields("picture_gone"))
    texts = errand.fields("picture_text")
    rows: list[Row] = []
    first: dict[str, int] = {}
    for place, sent in enumerate(errand.fields("picture")[:MOST_PICTURES]):
        if found := _ROW.fullmatch(sent):
            image, name = found[1], shown_name(found[2])
            text = texts[place] if place < len(texts) else ""
            same = first.setdefault(image, place + 1)
            rows.append(Row(image, name, text, str(place) in gone, same if same <= place else 0))
    return rows


async def take_pictures(errand: Errand) -> Taken:
    """The rows of a form, with those of the files that came with it; the files are kept."""
    rows = sent_rows(errand)
    files = [upload for name, upload in errand.uploads if name == "pictures"]
    if not files:
        return Taken(rows, 0, [], [])
    clock = errand.site.contests.clock

    def work() -> Taken:
        # Away from the event loop: to unpack and check many files may take a second.
        sent = read_files(files, before=rows)
        for asset in sent.assets:
            errand.site.store.put_asset(asset.media_type, asset.body, at=clock())
        return Taken([*rows, *sent.rows], len(sent.rows), sent.texts, sent.mistakes)

    async with errand.site.reading_files:
        return await errand.site.blocking(work)


def with_texts(box: str, taken: Taken) -> str:
    """What the box of items holds, with the texts that came with the files."""
    parts = (box.rstrip("\r\n"), in_lines(taken.texts))
    return "\n".join(filter(None, parts)) if taken.texts else box


async def items_of(errand: Errand, rows: list[Row]) -> tuple[list[Item], list[Mistake]]:
    """The items that the rows are, and what is wrong with them; their pictures are held."""

    def work() -> tuple[list[Item], list[Mistake]]:
        there = errand.site.hold(row.image for row in rows)
        return picture_items(rows, is_there=there.__contains__)

    return await errand.site.blocking(work)


async def read_pictures(errand: Errand) -> Response:
    """Files that were chosen, as rows to add to the page; for a script."""
    taken = await take_pictures(errand)
    before = len(taken.rows) - taken.fresh
    part = pages.page("desk/picture_part.html", rows=taken.rows, after=before)
    return JSONResponse(
        {
            "rows": bytes(part.body).decode(),
            "items": in_lines(taken.texts),
            "mistakes": [str(mistake) for mistake in taken.mistakes],
        }
    )


ROUTES = [desk_route("/desk/new/pictures", post=read_pictures, **LARGE)]
