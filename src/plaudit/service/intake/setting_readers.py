"""A contest's settings from the keys of its file: one reader for each thing that a setting holds.

Forms and the API come here too, with the same keys. A mistake is noted on the line of its key.
"""

import math
from collections.abc import Callable
from typing import Any

from plaudit.errors import InvalidInput, UnknownName
from plaudit.phrase import Phrase
from plaudit.race.goals import TOP_GOAL
from plaudit.race.settings import DEFAULT_ALGORITHM
from plaudit.scale import FUNNY, STARS, THUMBS, Scale
from plaudit.service.contest.rules import (
    DISHONEST_RATERS,
    LONGEST_LINE,
    RACE_DEFAULTS,
    check_lane,
    check_late_items,
    check_race,
    check_times,
    race_settings,
)
from plaudit.service.contest.setting import Holds, Setting
from plaudit.service.contest.settings import (
    AFTER_VISIT,
    ALWAYS,
    AT_END,
    NEVER,
    SETTINGS,
    USUAL_TOLERANCE,
    ContestSettings,
    Context,
    Lane,
    Level,
)
from plaudit.service.intake.fields import Fields, clean, fault_of, number_of
from plaudit.service.intake.pictures import Pictures
from plaudit.service.intake.tree import Listing, Scalar, Table
from plaudit.words import N_

SCALES = {"funny": FUNNY, "thumbs": THUMBS, "stars": STARS}
# Words of files for when results are public, with what the setting holds, and older ones.
VISIBILITIES: dict[str, bool | str] = {
    AT_END: AT_END,
    AFTER_VISIT: AFTER_VISIT,
    ALWAYS: True,
    NEVER: False,
}
OLD_VISIBILITIES = {"public": True, "private": False}
# Arguments of a race, which must also be right together.
_ARGUMENTS = tuple(
    one.field
    for one in SETTINGS
    if one.holds in (Holds.NUMBER, Holds.CHOICE) and one.field in RACE_DEFAULTS
)
Reader = Callable[[Fields, Setting, Pictures], Any]


def read_settings(fields: Fields, pictures: Pictures, *, items: int) -> ContestSettings | None:
    """The settings; None if there is a mistake, here or in what was read before.

    `items` is how many there are, to compare `top` with; 0 if that is not known.
    """
    given: dict[str, Any] = {}
    wrong: set[str] = set()
    for setting in SETTINGS:
        before = len(fields.mistakes)
        given[setting.field] = READERS[setting.holds](fields, setting, pictures)
        if len(fields.mistakes) > before:
            wrong.add(setting.field)
    if given["tolerance"] is None:
        given["tolerance"] = _usual_tolerance(given)
    if wrong.isdisjoint((*_ARGUMENTS, "tolerance")):
        _check_races(fields, given, items)
    with fields.mistakes.noting(fields.line_of("closes")):
        check_times(given["opens"], given["closes"], fields.name_of("closes"))
    with fields.mistakes.noting(fields.line_of("proposals")):
        check_late_items(given["proposals"], (lane.algorithm for lane in given["lanes"]))
    if fields.mistakes:
        return None
    with fields.mistakes.noting(fields.line):
        return ContestSettings(**given)
    return None


def _check_races(fields: Fields, given: dict[str, Any], items: int) -> None:
    """Notes what the races cannot do: so many winners, the goal, or an algorithm with both."""
    before = len(fields.mistakes)
    wanted = {argument: given[argument] for argument in _ARGUMENTS}
    with fields.mistakes.noting(fields.line_of("top")):
        if items:
            race_settings({"items": max(items, 2), "top": wanted["top"]})
    if wanted["goal"] != TOP_GOAL and len(fields.mistakes) == before:
        with fields.mistakes.noting(fields.line_of("goal")):
            check_race(wanted)
    if len(fields.mistakes) > before:
        return
    if given["tolerance"]:
        wanted["tolerance"] = USUAL_TOLERANCE
    key = "algorithm" if fields.node("algorithm") else "algorithms"
    for lane in given["lanes"]:
        with fields.mistakes.noting(fields.line_of(key)):
            check_race(wanted | {"algorithm": lane.algorithm})


def _check(fields: Fields, setting: Setting, value: Any) -> None:
    with fields.mistakes.noting(fields.line_of(setting.key)):
        setting.check(value, name=fields.name_of(setting.key))


