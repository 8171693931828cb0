#!/usr/bin/env python3
"""Checks the certificate of a Plaudit verdict against the export of its contest.

    python plaudit_check.py certificate.json contest.jsonl.gz [--key KEY] [--json]

It is one file, needs nothing but Python 3.11 or later, and shares no code with Plaudit. It is slow
and plain on purpose: read it from top to bottom to see what a certificate rests on. The formats are
in docs/live/proof-formats.md and docs/live/log-format.md, the formulas in docs/theory.

KEY is the public key of the service (NAME+HASH+KEY), or a file with such keys, one a line. Without
it the keys in the export are used; then whoever wrote the export may have made them up.

Exit codes: 0 the certificate holds, 1 it does not, 2 a file cannot be read, 3 it is all so, but a
later step in the export took the verdict back.
"""

import argparse
import base64
import functools
import gzip
import hashlib
import json
import math
import re
import struct
import sys
import zlib
from decimal import Decimal
from pathlib import Path

# ================================================================ 1. What was found

HOLDS, DIFFERS, UNREADABLE, SUPERSEDED = 0, 1, 2, 3
# Bounds are computed again; other hardware may round the last digits differently.
CLOSE = 1e-9


class Refused(Exception):
    """A file that cannot be what it should be."""


class Findings:
    """A list of things that were compared, each right or wrong, and what could not be checked."""

    def __init__(self):
        self.checks = []
        self.unchecked = []
        self.superseded = None

    def check(self, what, agrees, detail=""):
        """Notes one comparison; returns whether it agrees."""
        self.checks.append({"what": what, "agrees": bool(agrees), "detail": detail})
        return bool(agrees)

    def equal(self, what, found, said):
        """Compares what the log says with what the certificate says."""
        same = found == said
        return self.check(what, same, "" if same else f"the log says {found}, not {said}")

    @property
    def agree(self):
        """Whether nothing was wrong."""
        return all(check["agrees"] for check in self.checks)

    @property
    def code(self):
        """The exit code."""
        if not self.agree:
            return DIFFERS
        return SUPERSEDED if self.superseded else HOLDS


# ================================================================ 2. JSON


def read_json(text):
    """The value of a JSON text. A field that is there twice would say two things: it is refused."""

    def once(pairs):
        fields = dict(pairs)
        if len(fields) < len(pairs):
            raise Refused("An object has the same field twice.")
        return fields

    def no_number(word):
        raise Refused(f"{word} is no number of JSON.")

    try:
        return json.loads(text, object_pairs_hook=once, parse_constant=no_number)
    except (ValueError, RecursionError) as error:
        raise Refused(f"It is not JSON: {error}") from None


def canonical(value):
    """The bytes of a JSON value in the one form of RFC 8785 (JCS)."""
    if value is None or value is True or value is False:
        return json.dumps(value).encode()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).encode()
    if isinstance(value, int | float):
        return number_text(value).encode()
    if isinstance(value, list):
        return b"[" + b",".join(canonical(part) for part in value) + b"]"
    # Fields in the order of their names' UTF-16 code units.
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return b"{" + b",".join(canonical(n) + b":" + canonical(value[n]) for n in names) + b"}"


