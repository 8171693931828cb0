"""Forms as browsers send them: fields, and files where a form has some."""

import asyncio
from collections.abc import AsyncGenerator
from typing import NamedTuple
from urllib.parse import parse_qsl

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from plaudit.web.endpoint import read_body
from plaudit.web.problem import Problem

FORM_BYTES, FORM_FIELDS = 16 * 1024, 60
MOST_FILES, PIECE = 4, 256 * 1024
# A form of more bytes is decoded away from the event loop: a megabyte takes a fraction of a second.
SMALL_BYTES = 64 * 1024


class Upload(NamedTuple):
    """A file that came with a form; a browser says the name, and it may be anything."""

    name: str
    body: bytes


Fields = list[tuple[str, str]]


async def read_form(
    request: Request, limit: int = FORM_BYTES, most_fields: int = FORM_FIELDS
) -> tuple[Fields, dict[str, Upload]]:
    """The fields of a form in order, and its files by field; files left empty are left out."""
    declared = request.headers.get("content-type", "").lower()
    kind = declared.partition(";")[0].strip()
    # Browsers name no charset, and some (punycode) take a time that grows with the square.
    known = kind in ("application/x-www-form-urlencoded", "multipart/form-data")
    if not known or ("charset" in declared and kind == "multipart/form-data"):
        raise Problem(400, "bad_request", "Send this form from its page.")
    body = await read_body(request.receive, limit)
    if kind == "multipart/form-data":
        return await _parts(request, body, most_fields)
    try:
        if len(body) > SMALL_BYTES:
            return await asyncio.to_thread(_pairs, body, most_fields), {}
        return _pairs(body, most_fields), {}
    except ValueError:
        raise _unreadable() from None


def _pairs(body: bytes, most_fields: int) -> Fields:
    return parse_qsl(
        body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=most_fields
    )


async def _parts(
    request: Request, body: bytes, most_fields: int
) -> tuple[Fields, dict[str, Upload]]:
    async def stream() -> AsyncGenerator[bytes, None]:
        for start in range(0, len(body), PIECE):
            yield body[start : start + PIECE]
            # Others are served in between.
            await asyncio.sleep(0)

    parser = MultiPartParser(
        request.headers,
        stream(),
        max_files=MOST_FILES,
        max_fields=most_fields,
        max_part_size=max(len(body), 1),
    )
    try:
        found = await parser.parse()
    except (MultiPartException, KeyError, ValueError, LookupError):
        raise _unreadable() from None
    fields: Fields = []
    files: dict[str, Upload] = {}
    for name, value in found.multi_items():
        if not isinstance(value, UploadFile):
            fields.append((name, value))
        elif value.size:
            files[name] = Upload(value.filename or "", await value.read())
    await found.close()
    return fields, files


def _unreadable() -> Problem:
    return Problem(400, "bad_request", "The form cannot be read. Send it again.")
