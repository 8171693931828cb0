"""Checks SVG drawings: only what draws is allowed, and the parser loads and expands nothing."""

import re
from typing import NoReturn
from xml.parsers import expat

from plaudit.errors import InvalidInput
from plaudit.phrase import Phrase, Words
from plaudit.service.intake.images import svg_names as names
from plaudit.service.intake.images.svg_uses import Uses
from plaudit.words import N_

MAX_DEPTH = 200
MAX_ELEMENTS = 100_000
# What to do about a drawing that is refused.
REMOVE = N_("Take it out, or save the drawing as PNG.")
SAVE_AS_UTF8 = N_("Save it as UTF-8, or save it as PNG.")
SAVE_AGAIN = N_("Save it again, or save it as PNG.")
NO_DOCTYPE = N_("Delete what <!DOCTYPE begins, or save the drawing as PNG.")
SIMPLIFY = N_("Simplify it, or save it as PNG.")
CORRECT = N_("Correct it, or save it as PNG.")

_FRAGMENT = re.compile(r"#[^\s\"'()<>\\]+")
_LOCAL_URL = re.compile(
    r"url\(\s*(?P<quote>[\"']?)(?P<target>#[^\s\"'()<>\\]+)(?P=quote)\s*\)", re.I
)
# Only from the start of a word: to start at each letter would take forever for a long word.
_FUNCTION = re.compile(r"(?<![-\w])([-\w]*)\(")
# Escapes, rules that may load something (all except @media), markup and scripts.
_SUSPECT = re.compile(r"\\|@(?!media[\s(])|<|javascript:", re.I)
# Whatever is searched for in a text contains one of these.
_SIGNS = "\\@<:("
_PIXELS = re.compile(r"\s*([0-9]{1,9}(?:\.[0-9]*)?)(?:px)?\s*")


def check_svg(body: bytes) -> tuple[float, float]:
    """Width and height of a drawing that may be shown, 0 if it does not say.

    `InvalidInput` for everything that could run, load or link something; `svg_names` lists what
    is allowed.
    """
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        _refuse(N_("it is not UTF-8"), SAVE_AS_UTF8)
    if b"\0" in body:  # the parser would guess UTF-16, whatever it is told
        _refuse(N_("it holds NUL bytes, as UTF-16 does"), SAVE_AS_UTF8)
    reader = _Reader()
    parser = expat.ParserCreate("UTF-8", namespace_separator=" ")
    parser.buffer_text = True
    parser.XmlDeclHandler = reader.declaration
    parser.StartDoctypeDeclHandler = reader.doctype
    parser.ProcessingInstructionHandler = reader.instruction
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    try:
        parser.Parse(body, True)
    except expat.ExpatError as error:
        reason = expat.errors.messages[error.code]
        told = N_("line {line} is not XML ({reason})")
        _refuse(told, SAVE_AGAIN, line=str(error.lineno), reason=reason)
    reader.uses.check()
    return reader.size


