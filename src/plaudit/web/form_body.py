"""Forms as browsers send them: fields, and files if there are any."""

import asyncio
from collections.abc import AsyncGenerator
from typing import NamedTuple
from urllib.parse import parse_qsl

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from plaudit.phrase import Phrase
from plaudit.web.endpoint import read_body
from plaudit.web.problem import Problem
from plaudit.words import N_

FORM_BYTES, FORM_FIELDS = 16 * 1024, 60
MOST_FILES, PIECE = 4, 256 * 1024
# Larger forms are decoded off the event loop: a megabyte takes a fraction of a second.
SMALL_BYTES = 64 * 1024


class Upload(NamedTuple):
    """A file that came with a form; its name is from the browser and may be anything."""

    name: str
    body: bytes


class TooManyFiles(Exception):
    """More files came than are allowed."""


class _Parser(MultiPartParser):
    """Starlette's parser, but `TooManyFiles` is told apart from all else that may be wrong."""

    files = 0

    def on_part_end(self) -> None:
        """Counts the part if it is a file; as many as `max_files` are too many."""
        super().on_part_end()
        self.files += isinstance(self.items[-1][1], UploadFile)
        if self.files >= self.max_files:
            raise TooManyFiles


Fields = list[tuple[str, str]]
Files = list[tuple[str, Upload]]


async def read_form(
    request: Request,
    limit: int = FORM_BYTES,
    most_fields: int = FORM_FIELDS,
    most_files: int = MOST_FILES,
) -> tuple[Fields, Files]:
    """The fields of a form and its files, in order; a file field without a file is left out."""
    declared = request.headers.get("content-type", "").lower()
    kind = declared.partition(";")[0].strip()
    # Browsers name no charset, and decoding some (punycode) takes time quadratic in the length.
    known = kind in ("application/x-www-form-urlencoded", "multipart/form-data")
    if not known or ("charset" in declared and kind == "multipart/form-data"):
        raise Problem(400, "bad_request", Phrase(N_("Send this form from its page.")))
    try:
        body = await read_body(request.receive, limit)
    except Problem as problem:
        raise _for_people(problem, limit) from None
    if kind == "multipart/form-data":
        return await _parts(request, body, most_fields, most_files)
    try:
        if len(body) > SMALL_BYTES:
            return await asyncio.to_thread(_pairs, body, most_fields), []
        return _pairs(body, most_fields), []
    except ValueError:
        raise _unreadable() from None


def _pairs(body: bytes, most_fields: int) -> Fields:
    return parse_qsl(
        body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=most_fields
    )


async def _parts(
    request: Request, body: bytes, most_fields: int, most_files: int
) -> tuple[Fields, Files]:
    async def stream() -> AsyncGenerator[bytes, None]:
        for start in range(0, len(body), PIECE):
            yield body[start : start + PIECE]
            # Others are served in between.
            await asyncio.sleep(0)

    parser = _Parser(
        request.headers,
        stream(),
        max_files=most_files + 1,
        max_fields=most_fields,
        max_part_size=max(len(body), 1),
    )
    try:
        found = await parser.parse()
    except TooManyFiles:
        told = N_("You sent more than {most} files. Go back and choose fewer at once.")
        raise Problem(413, "too_large", Phrase(told, most=most_files)) from None
    except (MultiPartException, KeyError, ValueError, LookupError):
        raise _unreadable() from None
    fields: Fields = []
    files: Files = []
    for name, value in found.multi_items():
        if not isinstance(value, UploadFile):
            fields.append((name, value))
        elif value.size or value.filename:
            files.append((name, Upload(value.filename or "", await value.read())))
    await found.close()
    return fields, files


def _unreadable() -> Problem:
    return Problem(400, "bad_request", Phrase(N_("The form cannot be read. Send it again.")))


def _for_people(problem: Problem, limit: int) -> Problem:
    if problem.status != 413 or limit <= FORM_BYTES:
        return problem
    told = N_(
        "What you sent has more than {limit} MB. Go back: what you typed is still there. Choose "
        "fewer or smaller files, and add the others later."
    )
    return Problem(413, problem.code, Phrase(told, limit=limit // 10**6))
