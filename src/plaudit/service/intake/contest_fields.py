"""A contest's settings from the fields of its file, each checked on its own line."""

from collections.abc import Sequence
from typing import Any

import msgspec

from plaudit.errors import InvalidInput, UnknownName
from plaudit.phrase import Phrase
from plaudit.race.algorithms import ALGORITHMS
from plaudit.race.goals import GOALS, TOP_GOAL
from plaudit.race.settings import DEFAULT_ALGORITHM, MAX_ITEMS, Settings, method_of
from plaudit.scale import FUNNY, STARS, THUMBS, Scale
from plaudit.service.contest.settings import ORIGIN, ContestSettings, Context, Lane, Level, is_link
from plaudit.service.intake.fields import LONGEST_LINE, Fields, clean, fault_of, number_of, shown
from plaudit.service.intake.pictures import Pictures
from plaudit.service.intake.yaml_lines import Listing, Scalar, Table
from plaudit.words import N_

SCALES = {"funny": FUNNY, "thumbs": THUMBS, "stars": STARS}
LONGEST_URL = 2_000
MOST_VOTES_PER_VISIT = 1_000_000

_DEFAULTS: dict[str, float] = {
    field.name: field.default
    for field in msgspec.structs.fields(ContestSettings)
    if field.name in ("delta", "epsilon", "top", "seed")
}
_PLAIN_RACE: dict[str, Any] = {
    "items": MAX_ITEMS,
    "delta": 0.01,
    "top": 1,
    "epsilon": 0.0,
    "algorithm": DEFAULT_ALGORITHM,
    "bound": None,
    "rule": None,
    "stopping": None,
    "N": 8,
    "seed": 0,
    "scale": None,
    "accounting": "total",
    "reserve": None,
    "choosing_delta": None,
}


def read_settings(fields: Fields, pictures: Pictures, *, items: int) -> ContestSettings | None:
    """The settings; None where a mistake was noted, by this or by anyone before.

    `items` is how many there are, to compare `top` with; 0 if that is not known.
    """
    lanes = _lanes(fields)
    given: dict[str, Any] = {
        "title": _title(fields),
        "context": _context(fields, pictures),
        "scale": _scale(fields),
        "lanes": lanes,
        **_race_numbers(fields, lanes, items=items),
        "goal": fields.choice("goal", GOALS),
        "uniform": _uniform(fields),
        "consent": fields.text("consent"),
        "instructions": fields.text("instructions"),
        "votes_per_visit": _votes_per_visit(fields),
        "thanks": fields.text("thanks"),
        "completion_code": fields.text("completion_code", longest=LONGEST_LINE),
        "return_url": _return_url(fields),
        "opens": fields.time("opens"),
        "closes": fields.time("closes"),
        "skip": fields.flag("skip", True),
        "flag": fields.flag("flag", True),
        "public_results": fields.choice("results", ("public", "private")) == "public",
        "listed": fields.flag("listed", True),
        "embed": _embed(fields),
    }
    if None not in (given["opens"], given["closes"]) and given["closes"] <= given["opens"]:
        fields.wrong("closes", "later than opens")
    if fields.mistakes:
        return None
    with fields.mistakes.noting(fields.line):
        return ContestSettings(**given)
    return None


def _title(fields: Fields) -> str:
    before = len(fields.mistakes)
    title = " ".join(fields.text("title", longest=LONGEST_LINE).split())
    if not title and len(fields.mistakes) == before:
        fields.mistakes.add(
            fields.line_of("title"), "title is missing: say in a line what raters are asked."
        )
    return title


def _race_numbers(fields: Fields, lanes: Sequence[Lane], *, items: int) -> dict[str, float]:
    """delta, epsilon, top and seed, each in its domain, and together right for each algorithm."""
    numbers = {key: fields.number(key, default) for key, default in _DEFAULTS.items()}
    right = True
    for key, value in numbers.items():
        known = {"items": max(items, 2)} if items and key == "top" else {}
        right &= _may_race(fields, key, known | {key: value})
    goal = {"goal": fields.choice("goal", GOALS)}
    right = right and (goal["goal"] == TOP_GOAL or _may_race(fields, "goal", numbers | goal))
    for lane in lanes if right else ():
        key = "algorithm" if fields.node("algorithm") else "algorithms"
        _may_race(fields, key, numbers | goal | {"algorithm": lane.algorithm})
    return numbers


def _may_race(fields: Fields, key: str, given: dict[str, Any]) -> bool:
    before = len(fields.mistakes)
    with fields.mistakes.noting(fields.line_of(key)):
        method_of(Settings(**_PLAIN_RACE | given))
    return len(fields.mistakes) == before


