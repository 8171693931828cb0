"""A contest as an editor types it: fields of a form to settings, and settings to fields.

The rules are those of contest files. A form is read as a file in which every field is a line, so
that each mistake knows the field it belongs to.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from plaudit.race.goals import ALL_GOOD_GOAL, TOP_GOAL
from plaudit.race.settings import DEFAULT_ALGORITHM
from plaudit.service.contest.settings import AUTOMATIC, ContestSettings, Level, check_name
from plaudit.service.intake.contest_fields import SCALES, read_settings
from plaudit.service.intake.contest_file import KEYS, name_from_title
from plaudit.service.intake.fields import Fields
from plaudit.service.intake.mistakes import Mistakes
from plaudit.service.intake.pictures import UploadedPictures
from plaudit.service.intake.yaml_lines import Listing, Node, Scalar, Table

CUSTOM = "custom"
# Fields whose text is a setting of the same name.
_TEXTS = ("consent", "instructions", "thanks", "return_url")
_NUMBERS = ("top", "epsilon", "delta", "seed", "uniform", "votes_per_visit")
_FLAGS = ("skip", "flag", "listed")
FIELDS = (
    "title", "name", "context", "image", "alt", "scale", "labels", "goal", "algorithms",
    *_NUMBERS, *_TEXTS, "code", "completion_code", "opens", "closes", *_FLAGS, "results", "embed",
)  # fmt: skip

# What people read instead of a field's name, where a message starts with it.
WORDS = {
    "title": "The title",
    "return_url": "The way back",
    "opens": "The opening time",
    "closes": "The closing time",
    "votes_per_visit": "Votes per visit",
    "uniform": "The share of random items",
    "completion_code": "The code",
    "seed": "The seed",
}

# Fields of a time, which a browser may send with its zone.
TIMES = ("opens", "closes")
Form = Mapping[str, str]
# What a contest starts with at the desk.
DEFAULTS: dict[str, str] = dict.fromkeys(FIELDS, "") | {
    "scale": "funny",
    "labels": "Bad = 0\nGood = 1",
    "algorithms": f"{DEFAULT_ALGORITHM} 1",
    "goal": TOP_GOAL,
    "top": "1",
    "epsilon": "0.05",
    "delta": "0.01",
    "seed": "0",
    "uniform": "0",
    "code": "none",
    "skip": "yes",
    "flag": "yes",
    "listed": "yes",
    "results": "public",
}


class FormMistakes(dict[str, str]):
    """What is wrong, by field; a field has one message."""


def read_form(
    form: Form, *, items: int, is_there: Callable[[str], bool]
) -> ContestSettings | FormMistakes:
    """The settings that a form describes, or its mistakes.

    `items` is how many there are, or 0 where that is not known; `is_there` says whether the
    store has a picture.
    """
    mistakes, wrong = Mistakes(), FormMistakes()
    pictures = UploadedPictures(mistakes, is_there=is_there)
    fields = Fields(Table(_pairs(form, wrong), None), mistakes, KEYS)
    settings = read_settings(fields, pictures, items=items)
    for found in mistakes.found:
        field = FIELDS[found.line - 1] if found.line else "title"
        wrong.setdefault(field, _in_words(field, found.message))
    if wrong or settings is None:
        return wrong
    return settings


def _in_words(field: str, message: str) -> str:
    """A message with what the form calls a field, where it starts with the field's name."""
    if field in WORDS and message.startswith(f"{field} "):
        return WORDS[field] + message.removeprefix(field)
    return message


def read_name(form: Form) -> str:
    """The contest's name in links: as typed, or from the title."""
    typed = form.get("name", "").strip()
    return check_name(typed) if typed else name_from_title(form.get("title", ""))


def _pairs(form: Form, wrong: FormMistakes) -> list[tuple[Scalar, Node]]:
    """The keys of a contest file that a form stands for."""

    def key(name: str, field: str = "") -> Scalar:
        return Scalar(name, _line(field or name), "text")

    def text(name: str, field: str = "") -> Scalar:
        return _scalar(form, field or name)

    pairs: list[tuple[Scalar, Node]] = [(key("title"), text("title"))]
    pairs.append((key("context"), _context(form)))
    pairs.append((key("scale", "labels" if form.get("scale") == CUSTOM else ""), _scale(form)))
    if not form.get("algorithms", "").strip():
        wrong["algorithms"] = "Tick at least one algorithm."
    pairs.append((key("algorithms"), _algorithms(form)))
    pairs.append((key("goal"), text("goal")))
    pairs += [(key(name), _number(form, name)) for name in _NUMBERS if _is_given(form, name)]
    pairs += [(key(name), text(name)) for name in _TEXTS]
    if form.get("code") == AUTOMATIC:
        pairs.append((key("completion_code"), Scalar(AUTOMATIC, _line("code"), "text")))
    elif form.get("code") == "own":
        if not form.get("completion_code", "").strip():
            wrong["completion_code"] = "Write the code, or choose another kind."
        pairs.append((key("completion_code"), text("completion_code")))
    pairs += [(key(name), _time(form, name)) for name in TIMES if _is_given(form, name)]
    pairs += [(key(name), Scalar(form.get(name) or "no", _line(name), "plain")) for name in _FLAGS]
    shown = "public" if form.get("results") == "public" else "private"
    pairs.append((key("results"), Scalar(shown, _line("results"), "text")))
    sites = form.get("embed", "").split()
    line = _line("embed")
    pairs.append((key("embed"), Listing([Scalar(site, line, "text") for site in sites], line)))
    return pairs


