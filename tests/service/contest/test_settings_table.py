"""The table of settings: no setting is missing anywhere, and a rule is the same everywhere."""

import importlib.util
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Annotated, Any

import msgspec
import pytest

from plaudit.bounds import Bets
from plaudit.errors import InvalidInput
from plaudit.race import Race
from plaudit.service.contest.changes import CHANGEABLE, FIELDS, OF_THE_RACE
from plaudit.service.contest.setting import Holds, Place, Setting, entries_of
from plaudit.service.contest.settings import (
    AUTOMATIC,
    SETTINGS,
    ContestSettings,
    Context,
    Lane,
    Level,
    settings_at,
)
from plaudit.service.intake import contest_form, filled_form
from plaudit.service.intake.contest_file import KEYS, read_contest, read_contest_file
from plaudit.service.intake.contest_form import form_fields, read_form
from plaudit.service.intake.fields import Fields
from plaudit.service.intake.filled_form import DEFAULTS, form_of
from plaudit.service.intake.mistakes import ContestFileError
from plaudit.service.intake.setting_keys import keys_of
from plaudit.service.intake.setting_readers import READERS
from plaudit.web.api.openapi import make_openapi
from plaudit.web.app import ENDPOINTS
from plaudit.web.desk.contest_forms import choices
from plaudit.web.rendering import environment
from plaudit.web.wire.settings import JSON_TYPES, NewContest, SettingKeys

ROOT = next(place for place in Path(__file__).parents if (place / "pyproject.toml").is_file())
HASH = "ab" * 32
TWO = (Level("No", 0.0), Level("Yes", 1.0))


@dataclass
class Example:
    """A value that is not the default, and one that is refused, if any is.

    `wrong` is what a file has, `held` what `ContestSettings` would hold then, and `typed` what a
    form would; each is left out where it is the same.
    """

    good: Any
    wrong: Any = None
    held: Any = None
    typed: dict[str, str] = field(default_factory=dict)


# Every setting has an example: the tests below walk over them.
EXAMPLES = {
    "title": Example("Which is best?", ""),
    "scale": Example(TWO, {"No": 0}, TWO[:1], {"scale": "custom", "labels": "No = 0"}),
    "lanes": Example(
        (Lane("lucb", 2.0),), {"lucb": 0}, (Lane("lucb", 0.0),), {"algorithms": "lucb 0"}
    ),
    "context": Example(Context("Two\nlines", HASH, "A cat")),
    "delta": Example(0.05, 1.5),
    "epsilon": Example(0.25, -0.5),
    "top": Example(2, 0),
    "goal": Example("all-good", "best"),
    "seed": Example(7, -1),
    "uniform": Example(0.1, 1.0),
    "consent": Example("Yes?"),
    "instructions": Example("Read."),
    "votes_per_visit": Example(20, 10**7),
    "thanks": Example("Bye"),
    "completion_code": Example(AUTOMATIC),
    "return_url": Example("https://example.org/x?y=1", "javascript:alert(1)"),
    "opens": Example(1_796_115_600_000),
    "closes": Example(1_796_115_600_000),
    "skip": Example(False),
    "flag": Example(False),
    "public_results": Example("end", "hidden", "hidden"),
    "listed": Example(False),
    "embed": Example(("https://a.org",), ["ftp://a.org"], ("ftp://a.org",)),
    "tolerance": Example(0.01, -1, -1.0),
    "door": Example("codes", "window"),
    "work": Example("on", "hard"),
    "votes_after_verdict": Example(True),
    "language": Example("de", "klingon"),
    "proposals": Example("held", "maybe"),
    "proposals_each": Example(5, 0),
    "proposals_in_all": Example(50, 0),
    "bets": Example(Bets.usual().to_json(), "{}"),
}
# What a setting needs to be allowed.
ALONG = {"goal": {"epsilon": 0.25}}


def made(**given: Any) -> ContestSettings:
    needed = {one.field: one.default for one in SETTINGS if not one.missing}
    return ContestSettings(**{"title": "T"} | needed | given)


# No setting is missing anywhere