def number_text(number):
    """A number as ECMAScript writes it: the shortest digits that give the same double."""
    if isinstance(number, int):
        if abs(number) >= 2**53:
            raise Refused(f"{number} is too large for a number of JSON.")
        return str(number)
    if not math.isfinite(number):
        raise Refused(f"{number} is no number of JSON.")
    if number == 0.0:
        return "0"
    sign, digits, exponent = Decimal(repr(number)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0")
    point = len(digits) + exponent  # the value is 0.TEXT times ten to this power
    minus = "-" if sign else ""
    if len(text) <= point <= 21:
        return f"{minus}{text}{'0' * (point - len(text))}"
    if 0 < point <= 21:
        return f"{minus}{text[:point]}.{text[point:]}"
    if -6 < point <= 0:
        return f"{minus}0.{'0' * -point}{text}"
    power = point - 1
    mantissa = text[0] + (f".{text[1:]}" if len(text) > 1 else "")
    return f"{minus}{mantissa}e{'+' if power > 0 else '-'}{abs(power)}"


def is_int(value, least=None):
    """Whether a value of JSON is a whole number, and no less than `least`."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole and (least is None or value >= least)


def is_number(value):
    """Whether a value of JSON is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def are_ints(value, least=0):
    """Whether a value of JSON is a list of whole numbers."""
    return isinstance(value, list) and all(is_int(part, least) for part in value)


# ================================================================ 3. Hashes


def sha256(*parts):
    """SHA-256 of the parts joined."""
    return hashlib.sha256(b"".join(parts)).digest()


def from_base64(text):
    """The bytes of a base64 text, which must be written in the one right way."""
    try:
        body = base64.b64decode(text, validate=True)
    except ValueError:
        raise Refused(f"{text[:60]!r} is not base64.") from None
    if base64.b64encode(body).decode() != text:
        raise Refused(f"{text[:60]!r} is not base64.")
    return body


def from_hex(text, size, what):
    """The bytes of a hexadecimal text of this many bytes."""
    if not isinstance(text, str) or not re.fullmatch(f"[0-9a-f]{{{2 * size}}}", text):
        raise Refused(f"{what} does not have {2 * size} hexadecimal digits.")
    return bytes.fromhex(text)


def tree_root(leaves):
    """The root of RFC 9162 over leaf hashes: the left side has the largest power of two below n."""
    row = list(leaves)
    # Joining neighbours level by level, an odd last one moving up, gives the same tree.
    while len(row) > 1:
        joined = [sha256(b"\x01", row[i], row[i + 1]) for i in range(0, len(row) - 1, 2)]
        row = joined + row[len(joined) * 2 :]
    return row[0]


# ================================================================ 4. Ed25519 (RFC 8032, 5.1)

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
CURVE = -121665 * pow(121666, -1, PRIME) % PRIME
ROOT_OF_MINUS_ONE = pow(2, (PRIME - 1) // 4, PRIME)


def add_points(p, q):
    """The sum of two points in extended coordinates."""
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % PRIME, (p[1] + p[0]) * (q[1] + q[0]) % PRIME
    c, d = 2 * p[3] * q[3] * CURVE % PRIME, 2 * p[2] * q[2] % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME)


def times_point(number, point):
    """A point added to itself this many times."""
    total = (0, 1, 1, 0)
    while number:
        if number & 1:
            total = add_points(total, point)
        point = add_points(point, point)
        number >>= 1
    return total


def read_point(body):
    """The point that 32 bytes encode, or None."""
    y = int.from_bytes(body, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= PRIME:
        return None
    square = (y * y - 1) * pow(CURVE * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * ROOT_OF_MINUS_ONE % PRIME
    if (x * x - square) % PRIME or (x == 0 and sign):
        return None
    x = PRIME - x if x & 1 != sign else x
    return (x, y, 1, x * y % PRIME)


BASE_POINT = read_point((4 * pow(5, -1, PRIME) % PRIME).to_bytes(32, "little"))


def has_signed(public, message, signature):
    """Whether this is the signature of the message by the public key."""
    if len(signature) != 64 or len(public) != 32:
        return False
    key, commitment = read_point(public), read_point(signature[:32])
    number = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or number >= ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public + message).digest()
    challenge = int.from_bytes(digest, "little") % ORDER
    left = times_point(number, BASE_POINT)
    right = add_points(commitment, times_point(challenge, key))
    same_x = (left[0] * right[2] - right[0] * left[2]) % PRIME == 0
    return same_x and (left[1] * right[2] - right[1] * left[2]) % PRIME == 0


# ================================================================ 5. Signed notes (C2SP)


class Key:
    """A public key by its text NAME+HASH+KEY."""

    def __init__(self, text):
        name, _, rest = text.partition("+")
        hashed, _, body = rest.partition("+")
        raw = from_base64(body)
        self.text, self.name, self.public = text, name, raw[1:]
        self.hash = sha256(name.encode(), b"\n", raw)[:4]
        if not name or raw[:1] != b"\x01" or len(raw) != 33 or self.hash.hex() != hashed:
            raise Refused(f"{text[:100]!r} is not a public key.")


def read_keys(given):
    """The keys that were given: a key itself, or a file with keys; # begins a comment."""
    text = Path(given).read_text() if "+" not in given or Path(given).exists() else given
    lines = [line.strip() for line in text.splitlines()]
    return [Key(line) for line in lines if line and not line.startswith("#")]


def split_note(note):
    """The text of a signed note, and its signatures: name, hash of the key, signature."""
    text, blank, lines = note.rpartition("\n\n")
    if not blank or not lines.endswith("\n"):
        raise Refused("It is not a signed note.")
    found = []
    for line in lines[:-1].split("\n"):
        match = re.fullmatch(r"— (\S+) (\S+)", line)
        if match is None:
            raise Refused(f"{line[:100]!r} is not a signature.")
        raw = from_base64(match[2])
        found.append((match[1], raw[:4], raw[4:]))
    return text + "\n", found


def signer_of(text, signatures, keys):
    """The key that has signed a text; None if none of these has, or a signature is false."""
    found = None
    for name, hashed, signature in signatures:
        for key in keys:
            if (key.name, key.hash) == (name, hashed):
                if not has_signed(key.public, text.encode(), signature):
                    return None
                found = found or key
    return found


CHECKPOINT = re.compile(
    r"(?P<origin>\S+)\n(?P<size>\d+)\n(?P<root>\S+)\n"
    r"time (?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\n"
    r"items (?P<items>\d+) (?P<items_digest>\S+)\n"
    r"raters (?P<raters>\d+) (?P<raters_digest>\S+)\n",
    re.ASCII,
)


def read_checkpoint(note):
    """The facts of a checkpoint, its text and its signatures."""
    text, signatures = split_note(note)
    match = CHECKPOINT.fullmatch(text)
    if match is None:
        raise Refused(f"This is not a checkpoint: {text[:60]!r}.")
    facts = match.groupdict()
    for name in ("size", "items", "raters"):
        facts[name] = int(facts[name])
    for name in ("root", "items_digest", "raters_digest"):
        facts[name] = from_base64(facts[name])
    return facts, text, signatures


# ================================================================ 6. The export

SECTIONS = {
    "plaudit contest 1": ("item", "rater", "entry", "asset", "certificate"),
    "plaudit contest 2": (
        "item", "rater", "entry", "asset", "key", "checkpoint", "certificate",
    ),
}  # fmt: skip
RECORD = {"name", "settings", "state", "position", "epoch", "digest", "created_at"}
STATES = ("draft", "open", "paused", "closed", "retired", "deleted")


class Export:
    """The lines of an export, whose sum is right, by kind."""

    def __init__(self, body):
        if body[:1] == b"\x1f":
            try:
                body = gzip.decompress(body)
            except (OSError, EOFError, zlib.error) as error:
                raise Refused(f"It cannot be unpacked by gzip: {error}.") from None
        lines = body.splitlines(keepends=True) if b"\r" not in body else body.split(b"\n")
        if len(lines) < 2:
            raise Refused("It was cut off.")
        *before, last = lines
        header, footer = (self._line(line) for line in (before[0], last))
        self._read_header(header)
        self.lines = {section: [] for section in SECTIONS[self.format]}
        self._read_sections([self._line(line) for line in before[1:]])
        self._read_footer(footer, hashlib.sha256(b"".join(before)).hexdigest())

    @staticmethod
    def _line(line):
        try:
            return read_json(line.decode())
        except UnicodeDecodeError:
            raise Refused("A line is not UTF-8.") from None

    def _read_header(self, header):
        if not isinstance(header, dict) or header.get("format") not in SECTIONS:
            raise Refused("It does not begin like the export of a contest.")
        self.format, record = header["format"], header.get("record")
        self.is_old = self.format == "plaudit contest 1"
        fields = RECORD if self.is_old else RECORD | {"blinding"}
        named = set(record) if isinstance(record, dict) else set()
        if named != fields or set(header) != {"format", "record"}:
            wrong = sorted((named ^ fields) | (set(header) - {"format", "record"}))
            raise Refused(f"Fields of its first line are unknown or missing: {wrong}.")
        whole = all(is_int(record[name], 0) for name in ("position", "epoch"))
        words = all(isinstance(record[name], str) for name in ("name", "settings", "state"))
        if not whole or not words or not is_int(record["created_at"]):
            raise Refused("Its first line is damaged.")
        if not re.fullmatch("[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?", record["name"]):
            raise Refused(f"{record['name'][:80]!r} is no name of a contest.")
        if record["state"] not in STATES:
            raise Refused(f"{record['state'][:80]!r} is no state of a contest.")
        from_hex(record["digest"], 32, "The digest in its first line")
        if not self.is_old:
            self.blinding = from_hex(record["blinding"], 32, "The blinding")
        self.record = record

    def _read_sections(self, lines):
        order = list(self.lines)
        place = 0
        for line in lines:
            kind = line[0] if isinstance(line, list) and line else None
            if kind not in order or order.index(kind) < place:
                raise Refused("A line is damaged or out of place.")
            place = order.index(kind)
            self.lines[kind].append(line[1:])

    def _read_footer(self, footer, found):
        if not isinstance(footer, dict) or set(footer) != {"counts", "sha256"}:
            raise Refused("Its last line is missing or damaged: it was cut off.")
        counts = footer["counts"]
        if not isinstance(counts, dict) or set(counts) - set(self.lines):
            raise Refused("Its last line counts lines of an unknown kind.")
        if {name: counts.get(name, 0) for name in self.lines} != {
            name: len(lines) for name, lines in self.lines.items()
        }:
            raise Refused("Lines are missing or were added.")
        if footer["sha256"] != found:
            raise Refused("It was changed: its SHA-256 differs.")

    # ---- The parts

    def items(self):
        """Text and picture of each item, in the order of their numbers."""
        for number, line in enumerate(self.lines["item"]):
            sound = len(line) == 3 and is_int(line[0]) and line[0] == number
            if not sound or not all(isinstance(word, str) for word in line[1:]):
                raise Refused(f"Item {number} is missing or damaged.")
        return [tuple(line[1:]) for line in self.lines["item"]]

    def marks(self):
        """The mark of each rater, or None in an old export; keys must differ."""
        found, keys = [], set()
        for number, line in enumerate(self.lines["rater"]):
            if len(line) != (2 if self.is_old else 3) or not is_int(line[0]) or line[0] != number:
                raise Refused(f"Rater {number} is missing or damaged.")
            key = None if line[1] is None else from_hex(line[1], 16, f"The key of rater {number}")
            if key in keys:
                raise Refused(f"The key of rater {number} is there twice.")
            keys |= {key} - {None}
            if self.is_old:
                found.append(None)
            elif key is None:
                found.append(from_hex(line[2], 32, f"The mark of rater {number}"))
            else:
                salt = from_hex(line[2], 16, f"The salt of rater {number}")
                found.append(sha256(salt, key))
        return found

    def entries(self):
        """The entries of the log, each as a dict."""
        names = ("position", "kind", "at", "rater", "item", "level", "lane", "response_ms")
        found = []
        for number, line in enumerate(self.lines["entry"], start=1):
            sound = len(line) == 9 and all(is_int(field) for field in line[:8])
            if not sound or line[0] != number or not isinstance(line[8], str):
                raise Refused(f"Entry {number} is missing or damaged.")
            found.append(dict(zip(names, line[:8], strict=True)) | {"payload": line[8]})
        return found

    def keys(self):
        """The public keys that it lists."""
        for line in self.lines["key"]:
            sound = len(line) == 3 and is_text(line[0]) and is_int(line[1])
            if not sound or not (line[2] is None or is_int(line[2])):
                raise Refused("A public key of the export is damaged.")
        return [Key(line[0]) for line in self.lines["key"]]

    def check_pictures(self, needed):
        """Refuses a picture that is not what its hash says, and one that is missing."""
        found = set()
        for line in self.lines["asset"]:
            if len(line) != 3 or not all(isinstance(word, str) for word in line):
                raise Refused("A picture is damaged.")
            try:
                body = base64.b64decode(line[2], validate=True)
            except ValueError:
                raise Refused(f"The picture {line[0][:80]!r} is damaged.") from None
            if hashlib.sha256(body).hexdigest() != line[0] or line[1] != media_type_of(body):
                raise Refused(f"The picture {line[0][:80]!r} does not match its hash or type.")
            found.add(line[0])
        if missing := needed - found:
            raise Refused(f"The picture {min(missing)[:80]} is missing.")


def media_type_of(body):
    """What kind of picture this is, by its first bytes."""
    for begin, kind in ((b"\x89PNG", "png"), (b"\xff\xd8", "jpeg"), (b"GIF8", "gif")):
        if body.startswith(begin):
            return f"image/{kind}"
    return "image/webp" if body[:4] == b"RIFF" and body[8:12] == b"WEBP" else "image/svg+xml"


# ================================================================ 7. The log

VOTE, SKIP, FLAG = 1, 2, 3
ADD, WITHDRAW, EXCLUDE, READMIT, ERASE, STATE, VERDICT, REPLACE, RESTORE, SETTINGS = range(10, 20)
CODES, REVOKE, LIST, LINK_KEY, PROPOSE, REFUSE = range(20, 26)
PACKED = struct.Struct("<qbqqqhhi")
UNIFORM = -1


def packed(entry):
    """The 41 bytes of an entry, and its payload."""
    names = ("position", "kind", "at", "rater", "item", "level", "lane", "response_ms")
    try:
        return PACKED.pack(*(entry[name] for name in names)) + entry["payload"].encode()
    except (struct.error, UnicodeEncodeError):
        raise Refused(f"Entry {entry['position']} has a number that is too large.") from None


def chain_of(record, entries):
    """The digest of the chain after 0, 1, 2, … entries."""
    digest = sha256(f"plaudit log 1\n{record['name']}\n{record['settings']}".encode())
    found = [digest]
    for entry in entries:
        digest = sha256(digest, packed(entry))
        found.append(digest)
    return found


def leaves_of(export, entries):
    """The leaf hashes of the contest's tree: the contest itself, then its entries."""
    record = export.record
    first = f"plaudit log 1\n{record['name']}\n{record['settings']}".encode()
    data = [first, *(packed(entry) for entry in entries)]
    return [
        sha256(b"\x00", sha256(export.blinding, index.to_bytes(8, "little"))[:16], body)
        for index, body in enumerate(data)
    ]


def items_digests(items):
    """What binds the first 0, 1, 2, … items."""
    digest = sha256(b"plaudit items 1\n")
    found = [digest]
    for number, (text, image) in enumerate(items):
        mark = sha256(number.to_bytes(8, "little"), text.encode(), b"\x00", image.encode())
        digest = sha256(digest, mark)
        found.append(digest)
    return found


def raters_digests(marks):
    """What binds the first 0, 1, 2, … raters."""
    digest = sha256(b"plaudit raters 1\n")
    found = [digest]
    for mark in marks:
        digest = sha256(digest, mark)
        found.append(digest)
    return found


# The fields of an event's JSON: those that it must have, and those that it may have.
ITEM_LIST, NUMBER, WORD = are_ints, is_int, lambda value: isinstance(value, str)
RATERS = {"raters": are_ints, "rater": is_int, "undoes": is_int}
ARE_WORDS = lambda value: isinstance(value, list) and all(map(WORD, value))  # noqa: E731
OPTIONAL_NUMBER = lambda value: value is None or is_number(value)  # noqa: E731
EVENTS = {
    ADD: (
        {"first": NUMBER, "count": NUMBER},
        {"digest": WORD, "undoes": NUMBER, "proposals": are_ints},
    ),
    WITHDRAW: ({"items": ITEM_LIST}, {"undoes": NUMBER}),
    EXCLUDE: ({}, RATERS | {"grounds": lambda value: isinstance(value, str | list)}),
    READMIT: ({}, RATERS),
    ERASE: ({}, RATERS),
    STATE: ({"state": WORD}, {"undoes": NUMBER}),
    VERDICT: (
        {"lane": NUMBER, "winners": ITEM_LIST, "delta": OPTIONAL_NUMBER},
        {
            "judged_at": NUMBER, "epsilon": is_number, "top": NUMBER, "votes": NUMBER,
            "gap": OPTIONAL_NUMBER, "exclusions": lambda value: isinstance(value, dict),
            "tolerance": NUMBER, "withstands": OPTIONAL_NUMBER,
        },
    ),
    REPLACE: (
        {"items": ITEM_LIST, "first": NUMBER, "count": NUMBER,
         "votes": lambda value: isinstance(value, bool)},
        {"digest": WORD, "undoes": NUMBER},
    ),
    RESTORE: ({"items": ITEM_LIST, "without": ITEM_LIST}, {"undoes": NUMBER}),
    SETTINGS: ({"set": lambda value: isinstance(value, dict)}, {"undoes": NUMBER}),
    CODES: ({"upto": NUMBER}, {}),
    REVOKE: ({}, {"codes": are_ints, "back": are_ints, "undoes": NUMBER}),
    LIST: ({}, {"added": ARE_WORDS, "removed": ARE_WORDS, "undoes": NUMBER}),
    LINK_KEY: ({"number": NUMBER}, {}),
    PROPOSE: ({"rater": NUMBER, "text": WORD}, {}),
    REFUSE: (
        {},
        {"proposals": are_ints, "reason": WORD, "note": WORD, "back": are_ints, "undoes": NUMBER},
    ),
}  # fmt: skip
# Events after which the races are built anew, so that no earlier verdict stands.
REOPENING = {ADD, WITHDRAW, EXCLUDE, READMIT, ERASE, REPLACE, RESTORE}
OF_THE_RACE = {
    "scale", "lanes", "delta", "epsilon", "top", "goal", "seed", "uniform", "tolerance",
    "bets",
}  # fmt: skip
# What a setting is where a contest does not say.
DEFAULTS = {
    "context": {"text": "", "image": "", "alt": ""}, "delta": 0.01, "epsilon": 0.0, "top": 1,
    "goal": "top", "seed": 0, "uniform": 0.0, "consent": "", "instructions": "",
    "votes_per_visit": 0, "thanks": "", "completion_code": "", "return_url": "", "opens": None,
    "closes": None, "skip": True, "flag": True, "public_results": True, "listed": True,
    "embed": [], "tolerance": 0.0, "door": "open", "work": "off", "language": "automatic",
    "bets": "",
    "votes_after_verdict": False, "proposals": "off", "proposals_each": 3, "proposals_in_all": 200,
}  # fmt: skip
REQUIRED = {"title", "scale", "lanes"}
PARTS = {"scale": {"label", "value"}, "lanes": {"algorithm", "share"}}
WHY = ("", "votes", "speed", "address", "robot", "door")
BY_VOTES, ERASED = ("", "votes"), "erased"


def unknown_settings(where, settings):
    """Names the fields of settings that no contest has, in a list of no or one sentence."""
    names = [name for name in settings if name not in DEFAULTS and name not in REQUIRED]
    for name, known in PARTS.items():
        parts = settings.get(name, [])
        if not isinstance(parts, list) or not all(isinstance(one, dict) for one in parts):
            raise Refused(f"The {name} of the contest are damaged.")
        names += [f"{name}.{field}" for one in parts for field in one if field not in known]
    context = settings.get("context", {})
    if not isinstance(context, dict):
        raise Refused("The context of the contest is damaged.")
    names += [f"context.{field}" for field in context if field not in DEFAULTS["context"]]
    return [f"{where} has {', '.join(names)}"] if names else []


def whole_settings(given):
    """Settings with those that have their defaults."""
    found = DEFAULTS | given
    lanes = [{"share": 1.0} | lane for lane in found["lanes"]]
    return found | {"lanes": lanes, "context": DEFAULTS["context"] | found["context"]}


class Contest:
    """The state of a contest as its log tells it, entry by entry."""

    def __init__(self, record, items):
        self.created = read_json(record["settings"])
        if not isinstance(self.created, dict) or REQUIRED - set(self.created):
            raise Refused("The settings of the contest are damaged.")
        self.texts = items
        self.items = self.initial = self.raters = self.epoch = self.position = 0
        self.begun = False
        self.state = "draft"
        self.absent, self.joined, self.withdrawn = set(), [], set()
        self.content = {}
        self.merged = []
        self.excluded, self.erased, self.grounds = set(), set(), {}
        self.votes = []
        self.answered = set()
        # What raters proposed, by position: None while it waits, else the item or the reason.
        self.proposals = {}
        self.unknown = unknown_settings("the first line of the export", self.created)
        self.settings = whole_settings(self.created)
        self.pictures = {self.settings["context"]["image"]} - {""}

    # ---- Entries

    def take(self, entry):
        """Takes the next entry of the log."""
        self.position += 1
        if not 0 <= entry["at"] < 253_402_300_800_000:
            raise self._damaged(entry, "has an impossible time")
        if entry["kind"] in (VOTE, SKIP, FLAG):
            self._take_answer(entry)
        else:
            self._take_event(entry)

    def _take_answer(self, entry):
        settings = self.settings
        if not self.begun:
            # From here on items that join or leave cost a share of delta.
            self.begun, self.absent = True, set(self.withdrawn)
        if not 0 <= entry["item"] < self.items or entry["rater"] < 0:
            raise self._damaged(entry, "is about an item or a rater that does not exist")
        levels = {VOTE: range(len(settings["scale"])), SKIP: range(-1, 0), FLAG: range(4)}
        if entry["level"] not in levels[entry["kind"]]:
            raise self._damaged(entry, "has a level that is not on the scale")
        if not -1 <= entry["lane"] < len(settings["lanes"]) or entry["payload"]:
            raise self._damaged(entry, "is no answer")
        if not -1 <= entry["response_ms"] < 2**31:
            raise self._damaged(entry, "has an impossible response time")
        pair = (entry["rater"], entry["item"])
        if pair in self.answered:
            raise self._damaged(entry, "is the second answer of a rater on an item")
        self.answered.add(pair)
        self.raters = max(self.raters, entry["rater"] + 1)
        if entry["kind"] == VOTE:
            self.votes.append(entry)

    def _take_event(self, entry):
        if (
            entry["kind"] not in EVENTS
            or [entry[name] for name in ("rater", "item", "level", "lane", "response_ms")]
            != [-1] * 5
        ):
            raise self._damaged(entry, "is of an unknown kind")
        said = read_json(entry["payload"])
        needed, optional = EVENTS[entry["kind"]]
        if not isinstance(said, dict) or needed.keys() - said.keys():
            raise self._damaged(entry, "lacks a field")
        known = needed | optional
        if wrong := [name for name in said if name in known and not known[name](said[name])]:
            raise self._damaged(entry, f"has a wrong {wrong[0]}")
        if names := [name for name in said if name not in known]:
            self.unknown.append(f"entry {self.position} of the export has {', '.join(names)}")
        self._change(entry, said)
        self.epoch += 1

    def _change(self, entry, said):
        kind = entry["kind"]
        if kind in (ADD, REPLACE):
            self._add(entry, said)
        elif kind == WITHDRAW:
            self._known(entry, said["items"])
            self.withdrawn.update(said["items"])
        elif kind == RESTORE:
            self._restore(entry, said)
        elif kind in (EXCLUDE, READMIT, ERASE):
            self._change_raters(entry, said)
        elif kind == STATE:
            if said["state"] not in STATES:
                raise self._damaged(entry, "has an unknown state")
            self.state = said["state"]
        elif kind == SETTINGS:
            fixed = OF_THE_RACE - {"tolerance"}
            if self.begun and set(said["set"]) & fixed:
                raise self._damaged(entry, "changes the race after the first answer")
            self.unknown += unknown_settings(f"entry {self.position} of the export", said["set"])
            self.settings = whole_settings(self.settings | said["set"])
            self.pictures |= {self.settings["context"]["image"]} - {""}
        elif kind in (PROPOSE, REFUSE):
            self._change_proposals(entry, said)
        elif kind == VERDICT:
            self._known(entry, said["winners"])
            if not 0 <= said["lane"] < len(self.settings["lanes"]):
                raise self._damaged(entry, "is a verdict of no race")

    def _add(self, entry, said):
        new = range(said["first"], said["first"] + said["count"])
        if said["first"] != self.items or not new or new.stop > len(self.texts):
            raise self._damaged(entry, "adds items that are not in the export")
        digest = hashlib.sha256()
        for number in new:
            # The digest is over lists of JSON: number, text and picture.
            digest.update(json.dumps([number, *self.texts[number]], ensure_ascii=False).encode())
        if said.get("digest") not in (None, digest.hexdigest()):
            raise self._damaged(entry, "added items with other texts or pictures")
        self._take_proposals(entry, said.get("proposals", []), new)
        self.items = new.stop
        if not self.begun:
            self.initial = self.items
        if entry["kind"] == ADD:
            if self.begun:
                self.joined += new
            return
        old = said["items"]
        there = set(old) <= set(range(new.start)) - self.withdrawn
        if len(new) != 1 or not old or not there or len(set(old)) < len(old):
            raise self._damaged(entry, "replaces items that are not there")
        self.withdrawn.update(old)
        if not self.begun:
            return
        if not said["votes"]:
            self.joined += new
            return
        # The new item stands for what the old ones stood for, and takes the place of one of them.
        content = frozenset().union(*(self.content_of(item) for item in old))
        self.content[new.start] = content
        self.merged.append(content)

    def _take_proposals(self, entry, taken, new):
        if not taken:
            return
        waiting = {one for one, fate in self.proposals.items() if fate is None}
        if len(taken) != len(new) or len(set(taken)) < len(taken) or not set(taken) <= waiting:
            raise self._damaged(entry, "takes in proposals that do not wait")
        self.proposals |= zip(taken, new, strict=True)

    def _change_proposals(self, entry, said):
        if entry["kind"] == PROPOSE:
            if not self.begun or not 0 <= said["rater"] < self.raters or not said["text"]:
                raise self._damaged(entry, "is a proposal of nobody")
            self.proposals[entry["position"]] = None
            return
        refused, back = said.get("proposals", []), said.get("back", [])
        waiting = all(one in self.proposals and self.proposals[one] is None for one in refused)
        undone = all(isinstance(self.proposals.get(one), str) for one in back)
        if bool(refused) == bool(back) or not waiting or not undone:
            raise self._damaged(entry, "refuses proposals that do not wait")
        self.proposals |= dict.fromkeys(refused, said.get("reason", ""))
        self.proposals |= dict.fromkeys(back)

    def _restore(self, entry, said):
        back, out = said["items"], said["without"]
        self._known(entry, back + out)
        if set(back) - self.withdrawn or set(out) & self.withdrawn or not back + out:
            raise self._damaged(entry, "restores an item that was not withdrawn")
        self.withdrawn.difference_update(back)
        self.withdrawn.update(out)
        if self.begun:
            # An item that was out when the first vote came joins only now.
            self.joined += [i for i in back if i in self.absent and i not in self.joined]

    def _change_raters(self, entry, said):
        named = said.get("raters") or ([said["rater"]] if "rater" in said else [])
        if not named or len(set(named)) < len(named) or min(named) < 0:
            raise self._damaged(entry, "names no raters, or one twice")
        why = said.get("grounds", "")
        each = [why] * len(named) if isinstance(why, str) else why
        if entry["kind"] == EXCLUDE and (
            len(each) != len(named) or any(w not in WHY for w in each)
        ):
            raise self._damaged(entry, "has unknown grounds")
        for rater, grounds in zip(named, each, strict=True):
            if entry["kind"] == READMIT:
                if rater in self.excluded - self.erased:
                    self.excluded.discard(rater)
                    del self.grounds[rater]
                continue
            if entry["kind"] == ERASE:
                self.erased.add(rater)
            if rater not in self.excluded:
                self.excluded.add(rater)
                self.grounds[rater] = ERASED if entry["kind"] == ERASE else grounds

    def _known(self, entry, items):
        if not set(items) <= set(range(self.items)):
            raise self._damaged(entry, "names an item that does not exist")

    @staticmethod
    def _damaged(entry, why):
        return Refused(f"Entry {entry['position']} of the export {why}.")

    # ---- What follows from them

    def content_of(self, item):
        """The items that an item stands for: itself, or those that were merged into it."""
        return self.content.get(item, frozenset({item}))

    @property
    def present(self):
        """The items that are not withdrawn."""
        return [item for item in range(self.items) if item not in self.withdrawn]

    def is_original(self, item):
        """Whether an item was in the race when the first vote came."""
        return item < self.initial and item not in self.absent

    def place_of(self, item):
        """The item whose place an item has: an original before those that joined."""
        joined = {other: number for number, other in enumerate(self.joined)}
        members = self.content_of(item)
        return min(members, key=lambda i: (0, i) if self.is_original(i) else (1, joined.get(i, i)))

    def counts(self, lane):
        """For each item its votes at each level: those that count, and those kept aside.

        A race gets the votes that it asked for, and those of uniform traffic. For an item all votes
        on items whose content is part of its own count, but only the first of each rater.
        """
        levels = len(self.settings["scale"])
        counted = [[0] * levels for _ in range(self.items)]
        aside = [[0] * levels for _ in range(self.items)]
        # Most items stand for themselves alone: their votes are those on them.
        takers = {item: [item] for item in range(self.items)}
        for item in set(self.content) | set().union(*self.content.values(), set()):
            mine = self.content_of(item)
            for other in range(self.items):
                if other != item and self.content_of(other) <= mine:
                    takers[other].append(item)
        seen = set()
        for vote in self.votes:
            for item in takers[vote["item"]]:
                first = (vote["rater"], item) not in seen
                seen.add((vote["rater"], item))
                if not first or vote["lane"] not in (lane, UNIFORM):
                    continue
                if vote["rater"] not in self.excluded:
                    counted[item][vote["level"]] += 1
                elif self.grounds[vote["rater"]] in BY_VOTES:
                    aside[item][vote["level"]] += 1
        return counted, aside

    def rival_sets(self):
        """Two different sets of one size that were merged in one place: (B) of the error budget."""
        found, rivals = {}, []
        for item, members in sorted(self.content.items()):
            if len(members) > 1:
                known = found.setdefault((self.place_of(item), len(members)), members)
                if known != members:
                    rivals.append((sorted(known), sorted(members)))
        return rivals

    def tolerated(self):
        """How many dishonest raters a verdict must withstand now."""
        given = self.settings["tolerance"]
        # A share such as 0.29 is not exact in binary: 29 of 100 must not become 28.
        return int(given) if given >= 1 else int(given * self.raters + 1e-9)


# ================================================================ 8. Bounds (docs/theory/bounds)


def root_between(is_out, kept, out):
    """Where a condition changes between a value that is kept and one that is out."""
    if not is_out(out):
        return out
    for _ in range(80):
        middle = 0.5 * (kept + out)
        if middle in (kept, out):
            break
        kept, out = (kept, middle) if is_out(middle) else (middle, out)
    return kept


SIZES = [math.exp(math.log(0.001) + math.log(100 / 0.001) * k / 23) for k in range(24)]
LOG_WEIGHTS = [
    0.4 * math.log(size) - math.log(math.fsum(other**0.4 for other in SIZES)) for size in SIZES
]


def log_capital(counts, falls, rest, weights=LOG_WEIGHTS):
    """What 24 bets have made of a capital of 1, as a logarithm (docs/theory/bounds/betting.md).

    `falls` are 1-x for the levels x of the upper side, x for the lower; `rest` is 1-m, or m.
    `weights` are the logarithms of how the capital was shared out at first.
    """
    votes = sum(counts)
    logs = [
        weight
        + math.fsum(c * math.log1p(size * fall) for c, fall in zip(counts, falls, strict=True))
        - votes * math.log1p(size * rest)
        for size, weight in zip(SIZES, weights, strict=True)
    ]
    largest = max(logs)
    return largest + math.log(math.fsum(math.exp(one - largest) for one in logs))


def learned_bets(text):
    """The bound betting with weights that the contest was given: for upper and lower bounds."""
    try:
        record = json.loads(text)
        sides = [[float(share) for share in record[side]] for side in ("upper", "lower")]
        sound = record["plaudit"] == "bets 1" and all(
            len(side) == len(SIZES) and all(1e-9 <= share <= 1.0 for share in side)
            for side in sides
        )
    except (ValueError, TypeError, KeyError, OverflowError):
        sound = False
    if not sound:
        raise Refused("The learned bets of the contest are damaged.")
    return tuple(
        tuple(math.log(share) - math.log(math.fsum(side)) for share in side) for side in sides
    )


def divergence(x, y):
    """D(x, y), the Bernoulli divergence."""
    total = 0.0
    for a, b in ((x, y), (1.0 - x, 1.0 - y)):
        if a > 0.0:
            if b <= 0.0:
                return math.inf
            total += a * math.log(a / b)
    return total


@functools.cache
def peeling_total():
    """C of docs/theory/bounds/lil-kl.md for N = 8: a sum over the first octaves, and zeta."""
    power, start, many = 9 / 8, 4, 2000
    early = math.fsum(math.log2(2 * t) ** -power for t in range(1, 9))
    zeta = math.fsum((start + n) ** -power for n in range(many))
    end = start + many
    # Euler and Maclaurin: the rest of Hurwitz' zeta.
    zeta += end ** (1 - power) / (power - 1) + end**-power / 2 + power * end ** (-power - 1) / 12
    return early + 8 * zeta


def evidence_of(bound, votes, error, time):
    """The divergence, or half the squared radius, that votes cannot rule out, times the votes."""
    level = -math.log(error)
    time = max(time, votes)
    if bound == "lil-kl":
        return (math.log(peeling_total()) + level) * 8 / 9 + math.log(math.log2(2 * votes))
    if bound == "kl-lucb":
        x = math.log(405.5) + level + 1.1 * math.log(time)
        return x + math.log(x)
    if bound == "sg2":
        x = -math.log(min(error, 0.1))
        return x + 3 * math.log(x) + 1.5 * math.log(1 + math.log(votes))
    if bound == "hoeffding":
        return math.log(1.25) + level + 4 * math.log(time)
    # elimination: its radius is sqrt(ln(5 t^2/error)/t), the others' have 2t there.
    return 2 * (math.log(5) + level + 2 * math.log(votes))


def rules_out(bound, counts, values, error, time, m):
    """Whether the votes at each level rule out a mean of `m` or more, which is above their own."""
    votes = sum(counts)
    if bound == "betting" or isinstance(bound, tuple):
        falls = [1.0 - value for value in values]
        weights = LOG_WEIGHTS if bound == "betting" else bound[0]
        return log_capital(counts, falls, 1.0 - m, weights) > -math.log(error)
    mean = math.fsum(c * v for c, v in zip(counts, values, strict=True)) / votes
    rate = max(evidence_of(bound, votes, error, time), 0.0) / votes
    if bound not in ("lil-kl", "kl-lucb"):
        return 2 * (m - mean) ** 2 > rate
    lean = 1 / 9 if bound == "lil-kl" else 0.0
    return divergence(mean + lean * (m - mean), m) > rate


@functools.lru_cache(maxsize=200_000)
def upper_bound(bound, counts, values, error, time=1.0):
    """The upper bound of the mean from the votes at each level of a scale; 1 without votes."""
    votes = sum(counts)
    if votes == 0:
        return 1.0
    mean = math.fsum(c * v for c, v in zip(counts, values, strict=True)) / votes
    return root_between(lambda m: rules_out(bound, counts, values, error, time, m), mean, 1.0)


def lower_bound(bound, counts, values, error, time=1.0):
    """The lower bound: the mirror image of the upper one."""
    mirrored = tuple(1.0 - value for value in values)
    # Learned bets have their weights for either side.
    turned = bound[::-1] if isinstance(bound, tuple) else bound
    return 1.0 - upper_bound(turned, tuple(counts), mirrored, error, time)


def without_lowest(counts, values, number):
    """The counts without so many of the lowest votes."""
    left = list(counts)
    for level in sorted(range(len(values)), key=lambda k: values[k]):
        gone = min(left[level], number)
        left[level] -= gone
        number -= gone
    return tuple(left)


def without_highest(counts, values, number):
    """The counts without so many of the highest votes."""
    return without_lowest(counts, [-value for value in values], number)


# ================================================================ 9. The error budget

BOUND_OF = {
    "plaudit": "betting", "lil-klucb": "lil-kl", "kl-lucb": "kl-lucb", "lucb": "hoeffding",
    "lucb++": "sg2", "ucb": "lil-kl", "uniform": "lil-kl",
    "successive-elimination": "elimination",
}  # fmt: skip
STOPPING_OF = dict.fromkeys(BOUND_OF, "separation") | {"successive-elimination": "last-standing"}
# The shares of upper and lower bounds; None: every item gets delta/n.
SHARES_OF = {"plaudit": (0.9, 0.1), "evidence": (0.8, 0.1)}
PER_ITEM = ("kl-lucb", "lucb", "successive-elimination")
RESERVE = 1 / 16


def series(number):
    """s of docs/theory/error-budget.md: it adds up to 1 over 1, 2, 3, …"""
    bits = number.bit_length()
    return 6 / (math.pi * bits) ** 2 * 2.0 ** (1 - bits)


def share_of_size(size):
    """p: what is kept for items that stand for so many."""
    return 0.5 if size == 1 else series(size - 1) / 2


class Errors:
    """The error of every bound of a race: docs/theory/error-budget.md, and all-good.md."""

    def __init__(self, contest, algorithm, stopping):
        settings = contest.settings
        self.good = settings["goal"] == "all-good"
        delta, self.n, self.k = settings["delta"], contest.initial, settings["top"]
        self.reserve = RESERVE * delta
        spent = delta - self.reserve
        # Of a verdict by evidence half of a lower bound's share is staked on the item alone.
        self.alone = 0.5 if stopping == "evidence" else 1.0
        if self.good:
            self.upper = self.lower = spent / (2 * self.n)
        elif algorithm in PER_ITEM:
            self.upper = self.lower = spent / self.n
        else:
            named = "evidence" if stopping == "evidence" else algorithm
            above, below = SHARES_OF.get(named, (0.5, 0.5))
            self.upper, self.lower = spent * above / self.k, spent * below / (self.n - self.k)
        present = contest.present
        places = self.n - len(contest.absent) + len(contest.joined)
        if not contest.begun:
            places = self.n - len(contest.withdrawn)
        self.added = len(contest.joined)
        self.changes = self.added + max(0, places - len(present))
        self.size = max((len(contest.content_of(item)) for item in present), default=1)

    def of_upper(self):
        """The error of every upper bound."""
        if self.changes == 0:
            return self.upper
        if self.good:
            each = self.reserve / (2 * self.n)
            return min(each, self.reserve / 4 * series(self.added)) if self.added else each
        most = series(self.changes)
        if self.size > 1:
            most = min(most, 1 / self.k)
        return min(self.upper, self.reserve / 4 * most * share_of_size(self.size))

    def of_lower(self, contest, item):
        """The error of the lower bound of an item."""
        size, place = len(contest.content_of(item)), contest.place_of(item)
        if place in contest.joined:
            number = contest.joined.index(place) + 1
            if self.good:
                return self.reserve / 4 * series(number)
            return self.alone * self.reserve / 8 * series(number) * share_of_size(size)
        if self.good:
            return self.lower
        first = self.lower
        if size > 1:
            first = self.alone * self.reserve / (8 * (self.n - self.k)) * series(size - 1)
        if self.added == 0:
            return first
        return min(first, self.alone * self.reserve / (8 * self.k) * share_of_size(size))


# ================================================================ 10. The verdict


class Judge:
    """The bounds of a race at a verdict, and what they prove of the winners."""

    def __init__(self, contest, lane, *, by_evidence):
        settings = contest.settings
        self.contest = contest
        self.algorithm = settings["lanes"][lane]["algorithm"]
        self.good = settings["goal"] == "all-good"
        self.epsilon, self.top = settings["epsilon"], settings["top"]
        self.values = tuple(float(level["value"]) for level in settings["scale"])
        self.counts, self.aside = contest.counts(lane)
        self.bound = BOUND_OF.get(self.algorithm)
        if settings["bets"] and self.bound == "betting":
            self.bound = learned_bets(settings["bets"])
        self.stopping = "evidence" if by_evidence else STOPPING_OF.get(self.algorithm, "dominance")
        self.present = contest.present
        if self.bound is None:
            return
        self.errors = Errors(contest, self.algorithm, self.stopping)
        self.lower_errors = [self.errors.of_lower(contest, i) for i in range(contest.items)]
        self.time = self._time(self.counts)

    def _time(self, counts):
        """Rounds of the race, for the two bounds that widen with them."""
        if self.good:
            return 1.0
        votes = [sum(counts[item]) for item in self.present]
        return float(max(1 + max(0, sum(votes) - self.contest.initial) // 2, *votes))

    @property
    def trims(self):
        """Whether bounds without an item's lowest votes hold whichever of them were false."""
        return not (self.good and self.bound in ("hoeffding", "kl-lucb"))

    def upper(self, item, tolerance, error):
        """The upper bound without the lowest votes."""
        if sum(self.counts[item]) <= tolerance:
            return 1.0
        left = without_lowest(self.counts[item], self.values, tolerance)
        return upper_bound(self.bound, left, self.values, error, self.time)

    def lower(self, item, tolerance):
        """The lower bound without the highest votes."""
        if sum(self.counts[item]) <= tolerance:
            return 0.0
        left = without_highest(self.counts[item], self.values, tolerance)
        return lower_bound(self.bound, left, self.values, self.lower_errors[item], self.time)

    def table(self, tolerance):
        """The lower and upper bounds of all items."""
        everyone = range(self.contest.items)
        lower = [self.lower(item, tolerance) for item in everyone]
        error = self.errors.of_upper()
        if self.good and self.errors.changes == 0:
            error = self.stepped_down(lower, lambda item, e: self.upper(item, tolerance, e))
        return lower, [self.upper(item, tolerance, error) for item in everyone]

    def stepped_down(self, lower, upper):
        """The error of upper bounds once few items are left that may be good (all-good.md)."""
        standing, error = self.errors.n, self.errors.upper
        least = max(lower[item] for item in self.present) - self.epsilon
        while standing > 1:
            half = (standing + 1) // 2
            if sum(upper(item, error) >= least for item in self.present) > half:
                break
            standing, error = half, self.errors.upper * self.errors.n / half
        return error

    def gap(self, winners, lower, upper):
        """What the bounds lack: the smallest epsilon they prove, or for all good the excess."""
        others = [item for item in self.present if item not in winners]
        highest = max((upper[item] for item in others), default=-math.inf)
        lowest = min((lower[item] for item in winners), default=math.inf)
        if not self.good:
            return highest - lowest
        out = highest - (max(lower[item] for item in self.present) - self.epsilon)
        return max(out, max(upper[item] for item in self.present) - 2 * self.epsilon - lowest)

    def separates(self, winners, lower, upper):
        """Whether the bounds prove the verdict."""
        return self.gap(winners, lower, upper) < (0.0 if self.good else self.epsilon)

    def withstands(self, winners, tolerance):
        """The largest number of dishonest raters at which the bounds still prove the verdict."""
        if not self.trims:
            return 0
        while self._holds_with(winners, tolerance + 1):
            tolerance += 1
        return tolerance

    def _holds_with(self, winners, tolerance):
        error = self.errors.of_upper()
        if self.good:
            lower = {item: self.lower(item, tolerance) for item in self.present}
            upper = {item: self.upper(item, tolerance, error) for item in self.present}
            return self.separates(winners, lower, upper)
        mark = min(self.lower(item, tolerance) for item in winners) + self.epsilon
        others = [item for item in self.present if item not in winners]
        return all(self._is_below(item, tolerance, error, mark) for item in others)

    def _is_below(self, item, tolerance, error, mark):
        """Whether an upper bound is below a mark, without computing the bound."""
        left = without_lowest(self.counts[item], self.values, tolerance)
        votes = sum(left)
        mean = math.fsum(c * v for c, v in zip(left, self.values, strict=True)) / max(votes, 1)
        if votes == 0 or mean >= mark:
            return votes == 0 and mark > 1.0
        at = min(mark, 1.0)
        return mark > 1.0 or rules_out(self.bound, left, self.values, error, self.time, at)

    def winners_by_mean(self, winners):
        """Whether the winners are those of the largest means, or for all good those near it."""
        means = {
            item: math.fsum(c * v for c, v in zip(self.counts[item], self.values, strict=True))
            / max(sum(self.counts[item]), 1)
            if sum(self.counts[item])
            else -1.0
            for item in self.present
        }
        if self.good:
            border = max(max(means.values()) - 1.5 * self.epsilon, -0.5)
            named = {item for item in self.present if means[item] >= border - 1e-12}
            sure = {item for item in self.present if means[item] >= border + 1e-12}
            return sure <= set(winners) <= named
        others = [means[item] for item in self.present if item not in winners]
        return min(means[item] for item in winners) >= max(others, default=-1.0) - 1e-12

    # ---- Products of evidence, as certificates of format 1 stopped (docs/theory/evidence.md)

    def settled_by_evidence(self, winners, lower, upper):
        """Whether every winner is settled against every other item."""
        others = [item for item in self.present if item not in winners]
        return all(
            self._is_settled(winner, rival, lower[winner], upper[rival] - self.epsilon)
            for winner in winners
            for rival in others
        )

    def _is_settled(self, winner, rival, low, high):
        if low > high:
            return True
        errors = self.errors
        all_upper = errors.upper * errors.k + 5 / 8 * errors.reserve
        odds = math.log((1 - errors.alone) / errors.alone * errors.of_upper() / all_upper)
        needed = -math.log(self.lower_errors[winner])
        falls = [1.0 - value for value in self.values]

        def shown(m):
            ours = log_capital(self.counts[winner], self.values, m)
            rest = max(1.0 - (m + self.epsilon), 0.0)
            theirs = log_capital(self.counts[rival], falls, rest) + odds
            return ours + max(theirs, 0.0) + math.log1p(math.exp(-abs(theirs)))

        # It is convex: thirds find its lowest point.
        for _ in range(100):
            left, right = (2 * low + high) / 3, (low + 2 * high) / 3
            low, high = (low, right) if shown(left) < shown(right) else (left, high)
        return shown(0.5 * (low + high)) >= needed

    # ---- Excluded raters (docs/theory/crowds.md)

    def same_without(self, winners, tolerance):
        """Whether the verdict is proven whoever of those excluded by their votes was honest."""
        if not any(map(sum, self.aside)):
            return True
        if self.stopping == "dominance" or (tolerance and not self.trims):
            return False
        kept = self.time
        both = [
            [c + a for c, a in zip(*rows, strict=True)]
            for rows in zip(self.counts, self.aside, strict=True)
        ]
        self.time = self._time(both)
        try:
            return self._covered(winners, tolerance)
        finally:
            self.time = kept

    def _covered(self, winners, tolerance):
        lower = {item: self._covering_lower(item, tolerance) for item in self.present}

        def upper_at(item, error):
            return self._covering_upper(item, tolerance, error)

        error = self.errors.of_upper()
        if self.good and self.errors.changes == 0:
            error = self.stepped_down(lower, upper_at)
        upper = {item: upper_at(item, error) for item in self.present}
        return self.separates(winners, lower, upper)

    def _covering_upper(self, item, tolerance, error):
        left = without_lowest(self.counts[item], self.values, tolerance)
        aside = self.aside[item]
        cases = (without_lowest(aside, self.values, out) for out in range(sum(aside) + 1))
        return max(
            upper_bound(self.bound, added(left, case), self.values, error, self.time)
            for case in cases
        )

    def _covering_lower(self, item, tolerance):
        left = without_highest(self.counts[item], self.values, tolerance)
        aside, error = self.aside[item], self.lower_errors[item]
        cases = (without_highest(aside, self.values, out) for out in range(sum(aside) + 1))
        return min(
            lower_bound(self.bound, added(left, case), self.values, error, self.time)
            for case in cases
        )


def added(one, other):
    """The sum of two rows of counts."""
    return tuple(a + b for a, b in zip(one, other, strict=True))


# ================================================================ 11. The certificate


def is_text(value):
    """Whether a value of JSON is a text."""
    return isinstance(value, str)


def are_bounds(value):
    """Whether a value of JSON is a list of bounds."""
    return isinstance(value, list) and all(OPTIONAL_NUMBER(part) for part in value)


FIRST = {
    "format": is_text, "plaudit": is_text, "contest": is_text, "digest": is_text,
    "algorithm": is_text, "settings": lambda value: isinstance(value, dict),
    "lane": lambda value: is_int(value, 0), "judged_at": lambda value: is_int(value, 0),
    "items": is_int, "initial_items": is_int, "epoch": is_int, "top": is_int, "votes": is_int,
    "withdrawn": are_ints, "absent": are_ints, "joined": are_ints, "excluded": are_ints,
    "winners": are_ints, "epsilon": is_number, "delta": OPTIONAL_NUMBER, "gap": OPTIONAL_NUMBER,
    "counts": lambda value: isinstance(value, list) and all(map(are_ints, value)),
    "lower": are_bounds, "upper": are_bounds,
    "pools": lambda value: isinstance(value, dict) and all(map(are_ints, value.values())),
}  # fmt: skip
SECOND = FIRST | {"stopping": is_text}
THIRD = SECOND | {
    "exclusions": lambda value: isinstance(value, dict),
    "tolerance": lambda value: is_int(value, 0),
    "withstands": lambda value: value is None or is_int(value),
}
FOURTH = THIRD | dict.fromkeys(
    ("checkpoint", "origin", "items_digest", "raters_digest", "signature"), is_text
)
FORMATS = {
    f"plaudit certificate {n}": form for n, form in enumerate((FIRST, SECOND, THIRD, FOURTH), 1)
}
EXCLUSIONS = {"raters", "by_votes", "same", "grounds", "votes"}


def read_certificate(body):
    """The fields of a certificate, all there and of their kinds, and those that are unknown."""
    try:
        said = read_json(body.decode())
    except UnicodeDecodeError:
        raise Refused("The certificate is not UTF-8.") from None
    form = FORMATS.get(said.get("format")) if isinstance(said, dict) else None
    if form is None:
        raise Refused("This is not a certificate: its format is unknown.")
    for name, is_right in form.items():
        if name not in said or not is_right(said[name]):
            raise Refused(f"This is not a whole certificate: {name} is missing or damaged.")
    unknown = [name for name in said if name not in form]
    if form in (THIRD, FOURTH):
        owed = said["exclusions"]
        if missing := EXCLUSIONS - set(owed):
            raise Refused(f"This is not a whole certificate: exclusions lack {sorted(missing)}.")
        unknown += [f"exclusions.{name}" for name in owed if name not in EXCLUSIONS]
    return said, unknown


def check_certificate(certificate, unknown, export, keys):
    """Compares a certificate with the export of its contest; everything that was found."""
    found = Findings()
    record = export.record
    items, marks, entries = export.items(), export.marks(), export.entries()
    digests = chain_of(record, entries)
    whole, at_verdict, sizes = replay(record, items, entries, certificate["judged_at"])
    check_whole(record, export, whole, entries, digests, marks)
    tree = None if export.is_old else Tree(export, entries, items, marks, sizes)
    check_kept(export, entries, digests, tree)
    if certificate["contest"] != record["name"]:
        found.check("contest", False, f"the export is of {record['name']!r}")
        return found
    named = [f"the certificate has {', '.join(unknown)}"] if unknown else []
    named += unknown_settings("the settings of the certificate", certificate["settings"])
    told = "; ".join([*named, *whole.unknown])
    found.check("no unknown fields", not told, told)
    if at_verdict is None:
        found.check("position", False, f"the log has {len(entries)} entries")
        return found
    if check_facts(found, certificate, at_verdict, digests[certificate["judged_at"]]):
        judge_verdict(found, certificate, at_verdict)
        check_event(found, certificate, entries)
    check_signatures(found, certificate, export, keys, tree)
    find_superseding(found, certificate, entries)
    return found


def replay(record, items, entries, judged_at):
    """The contest at the end of its log and at the verdict; items and raters at each position."""
    contest, at_verdict = Contest(record, items), None
    sizes = [(0, 0)]
    if judged_at == 0:
        at_verdict = frozen(contest)
    for entry in entries:
        contest.take(entry)
        sizes.append((contest.items, contest.raters))
        if contest.position == judged_at:
            at_verdict = frozen(contest)
    return contest, at_verdict, sizes


def frozen(contest):
    """The contest as it is now, apart from what comes later."""
    copied = Contest.__new__(Contest)
    for name, value in vars(contest).items():
        is_plain = isinstance(value, int | str) or name in ("created", "texts", "settings")
        setattr(copied, name, value if is_plain else type(value)(value))
    return copied


def check_whole(record, export, whole, entries, digests, marks):
    """Refuses an export whose parts do not fit together."""
    if len(entries) != record["position"] or whole.epoch != record["epoch"]:
        raise Refused("Its log has another length than its first line says.")
    if digests[-1].hex() != record["digest"]:
        raise Refused("The digest of its log is not that of its first line.")
    if whole.items != len(whole.texts):
        raise Refused(f"It has {len(whole.texts)} items, but its log has {whole.items}.")
    if whole.raters > len(marks) or any(rater >= len(marks) for rater in whole.excluded):
        raise Refused("An entry is of a rater who does not exist.")
    if whole.state != record["state"] and any(entry["kind"] == STATE for entry in entries):
        raise Refused(f"It is {record['state']}, but by its log it is {whole.state}.")
    needed = {image for _, image in whole.texts if image} | whole.pictures
    export.check_pictures(needed)


def check_facts(found, said, contest, digest):
    """What the log says at the verdict."""
    settings, lanes = contest.settings, contest.settings["lanes"]
    algorithm = lanes[said["lane"]]["algorithm"] if said["lane"] < len(lanes) else None
    claimed = whole_settings({"lanes": []} | said["settings"])
    pools = {str(i): sorted(m) for i, m in contest.content.items() if m != frozenset({i})}
    facts = {
        "settings": (settings, claimed),
        "digest of the log": (digest.hex(), said["digest"]),
        "events": (contest.epoch, said["epoch"]),
        "items": (contest.items, said["items"]),
        "items at the start": (contest.initial, said["initial_items"]),
        "algorithm": (algorithm, said["algorithm"]),
        "withdrawn items": (sorted(contest.withdrawn), said["withdrawn"]),
        "items out at the start": (sorted(contest.absent), said["absent"]),
        "items that joined": (contest.joined, said["joined"]),
        "merged items": (pools, said["pools"]),
        "excluded raters": (sorted(contest.excluded), said["excluded"]),
    }
    # All of them, so that everything that differs is named.
    agree = [found.equal(what, *pair) for what, pair in facts.items()]
    rivals = contest.rival_sets()
    agree.append(
        found.check(
            "one set of each size merged in a place", not rivals, f"{rivals}" * bool(rivals)
        )
    )
    return all(agree)


def judge_verdict(found, said, contest):
    """The counts, the bounds, and what they prove."""
    settings, winners = contest.settings, said["winners"]
    old = said["format"] == "plaudit certificate 1" and said["algorithm"] == "plaudit"
    judge = Judge(contest, said["lane"], by_evidence=old and settings["goal"] == "top")
    found.check("votes of every item", judge.counts == said["counts"])
    votes = sum(sum(judge.counts[item]) for item in judge.present)
    found.equal("votes", votes, said["votes"])
    if not set(winners) <= set(judge.present) or len(set(winners)) < len(winners):
        found.check("winners", False, "an item is named twice, or is not in the race")
        return
    top = len(winners) if judge.good else judge.top
    found.equal("question", [top, judge.epsilon], [said["top"], said["epsilon"]])
    found.check(
        "number of winners", len(winners) == top and 0 < top < len(judge.present) + judge.good
    )
    if judge.bound is None:
        told = f"{judge.algorithm} does not stop by bounds; no export proves its verdicts"
        found.check("the bounds separate the winners", False, told)
        return
    stopping = STOPPING_OF[judge.algorithm] if not old else "evidence"
    found.equal("stopping", stopping, said.get("stopping", stopping))
    found.equal("total error", settings["delta"], said["delta"])
    check_bounds(found, said, judge, contest.tolerated())
    if said["format"] in ("plaudit certificate 3", "plaudit certificate 4"):
        check_exclusions(found, said["exclusions"], judge, winners, contest.tolerated())


def check_bounds(found, said, judge, tolerance):
    """The bounds of all items, and that they separate the winners."""
    winners = said["winners"]
    lower, upper = judge.table(tolerance)
    found.check("lower bounds", are_close(lower, said["lower"]))
    found.check("upper bounds", are_close(upper, said["upper"]))
    gap = judge.gap(winners, lower, upper)
    if judge.stopping == "evidence":
        proven = judge.settled_by_evidence(winners, lower, upper)
        found.check("the evidence separates the winners", proven, f"gap {gap:.6g}")
        gap = min(gap, judge.epsilon)
    else:
        proven = judge.separates(winners, lower, upper)
        found.check("the bounds separate the winners", proven, f"gap {gap:.6g}")
    found.check("gap", are_close([gap], [said["gap"]]))
    found.check("the winners have the largest means", judge.winners_by_mean(winners))
    if "tolerance" in said and proven:
        most = judge.withstands(winners, tolerance)
        told = [said["tolerance"], said["withstands"]]
        found.equal("dishonest raters that it withstands", [tolerance, most], told)


def are_close(found, said):
    """Whether numbers agree up to rounding; JSON has null for what is not finite."""
    if len(found) != len(said):
        return False
    return all(
        (b is None and not math.isfinite(a)) or (b is not None and abs(a - b) <= CLOSE)
        for a, b in zip(found, said, strict=True)
    )


def check_exclusions(found, said, judge, winners, tolerance):
    """What the verdict owes to excluded raters."""
    contest = judge.contest
    grounds = {}
    for rater in sorted(contest.excluded):
        grounds.setdefault(contest.grounds[rater] or "unknown", []).append(rater)
    by_votes = [rater for rater in contest.excluded if contest.grounds[rater] in BY_VOTES]
    votes = {str(item): row for item, row in enumerate(judge.aside) if sum(row)}
    found.equal("why raters are excluded", grounds, said["grounds"])
    found.equal("votes of those excluded by votes", votes, said["votes"])
    excluded = sum(why != ERASED for why in contest.grounds.values())
    same = judge.same_without(winners, tolerance)
    found.equal(
        "what it owes to excluded raters",
        [excluded, len(by_votes), same],
        [said["raters"], said["by_votes"], said["same"]],
    )


def check_event(found, said, entries):
    """What the log itself says of the verdict: no step took it back before, or the log ends."""
    what = "the verdict in the log"
    after = [entry for entry in entries[said["judged_at"] :] if entry["kind"] in EVENTS]
    events = [
        entry
        for entry in after
        if reopens(entry)
        or (entry["kind"] == VERDICT and read_json(entry["payload"])["lane"] == said["lane"])
    ] or after
    if not events:
        found.unchecked.append("the verdict's own entry: the export ends before it")
        return
    event = read_json(events[0]["payload"])
    if events[0]["kind"] != VERDICT or event["lane"] != said["lane"]:
        found.check(what, False, "the log goes on without such a verdict")
        return
    # Verdicts of early editions do not say where they were judged.
    wrong = [
        name
        for name in event
        if name in said and name != "exclusions" and event[name] != said[name]
        if name != "judged_at" or event[name]
    ]
    owed = said.get("exclusions", {})
    wrong += [n for n, v in event.get("exclusions", {}).items() if owed and owed[n] != v]
    found.check(what, not wrong, f"it has another {', '.join(wrong)}" if wrong else "")


def reopens(entry):
    """Whether an entry takes verdicts back."""
    if entry["kind"] == SETTINGS:
        return bool(set(read_json(entry["payload"])["set"]) & OF_THE_RACE)
    return entry["kind"] in REOPENING


def find_superseding(found, said, entries):
    """The first later event that took the verdict back."""
    for entry in entries[said["judged_at"] :]:
        if reopens(entry):
            names = {
                ADD: "added items", WITHDRAW: "withdrew items", REPLACE: "replaced or merged items",
                RESTORE: "brought items back", EXCLUDE: "excluded raters", ERASE: "erased raters",
                READMIT: "readmitted raters", SETTINGS: "changed settings of the race",
            }  # fmt: skip
            found.superseded = {"entry": entry["position"], "by": names[entry["kind"]]}
            return


# ================================================================ 12. Signatures


def check_signatures(found, said, export, keys, tree):
    """Who signed the certificate, and whether this is the log, the items and raters they signed."""
    if said["format"] != "plaudit certificate 4":
        told = "unsigned: nobody vouches for the export, whoever wrote it may have made it up"
        found.check("signature", keys is None, told)
        return
    if export.is_old:
        found.check("signature", False, "the export has no keys and no blinding")
        return
    if keys is None:
        found.unchecked.append(
            "whose keys these are: they are those of the export. Give --key with the service's own"
        )
    trusted = export.keys() if keys is None else keys
    key, why = signer_of_certificate(said, trusted)
    found.check("signature", key is not None, f"by {key.text}" if key else why)
    wrong = tree.wrong_in(said["checkpoint"], trusted, said["judged_at"] + 1)
    wrong += digests_wrong(said)
    found.check("checkpoint of the certificate", not wrong, "; ".join(wrong))


def check_kept(export, entries, digests, tree):
    """Refuses an export whose checkpoints or certificates are not of its log."""
    keys = [] if export.is_old else export.keys()
    for line in export.lines.get("checkpoint", []):
        if len(line) != 2 or not is_int(line[0]) or not is_text(line[1]):
            raise Refused("A checkpoint of the export is damaged.")
        if wrong := tree.wrong_in(line[1], keys, line[0]):
            raise Refused(f"The checkpoint of size {line[0]} is wrong: {'; '.join(wrong)}.")
    verdicts = [read_json(entry["payload"]) for entry in entries if entry["kind"] == VERDICT]
    for line in export.lines["certificate"]:
        if len(line) != 3 or not is_int(line[0], 0) or not is_int(line[1]) or not is_text(line[2]):
            raise Refused("A certificate of the export is damaged.")
        check_kept_certificate(line, export, digests, verdicts, keys, tree)


def check_kept_certificate(line, export, digests, verdicts, keys, tree):
    """Refuses a certificate in an export that is not of its log; used verdicts are taken out."""
    position, lane, body = line
    said, _ = read_certificate(body.encode(errors="replace"))
    place = (said["contest"], said["judged_at"], said["lane"])
    if place != (export.record["name"], position, lane) or position >= len(digests):
        raise Refused(f"The certificate at entry {position} is of another place or contest.")
    if said["digest"] != digests[position].hex():
        raise Refused(f"The certificate at entry {position} is of another log.")
    while verdicts:
        event = verdicts.pop(0)
        if event["lane"] == lane and event.get("judged_at", 0) in (0, position):
            if (event["winners"], event["delta"]) != (said["winners"], said["delta"]):
                raise Refused(f"The certificate at entry {position} names other winners.")
            break
    else:
        raise Refused(f"The certificate at entry {position} has no verdict in the log.")
    if said["format"] == "plaudit certificate 4":
        key, why = signer_of_certificate(said, keys)
        wrong = [] if key else [why]
        wrong += tree.wrong_in(said["checkpoint"], keys, position + 1) + digests_wrong(said)
        if wrong:
            raise Refused(f"The certificate at entry {position} is wrong: {'; '.join(wrong)}.")


def signer_of_certificate(said, keys):
    """The key that signed a certificate; None and why not otherwise."""
    body = canonical({name: value for name, value in said.items() if name != "signature"})
    digest = base64.b64encode(sha256(body)).decode()
    text = f"{said['origin']}\ncertificate {digest}\n"
    try:
        _, signatures = split_note(f"{text}\n{said['signature']}\n")
    except Refused as error:
        return None, str(error)
    key = signer_of(text, signatures, keys)
    if key is None:
        return None, "no known key has signed the certificate as it is"
    if said["origin"] != f"{key.name}/{said['contest']}":
        return None, f"it is signed for {said['origin']}"
    return key, ""


def digests_wrong(said):
    """What a certificate says beside its checkpoint, where the two differ."""
    try:
        facts, _, _ = read_checkpoint(said["checkpoint"])
    except Refused:
        return []
    theirs = (facts["origin"], facts["items_digest"].hex(), facts["raters_digest"].hex())
    mine = (said["origin"], said["items_digest"], said["raters_digest"])
    return [] if mine == theirs else ["the certificate says another origin or other digests"]


class Tree:
    """The hash tree of a contest, and what binds its items and raters."""

    def __init__(self, export, entries, items, marks, sizes):
        self.name = export.record["name"]
        self.leaves = leaves_of(export, entries)
        self.items, self.raters = items_digests(items), raters_digests(marks)
        self.sizes = sizes

    def wrong_in(self, note, keys, size):
        """What is wrong with a signed checkpoint that should be of this size of the log."""
        try:
            facts, text, signatures = read_checkpoint(note)
        except Refused as error:
            return [str(error)]
        key = signer_of(text, signatures, keys)
        if key is None or facts["origin"] != f"{key.name}/{self.name}":
            return ["no known key has signed it for this contest"]
        if facts["size"] != size or not 0 < size <= len(self.leaves):
            return [f"it is of size {facts['size']}"]
        items, raters = self.sizes[size - 1]
        right = {
            "log": facts["root"] == tree_root(self.leaves[:size]),
            "items": (facts["items"], facts["items_digest"]) == (items, self.items[items]),
            "raters": (facts["raters"], facts["raters_digest"]) == (raters, self.raters[raters]),
        }
        return [
            f"the {part} of the export are not what was signed"
            for part, agrees in right.items()
            if not agrees
        ]


# ================================================================ 13. The command


def run(certificate, export, key=None):
    """Everything that was found about two files."""
    said, unknown = read_certificate(Path(certificate).read_bytes())
    keys = None if key is None else read_keys(key)
    return check_certificate(said, unknown, Export(Path(export).read_bytes()), keys)


def tell(found, out):
    """Writes what was found for people."""
    for check in found.checks:
        detail = f": {check['detail']}" if check["detail"] else ""
        out.write(f"{'agrees ' if check['agrees'] else 'DIFFERS'}  {check['what']}{detail}\n")
    for what in found.unchecked:
        out.write(f"not checked  {what}\n")
    if found.code == DIFFERS:
        out.write("The certificate does NOT hold.\n")
    elif found.code == SUPERSEDED:
        gone = found.superseded
        out.write(f"Superseded at entry {gone['entry']}, by a step that {gone['by']}.\n")
    else:
        out.write("The certificate holds.\n")


def main(given=None):
    """Runs the command; returns its exit code."""
    parser = argparse.ArgumentParser(description="Check a certificate against an export.")
    parser.add_argument("certificate")
    parser.add_argument("export")
    parser.add_argument("--key", help="the public key of the service, or a file with its keys")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(given)
    try:
        found = run(options.certificate, options.export, options.key)
    except (Refused, OSError) as error:
        if options.json:
            sys.stdout.write(json.dumps({"holds": False, "refused": str(error)}) + "\n")
        sys.stderr.write(f"plaudit_check: {error}\n")
        return UNREADABLE
    if options.json:
        plain = {"holds": found.code == HOLDS, "agrees": found.agree} | vars(found)
        sys.stdout.write(json.dumps(plain, indent=2) + "\n")
    else:
        tell(found, sys.stdout)
    return found.code


if __name__ == "__main__":
    sys.exit(main())
