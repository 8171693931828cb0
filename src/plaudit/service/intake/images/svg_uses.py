"""How large a drawing grows when its references are followed.

`<use>`, patterns, masks and the like draw another part again, and that part may use others: forty
lines can draw ten thousand million shapes, and freeze a browser.
"""

from dataclasses import dataclass, field

from plaudit.errors import InvalidInput
from plaudit.phrase import Phrase
from plaudit.words import N_

MAX_DRAWN = 200_000
MAX_DEPTH = 300


@dataclass
class _Part:
    """The root, or an element with a name: its size, and the parts inside it or used by it."""

    elements: int = 1
    inside: list[str] = field(default_factory=list)


class Uses:
    """The named parts of a drawing, collected while it is read."""

    def __init__(self) -> None:
        self._root = _Part()
        self._parts: dict[str, _Part] = {}
        # The parts that are open now, one entry for each open element.
        self._open: list[_Part] = [self._root]

    def enter(self, name: str) -> None:
        """An element begins; one with a name is a part of its own."""
        around = self._open[-1]
        if name and name not in self._parts:
            self._parts[name] = _Part()
            around.inside.append(name)
            self._open.append(self._parts[name])
        else:
            around.elements += 1
            self._open.append(around)

    def refer(self, name: str) -> None:
        """The element that is open draws another part."""
        self._open[-1].inside.append(name)

    def leave(self) -> None:
        """The element that is open ends."""
        self._open.pop()

    def check(self) -> None:
        """Returns if the drawing, with all references followed, has not too many shapes."""
        if self._drawn(self._root, {}, set()) > MAX_DRAWN:
            told = N_(
                "The drawing (SVG) draws more than {most} shapes by using parts again and again. "
                "Simplify it, or save it as PNG."
            )
            raise InvalidInput(Phrase(told, most=MAX_DRAWN))

    def _drawn(self, part: _Part, known: dict[int, int], above: set[int]) -> int:
        if id(part) in known:
            return known[id(part)]
        if id(part) in above or len(above) >= MAX_DEPTH:
            told = N_(
                "The drawing (SVG) has a part that uses itself, or parts that use each other too "
                "deeply. Simplify it, or save it as PNG."
            )
            raise InvalidInput(Phrase(told))
        above.add(id(part))
        total = part.elements
        for name in part.inside:
            if name in self._parts:
                total += self._drawn(self._parts[name], known, above)
        above.discard(id(part))
        # Above the limit the exact number does not matter, and it could grow without end.
        known[id(part)] = min(total, 2 * MAX_DRAWN)
        return known[id(part)]
