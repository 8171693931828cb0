"""A contest as an editor types it: the fields of a form, read as settings.

The rules are those of contest files. A form is read as a file in which every field is a line, so
that each mistake knows the field it belongs to.
"""

from collections.abc import Callable, Mapping

from plaudit.phrase import Phrase, Words
from plaudit.race.goals import ALL_GOOD_GOAL
from plaudit.service.contest.setting import Holds, Setting
from plaudit.service.contest.settings import AUTOMATIC, SETTINGS, ContestSettings, check_name
from plaudit.service.intake.contest_file import KEYS, name_from_title
from plaudit.service.intake.fields import Fields
from plaudit.service.intake.mistakes import Mistakes
from plaudit.service.intake.pictures import UploadedPictures
from plaudit.service.intake.setting_readers import read_settings
from plaudit.service.intake.tree import Listing, Node, Scalar, Table
from plaudit.words import N_

CUSTOM, OWN, NO_CODE = "custom", "own", "none"
Form = Mapping[str, str]
Pairs = list[tuple[Scalar, Node]]


def form_fields(setting: Setting) -> tuple[str, ...]:
    """The fields of a form that stand for a setting, its own first."""
    parts = () if setting.holds in (Holds.CHOICE, Holds.PUBLIC) else setting.parts
    return (setting.key, *(part.name for part in parts))


FIELDS = ("name", *(field for setting in SETTINGS for field in form_fields(setting)))
# Fields that hold a time, which a browser may send with its zone.
TIMES = tuple(setting.key for setting in SETTINGS if setting.holds == Holds.TIME)
# What people read instead of a key.
SUBJECTS = {setting.key: setting.subject for setting in SETTINGS if setting.subject}


class FormMistakes(dict[str, Words]):
    """What is wrong, by field; a field has one message."""


def read_form(
    form: Form, *, items: int, is_there: Callable[[str], bool]
) -> ContestSettings | FormMistakes:
    """The settings that a form describes, or its mistakes.

    `items` is how many there are, or 0 if that is not known; `is_there` says whether the
    store has a picture.
    """
    mistakes, wrong = Mistakes(), FormMistakes()
    pictures = UploadedPictures(mistakes, is_there=is_there)
    pairs: Pairs = []
    for setting in SETTINGS:
        pairs += TYPED[setting.holds](form, setting, wrong)
    fields = Fields(Table(pairs, None), mistakes, KEYS, names=SUBJECTS)
    settings = read_settings(fields, pictures, items=items)
    for found in mistakes.found:
        field = FIELDS[found.line - 1] if found.line else "title"
        wrong.setdefault(field, found.words)
    if wrong or settings is None:
        return wrong
    return settings


def read_name(form: Form) -> str:
    """The contest's name in links: as typed, or from the title."""
    typed = form.get("name", "").strip()
    return check_name(typed) if typed else name_from_title(form.get("title", ""))


def _line(field: str) -> int:
    return FIELDS.index(field) + 1


def _scalar(form: Form, field: str) -> Scalar:
    return Scalar(form.get(field, ""), _line(field), "text")


def _pair(setting: Setting, node: Node, field: str = "") -> Pairs:
    return [(Scalar(setting.key, _line(field or setting.key), "text"), node)]


def _text(form: Form, setting: Setting, wrong: FormMistakes) -> Pairs:
    return _pair(setting, _scalar(form, setting.key))


def _number(form: Form, setting: Setting, wrong: FormMistakes) -> Pairs:
    text = form.get(setting.key, "").strip()
    # How many good items there are is what the contest finds out.
    unasked = setting.field == "top" and form.get("goal") == ALL_GOOD_GOAL
    no_limit = setting.holds == Holds.LIMIT and text == "0"
    if not text or unasked or no_limit:
        return []
    # Some write a comma before decimals.
    return _pair(setting, Scalar(text.replace(",", "."), _line(setting.key), "plain"))


def _code(form: Form, setting: Setting, wrong: FormMistakes) -> Pairs:
    if form.get("code") == AUTOMATIC:
        return _pair(setting, Scalar(AUTOMATIC, _line("code"), "text"))
    if form.get("code") != OWN:
        return []
    if not form.get(setting.key, "").strip():
        wrong[setting.key] = Phrase(N_("Write the code, or choose another kind."))
    return _text(form, setting, wrong)


def _time(form: Form, setting: Setting, wrong: FormMistakes) -> Pairs:
    """A time of a browser's field, which has no zone: it is UTC."""
    text = form.get(setting.key, "").strip()
    return _pair(setting, Scalar(f"{text}+00:00", _line(setting.key), "text")) if text else []


def _flag(form: Form, setting: Setting, wrong: FormMistakes) -> Pairs:
    return _pair(setting, Scalar(form.get(setting.key) or "no", _line(setting.key), "plain"))


def _sites(form: Form, setting: Setting, wrong: FormMistakes) -> Pairs:
    line = _line(setting.key)
    sites: list[Node] = [Scalar(one, line, "text") for one in form.get(setting.key, "").split()]
    return _pair(setting, Listing(sites, line))


def _context(form: Form, setting: Setting, wrong: FormMistakes) -> Pairs:
    fields = {"text": setting.key, "image": "image", "alt": "alt"}
    pairs: Pairs = [
        (Scalar(key, _line(field), "text"), _scalar(form, field)) for key, field in fields.items()
    ]
    return _pair(setting, Table(pairs, _line(setting.key)))


def _scale(form: Form, setting: Setting, wrong: FormMistakes) -> Pairs:
    if form.get(setting.key) != CUSTOM:
        return _text(form, setting, wrong)
    pairs: Pairs = []
    line = _line("labels")
    for row in form.get("labels", "").splitlines():
        if row.strip():
            label, _, value = row.rpartition("=") if "=" in row else (row, "", "")
            number = value.strip().replace(",", ".")
            pairs.append((Scalar(label.strip(), line, "text"), Scalar(number, line, "plain")))
    return _pair(setting, Table(pairs, line), "labels")


def _algorithms(form: Form, setting: Setting, wrong: FormMistakes) -> Pairs:
    """Names with shares, one a line: `plaudit 2`."""
    pairs: Pairs = []
    line = _line(setting.key)
    for row in form.get(setting.key, "").splitlines():
        if row.strip():
            name, _, share = row.strip().partition(" ")
            pairs.append((Scalar(name, line, "text"), Scalar(share.strip() or "1", line, "plain")))
    if not pairs:
        wrong[setting.key] = Phrase(N_("Tick at least one algorithm."))
    return _pair(setting, Table(pairs, line))


# The key of a contest file that the fields of a setting stand for.
TYPED: dict[Holds, Callable[[Form, Setting, FormMistakes], Pairs]] = {
    Holds.LINE: _text,
    Holds.TEXT: _text,
    Holds.LINK: _text,
    Holds.CODE: _code,
    Holds.NUMBER: _number,
    Holds.SHARE: _number,
    Holds.RATERS: _number,
    Holds.LIMIT: _number,
    Holds.CHOICE: _text,
    Holds.FLAG: _flag,
    Holds.PUBLIC: _text,
    Holds.TIME: _time,
    Holds.SITES: _sites,
    Holds.CONTEXT: _context,
    Holds.SCALE: _scale,
    Holds.ALGORITHMS: _algorithms,
}
