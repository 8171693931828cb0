"""Settings as the fields of a form, to be shown; `contest_form` reads them back."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from plaudit.service.contest.setting import Holds
from plaudit.service.contest.settings import AUTOMATIC, SETTINGS, ContestSettings, Level
from plaudit.service.intake.contest_form import CUSTOM, NO_CODE, OWN, form_fields
from plaudit.service.intake.setting_readers import SCALES, raters_text, results_word

YES = "yes"
# Labels of one's own begin with these.
FIRST_LABELS = "Bad = 0\nGood = 1"


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


def form_of(settings: ContestSettings, name: str = "") -> dict[str, str]:
    """The fields that stand for settings; reading them gives the same settings."""
    form = {"name": name}
    for setting in SETTINGS:
        texts = SHOWN[setting.holds](getattr(settings, setting.field))
        form |= dict(zip(form_fields(setting), texts, strict=True))
    return form


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


def _as_it_is(value: str) -> list[str]:
    return [value]


def _digits(value: float) -> list[str]:
    return [f"{value:.15g}"]


def _code_texts(code: str) -> list[str]:
    kind = {"": NO_CODE, AUTOMATIC: AUTOMATIC}.get(code, OWN)
    return [code if kind == OWN else "", kind]


def _scale_texts(scale: Sequence[Level]) -> list[str]:
    labels = "\n".join(f"{one.label} = {one.value:.15g}" for one in scale)
    return [_scale_name(scale), labels]


# The texts of the fields that stand for a value, in the order of `form_fields`.
SHOWN: dict[Holds, Callable[[Any], list[str]]] = {
    Holds.LINE: _as_it_is,
    Holds.TEXT: _as_it_is,
    Holds.LINK: _as_it_is,
    Holds.CODE: _code_texts,
    Holds.NUMBER: _digits,
    Holds.SHARE: _digits,
    Holds.RATERS: lambda raters: [raters_text(raters)],
    Holds.LIMIT: _digits,
    Holds.CHOICE: _as_it_is,
    Holds.FLAG: lambda flag: [YES if flag else ""],
    Holds.PUBLIC: lambda public: [results_word(public)],
    Holds.TIME: lambda at: [_local(at)],
    Holds.SITES: lambda sites: ["\n".join(sites)],
    Holds.CONTEXT: lambda context: [context.text, context.image, context.alt],
    Holds.SCALE: _scale_texts,
    Holds.ALGORITHMS: lambda lanes: ["\n".join(f"{a.algorithm} {a.share:.15g}" for a in lanes)],
}


def _first_form() -> dict[str, str]:
    # What a contest cannot do without has no default; the form leaves it empty.
    given: dict[str, Any] = {
        one.field: one.label if one.missing else one.default for one in SETTINGS
    }
    starts = {one.key: one.starts for one in SETTINGS if one.starts is not None}
    return form_of(ContestSettings(**given)) | starts | {"labels": FIRST_LABELS}


# What the form of a new contest begins with.
DEFAULTS = _first_form()