def _line(fields: Fields, setting: Setting, pictures: Pictures) -> str:
    before = len(fields.mistakes)
    line = " ".join(fields.text(setting.key, longest=setting.longest).split())
    if len(fields.mistakes) == before:
        _check(fields, setting, line)
    return line


def _text(fields: Fields, setting: Setting, pictures: Pictures) -> str:
    return fields.text(setting.key, longest=setting.longest)


def _link(fields: Fields, setting: Setting, pictures: Pictures) -> str:
    before = len(fields.mistakes)
    link = fields.text(setting.key, longest=setting.longest)
    if link and len(fields.mistakes) == before:
        _check(fields, setting, link)
    return link


def _number(fields: Fields, setting: Setting, pictures: Pictures) -> Any:
    number = fields.number(setting.key, setting.default)
    # A default is left alone: where a key is missing, or is wrong and was noted.
    if number is not setting.default:
        _check(fields, setting, number)
    return number


def _share(fields: Fields, setting: Setting, pictures: Pictures) -> float:
    # A sum is a new number. The log has a share even if it is the default, because msgspec leaves
    # out only the very object that is the default.
    return float(_number(fields, setting, pictures)) + 0.0


def _raters(fields: Fields, setting: Setting, pictures: Pictures) -> float | None:
    """A number of raters or a share of them; None where the file leaves it to Plaudit."""
    node = fields.node(setting.key)
    if node is None:
        return None
    if not isinstance(node, Scalar) or (number := raters_of(node.text)) is None:
        fields.wrong(setting.key, Phrase(DISHONEST_RATERS.wanted))
        return None
    _check(fields, setting, number)
    return number


def raters_of(text: str) -> float | None:
    """A number of raters, or a share of them as a number below 1; None if it is neither.

    >>> raters_of("10"), raters_of("1 %"), raters_of("0,5%"), raters_of("some")
    (10.0, 0.01, 0.005, None)
    """
    digits, percent, rest = text.replace(",", ".").partition("%")
    try:
        number = float(digits)
    except ValueError:
        return None
    if rest.strip() or not math.isfinite(number):
        return None
    if percent:
        return number / 100 if 0 <= number < 100 else None
    # A number below 1 could be a share or a slip; a share is written with its sign.
    return None if 0 < number < 1 else number


def raters_text(raters: float) -> str:
    """A number of raters or a share of them, as a file has it.

    >>> raters_text(10.0), raters_text(0.01), raters_text(0.0)
    ('10', '1 %', '0')
    """
    return f"{100 * raters:.12g} %" if 0.0 < raters < 1.0 else f"{raters:.0f}"


def _usual_tolerance(given: dict[str, Any]) -> float:
    """What a contest tolerates whose file does not say: nothing where an algorithm cannot."""
    try:
        for lane in given["lanes"]:
            check_race({"algorithm": lane.algorithm, "tolerance": USUAL_TOLERANCE})
    except InvalidInput:
        return 0.0
    return float(USUAL_TOLERANCE)


def _limit(fields: Fields, setting: Setting, pictures: Pictures) -> int:
    before = len(fields.mistakes)
    if fields.node(setting.key) is None:
        return 0
    number = fields.number(setting.key, 0)
    if len(fields.mistakes) == before:
        _check(fields, setting, number)
    return int(number)


def _choice(fields: Fields, setting: Setting, pictures: Pictures) -> str:
    return fields.choice(setting.key, tuple(part.name for part in setting.parts))


def _flag(fields: Fields, setting: Setting, pictures: Pictures) -> bool:
    return fields.flag(setting.key, setting.default)


def _public(fields: Fields, setting: Setting, pictures: Pictures) -> bool | str:
    given = fields.text(setting.key)
    if given in OLD_VISIBILITIES:
        return OLD_VISIBILITIES[given]
    return VISIBILITIES[fields.choice(setting.key, tuple(VISIBILITIES))]


def results_word(public: bool | str) -> str:
    """When results are public, as files and forms write it.

    >>> results_word(True), results_word(False), results_word("end")
    ('always', 'never', 'end')
    """
    return next(word for word, value in VISIBILITIES.items() if value == public)


