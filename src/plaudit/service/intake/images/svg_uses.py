"""How large a drawing grows when its references are followed.

`<use>`, patterns, masks and the like draw another part again, and that part may use others:
forty lines can ask for ten to the tenth power of shapes, and stop a browser.
"""

from dataclasses import dataclass, field

from plaudit.errors import InvalidInput

MAX_DRAWN = 200_000
MAX_DEPTH = 300


@dataclass
class _Part:
    """An element with a name, or the root: what it holds and what it refers to."""

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
        """An element begins; one with a name is a part of its own, inside those around it."""
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
        """Returns if following all references draws a bearable number of elements."""
        if self._drawn(self._root, {}, set()) > MAX_DRAWN:
            raise InvalidInput(
                f"The drawing (SVG) draws more than {MAX_DRAWN:,} shapes by using parts again and "
                "again. Simplify it, or save it as PNG."
            )

    def _drawn(self, part: _Part, known: dict[int, int], above: set[int]) -> int:
        if id(part) in known:
            return known[id(part)]
        if id(part) in above or len(above) >= MAX_DEPTH:
            raise InvalidInput(
                "The drawing (SVG) has a part that uses itself, or uses others too deeply. "
                "Simplify it, or save it as PNG."
            )
        above.add(id(part))
        total = part.elements
        for name in part.inside:
            if name in self._parts:
                total += self._drawn(self._parts[name], known, above)
        above.discard(id(part))
        # Beyond the limit the exact number is of no interest, and would grow without end.
        known[id(part)] = min(total, 2 * MAX_DRAWN)
        return known[id(part)]
