"""What the desk does to raters: exclude, readmit and erase them, one or many in one step."""

from collections.abc import Iterable

from plaudit.errors import InvalidInput, NotAllowed
from plaudit.phrase import Phrase
from plaudit.service.accounts.roles import COMMAND_LINE, Actor, require_owner
from plaudit.service.contest.events import (
    RaterEvent,
    RatersErased,
    RatersExcluded,
    RatersReadmitted,
)
from plaudit.service.desk.step import Stepping
from plaudit.store.contract import Rater
from plaudit.store.log import Entry
from plaudit.words import N_

_NOBODY: dict[type[RaterEvent], str] = {
    RatersExcluded: N_("All of these raters were excluded already."),
    RatersReadmitted: N_("None of these raters is excluded, or they were erased for good."),
    RatersErased: N_("This rater was erased already."),
}


class RaterSteps(Stepping):
    """Steps on raters, each by number or by the keyed hash that exports show."""

    def exclude(
        self, name: str, *raters: str | int, by: Actor = COMMAND_LINE, epoch: int | None = None
    ) -> Entry:
        """Lets none of these raters' votes count, past or future."""
        return self._moderate(name, raters, RatersExcluded, by, epoch)

    def readmit(
        self, name: str, *raters: str | int, by: Actor = COMMAND_LINE, epoch: int | None = None
    ) -> Entry:
        """Lets the votes of excluded raters count again."""
        return self._moderate(name, raters, RatersReadmitted, by, epoch)

    def erase(
        self, name: str, rater: str | int, *, by: Actor = COMMAND_LINE, epoch: int | None = None
    ) -> Entry:
        """Forgets who a rater was, for good; none of their votes counts any more.

        It cannot be undone, so that it takes an owner.
        """
        require_owner(by)
        return self._moderate(name, [rater], RatersErased, by, epoch)

    def _moderate(
        self,
        name: str,
        raters: Iterable[str | int],
        made: type[RaterEvent],
        by: Actor,
        epoch: int | None,
    ) -> Entry:
        history = self._history(name, by, epoch)
        found = sorted({self.find_rater(name, rater).number for rater in raters})
        if not found:
            raise InvalidInput(Phrase(N_("No rater was named: name at least one.")))
        known = history.contest.erased if made is RatersErased else set()
        moved = [number for _, number in made(tuple(found)).touches(history.contest)]
        moved = [number for number in moved if number not in known]
        if not moved:
            raise NotAllowed(Phrase(_NOBODY[made]))
        erase = moved[0] if made is RatersErased else None
        return self._append(history, made(tuple(moved)), by=by, erase=erase)

    def find_rater(self, name: str, rater: str | int) -> Rater:
        """The rater of this number, or whom an export shows by this keyed hash."""
        if isinstance(rater, int):
            if rater >= 0 and self._store.answers_of(name, rater):
                return Rater(rater, None)
            told = N_("There is no rater {rater} in {name!r}.")
            raise InvalidInput(Phrase(told, rater=str(rater), name=name))
        try:
            key = bytes.fromhex(rater)
        except ValueError:
            key = b""
        found = self._store.rater(name, key) if len(key) == 16 else None
        if found is None:
            told = N_(
                "There is no rater {rater!r} in {name!r}: give the 32 characters that the export "
                "of votes shows in its column `rater`."
            )
            raise InvalidInput(Phrase(told, rater=rater, name=name))
        return found