def _time(fields: Fields, setting: Setting, pictures: Pictures) -> int | None:
    return fields.time(setting.key)


def _sites(fields: Fields, setting: Setting, pictures: Pictures) -> tuple[str, ...]:
    origins = []
    for line, origin in fields.texts(setting.key):
        origins.append(origin.removesuffix("/").lower())
        with fields.mistakes.noting(line):
            setting.check(tuple(origins[-1:]))
    return tuple(dict.fromkeys(origins))


def _context(fields: Fields, setting: Setting, pictures: Pictures) -> Context:
    node = fields.node(setting.key)
    if not isinstance(node, Table):
        return Context(fields.text(setting.key))
    inner = Fields(node, fields.mistakes, ("text", "image", "alt"))
    image = pictures.hash_of(inner.text("image"), inner.line_of("image"))
    return Context(inner.text("text"), image, inner.text("alt", longest=LONGEST_LINE))


def _scale(fields: Fields, setting: Setting, pictures: Pictures) -> tuple[Level, ...]:
    node = fields.node(setting.key)
    levels: tuple[Level, ...] = setting.default
    with fields.mistakes.noting(fields.line_of(setting.key)):
        if isinstance(node, Table):
            labels = tuple(_label(key) for key, _ in node.pairs)
            values = (_level_value(key, number_of(value)) for key, value in node.pairs)
            levels = _levels(Scale(labels, tuple(values)))
        elif isinstance(node, Listing):
            names = ", ".join(SCALES)
            fields.wrong(setting.key, f"{names}, or labels with values such as {{Meh: 0}}")
        elif node is not None:
            if node.text not in SCALES:
                raise UnknownName("scale", node.text, SCALES)
            levels = _levels(SCALES[node.text])
    return levels


def _levels(scale: Scale) -> tuple[Level, ...]:
    return tuple(map(Level, scale.labels, scale.values))


def _label(key: Scalar) -> str:
    label = " ".join(clean(key.text).split())
    if fault := fault_of(label, LONGEST_LINE, Phrase(N_("A label of the scale"))):
        raise InvalidInput(fault)
    return label


def _level_value(key: Scalar, value: float | None) -> float:
    if value is None:
        told = N_("The label {label!r} has no number: write a value from 0 to 1 after each.")
        raise InvalidInput(Phrase(told, label=key.text[:40]))
    return float(value)


def _lanes(fields: Fields, setting: Setting, pictures: Pictures) -> tuple[Lane, ...]:
    several = fields.node(setting.key)
    if several is None:
        name = fields.text(setting.short_key) or DEFAULT_ALGORITHM
        return (_lane(fields, Scalar(name, fields.line_of(setting.short_key), "text"), 1.0),)
    before = len(fields.mistakes)
    if fields.node(setting.short_key) is not None:
        both = f"Give {setting.short_key} or {setting.key}, not both of them."
        fields.mistakes.add(fields.line_of(setting.key), both)
    if isinstance(several, Table):
        lanes = [_lane(fields, name, number_of(share)) for name, share in several.pairs]
    else:
        names = (Scalar(text, line, "text") for line, text in fields.texts(setting.key))
        lanes = [_lane(fields, name, 1.0) for name in names]
    # A lane that is wrong was noted on its own line; another stands in for it.
    if len(fields.mistakes) == before:
        _check(fields, setting, tuple(lanes))
    return tuple(lanes)


def _lane(fields: Fields, name: Scalar, share: float | None) -> Lane:
    with fields.mistakes.noting(name.line):
        check_lane(name.text, share)
        assert share is not None  # or it would have been refused
        return Lane(name.text, float(share))
    return Lane(DEFAULT_ALGORITHM)


READERS: dict[Holds, Reader] = {
    Holds.LINE: _line,
    Holds.TEXT: _text,
    Holds.LINK: _link,
    Holds.CODE: _text,
    Holds.NUMBER: _number,
    Holds.SHARE: _share,
    Holds.RATERS: _raters,
    Holds.LIMIT: _limit,
    Holds.CHOICE: _choice,
    Holds.FLAG: _flag,
    Holds.PUBLIC: _public,
    Holds.TIME: _time,
    Holds.SITES: _sites,
    Holds.CONTEXT: _context,
    Holds.SCALE: _scale,
    Holds.ALGORITHMS: _lanes,
}