def _lanes(fields: Fields) -> tuple[Lane, ...]:
    several = fields.node("algorithms")
    if several is None:
        name = fields.text("algorithm") or DEFAULT_ALGORITHM
        return (_lane(fields, Scalar(name, fields.line_of("algorithm"), "text"), 1.0),)
    if fields.node("algorithm") is not None:
        fields.mistakes.add(
            fields.line_of("algorithms"), "Give algorithm or algorithms, not both of them."
        )
    if isinstance(several, Table):
        lanes = [_lane(fields, name, number_of(share)) for name, share in several.pairs]
    else:
        names = (Scalar(text, line, "text") for line, text in fields.texts("algorithms"))
        lanes = [_lane(fields, name, 1.0) for name in names]
    if not lanes:
        fields.wrong("algorithms", "names with shares, such as {plaudit: 0.7, lil-klucb: 0.3}")
    if len({lane.algorithm for lane in lanes}) < len(lanes):
        fields.wrong("algorithms", "names that differ: each algorithm takes part once")
    return tuple(lanes)


def _lane(fields: Fields, name: Scalar, share: float | None) -> Lane:
    if name.text not in ALGORITHMS:
        fields.mistakes.add(name.line, str(UnknownName("algorithm", name.text, ALGORITHMS)))
        return Lane(DEFAULT_ALGORITHM)
    if share is None or not 0.0 < share < 1e9:
        fields.mistakes.add(
            name.line, f"The share of {name.text} must be a number above 0, such as 0.7."
        )
        return Lane(name.text)
    return Lane(name.text, float(share))


def _scale(fields: Fields) -> tuple[Level, ...]:
    node = fields.node("scale")
    scale = FUNNY
    with fields.mistakes.noting(fields.line_of("scale")):
        if isinstance(node, Table):
            scale = Scale(
                tuple(_label(key) for key, _ in node.pairs),
                tuple(_level_value(key, number_of(value)) for key, value in node.pairs),
            )
        elif isinstance(node, Listing):
            fields.wrong("scale", f"{', '.join(SCALES)}, or labels with values such as {{Meh: 0}}")
        elif node is not None:
            if node.text not in SCALES:
                raise UnknownName("scale", node.text, SCALES)
            scale = SCALES[node.text]
    return tuple(map(Level, scale.labels, scale.values))


def _label(key: Scalar) -> str:
    label = " ".join(clean(key.text).split())
    if fault := fault_of(label, LONGEST_LINE, Phrase(N_("A label of the scale"))):
        raise InvalidInput(fault)
    return label


def _level_value(key: Scalar, value: float | None) -> float:
    if value is None:
        raise InvalidInput(
            f"The label {key.text[:40]!r} has no number: write a value from 0 to 1 after each."
        )
    return float(value)


def _context(fields: Fields, pictures: Pictures) -> Context:
    node = fields.node("context")
    if not isinstance(node, Table):
        return Context(fields.text("context"))
    inner = Fields(node, fields.mistakes, ("text", "image", "alt"))
    image = pictures.hash_of(inner.text("image"), inner.line_of("image"))
    return Context(inner.text("text"), image, inner.text("alt", longest=LONGEST_LINE))


def _uniform(fields: Fields) -> float:
    share = fields.number("uniform", 0.0)
    if not 0.0 <= share < 1.0:
        fields.wrong("uniform", "a share from 0 to below 1, such as 0.1")
    return float(share)


def _votes_per_visit(fields: Fields) -> int:
    if fields.node("votes_per_visit") is None:
        return 0
    number = fields.number("votes_per_visit", 1)
    if not isinstance(number, int) or not 1 <= number <= MOST_VOTES_PER_VISIT:
        fields.wrong("votes_per_visit", "a whole number of at least 1, or left out for no limit")
    return int(number)


def _return_url(fields: Fields) -> str:
    url = fields.text("return_url", longest=LONGEST_URL)
    if url and not is_link(url):
        fields.wrong("return_url", "a link that starts with https:// or http://")
    return url


def _embed(fields: Fields) -> tuple[str, ...]:
    origins = []
    for line, origin in fields.texts("embed"):
        if ORIGIN.fullmatch(origin := origin.removesuffix("/").lower()):
            origins.append(origin)
        else:
            fields.mistakes.add(
                line,
                f"embed names sites that may show the contest, such as https://example.org (or "
                f"http://localhost:8000), without a path; got {shown(Scalar(origin, 0, 'text'))}.",
            )
    return tuple(dict.fromkeys(origins))