def _line(field: str) -> int:
    return FIELDS.index(field) + 1


def _is_given(form: Form, field: str) -> bool:
    text = form.get(field, "").strip()
    if field == "top" and form.get("goal") == ALL_GOOD_GOAL:
        return False  # how many there are is what the contest finds out
    # Nothing, or 0, is no limit.
    return bool(text) and not (field == "votes_per_visit" and text == "0")


def _scalar(form: Form, field: str) -> Scalar:
    return Scalar(form.get(field, ""), _line(field), "text")


def _number(form: Form, field: str) -> Scalar:
    # Some write a comma before decimals.
    return Scalar(form[field].strip().replace(",", "."), _line(field), "plain")


def in_utc(text: str) -> str:
    """A time as a browser's field has it, in UTC; without a zone it is in UTC already.

    >>> in_utc("2026-12-01T10:00:00+01:00"), in_utc("2026-12-01T09:00:00.000Z"), in_utc("soon")
    ('2026-12-01T09:00', '2026-12-01T09:00', 'soon')
    """
    try:
        moment = datetime.fromisoformat(text.strip())
        return text if moment.tzinfo is None else _local(round(moment.timestamp() * 1000))
    except (ValueError, OverflowError):
        return text


def _time(form: Form, field: str) -> Scalar:
    """A time of a browser's field, which has no zone: it is UTC."""
    return Scalar(f"{form[field].strip()}+00:00", _line(field), "text")


def _context(form: Form) -> Table:
    fields = {"text": "context", "image": "image", "alt": "alt"}
    pairs: list[tuple[Scalar, Node]] = [
        (Scalar(key, _line(field), "text"), _scalar(form, field)) for key, field in fields.items()
    ]
    return Table(pairs, _line("context"))


def _scale(form: Form) -> Node:
    if form.get("scale") != CUSTOM:
        return Scalar(form.get("scale", ""), _line("scale"), "text")
    pairs: list[tuple[Scalar, Node]] = []
    line = _line("labels")
    for row in form.get("labels", "").splitlines():
        if row.strip():
            label, _, value = row.rpartition("=") if "=" in row else (row, "", "")
            number = value.strip().replace(",", ".")
            pairs.append((Scalar(label.strip(), line, "text"), Scalar(number, line, "plain")))
    return Table(pairs, line)


def _algorithms(form: Form) -> Table:
    """Names with shares, one a line: `plaudit 2`."""
    pairs: list[tuple[Scalar, Node]] = []
    line = _line("algorithms")
    for row in form.get("algorithms", "").splitlines():
        if row.strip():
            name, _, share = row.strip().partition(" ")
            pairs.append((Scalar(name, line, "text"), Scalar(share.strip() or "1", line, "plain")))
    return Table(pairs, line)


def form_of(settings: ContestSettings, name: str = "") -> dict[str, str]:
    """The fields that stand for settings; reading them gives the same settings."""
    code = {"": "none", AUTOMATIC: AUTOMATIC}.get(settings.completion_code, "own")
    form = {key: str(getattr(settings, key)) for key in (*_TEXTS, "title")}
    form |= {key: f"{getattr(settings, key):.15g}" for key in _NUMBERS}
    form |= {key: "yes" if getattr(settings, key) else "" for key in _FLAGS}
    return form | {
        "name": name,
        "context": settings.context.text,
        "image": settings.context.image,
        "alt": settings.context.alt,
        "scale": _scale_name(settings.scale),
        "labels": "\n".join(f"{one.label} = {one.value:.15g}" for one in settings.scale),
        "algorithms": "\n".join(f"{one.algorithm} {one.share:.15g}" for one in settings.lanes),
        "code": code,
        "goal": settings.goal,
        "completion_code": settings.completion_code if code == "own" else "",
        "opens": _local(settings.opens),
        "closes": _local(settings.closes),
        "results": "public" if settings.public_results else "private",
        "embed": "\n".join(settings.embed),
    }


def _scale_name(scale: Sequence[Level]) -> str:
    given = tuple((one.label, one.value) for one in scale)
    for name, known in SCALES.items():
        if tuple(zip(known.labels, known.values, strict=True)) == given:
            return name
    return CUSTOM


def _local(at: int | None) -> str:
    """A time as a browser's field has it, in UTC."""
    if at is None:
        return ""
    moment = datetime.fromtimestamp(at / 1000, UTC).replace(tzinfo=None)
    return moment.isoformat(timespec="seconds" if at % 60_000 else "minutes")


def changes_between(old: ContestSettings, new: ContestSettings) -> dict[str, object]:
    """The settings that differ, by name, as plain values."""
    before, after = msgspec.structs.asdict(old), msgspec.structs.asdict(new)
    return {
        name: msgspec.to_builtins(value) for name, value in after.items() if value != before[name]
    }
