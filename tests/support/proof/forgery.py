"""An export that somebody forges: its parts, to be changed, and put together so that they fit."""

import hashlib
import json
from typing import Any

import msgspec

from plaudit.service.archive.format import Footer, Header, Record
from plaudit.store.log import ANSWERS, Entry, chain, first_digest

Line = list[Any]


class Forgery:
    """The lines of an export by kind; `built` makes chain, counts and sum right again."""

    def __init__(self, export: bytes) -> None:
        first, *lines, _ = export.splitlines()
        self.header: dict[str, Any] = json.loads(first)
        self.lines: list[Line] = [json.loads(line) for line in lines]

    @property
    def record(self) -> dict[str, Any]:
        record: dict[str, Any] = self.header["record"]
        return record

    def of(self, kind: str) -> list[Line]:
        """The lines of a kind; changing one changes the export."""
        return [line for line in self.lines if line[0] == kind]

    def replace(self, kind: str, new: list[Line]) -> None:
        """Puts other lines in the place of those of a kind."""
        at = next(place for place, line in enumerate(self.lines) if line[0] == kind)
        rest = [line for line in self.lines if line[0] != kind]
        self.lines = rest[:at] + new + rest[at:]

    def renumber(self) -> None:
        """Numbers the entries anew, and makes the header's chain, length and epoch right."""
        entries = self.of("entry")
        for position, line in enumerate(entries, start=1):
            line[1] = position
        whole = [Entry._make(line[1:]) for line in entries]
        digest = first_digest(self.record["name"], self.record["settings"])
        self.record["digest"] = chain(digest, whole).hex()
        self.record["position"] = len(entries)
        self.record["epoch"] = sum(entry.kind not in ANSWERS for entry in whole)

    def built(self) -> bytes:
        """The export, with its last line right."""
        encode = msgspec.json.Encoder().encode_lines
        head = Header(self.header["format"], Record(**self.record))
        body = encode([head]) + encode(self.lines)
        counts: dict[str, int] = {}
        for line in self.lines:
            counts[line[0]] = counts.get(line[0], 0) + 1
        whole = dict.fromkeys(
            ("item", "rater", "entry", "asset", "key", "checkpoint", "certificate"), 0
        )
        return body + encode(
            [
                msgspec.convert(
                    {"counts": whole | counts, "sha256": hashlib.sha256(body).hexdigest()}, Footer
                )
            ]
        )