class _Reader:
    """Checks each part of a drawing as the parser reports it."""

    def __init__(self) -> None:
        self.size = (0.0, 0.0)
        self.uses = Uses()
        self._open: list[str] = []
        self._elements = 0
        self._style: list[str] = []

    def declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        # Browsers believe the declaration, so it must match what was read here.
        if encoding is not None and encoding.lower() not in ("utf-8", "us-ascii"):
            told = N_("it declares the encoding {encoding!r}")
            _refuse(told, SAVE_AS_UTF8, encoding=encoding[:40])

    def doctype(self, *_: object) -> None:
        _refuse(N_("it has a DOCTYPE, which could define entities"), NO_DOCTYPE)

    def instruction(self, target: str, _: str) -> None:
        _refuse(N_("it has a processing instruction (<?{target} …?>)"), target=target[:40])

    def start(self, name: str, attributes: dict[str, str]) -> None:
        space, _, local = name.rpartition(" ")
        self._elements += 1
        if len(self._open) >= MAX_DEPTH or self._elements > MAX_ELEMENTS:
            _refuse(N_("it has too many elements, or nests them too deeply"), SIMPLIFY)
        if self._open and self._open[-1] == f"{names.SVG} style":
            _refuse(N_("it holds <{element}> inside <style>"), element=local[:40])
        if not self._open and (space, local) != (names.SVG, "svg"):
            _refuse(N_('its root is not <svg xmlns="{space}">'), CORRECT, space=names.SVG)
        if space == names.SVG:
            if local not in names.ELEMENTS:
                told = N_("it uses <{element}>, which could run, load or link something")
                _refuse(told, element=local[:40])
        elif space not in names.INERT_NAMESPACES:
            told = N_("it holds <{element}> of another language ({space})")
            _refuse(told, element=local[:40], space=space[:80] or "none")
        if not self._open:
            self.size = _size(attributes)
        self._open.append(name)
        self.uses.enter(attributes.get("id", ""))
        if space == names.SVG:
            self._attributes(local, attributes)

    def _attributes(self, element: str, attributes: dict[str, str]) -> None:
        for name, value in attributes.items():
            space, _, local = name.rpartition(" ")
            if local == "href" and space in ("", names.XLINK):
                self._link(element, value)
            elif space == "":
                self._plain(element, local, value)
            elif space == names.XLINK:
                if local not in names.XLINK_ATTRIBUTES:
                    _refuse(N_("it has the attribute {name}"), name=f"xlink:{local[:40]}")
            elif space == names.XML:
                if local not in names.XML_ATTRIBUTES:
                    _refuse(N_("it has the attribute {name}"), name=f"xml:{local[:40]}")
            elif space not in names.INERT_NAMESPACES:
                told = N_("it has the attribute {name} of another language ({space})")
                _refuse(told, name=local[:40], space=space[:80])

    def _plain(self, element: str, name: str, value: str) -> None:
        if name.startswith(("data-", "aria-")) or name in names.WORDS:
            return
        if name not in names.ATTRIBUTES:
            told = N_("it has the attribute {name!r}, which may do more than draw")
            _refuse(told, name=name[:40])
        if name == "attributeName" and (
            element not in names.ANIMATIONS or value not in names.ATTRIBUTES - {"style"}
        ):
            _refuse(N_("it animates {name!r}, which may do more than draw"), name=value[:40])
        self._css(value, Phrase(N_("the attribute {name}"), name=name))

    def _link(self, element: str, value: str) -> None:
        if not _FRAGMENT.fullmatch(value):
            told = N_("it links to {target!r}; only parts of the drawing itself (#…) may be used")
            _refuse(told, target=value[:60])
        if element not in names.ANIMATIONS:  # they refer to what they move, often their parent
            self.uses.refer(value[1:])

    def _css(self, text: str, where: Words) -> None:
        # The long outlines of drawings have none of these; to search them would take a while,
        # during which nobody else is served.
        if not any(sign in text for sign in _SIGNS):
            return
        if found := _SUSPECT.search(text):
            told = N_("{where} holds {text!r}, which could hide or load something")
            _refuse(told, where=where, text=found.group())
        # Comments are checked too: readers disagree about what is a comment inside quotes.
        for found in _LOCAL_URL.finditer(text):
            self.uses.refer(found["target"][1:])
        for function in _FUNCTION.findall(_LOCAL_URL.sub(" ", text)):
            if function.lower() not in names.FUNCTIONS and function:
                told = N_("{where} uses {function}(, which could load something")
                _refuse(told, where=where, function=function[:40])

    def characters(self, text: str) -> None:
        if self._open[-1] == f"{names.SVG} style":
            self._style.append(text)

    def end(self, name: str) -> None:
        if name == f"{names.SVG} style":
            self._css("".join(self._style), "<style>")
            self._style.clear()
        self._open.pop()
        self.uses.leave()


def _size(attributes: dict[str, str]) -> tuple[float, float]:
    width, height = (_PIXELS.fullmatch(attributes.get(key, "")) for key in ("width", "height"))
    return float(width[1]) if width else 0.0, float(height[1]) if height else 0.0


def _refuse(fault: str, advice: str = REMOVE, **facts: Words) -> NoReturn:
    told = N_("The drawing (SVG) cannot be shown: {fault}. {advice}")
    raise InvalidInput(Phrase(told, fault=Phrase(fault, **facts), advice=Phrase(advice)))
