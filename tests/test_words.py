"""Raters' texts are translated into every language, whole and with their facts."""

import ast

import pytest
from babel import Locale
from babel.messages.catalog import Message

from plaudit.words import LANGUAGES, catalogue_of
from support import catalogue
from support.languages import translations
from support.languages.faults import faults_of
from support.languages.translations import TRANSLATED, forms_of

EACH = pytest.mark.parametrize("language", TRANSLATED)


@EACH
def test_every_text_that_raters_read_is_translated(language: str) -> None:
    lacking = [message.id for message in translations.missing(language)]
    assert not lacking, (
        f"{len(lacking)} texts have no {LANGUAGES[language]} translation, or lack a plural form. "
        "`make words` adds them to the .po files; translate them there and run it again. "
        "`python tests/support/languages/translations.py` lists them."
    )


@EACH
def test_translations_have_the_facts_and_elements_of_their_texts(language: str) -> None:
    plural = catalogue_of(language).plural
    for message in translations.current(language):
        if message.id and any(forms_of(message)):
            assert faults_of(message, forms_of(message), plural) == []


@EACH
def test_the_compiled_file_is_made_from_the_translations(language: str) -> None:
    texts, folder = translations.current(language), translations.folder(language)
    assert (folder / "plaudit.po").read_bytes() == translations.po_text(language, texts)
    assert (folder / "plaudit.mo").read_bytes() == translations.mo_bytes(language, texts)


@EACH
def test_the_compiled_file_gives_every_translation(language: str) -> None:
    spoken = catalogue_of(language)
    assert spoken.language == language
    for message in translations.kept(language):
        if isinstance(message.id, str) and message.id:
            assert spoken.texts.gettext(message.id) == message.string
        elif message.id:
            used = {spoken.texts.ngettext(*message.id, n) for n in range(200)}
            assert used == set(forms_of(message))


@EACH
def test_plural_forms_are_those_of_the_language(language: str) -> None:
    """Numbers that CLDR puts together have one form, and others have another."""
    plural, rule = catalogue_of(language).plural, Locale.parse(language).plural_form
    pairs = {(plural(n), rule(n)) for n in range(1000)}
    assert len(pairs) == len({form for form, _ in pairs}) == len({kind for _, kind in pairs})
    assert len(pairs) == translations.kept(language).num_plurals
    # Scripts are told the forms of the first 200 numbers.
    assert all(plural(n) == plural(100 + n % 100) for n in range(200, 1200))


def test_arabic_has_six_forms() -> None:
    said = [
        catalogue_of("ar").texts.ngettext("%(count)s vote", "%(count)s votes", n)
        for n in (0, 1, 2, 3, 11, 100)
    ]
    assert len(set(said)) == 6


@pytest.mark.parametrize(
    ("text", "forms", "fault"),
    [
        ("%(count)s votes", ["Stimmen"], "lacks the fact count"),
        ("{top} best", ["{tops} beste"], "has an unknown fact tops"),
        ("{ordinal} of {top}", ["{top} von {top}"], None),
        ("{ordinal} of {none}", ["von {none}"], "lacks the fact ordinal"),
        ("<b>%(n)s</b>", ["%(n)s"], "has other elements"),
        ("%(n)s %%", ["%(n)s %"], "cannot be filled in"),
        (("One vote", "%(count)s votes"), ["Eine Stimme", "%(count)s Stimmen"], None),
        (("One vote", "%(count)s votes"), ["Eine Stimme", "Stimmen"], "lacks the fact count"),
        (("%(a)s: one", "%(a)s: %(count)s"), ["eins", "%(a)s: %(count)s"], "lacks the fact a"),
    ],
)
def test_faults_are_found(text: str | tuple[str, str], forms: list[str], fault: str | None) -> None:
    found = faults_of(Message(text, ""), forms, catalogue_of("de").plural)
    assert any(fault in one for one in found) if fault else not found, found


def test_a_text_of_the_desk_need_not_be_translated() -> None:
    for paths, needed in (
        (["web/desk/run_pages.py"], False),
        (["web/desk/run_pages.py", "web/public/pages.py"], True),
        (["web/some_new_room.py"], True),
    ):
        message = Message("Text", "", locations=[(path, 0) for path in paths])
        assert translations.is_for_raters(message) is needed


def test_every_text_of_a_module_is_extracted() -> None:
    """The reader of modules passes over a text inside another one's call or an f-string."""
    for path in catalogue.files():
        if path.suffix == ".py":
            found = {
                text if isinstance(text, str) else text[0] for _, text in catalogue.texts_of(path)
            }
            assert _marked(path.read_text("utf-8")) <= found, path


def _marked(source: str) -> set[str]:
    return {
        node.args[0].value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in catalogue.KEYWORDS
        and node.args
        and isinstance(node.args[0], ast.Constant)
    }
