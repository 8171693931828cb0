"""Races whose votes are drawn from known levels, not told by raters: what simulations run."""

from dataclasses import replace
from typing import Any

from plaudit.race.engine import Engine
from plaudit.race.race import Race
from plaudit.race.settings import Settings, method_of
from plaudit.scale import Scale


class UnaskedRace(Race):
    """A race of which nobody asks for items, unless it is `asked` after all.

    `drawn` is the scale on which its votes will lie, if they make one. A race that reads the votes
    at each level gets it, and so judges as it would in a contest with that scale.
    """

    def __init__(
        self, items: int, *, drawn: Scale | None = None, asked: bool = False, **settings: Any
    ) -> None:
        self._drawn = drawn
        self._asked = asked
        super().__init__(items, **settings)

    def _make_engine(self, settings: Settings) -> Engine:
        method = method_of(settings)
        if method.bound.uses_levels or settings.tolerance:
            settings = replace(settings, scale=self._drawn)
        return Engine(settings, method, asked=self._asked)
