"""SVG drawings that only draw: an allow-list over a parser that fetches and expands nothing."""

import re
from typing import NoReturn
from xml.parsers import expat

from plaudit.errors import InvalidInput
from plaudit.service.intake.images import svg_names as names
from plaudit.service.intake.images.svg_uses import Uses

MAX_DEPTH = 200
MAX_ELEMENTS = 100_000

_FRAGMENT = re.compile(r"#[^\s\"'()<>\\]+")
_LOCAL_URL = re.compile(
    r"url\(\s*(?P<quote>[\"']?)(?P<target>#[^\s\"'()<>\\]+)(?P=quote)\s*\)", re.I
)
# From the start of a word on: to try each of its letters would take a long word for ever.
_FUNCTION = re.compile(r"(?<![-\w])([-\w]*)\(")
# Escapes, rules that load (all but @media may), markup and scripts.
_SUSPECT = re.compile(r"\\|@(?!media[\s(])|<|javascript:", re.I)
# Whatever is looked for in a text has one of these.
_SIGNS = "\\@<:("
_PIXELS = re.compile(r"\s*([0-9]{1,9}(?:\.[0-9]*)?)(?:px)?\s*")


def check_svg(body: bytes) -> tuple[float, float]:
    """Width and height of a drawing that may be shown, 0 where it does not say; else an error.

    Refused is all that could run, load or link: see `svg_names` for what is allowed.
    """
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        _refuse("it is not UTF-8", advice="Save it as UTF-8")
    if b"\0" in body:  # the parser would guess UTF-16, whatever it is told
        _refuse("it holds NUL bytes, as UTF-16 does", advice="Save it as UTF-8")
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
        _refuse(f"line {error.lineno} is not XML ({reason})", advice="Save it again")
    reader.uses.check()
    return reader.size


class _Reader:
    """What the parser tells, checked as it comes."""

    def __init__(self) -> None:
        self.size = (0.0, 0.0)
        self.uses = Uses()
        self._open: list[str] = []
        self._elements = 0
        self._style: list[str] = []

    def declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        # The browser believes the declaration: it must be what was read here.
        if encoding is not None and encoding.lower() not in ("utf-8", "us-ascii"):
            _refuse(f"it declares the encoding {encoding[:40]!r}", advice="Save it as UTF-8")

    def doctype(self, *_: object) -> None:
        _refuse(
            "it has a DOCTYPE, which could define entities", advice="Delete what <!DOCTYPE begins"
        )

    def instruction(self, target: str, _: str) -> None:
        _refuse(f"it has a processing instruction (<?{target[:40]} …?>)")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        space, _, local = name.rpartition(" ")
        self._elements += 1
        if len(self._open) >= MAX_DEPTH or self._elements > MAX_ELEMENTS:
            _refuse("it has too many elements, or too deep ones", advice="Simplify it")
        if self._open and self._open[-1] == f"{names.SVG} style":
            _refuse(f"it holds <{local[:40]}> inside <style>")
        if not self._open and (space, local) != (names.SVG, "svg"):
            _refuse(f'its root is not <svg xmlns="{names.SVG}">', advice="Correct it")
        if space == names.SVG:
            if local not in names.ELEMENTS:
                _refuse(f"it uses <{local[:40]}>, which could run, load or link something")
        elif space not in names.INERT_NAMESPACES:
            _refuse(f"it holds <{local[:40]}> of another language ({space[:80] or 'none'})")
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
                    _refuse(f"it has the attribute xlink:{local[:40]}")
            elif space == names.XML:
                if local not in names.XML_ATTRIBUTES:
                    _refuse(f"it has the attribute xml:{local[:40]}")
            elif space not in names.INERT_NAMESPACES:
                _refuse(f"it has the attribute {local[:40]} of another language ({space[:80]})")

    def _plain(self, element: str, name: str, value: str) -> None:
        if name.startswith(("data-", "aria-")) or name in names.WORDS:
            return
        if name not in names.ATTRIBUTES:
            _refuse(f"it has the attribute {name[:40]!r}, which is not one that only draws")
        if name == "attributeName" and (
            element not in names.ANIMATIONS or value not in names.ATTRIBUTES - {"style"}
        ):
            _refuse(f"it animates {value[:40]!r}, which is not something that only draws")
        self._css(value, where=f"the attribute {name}")

    def _link(self, element: str, value: str) -> None:
        if not _FRAGMENT.fullmatch(value):
            _refuse(
                f"it links to {value[:60]!r}, and only parts of the drawing itself (#…) may be used"
            )
        if element not in names.ANIMATIONS:  # they point at what they move, often their parent
            self.uses.refer(value[1:])

    def _css(self, text: str, *, where: str) -> None:
        # The long outlines of drawings have none of these, and to search them takes a while in
        # which nobody else is served.
        if not any(sign in text for sign in _SIGNS):
            return
        if found := _SUSPECT.search(text):
            _refuse(f"{where} holds {found.group()!r}, which could hide or load something")
        # Comments are read like the rest: what is one within quotation marks is disputed.
        for found in _LOCAL_URL.finditer(text):
            self.uses.refer(found["target"][1:])
        for function in _FUNCTION.findall(_LOCAL_URL.sub(" ", text)):
            if function.lower() not in names.FUNCTIONS and function:
                _refuse(f"{where} uses {function[:40]}(, which could load something")

    def characters(self, text: str) -> None:
        if self._open[-1] == f"{names.SVG} style":
            self._style.append(text)

    def end(self, name: str) -> None:
        if name == f"{names.SVG} style":
            self._css("".join(self._style), where="<style>")
            self._style.clear()
        self._open.pop()
        self.uses.leave()


def _size(attributes: dict[str, str]) -> tuple[float, float]:
    width, height = (_PIXELS.fullmatch(attributes.get(key, "")) for key in ("width", "height"))
    return float(width[1]) if width else 0.0, float(height[1]) if height else 0.0


def _refuse(fault: str, *, advice: str = "Take it out") -> NoReturn:
    raise InvalidInput(f"The drawing (SVG) cannot be shown: {fault}. {advice}, or save it as PNG.")