@cache
def script() -> ModuleType:
    """docs/bind_settings.py, which is in no package."""
    spec = importlib.util.spec_from_file_location("bind_settings", ROOT / "docs/bind_settings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def form_page() -> str:
    """The fields of a contest, as the desk shows them."""
    template = environment().from_string(
        '{% import "desk/contest_fields.html" as fields %}{{ fields.question(form, errors) }}'
        "{{ fields.scale(form, errors, scales) }}{{ fields.verdict(form, errors, algorithms) }}"
        "{{ fields.visit(form, errors) }}{{ fields.times(form, errors) }}"
        "{{ fields.public(form, errors, shut) }}"
    )
    form = DEFAULTS | {"image_name": ""}
    # A desk of a service with a provider, where all choices can be made.
    request: Any = SimpleNamespace(site=SimpleNamespace(desk=SimpleNamespace(signs_in=True)))
    return template.render(form=form, errors={}, **choices(request, form))


@cache
def schemas() -> Any:
    return make_openapi(ENDPOINTS, url="http://localhost")["components"]["schemas"]


def gaps(settings: Iterable[Setting]) -> list[str]:
    """Where settings are missing, such as "title: OpenAPI"."""
    page = form_page()
    shown = {*re.findall(r'name="([^"]+)"', page), *re.findall(r' id="([^"]+)"', page)}
    rows = (ROOT / "docs/live/first-contest.md").read_text("utf-8").splitlines()
    first = form_of(made())
    found = []
    for one in settings:
        fields = form_fields(one)
        places = {
            "ContestSettings": one.field in FIELDS,
            "contest file": one.key in KEYS and one.holds in READERS,
            "keys of a contest": one.key in keys_of(made()),
            "form": {*fields} <= {*contest_form.FIELDS} & first.keys() & DEFAULTS.keys()
            and one.holds in contest_form.TYPED.keys() & filled_form.SHOWN.keys(),
            "page": {*fields} <= shown
            and one.field in [other.field for other in settings_at(one.place)],
            "words of the page": bool(one.label and (one.hint or one.parts)),
            "JSON": {one.key} <= {*SettingKeys.__struct_fields__} & {*NewContest.__struct_fields__}
            and one.holds in JSON_TYPES,
            "OpenAPI": one.key in schemas()["SettingKeys"]["properties"]
            and one.key in schemas()["NewContest"]["properties"],
            "changes": (one.field in CHANGEABLE) == one.changeable
            and (one.field in OF_THE_RACE) == one.of_the_race,
            "documentation": bool(one.about) and script().row_of(one) in rows,
            "examples": one.field in EXAMPLES,
        }
        found += [f"{one.field}: {place}" for place, there in places.items() if not there]
    return found


def test_every_setting_is_everywhere() -> None:
    assert gaps(SETTINGS) == []
    assert [one.field for one in SETTINGS] == list(FIELDS) == list(EXAMPLES)


def test_the_page_of_the_documentation_has_the_table_of_now() -> None:
    text = script().PAGE.read_text("utf-8")
    assert script().with_table(text) == text


def test_a_setting_that_only_the_table_has_is_found_missing() -> None:
    planted = Setting(Holds.TEXT, Place.VISIT, "Planted", "", "", field="planted", key="planted")
    assert gaps([planted]) == [
        "planted: ContestSettings",
        "planted: contest file",
        "planted: keys of a contest",
        "planted: form",
        "planted: page",
        "planted: words of the page",
        "planted: JSON",
        "planted: OpenAPI",
        "planted: changes",
        "planted: documentation",
        "planted: examples",
    ]


def test_a_change_in_an_entry_is_found_missing_where_it_is_told() -> None:
    title = SETTINGS[0]
    assert gaps([replace(title, about="something else")]) == ["title: documentation"]
    assert gaps([replace(title, of_the_race=True)]) == ["title: changes", "title: documentation"]
    assert "title: OpenAPI" in gaps([replace(title, key="heading")])


def test_a_field_without_an_entry_is_refused_at_once() -> None:
    class Planted(msgspec.Struct):
        title: Annotated[str, SETTINGS[0]]
        colour: str = ""

    with pytest.raises(TypeError, match="The field colour of Planted has no entry"):
        entries_of(Planted)


def test_all_that_a_setting_may_hold_is_read_shown_and_sent() -> None:
    for known in (READERS, contest_form.TYPED, filled_form.SHOWN, JSON_TYPES):
        assert set(known) == set(Holds)
    assert {one.place for one in SETTINGS} == set(Place)


# A value is the same whichever way it comes


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_value_comes_back_from_file_and_form(name: str, tmp_path: Path) -> None:
    wanted = made(**{name: EXAMPLES[name].good}, **ALONG.get(name, {}))
    assert getattr(wanted, name) != getattr(made(), name)
    assert read_form(form_of(wanted), items=5, is_there={HASH}.__contains__) == wanted
    data = keys_of(wanted) | {"items": list("abcde")}
    assert read_contest(data, is_there={HASH}.__contains__).settings == wanted
    # JSON is YAML, but for the picture: a file names one by its path.
    if name != "context":
        file = tmp_path / "contest.yaml"
        file.write_bytes(msgspec.json.encode(data))
        assert read_contest_file(file).settings == wanted


# A rule is one rule


def refusals(setting: Setting, example: Example, folder: Path) -> dict[str, str]:
    """What each way to give a setting says to a wrong value; "" where it takes it."""
    said = dict.fromkeys(("file", "JSON", "form", "ContestSettings"), "")
    data = {"title": "T", "items": list("abcde")} | {setting.key: example.wrong}
    file = folder / "contest.yaml"
    file.write_bytes(msgspec.json.encode(data).replace(b'""', b'"  "'))
    for way, read in (
        ("file", lambda: read_contest_file(file)),
        ("JSON", lambda: read_contest(data)),
    ):
        try:
            read()
        except ContestFileError as error:
            (mistake,) = error.mistakes
            said[way] = mistake.message
    typed = example.typed or {setting.key: form_text(example.wrong)}
    form = read_form(DEFAULTS | {"title": "T"} | typed, items=5, is_there=lambda hash: False)
    if isinstance(form, contest_form.FormMistakes):
        (said["form"],) = map(str, form.values())
    if setting.subject:
        said["form"] = said["form"].replace(setting.subject, setting.key, 1)
    try:
        made(**{setting.field: example.wrong if example.held is None else example.held})
    except InvalidInput as error:
        said["ContestSettings"] = str(error)
    return said


def form_text(value: Any) -> str:
    return "\n".join(value) if isinstance(value, list) else str(value)


WRONG = {name for name, example in EXAMPLES.items() if example.wrong is not None}
RULED = [one for one in SETTINGS if one.field in WRONG]


@pytest.mark.parametrize("setting", RULED, ids=lambda one: one.field)
def test_every_way_refuses_the_same_with_the_same_words(setting: Setting, tmp_path: Path) -> None:
    said = refusals(setting, EXAMPLES[setting.field], tmp_path)
    assert len(set(said.values())) == 1, said
    assert said["file"]


def test_every_setting_with_a_rule_has_a_wrong_example() -> None:
    ruled = {one.field for one in SETTINGS if one.rules or one.check_each or one.missing}
    assert ruled | {"scale"} == WRONG


def test_a_rule_that_only_one_way_knows_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setting = next(one for one in SETTINGS if one.field == "uniform")

    def with_its_own_rule(fields: Fields, setting: Setting, pictures: Any) -> float:
        share = fields.number(setting.key, 0.0)
        if share > 0.5:
            fields.wrong(setting.key, "at most a half")
        return share

    monkeypatch.setitem(READERS, Holds.SHARE, with_its_own_rule)
    said = refusals(setting, EXAMPLES["uniform"], tmp_path)
    assert len(set(said.values())) > 1
    assert said["file"] != said["ContestSettings"]


def test_a_contest_that_closes_too_early_is_refused_every_way(tmp_path: Path) -> None:
    times = {"opens": "2026-12-01T09:00:00+00:00", "closes": "2026-12-01T08:00:00+00:00"}
    told = "closes must be later than opens."
    with pytest.raises(InvalidInput, match=re.escape(told)):
        made(opens=2, closes=1)
    with pytest.raises(ContestFileError, match=re.escape(told)):
        read_contest({"title": "T", "items": ["a", "b"]} | times)


# What the log begins with


def test_the_bytes_of_settings_are_those_of_earlier_logs() -> None:
    """Defaults are left out of a log, so a change of one would change contests of the past."""
    scale, lanes = (
        '[{"label":"No","value":0.0},{"label":"Yes","value":1.0}]',
        '[{"algorithm":"lucb"',
    )
    start = f'{{"title":"T","scale":{scale},"lanes":{lanes},"share":1.0}}]'
    assert ContestSettings("T", TWO, (Lane("lucb"),)).to_json() == f"{start}}}"
    read = read_contest({"title": "T", "items": ["a", "b"], "scale": {"No": 0, "Yes": 1},
                         "algorithm": "lucb"})  # fmt: skip
    context = '{"text":"","image":"","alt":""}'
    more = '"uniform":0.0,"public_results":"end","tolerance":3.0,"work":"automatic"'
    new = f'{start},"context":{context},{more}}}'
    assert read.settings.to_json() == new
    old = ContestSettings.from_json(f"{start}}}")
    assert (old.delta, old.epsilon, old.top, old.goal, old.seed) == (0.01, 0.0, 1, "top", 0)
    texts = old.consent, old.instructions, old.thanks, old.completion_code, old.return_url
    assert (*texts, old.uniform, old.votes_per_visit) == ("", "", "", "", "", 0.0, 0)
    assert (old.opens, old.closes, old.embed, old.context) == (None, None, (), Context())
    assert (old.skip, old.flag, old.public_results, old.listed) == (True, True, True, True)


def test_defaults_of_the_race_are_those_of_a_race() -> None:
    race = Race(3).settings
    for name in ("delta", "epsilon", "top", "goal", "seed"):
        assert getattr(made(), name) == getattr(race, name)
