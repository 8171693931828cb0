"""The desk's steps on raters: exclude, readmit and erase them, one or many in one step."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from plaudit.errors import InvalidInput, NotAllowed, UnknownName
from plaudit.phrase import Phrase
from plaudit.service.accounts.roles import COMMAND_LINE, Actor, require_owner
from plaudit.service.contest.events import (
    RaterEvent,
    RatersErased,
    RatersExcluded,
    RatersReadmitted,
)
from plaudit.service.contest.grounds import GROUNDS, VOTES
from plaudit.service.desk.step import Stepping
from plaudit.store.contract import Rater
from plaudit.store.log import Entry
from plaudit.words import N_

_NOBODY: dict[type[RaterEvent], str] = {
    RatersExcluded: N_("All of these raters are excluded already."),
    RatersReadmitted: N_("None of these raters is excluded, or they are erased for good."),
    RatersErased: N_("This rater is erased already."),
}


def checked_grounds(grounds: str) -> str:
    """The grounds, if they are known; otherwise an error."""
    if grounds not in GROUNDS:
        raise UnknownName(N_("grounds"), grounds, GROUNDS)
    return grounds


class RaterSteps(Stepping):
    """Steps on raters, named by number or by the keyed hash that exports show."""

    def exclude(
        self,
        name: str,
        *raters: str | int,
        grounds: str | Mapping[int, str] = VOTES,
        by: Actor = COMMAND_LINE,
        epoch: int | None = None,
    ) -> Entry:
        """Excludes raters: none of their votes counts, past or future.

        `grounds` is one of `grounds.GROUNDS` for all of them, or says it of raters by number;
        whom it leaves out is excluded by votes, which claims least.
        """

        def made(found: Sequence[int]) -> RatersExcluded:
            if isinstance(grounds, str):
                return RatersExcluded(tuple(found), grounds=checked_grounds(grounds))
            each = tuple(checked_grounds(grounds.get(rater, VOTES)) for rater in found)
            return RatersExcluded(tuple(found), grounds=each[0] if len({*each}) == 1 else each)

        return self._moderate(name, raters, made, by, epoch)

    def readmit(
        self, name: str, *raters: str | int, by: Actor = COMMAND_LINE, epoch: int | None = None
    ) -> Entry:
        """Readmits excluded raters: their votes count again."""
        return self._moderate(name, raters, lambda found: RatersReadmitted(tuple(found)), by, epoch)

    def erase(
        self, name: str, rater: str | int, *, by: Actor = COMMAND_LINE, epoch: int | None = None
    ) -> Entry:
        """Erases who a rater was, for good; their votes no longer count.

        It cannot be undone, so only an owner may do it.
        """
        require_owner(by)
        return self._moderate(name, [rater], lambda found: RatersErased(tuple(found)), by, epoch)

    def _moderate(
        self,
        name: str,
        raters: Iterable[str | int],
        made: Callable[[Sequence[int]], RaterEvent],
        by: Actor,
        epoch: int | None,
    ) -> Entry:
        history = self._history(name, by, epoch)
        found = sorted({self.find_rater(name, rater).number for rater in raters})
        if not found:
            raise InvalidInput(Phrase(N_("No rater was named: name at least one.")))
        wanted = made(found)
        erases = isinstance(wanted, RatersErased)
        done = history.contest.erased if erases else set()
        changed = [number for _, number in wanted.touches(history.contest)]
        changed = [number for number in changed if number not in done]
        if not changed:
            raise NotAllowed(Phrase(_NOBODY[type(wanted)]))
        erase = changed[0] if erases else None
        return self._append(history, made(changed), by=by, erase=erase)

    def find_rater(self, name: str, rater: str | int) -> Rater:
        """The rater with this number, or with this keyed hash from an export."""
        if isinstance(rater, int):
            if rater >= 0 and self._store.answers_of(name, rater):
                return Rater(rater, None)
            text = N_("There is no rater {rater} in {name!r}.")
            raise InvalidInput(Phrase(text, rater=str(rater), name=name))
        try:
            key = bytes.fromhex(rater)
        except ValueError:
            key = b""
        found = self._store.rater(name, key) if len(key) == 16 else None
        if found is None:
            text = N_(
                "There is no rater {rater!r} in {name!r}: give the 32 characters from the column "
                "`rater` of the votes export."
            )
            raise InvalidInput(Phrase(text, rater=rater, name=name))
        return found
